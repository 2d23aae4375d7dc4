package lock

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// Evidence is what one step of a case did.
type Evidence struct {
	Result *deed.Result
	Healed string // the locator that was healed for it, as text; "" for one that was found as written
}

// Record writes down what a case did that was proven step by step. There is one piece of evidence for each step, in order.
func Record(c *deed.Case, evidence []Evidence) *Case {
	x := newContext(c)
	out := &Case{ID: c.ID, Device: DeviceName(c), Key: Key(c), Runs: 1}
	for i := range c.Steps {
		var ev Evidence
		if i < len(evidence) {
			ev = evidence[i]
		}
		s := x.step(&c.Steps[i], &ev)
		if s.Outline = s.Outline || len(s.Effects) > maxEffects; s.Outline {
			s.Effects = outline(s.Effects)
		}
		out.Steps = append(out.Steps, s)
	}
	x.markPassing(out.Steps, evidence)
	return out
}

// DeviceName is the name of the device that the lock of the case is of: "" is the plain window.
func DeviceName(c *deed.Case) string {
	switch d := c.Device; {
	case d == nil:
		return ""
	case d.Name != "":
		return d.Name
	default:
		return itoa(d.Width) + "x" + itoa(d.Height)
	}
}

// maxEffects is how many effects of one step are held. A step that changes more shows another page, of which regions, headings and messages are held.
const maxEffects = 40

// step is all that a step did.
func (x *context) step(s *deed.Step, ev *Evidence) Step {
	a := &s.Action
	out := Step{Do: a.Kind, At: x.object(a), Healed: x.text(ev.Healed)}
	if s.HTTP != nil {
		out.At = x.text(s.HTTP.Method + " " + s.HTTP.URL)
	}
	r := ev.Result
	if r == nil {
		return out
	}
	if word.MatchString(r.Target.Role) {
		out.Found = x.fingerprint(r)
	}
	out.Effects, out.Outline = x.effects(r), r.Diff.NewDoc
	if r.URL != "" && (a.Kind == deed.KindGoto || r.Diff.NewDoc || r.Diff.URLBefore != r.Diff.URLAfter && r.Diff.URLAfter != "") {
		out.URL = x.address(cmp.Or(r.Diff.URLAfter, r.URL), true)
	}
	out.Requests = x.requests(r)
	for _, d := range r.Signals.Dialogs {
		if !word.MatchString(d.Kind) {
			continue
		}
		out.Dialogs = append(out.Dialogs, Dialog{Kind: d.Kind, Message: x.text(d.Message), Accepted: d.Accepted})
	}
	for _, d := range r.Signals.Downloads {
		out.Downloads = append(out.Downloads, Thing{Name: x.text(d.Name)})
	}
	for _, p := range r.Signals.Pages {
		out.Pages = append(out.Pages, Thing{Name: x.address(p.URL, true)})
	}
	sortThings(out.Downloads)
	sortThings(out.Pages)
	return out
}

