package proposal_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/deed-dev/deed/internal/proposal"
)

func sorted(s []string) []string { slices.Sort(s); return s }

var seeds = append([]string{
	`{"kind":"click","params":{"locator":{"button":"Add","in":"cart","near":"x","nth":2,"exact":false,"frame":"f"},"expect":[{"appears":{"row":"a"}},{"count":{"row":"a"},"min":1,"max":2},{"value":{"textbox":"n"},"equals":"v"}]},"risk":3,"metadata":{"a":[1,null]}}`,
	`{"kind":"drag","params":{"ref":"s1:e2","drop":{"to":{"list":"Done"}},"dialog":{"accept":"kanarienvogel"}}}`,
	`{"kind":"upload","params":{"x":1,"y":-0.0,"files":["a/b"]}}`,
	`{"kind":"tab","params":{"tab":"open","text":"http://[::1]:8080/"}}`,
	`{"kind":"press","params":{"key":"Control++"}}`,
	`{"kind":"type","params":{"secret":"A","append":true,"selector":"kanarienvogel"}}`,
	`{"kind":"wait","params":{"expect":[{"state":{"checkbox":"x"},"checked":true},{"request":{"status":201}},{"no_errors":true}]}}`,
}, minimal...)

func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := proposal.Decode(data)
		if err != nil {
			quiet(t, err)
			if len(err.Error()) > 128 {
				t.Fatalf("a long error: %v", err)
			}
			return
		}
		same(t, p)
	})
}

func FuzzDecodePlan(f *testing.F) {
	f.Add([]byte("[" + strings.Join(seeds[:4], ",") + "]"))
	f.Add([]byte(`{"actions":[` + seeds[0] + `],"kanarienvogel":1}`))
	f.Add([]byte(`{"actions":[],"budget":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := proposal.DecodePlan(data)
		if err != nil {
			quiet(t, err)
			return
		}
		out, err := proposal.EncodePlan(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := proposal.DecodePlan(out)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%s becomes %s: %v", data, out, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := []byte(seeds[0])
	for b.Loop() {
		if _, err := proposal.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
