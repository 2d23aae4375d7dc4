package adapt_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/adapt"
	"github.com/deed-dev/deed/internal/proposal"
)

var update = flag.Bool("update", false, "write what is proposed into testdata")

type adapter interface {
	Proposals([]byte) ([]deed.Proposal, error)
}

var display = adapt.Display{Width: 1280, Height: 800}

// adapters are one of each, with ids that count.
func adapters() map[string]adapter {
	n := 0
	id := func() string { n++; return fmt.Sprint("p", n) }
	return map[string]adapter{
		"openai":       adapt.OpenAI{Display: display, NewID: id},
		"anthropic":    adapt.Anthropic{Version: "computer_20250124", Display: display, NewID: id},
		"gemini":       adapt.Gemini{Display: display, NewID: id},
		"playwright":   adapt.Playwright{Snapshot: 7, NewID: id},
		"agentbrowser": adapt.AgentBrowser{Snapshot: 7, NewID: id},
	}
}

const canary = "kanarienvogel"

// told writes proposals in canonical form, or the refusal.
func told(t interface{ Fatalf(string, ...any) }, a adapter, in []byte) string {
	list, err := a.Proposals(in)
	if err != nil {
		quiet(t, err)
		return "refused: " + err.Error() + "\n"
	}
	if len(list) == 0 {
		t.Fatalf("%s proposes nothing, and is not refused", in)
	}
	var b strings.Builder
	for i := range list {
		one, err := proposal.Encode(&list[i])
		if err != nil {
			t.Fatalf("%s proposes what has no form: %v", in, err)
		}
		b.Write(one)
		b.WriteByte('\n')
	}
	return b.String()
}

func quiet(t interface{ Fatalf(string, ...any) }, err error) {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if s := strings.ToLower(fmt.Sprintf("%v %+v %#v %s", e, e, e, deed.HintOf(e))); strings.Contains(s, canary) {
			t.Fatalf("the error repeats what was submitted: %v", e)
		}
	}
	if !errors.Is(err, deed.CodeInvalid) {
		t.Fatalf("%v", err)
	}
}

// TestGolden: what each call proposes, or why it is refused, is in testdata.
func TestGolden(t *testing.T) {
	for name := range adapters() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".txtar")
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) < 10 || len(a.Files)%2 != 0 {
				t.Fatalf("%d sections", len(a.Files))
			}
			changed := false
			for i := 0; i < len(a.Files); i += 2 {
				in, out := a.Files[i], &a.Files[i+1]
				t.Run(in.Name, func(t *testing.T) {
					if out.Name != in.Name+": proposed" {
						t.Fatalf("%s is followed by %s", in.Name, out.Name)
					}
					got := told(t, adapters()[name], in.Data)
					if *update {
						changed = changed || got != string(out.Data)
						out.Data = []byte(got)
					} else if got != string(out.Data) {
						t.Errorf("%s\nproposes %s\nwant     %s", bytes.TrimSpace(in.Data), got, out.Data)
					}
				})
			}
			if changed {
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// section returns a call of a golden file.
func section(t *testing.T, file, name string) []byte {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", file+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("%s has no section %q", file, name)
	return nil
}

func TestAA59_PendingSafetyChecksAreAsked(t *testing.T) {
	for name, n := range map[string]int{"AA-59 pending safety checks": 1, "pending safety checks of a batch": 2} {
		list, err := adapters()["openai"].Proposals(section(t, "openai", name))
		if err != nil || len(list) != n {
			t.Fatal(list, err)
		}
		for _, p := range list {
			if p.Confirm == "" || !strings.Contains(string(p.Metadata), "sc_1") {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	long := strings.Repeat("é", 4000)
	in := `{"type":"computer_call","id":"i","call_id":"c","status":"completed","action":{"type":"wait"},"pending_safety_checks":[{"id":"a","message":"` + long + `"},{"id":"b","message":"` + long + `"}]}`
	list, err := adapters()["openai"].Proposals([]byte(in))
	if err != nil || len(list) != 1 || !strings.HasSuffix(list[0].Confirm, "…") {
		t.Errorf("a long reason: %v", err)
	}
}

func TestAA59_AA61_WhatIsRefusedProposesNothing(t *testing.T) {
	n := 0
	for name, a := range adapters() {
		file, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(file.Files); i += 2 {
			list, err := a.Proposals(file.Files[i].Data)
			must := strings.Contains(file.Files[i].Name, "AA-61") || strings.Contains(file.Files[i].Name, "AA-59") && !strings.Contains(file.Files[i].Name, "pending")
			if must {
				n++
				if err == nil {
					t.Errorf("%s: %s is accepted: %v", name, file.Files[i].Name, list)
				}
			}
			if err != nil && list != nil {
				t.Errorf("%s: %s is refused, and proposes %v", name, file.Files[i].Name, list)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d calls that must be refused", n)
	}
}

func TestAA60_AA62_Waits(t *testing.T) {
	for _, c := range []struct {
		adapter, name string
		ms            int64
	}{{"openai", "AA-60 wait", 2000}, {"anthropic", "AA-62 wait 1.5", 1500}, {"anthropic", "AA-62 wait 0.30000000000000004", 300}, {"gemini", "wait", 5000}} {
		list, err := adapters()[c.adapter].Proposals(section(t, c.adapter, c.name))
		if err != nil || len(list) != 1 || list[0].Action.Kind != deed.KindWait || list[0].Action.Pause.Milliseconds() != c.ms {
			t.Errorf("%s: %v %v", c.name, list, err)
		}
	}
}

func TestAdaptersThatAreNotTold(t *testing.T) {
	shot := section(t, "anthropic", "screenshot")
	for _, a := range []adapt.Anthropic{{}, {Version: "computer_20241022", Display: display}, {Version: "computer_20250124"}, {Version: "computer_20250124", Display: adapt.Display{Width: 100_001, Height: 1}}, {Version: "computer_20250124", Display: adapt.Display{Width: 1}}} {
		if _, err := a.Proposals(shot); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if list, err := (adapt.Anthropic{Version: "computer_20251124", Display: display}).Proposals(shot); err != nil || len(list[0].ID) != 32 {
		t.Errorf("%v %v", list, err)
	}
	if _, err := (adapt.Gemini{}).Proposals(section(t, "gemini", "back")); !errors.Is(err, deed.CodeInvalid) {
		t.Errorf("%v", err)
	}
	for _, a := range []adapter{adapt.Playwright{}, adapt.AgentBrowser{}} {
		name, in := "playwright", "click"
		if _, ok := a.(adapt.AgentBrowser); ok {
			name = "agentbrowser"
		}
		if _, err := a.Proposals(section(t, name, in)); !errors.Is(err, deed.CodeInvalid) {
			t.Errorf("a ref of no snapshot is accepted: %v", err)
		}
	}
}

// FuzzAdapters: no call makes an adapter panic, repeat what was submitted, or propose what the decoder would refuse.
func FuzzAdapters(f *testing.F) {
	for name := range adapters() {
		a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for i := 0; i < len(a.Files); i += 2 {
			f.Add(a.Files[i].Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, a := range adapters() {
			told(t, a, data)
		}
	})
}