func sortThings(ts []Thing) {
	slices.SortStableFunc(ts, func(a, b Thing) int { return cmp.Or(cmp.Compare(a.Name, b.Name), order(a.Optional, b.Optional)) })
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// object is the object of a step for people; a URL and a text as they are on any environment.
func (x *context) object(a *deed.Action) Text {
	switch {
	case a.Kind == deed.KindGoto || a.Kind == deed.KindTab && a.Tab == "open":
		return x.address(a.Text, true)
	case a.Kind == deed.KindEval:
		return "" // a script is read in the case
	}
	for i := range a.Expect {
		if a.Expect[i].Secret && a.Locator.IsZero() {
			return ""
		}
	}
	// What a step saves is marked in the text, and the mark is quoted with it.
	return x.text(strings.ReplaceAll(words.Fold(a.Object()), `\ufdd0`, "\ufdd0"))
}

const maxNear = 120

func (x *context) fingerprint(r *deed.Result) *Fingerprint {
	n, sp := &r.Target, &r.Spot
	near := func(s string) Text { return x.text(clip(words.Fold(s), maxNear)) }
	f := &Fingerprint{Role: n.Role, Name: x.text(words.Fold(n.Name)), Region: x.text(n.Region), Frame: x.text(sp.Frame), Row: near(n.Row), Group: near(n.Group),
		Prev: near(sp.Prev), Next: near(sp.Next), Nth: sp.Nth, Of: sp.Of, Twin: max(sp.Twin, 1), Twins: max(sp.Twins, 1)}
	for _, o := range sp.Others {
		f.Others = append(f.Others, near(o))
	}
	at := r.Diff.URLBefore
	if at == "" {
		at = r.URL
	}
	f.Page = x.page(at)
	return f
}

// page is the path of a URL: on which page an element stands.
func (x *context) page(raw string) Text {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	return x.address(raw, false)
}

// silent are roles that tell how something goes on, not what came of it.
var silent = []string{"tooltip", "progressbar", "timer", "marquee", "scrollbar", "none", "presentation"}

// frameworks are roles that hold others: without a name they are seen when what they hold is seen.
var frameworks = []string{"list", "group", "generic", "table", "rowgroup", "region", "section", "grid", "menu", "listbox", "form", "article", "row", "listitem", "tablist", "toolbar", "figure", "iframe", "data-deed-region", "feed", "tree"}

// messages are roles whose going is a matter of time.
var messages = []string{"alert", "status", "log"}

// states that are effects. The focus and being busy come and go.
const states = deed.Checked | deed.Unchecked | deed.Mixed | deed.Selected | deed.Unselected | deed.Disabled | deed.Expanded | deed.Collapsed |
	deed.Pressed | deed.Unpressed | deed.ReadOnly | deed.Required | deed.Invalid | deed.Current

// shown are the states that are told of what came or went.
const shown = deed.Checked | deed.Mixed | deed.Selected | deed.Disabled | deed.Expanded | deed.Pressed | deed.Invalid

func (x *context) effects(r *deed.Result) []Effect {
	frames := map[string]string{}
	for i := range r.Frames {
		frames[r.Frames[i].ID] = frameName(&r.Frames[i])
	}
	// What came or went inside of what came or went, and says nothing that the whole does not say, is a part of it.
	came, went := map[int]*deed.Change{}, map[int]*deed.Change{}
	for i := range r.Diff.Changes {
		c := &r.Diff.Changes[i]
		switch c.Kind {
		case deed.Appeared:
			came[c.AfterIndex] = c
		case deed.Disappeared:
			went[c.BeforeIndex] = c
		}
	}
	gone := false // a message went: what stood in it went with it
	part := func(c *deed.Change) bool {
		in, n := came, &c.After
		if c.Kind == deed.Disappeared {
			in, n = went, &c.Before
		}
		gone = false
		for p := n.Parent; p >= 0; {
			whole := in[p]
			if whole == nil {
				return false
			}
			w := &whole.After
			if c.Kind == deed.Disappeared {
				w = &whole.Before
				if slices.Contains(messages, w.Role) {
					gone = true
				}
			}
			if passive(n) && words.HasWords(w.Name+" "+w.Value, n.Name) {
				return true
			}
			p = w.Parent
		}
		return false
	}
	var out []Effect
	for i := range r.Diff.Changes {
		c := &r.Diff.Changes[i]
		n := c.Now()
		if c.Before.Volatile || c.After.Volatile || slices.Contains(silent, n.Role) || !word.MatchString(n.Role) {
			continue
		}
		if n.Name == "" && n.Value == "" && slices.Contains(frameworks, n.Role) && (c.Kind == deed.Appeared || c.Kind == deed.Disappeared) {
			continue
		}
		e := Effect{Kind: c.Kind, Role: n.Role, Name: x.text(words.Fold(n.Name)), Region: x.text(n.Region), Frame: x.text(frames[c.Key.Frame]), Uncaused: !c.Caused}
		switch c.Kind {
		case deed.Appeared:
			if part(c) {
				continue
			}
			e.To, e.Gained = x.held(n), (n.States & shown).Names()
		case deed.Disappeared:
			if part(c) || gone || slices.Contains(messages, n.Role) {
				continue // a message goes when its time is over
			}
			e.From, e.Gained = x.held(n), (n.States & shown).Names()
		case deed.Renamed:
			e.Name, e.To = x.text(words.Fold(c.Before.Name)), x.text(words.Fold(c.After.Name))
			e.Region = x.text(c.After.Region)
		case deed.Moved:
			e.Region, e.To = x.text(c.Before.Region), x.text(c.After.Region)
		default:
			e.From, e.To = x.held(&c.Before), x.held(&c.After)
			if c.Before.Sensitive != c.After.Sensitive {
				e.From, e.To = "", ""
			}
			e.Gained = (c.After.States &^ c.Before.States & states).Names()
			e.Lost = (c.Before.States &^ c.After.States & states &^ opposite(c.After.States)).Names()
			if own := c.After.Element != 0 && c.After.Element == r.Target.Element && c.After.Role == r.Target.Role; own {
				e.Gained, e.Lost = without(e.Gained, "disabled"), without(e.Lost, "disabled") // a control rests while its act is on its way
			}
			if e.From == e.To {
				e.From, e.To = "", ""
				if len(e.Gained) == 0 && len(e.Lost) == 0 {
					continue
				}
			}
		}
		out = add(out, e)
	}
	sortEffects(out)
	return out
}

// passive reports whether a node is text: nothing that can be used, and no place of its own.
func passive(n *deed.Node) bool {
	switch n.Role {
	case "text", "paragraph", "generic", "cell", "gridcell", "rowheader", "columnheader", "strong", "emphasis", "mark", "time", "code", "term", "definition",
		"subscript", "superscript", "listitem", "row", "img", "image", "caption", "figure", "deletion", "insertion":
		return !n.HasValue && n.Name != ""
	}
	return false
}

// held is the value of a node. A sensitive one is told as there or not, whatever the node says.
func (x *context) held(n *deed.Node) Text {
	if n.Sensitive && n.Value != "" {
		return Text(escape(deed.Redacted))
	}
	return x.text(n.Value)
}

// opposite are the states whose opposite is set: that one is gone is said by the other.
func opposite(s deed.State) (out deed.State) {
	for _, p := range [][2]deed.State{{deed.Checked, deed.Unchecked | deed.Mixed}, {deed.Unchecked, deed.Checked | deed.Mixed}, {deed.Mixed, deed.Checked | deed.Unchecked | deed.Pressed | deed.Unpressed},
		{deed.Expanded, deed.Collapsed}, {deed.Collapsed, deed.Expanded}, {deed.Pressed, deed.Unpressed}, {deed.Unpressed, deed.Pressed}, {deed.Selected, deed.Unselected}, {deed.Unselected, deed.Selected}} {
		if s&p[1] != 0 {
			out |= p[0]
		}
	}
	return out
}

func without(list []string, word string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == word })
}

