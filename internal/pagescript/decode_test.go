package pagescript

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deed-dev/deed"
)

// whole is a snapshot as the script writes it.
const whole = `{"u":"http://127.0.0.1/","t":"Shop","doc":"abc","n":4,"el":[1,2,3,9],"pa":[-1,0,0,0],"ro":[0,1,2,3],"roles":["main","button","option","iframe"],
"nm":["","Add","M","pay"],"re":[0,1,1,1],"regs":["","main"],"rw":[0,1,0,0],"rows":["","T-shirt"],"st":[0,16,8,0],"fl":[8,0,21,2],"va":{"2":"[redacted]"},"gr":{"2":"Sizes"},
"frames":[[3,9,"n","pay","http://127.0.0.1/pay"]],"complete":true,"why":"","seq":7}`

func TestDecode(t *testing.T) {
	got, err := Decode([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &Part{URL: "http://127.0.0.1/", Title: "Shop", Doc: "abc", Complete: true, Seq: 7,
		Nodes: []deed.Node{
			{Element: 1, Parent: -1, Role: "main", Container: true},
			{Element: 2, Role: "button", Name: "Add", Region: "main", Row: "T-shirt", States: deed.Disabled},
			{Element: 3, Role: "option", Name: "M", Region: "main", States: deed.Selected, Value: deed.Redacted, HasValue: true, Group: "Sizes", Sensitive: true, Unseen: true},
			{Element: 9, Role: "iframe", Name: "pay", Region: "main", Volatile: true},
		},
		Frames: []FrameRef{{Node: 3, Element: 9, Name: "n", Title: "pay", Src: "http://127.0.0.1/pay"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDecodeRefusesWhatDoesNotHoldTogether(t *testing.T) {
	for name, c := range map[string]struct{ old, new, complaint string }{
		"not JSON":               {`{"u"`, `{u`, "snapshot of the page script"},
		"a short column":         {`"nm":["","Add","M","pay"]`, `"nm":["","Add","M"]`, "column nm has 3 entries, not 4"},
		"a long count":           {`"n":4`, `"n":5`, "column el has 4 entries, not 5"},
		"a negative count":       {`"n":4`, `"n":-1`, "not -1"},
		"a fraction in a column": {`"el":[1,2,3,9]`, `"el":[1,2.5,3,9]`, "something else than whole numbers after 2 entries"},
		"a word in a column":     {`"el":[1,2,3,9]`, `"el":[1,"2",3,9]`, "something else than whole numbers"},
		"a huge number":          {`"el":[1,2,3,9]`, `"el":[1,12345678901234567,3,9]`, "something else than whole numbers"},
		"no array":               {`"el":[1,2,3,9]`, `"el":{"a":1}`, "a column is no array"},
		"a parent behind":        {`"pa":[-1,0,0,0]`, `"pa":[-1,2,0,0]`, "node 1 has the parent 2"},
		"a parent of itself":     {`"pa":[-1,0,0,0]`, `"pa":[0,0,0,0]`, "node 0 has the parent 0"},
		"a parent before all":    {`"pa":[-1,0,0,0]`, `"pa":[-2,0,0,0]`, "node 0 has the parent -2"},
		"no such role":           {`"ro":[0,1,2,3]`, `"ro":[0,1,2,4]`, "no role 4"},
		"no such region":         {`"re":[0,1,1,1]`, `"re":[0,1,1,-1]`, "region -1"},
		"no such row":            {`"rw":[0,1,0,0]`, `"rw":[0,2,0,0]`, "row 2"},
		"a value of no node":     {`"va":{"2"`, `"va":{"4"`, `"4": no such node`},
		"a value of no number":   {`"va":{"2"`, `"va":{"x"`, `"x": no such node`},
		"a group of no node":     {`"gr":{"2"`, `"gr":{"-1"`, `"-1": no such node`},
		"a secret in clear":      {`"[redacted]"`, `"hunter2"`, "sensitive and its value is not masked"},
		"a frame of no node":     {`[[3,9,`, `[[4,9,`, "no such node"},
		"a frame of another":     {`[[3,9,`, `[[3,8,`, "no such node"},
		"a short frame":          {`,"pay","http://127.0.0.1/pay"]`, `]`, "a frame has"},
		"complete with a reason": {`"why":""`, `"why":"cap"`, "complete, and yet: cap"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(whole, c.old, c.new, 1)
			if text == whole {
				t.Fatalf("%q is not in the snapshot", c.old)
			}
			p, err := Decode([]byte(text))
			if err == nil || !strings.Contains(err.Error(), c.complaint) {
				t.Errorf("part %v, error %v, want %q", p, err, c.complaint)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells the secret: %v", err)
			}
		})
	}
	p, err := Decode([]byte(strings.Replace(whole, `"complete":true`, `"complete":false`, 1)))
	if err != nil || p.Complete || p.Why == "" {
		t.Errorf("incomplete without a reason: %+v, %v", p, err)
	}
}

// What Decode reads by hand is what package encoding/json reads.
func TestDecodeReadsStringsAsJSON(t *testing.T) {
	words := []string{"", "plain", `a "quoted" one`, `back\slash`, `\"`, `\\`, "tab\tnew\nline", "\u0000\u0001\u007f", "grüße", "日本語", "🛒 cart", "\u2028\u2029", "<&>", "\ufffd", "/slash/"}
	columns := make([]int, len(words))
	parents := make([]int, len(words))
	elements := make([]int, len(words))
	values := map[string]string{}
	for i, word := range words {
		parents[i] = i - 1
		elements[i] = i * 1e13
		values[strconv.Itoa(i)] = word
	}
	data, err := json.Marshal(map[string]any{"u": words[2], "t": words[10], "doc": words[3], "n": len(words), "el": elements, "pa": parents, "ro": columns, "roles": words[2:3],
		"nm": words, "re": columns, "regs": words[8:], "rw": columns, "rows": words[4:], "st": columns, "fl": columns, "va": values, "gr": values, "frames": []any{}, "complete": true, "why": "", "seq": -3})
	if err != nil {
		t.Fatal(err)
	}
	want := &Part{URL: words[2], Title: words[10], Doc: words[3], Complete: true, Seq: -3}
	for i, word := range words {
		want.Nodes = append(want.Nodes, deed.Node{Element: int64(elements[i]), Parent: i - 1, Role: words[2], Name: word, Region: words[8], Row: words[4], Value: word, HasValue: true, Group: word})
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	// Cut off anywhere, it is an error and no panic.
	for i := range data {
		if _, err := Decode(data[:i]); err == nil {
			t.Fatalf("the first %d of %d bytes are a snapshot too", i, len(data))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"n":0,"complete":true}`))
	f.Add([]byte(`{"n":1,"el":[1],"pa":[-1],"ro":[0],"roles":["text"],"nm":["x"],"re":[0],"regs":[""],"rw":[0],"rows":[""],"st":[0],"fl":[0],"va":{},"gr":{},"frames":[],"complete":false,"why":"w"}`))
	f.Add([]byte(`{"frames":[[0]],"va":{"0":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		if err != nil {
			return
		}
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if n.Parent < -1 || n.Parent >= i {
				t.Errorf("node %d has the parent %d", i, n.Parent)
			}
			if n.Sensitive && n.Value != "" && n.Value != deed.Redacted {
				t.Errorf("node %d tells a secret", i)
			}
		}
		for _, fr := range p.Frames {
			if fr.Node < 0 || fr.Node >= len(p.Nodes) {
				t.Errorf("frame of node %d of %d", fr.Node, len(p.Nodes))
			}
		}
		if p.Complete != (p.Why == "") {
			t.Errorf("complete %v, why %q", p.Complete, p.Why)
		}
	})
}

// What is new against a snapshot, put together with it; and what does not fit it.
func TestDecodeOn(t *testing.T) {
	base := &Part{Doc: "d", No: 4, Complete: true, Nodes: []deed.Node{
		{Element: 1, Parent: -1, Role: "main"}, {Element: 2, Parent: 0, Role: "text", Name: "a"}, {Element: 3, Parent: 0, Role: "list"},
		{Element: 4, Parent: 2, Role: "listitem", Name: "b", Value: "v", HasValue: true}, {Element: 5, Parent: 2, Role: "listitem", Name: "c"}}}
	const one = `"doc":"d","no":5,"base":4,"complete":true,"roles":["list","text"],"regs":[""],"rows":["r"],"va":{},"gr":{},"frames":[]`
	own := func(el, pa, ro, nm string) string {
		zeros := regexp.MustCompile(`-?\d+`).ReplaceAllString(el, "0")
		return `"el":` + el + `,"pa":` + pa + `,"ro":` + ro + `,"nm":` + nm + `,"re":` + zeros + `,"rw":` + zeros + `,"st":` + zeros + `,"fl":` + zeros
	}
	// The second node is gone, one is new before the list, and the list, told anew, keeps its items, moved by none.
	got, err := DecodeOn(base, []byte(`{`+one+`,"n":5,"ops":[0,1,-1,2,3,2],`+own(`[9,3]`, `[0,0]`, `[1,0]`, `["new",""]`)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Part{Doc: "d", No: 5, Complete: true, Nodes: []deed.Node{
		{Element: 1, Parent: -1, Role: "main"}, {Element: 9, Parent: 0, Role: "text", Name: "new", Row: "r"}, {Element: 3, Parent: 0, Role: "list", Row: "r"},
		{Element: 4, Parent: 2, Role: "listitem", Name: "b", Value: "v", HasValue: true}, {Element: 5, Parent: 2, Role: "listitem", Name: "c"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if base.Nodes[3].Parent != 2 || base.Nodes[1].Element != 2 {
		t.Error("the base has changed")
	}
	none := own(`[]`, `[]`, `[]`, `[]`)
	for name, text := range map[string]string{
		"another base":          `{"doc":"d","no":5,"base":3,"complete":true,"n":5,"ops":[0,5],` + none + `}`,
		"another document":      `{"doc":"e","no":5,"base":4,"complete":true,"n":5,"ops":[0,5],` + none + `}`,
		"ops without a base":    `{"doc":"d","no":5,"complete":true,"n":0,"ops":[0,5],` + none + `}`,
		"too far":               `{` + one + `,"n":6,"ops":[0,6],` + none + `}`,
		"too few":               `{` + one + `,"n":5,"ops":[0,4],` + none + `}`,
		"too many":              `{` + one + `,"n":1,"ops":[0,2],` + none + `}`,
		"no count":              `{` + one + `,"n":5,"ops":[0],` + none + `}`,
		"a count of none":       `{` + one + `,"n":5,"ops":[0,5,1,0],` + none + `}`,
		"from before the first": `{` + one + `,"n":5,"ops":[-2,5],` + none + `}`,
		"without its parent":    `{` + one + `,"n":1,"ops":[3,1],` + none + `}`,
		"own nodes missing":     `{` + one + `,"n":6,"ops":[0,5,-1,1],` + none + `}`,
		"own nodes not due":     `{` + one + `,"n":5,"ops":[0,5],` + own(`[9]`, `[0]`, `[0]`, `[""]`) + `}`,
		"a parent that follows": `{` + one + `,"n":6,"ops":[0,5,-1,1],` + own(`[9]`, `[5]`, `[0]`, `[""]`) + `}`,
	} {
		if p, err := DecodeOn(base, []byte(text)); err == nil {
			t.Errorf("%s: decoded to %d nodes", name, len(p.Nodes))
		}
	}
	if _, err := Decode([]byte(`{` + one + `,"n":5,"ops":[0,5],` + none + `}`)); err == nil {
		t.Error("decoded without its base")
	}
}
