package httpstep

import (
	"encoding/json"
	"testing"
)

// What a wildcard finds in an object is found in one order, every time.
func TestWildcardsHaveAnOrder(t *testing.T) {
	tree, err := decode([]byte(`{"d":4,"b":2,"a":1,"c":3,"list":[10,9,8,7,6,5,4,3,2,1,0]}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"$.*": `[1,2,3,4,[10,9,8,7,6,5,4,3,2,1,0]]`, "$.list[*]": `[10,9,8,7,6,5,4,3,2,1,0]`, "$.list[2,0]": `[8,10]`} {
		p, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			got, err := json.Marshal(p.find(tree))
			if err != nil || string(got) != want {
				t.Fatalf("%s finds %s, want %s", text, got, want)
			}
		}
	}
}