// add puts an effect to the others; the same once more is counted.
func add(to []Effect, e Effect) []Effect {
	if len(e.Gained) == 0 {
		e.Gained = nil
	}
	if len(e.Lost) == 0 {
		e.Lost = nil
	}
	for i := range to {
		if o := &to[i]; o.kin(&e) && o.Name == e.Name && o.Region == e.Region && o.From == e.From && o.To == e.To {
			o.Times = count(o.Times) + 1
			o.Uncaused = o.Uncaused && e.Uncaused
			return to
		}
	}
	return append(to, e)
}

func sortEffects(es []Effect) {
	slices.SortStableFunc(es, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Frame, b.Frame),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), slices.Compare(a.Gained, b.Gained), slices.Compare(a.Lost, b.Lost), cmp.Compare(a.Times, b.Times), order(a.Optional, b.Optional), order(a.Uncaused, b.Uncaused))
	})
}

func rank(k deed.ChangeKind) int {
	return slices.Index([]deed.ChangeKind{deed.Appeared, deed.Disappeared, deed.Changed, deed.Renamed, deed.Moved}, k)
}

// outline keeps what tells one page from another.
func outline(es []Effect) []Effect {
	out := es[:0:0]
	for _, e := range es {
		if outlined(&e) {
			out = append(out, e)
		}
	}
	return out
}

