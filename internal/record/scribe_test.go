package record

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/snaptext"
)

var update = flag.Bool("update", false, "rewrite the cases in the tables")

// TestTables: a table is a txtar file: pages (p0, p1, …) in the notation of fixtures, `hand` with what was heard and seen in order, and
// `case`, what is written. A line of `hand` is
//
//	down PAGE PATH [button=N]   up PATH   click PATH [count=N] [button=N]   key PAGE NAME PATH
//	edit PAGE PATH   value PATH "text" [how=KIND]   secret PATH   select PATH "A" …   files PATH "a.txt" …
//	drag PATH over=PATH   wheel PAGE PATH   look PAGE [idle] [over=PATH] [SIGNAL …]   signals SIGNAL …   tab N   closed N N   goto URL
//
// PATH is element numbers, innermost first, after the frame where it is not the main one: f2/3,2. SIGNAL is one of download=NAME popup=TITLE
// request="POST URL 201" confirm="message" with accept or dismiss after it. `signals` is what had happened when the next gesture begins.
func TestTables(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no tables")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { table(t, file) })
	}
}

func table(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]*deed.Snapshot{}
	var hand, want string
	at := -1
	for i, f := range a.Files {
		switch f.Name {
		case "hand":
			hand = string(f.Data)
		case "case":
			want, at = string(f.Data), i
		default:
			if pages[f.Name], err = snaptext.Parse(string(f.Data)); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
	}
	s := NewScribe()
	play(t, s, pages, hand)
	c := Case{ID: "x", Start: "http://shop.example/", Entries: s.Finish(), Secrets: s.Secrets()}
	_, got, _ := strings.Cut(string(c.YAML()), "steps:\n")
	if got == want {
		return
	}
	if *update {
		a.Files[at].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("written\n%s\nwanted\n%s", got, want)
}

func play(t *testing.T, s *Scribe, pages map[string]*deed.Snapshot, hand string) {
	tab := 0
	var sig deed.Signals
	var answers []deed.Answer
	page := func(name string) *deed.Snapshot {
		p := pages[name]
		if p == nil {
			t.Fatalf("there is no page %q", name)
		}
		return p
	}
	for _, line := range strings.Split(hand, "\n") {
		f := fields(t, line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		h := Hand{Tab: tab, Type: f[0], Count: 1}
		rest := f[1:]
		next := func() string {
			if len(rest) == 0 {
				t.Fatalf("%s: a word is missing", line)
			}
			w := rest[0]
			rest = rest[1:]
			return w
		}
		switch f[0] {
		case "tab":
			tab, _ = strconv.Atoi(next())
			continue
		case "closed":
			a, _ := strconv.Atoi(next())
			b, _ := strconv.Atoi(next())
			s.Closed(a, b)
			continue
		case "goto":
			s.Goto(tab, next())
			continue
		case "signals":
			sig, answers = signals(t, rest)
			continue
		case "look":
			l := Look{Tab: tab, Snapshot: page(next()), Rested: true, Over: map[deed.NodeID]bool{}}
			var more []string
			for _, w := range rest {
				switch k, v, _ := strings.Cut(w, "="); k {
				case "idle":
					l.Idle = true
				case "over":
					frame, path := pathOf(t, v)
					for _, el := range path {
						l.Over[deed.NodeID{Frame: frame, Element: el}] = true
					}
				default:
					more = append(more, w)
				}
			}
			l.Signals, l.Answers = signals(t, more)
			s.Look(l)
			continue
		case "down", "edit", "wheel", "key":
			h.Before = page(next())
			h.Signals, h.Answers = sig, answers
			sig, answers = deed.Signals{}, nil
		case "secret":
			h.Type, h.Secret = "value", true
		}
		if f[0] == "key" {
			h.Key = next()
		}
		h.Frame, h.Path = pathOf(t, next())
		for _, w := range rest {
			k, v, ok := strings.Cut(w, "=")
			switch {
			case ok && k == "count":
				h.Count, _ = strconv.Atoi(v)
			case ok && k == "button":
				h.Button, _ = strconv.Atoi(v)
			case ok && k == "how":
				h.How = v
			case ok && k == "over":
				_, h.Over = pathOf(t, v)
			case h.Type == "value":
				h.Value = w
			case h.Type == "select":
				h.Options = append(h.Options, w)
			case h.Type == "files":
				h.Files = append(h.Files, w)
			default:
				t.Fatalf("%s: what is %q?", line, w)
			}
		}
		s.Hand(h)
	}
}

func pathOf(t *testing.T, text string) (frame string, path []int64) {
	frame = snaptext.MainFrame
	if f, rest, ok := strings.Cut(text, "/"); ok {
		frame, text = f, rest
	}
	for _, x := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(x, 10, 64)
		if err != nil {
			t.Fatalf("%q is no path", text)
		}
		path = append(path, n)
	}
	return frame, path
}

func signals(t *testing.T, list []string) (sig deed.Signals, answers []deed.Answer) {
	for _, w := range list {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "download":
			sig.Downloads = append(sig.Downloads, deed.Download{Name: v, Done: true})
		case "popup":
			sig.Pages = append(sig.Pages, deed.NewPage{Title: v})
		case "request":
			r := deed.Request{Done: true}
			if _, err := fmt.Sscan(v, &r.Method, &r.URL, &r.Status); err != nil {
				t.Fatalf("%q: %v", v, err)
			}
			sig.Requests = append(sig.Requests, r)
		case "confirm", "alert", "prompt", "beforeunload":
			sig.Dialogs = append(sig.Dialogs, deed.Dialog{Kind: k, Message: v})
		case "accept", "dismiss":
			answers = append(answers, deed.Answer{Accept: k == "accept", Text: v})
		default:
			t.Fatalf("what is %q?", w)
		}
	}
	return sig, answers
}

// fields splits a line at spaces; a quoted text is one field, also behind a word and an equals sign.
func fields(t *testing.T, line string) []string {
	var out []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		i := strings.IndexAny(line, " \"")
		if i < 0 || line[i] == ' ' {
			if i < 0 {
				i = len(line)
			}
			out, line = append(out, line[:i]), line[i:]
			continue
		}
		q, err := strconv.QuotedPrefix(line[i:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text, _ := strconv.Unquote(q)
		out, line = append(out, line[:i]+text), line[i+len(q):]
	}
	return out
}