func outlined(e *Effect) bool {
	switch e.Role {
	case "heading", "dialog", "alertdialog", "alert", "status":
		return e.Name != "" || e.To != ""
	case "navigation", "main", "search", "form", "region", "complementary", "banner", "contentinfo", "data-deed-region", "tabpanel", "table", "grid":
		return e.Name != ""
	}
	return false
}

func frameName(f *deed.Frame) string {
	if f.Parent < 0 {
		return ""
	}
	return locate.FrameLabel(f)
}

// still are files that a page is made of: which of them are fetched is the cache's business.
var still = []string{".js", ".mjs", ".css", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".mp4", ".webm", ".mp3", ".wasm"}

// noise are words in paths of requests that tell somebody what a person does, and do nothing.
var noise = []string{"analytics", "telemetry", "beacon", "collect", "metrics", "track", "tracking", "rum", "sentry", "heartbeat", "ping", "poll", "polling", "pageview", "pageviews", "csp-report", "vitals"}

// requests are those that tell something: see docs/locks.md.
func (x *context) requests(r *deed.Result) []Request {
	var out []Request
	for i := range r.Signals.Requests {
		q := &r.Signals.Requests[i]
		reads := reading(q.Method)
		own := originOf(q.URL) == x.home(r)
		u, err := url.Parse(q.URL)
		if err != nil || u.Host == "" || q.Method == "OPTIONS" || !method.MatchString(q.Method) || strings.Contains(q.Failed, "ERR_ABORTED") && reads {
			continue
		}
		if reads && (!own || slices.Contains(still, strings.ToLower(path.Ext(u.Path)))) || !own && !x.listed(originOf(q.URL)) || noisy(u.Path) {
			continue
		}
		e := Request{Method: q.Method, URL: x.address(q.URL, !reads)}
		switch {
		case q.Failed != "" && !strings.Contains(q.Failed, "ERR_ABORTED"):
			e.Status = "failed"
		case q.Status > 0:
			e.Status = itoa(q.Status/100) + "xx"
			if reads && q.Status < 400 {
				e.Status = "2xx" // from a cache or not
			}
		}
		out = addRequest(out, e)
	}
	slices.SortStableFunc(out, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Status, b.Status), order(a.Optional, b.Optional), cmp.Compare(a.Times, b.Times))
	})
	return out
}

func addRequest(to []Request, e Request) []Request {
	for i := range to {
		if o := &to[i]; o.Method == e.Method && o.URL == e.URL && o.Status == e.Status {
			if !reading(e.Method) {
				o.Times = count(o.Times) + 1
			}
			return to
		}
	}
	return append(to, e)
}

// reading reports whether a request only asks.
func reading(method string) bool { return method == "GET" || method == "HEAD" }

// home is the origin of the page that the step was on.
func (x *context) home(r *deed.Result) string {
	return cmp.Or(originOf(r.Diff.URLBefore), originOf(r.URL), x.origin)
}

// listed reports whether the case says that it touches an origin.
func (x *context) listed(o string) bool {
	return o == x.origin || slices.ContainsFunc(x.c.Origins, func(s string) bool { return originOf(s) == o })
}

func noisy(p string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(p), func(r rune) bool { return r == '/' || r == '.' || r == '_' }) {
		if slices.Contains(noise, w) {
			return true
		}
	}
	return false
}
