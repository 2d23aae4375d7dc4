package adapt

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/strictjson"
)

// Playwright reads tool calls in the style of Playwright MCP: {"name": "browser_click", "arguments": {…}, "id"}.
type Playwright struct {
	Snapshot int           // the snapshot whose numbers refs like e12 are; 0 accepts only whole refs, s7:e12
	NewID    func() string // of proposals; nil is random
}

// AgentBrowser reads commands in the style of agent-browser: {"action": "click", "selector": "@e2", "id"}.
type AgentBrowser struct {
	Snapshot int           // the snapshot whose numbers refs like @e12 are; 0 accepts only whole refs, @s7:e12
	NewID    func() string // of proposals; nil is random
}

var (
	bareRef  = regexp.MustCompile(`^e[1-9][0-9]{0,8}$`)
	wholeRef = regexp.MustCompile(proposal.RefPattern)
)

// refOf makes a whole ref of one in the short form.
func refOf(n strictjson.Node, s string, snapshot int) string {
	switch {
	case wholeRef.MatchString(s):
		return s
	case bareRef.MatchString(s) && snapshot > 0:
		return "s" + itoa(snapshot) + ":" + s
	}
	n.Fail("no ref of a snapshot that is known")
	return ""
}

// Proposals reads one tool call; a form of several fields is several proposals.
func (o Playwright) Proposals(data []byte) ([]deed.Proposal, error) {
	doc, err := strictjson.Parse("tool call", data, limits)
	if err != nil {
		return nil, err
	}
	n := doc.Root()
	c := &call{newID: o.NewID, meta: map[string]any{"provider": "playwright-mcp"}}
	if n.Object("name", "arguments", "id") {
		if v := n.Maybe("id"); v.There() {
			c.meta["provider_call_id"] = id(v)
		}
		o.tool(c, n)
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return c.out, nil
}

// pointed are the keys that say which element is meant: its description, for people, and its ref.
var pointed = []string{"element", "ref"}

func (o Playwright) tool(c *call, root strictjson.Node) {
	name, n := word(root.Get("name")), root.Maybe("arguments")
	keys := func(names ...string) {
		if n.There() {
			n.Object(names...)
		}
	}
	element := func(more ...string) string {
		keys(append(slices.Clone(pointed), more...)...)
		if v := n.Maybe("element"); v.There() {
			c.meta["provider_element"] = v.Text(strictjson.Text{Max: proposal.MaxName, Empty: true})
		}
		v := n.Get("ref")
		return refOf(v, id(v), o.Snapshot)
	}
	yes := func(key string) bool { v := n.Maybe(key); return v.There() && v.Bool() }
	c.meta["provider_action_type"] = name
	var a deed.Action
	switch name {
	case "browser_navigate":
		keys("url")
		a = deed.Action{Kind: deed.KindGoto, Text: text(n.Get("url"))}
	case "browser_navigate_back":
		keys()
		a = deed.Action{Kind: deed.KindBack}
	case "browser_navigate_forward":
		keys()
		a = deed.Action{Kind: deed.KindForward}
	case "browser_click":
		a = deed.Action{Kind: deed.KindClick, Ref: element("doubleClick", "button", "modifiers")}
		if v := n.Maybe("button"); v.There() {
			a.Button = v.OneOf("left", "right", "middle")
		}
		if v := n.Maybe("modifiers"); v.There() && len(v.Items(16)) > 0 {
			none(v)
		}
		if yes("doubleClick") {
			if a.Button != "" && a.Button != "left" {
				none(n)
			}
			a.Kind, a.Button = deed.KindDblclick, ""
		}
	case "browser_type":
		a = deed.Action{Kind: deed.KindFill, Ref: element("text", "submit", "slowly"), Text: typed(n.Get("text")), Enter: yes("submit")}
		if yes("slowly") { // key by key, and nothing is replaced
			a.Kind = deed.KindType
		}
	case "browser_press_key":
		keys("key")
		v := n.Get("key")
		a = deed.Action{Kind: deed.KindPress, Key: combination(v, chord(v.Text(strictjson.Text{Max: 64})))}
	case "browser_hover":
		a = deed.Action{Kind: deed.KindHover, Ref: element()}
	case "browser_select_option":
		a = deed.Action{Kind: deed.KindSelect, Ref: element("values"), Options: texts(n.Get("values"))}
	case "browser_fill_form":
		keys("fields")
		o.form(c, n.Get("fields"))
		return
	case "browser_wait_for":
		keys("time", "text")
		a = deed.Action{Kind: deed.KindWait}
		switch seconds, shown := n.Maybe("time"), n.Maybe("text"); {
		case seconds.There() == shown.There():
			root.Fail("takes time or text")
		case seconds.There():
			a.Pause = pause(seconds)
		default:
			a.Expect = []deed.Expect{{Kind: deed.ExpectText, Text: plain(shown)}}
		}
	case "browser_take_screenshot":
		keys("type", "filename", "fullPage")
		a = deed.Action{Kind: deed.KindShot, Full: yes("fullPage")}
		if v := n.Maybe("type"); v.There() {
			v.OneOf("png")
		}
		if v := n.Maybe("filename"); v.There() {
			a.Path = v.Text(strictjson.Text{Max: proposal.MaxPath})
		}
	case "browser_tabs":
		keys("action", "url")
		switch v := n.Maybe("url"); n.Get("action").OneOf("new", "close") {
		case "new":
			a = deed.Action{Kind: deed.KindTab, Tab: "open", Text: text(n.Get("url"))}
		case "close":
			if v.There() {
				none(v)
			}
			a = deed.Action{Kind: deed.KindTab, Tab: "close"}
		}
	case "browser_mouse_click_xy":
		keys("element", "x", "y")
		if v := n.Maybe("element"); v.There() {
			c.meta["provider_element"] = v.Text(strictjson.Text{Max: proposal.MaxName, Empty: true})
		}
		a = deed.Action{Kind: deed.KindClick, Point: &deed.Point{X: n.Get("x").Number(0, proposal.MaxPoint), Y: n.Get("y").Number(0, proposal.MaxPoint)}}
	default:
		none(root)
	}
	c.add(root, a)
}

// form reads the fields of a form, each an action of its own.
func (o Playwright) form(c *call, n strictjson.Node) {
	fields := n.Items(maxActions)
	if len(fields) == 0 {
		n.Fail("empty")
	}
	for i, f := range fields {
		only(f, "name", "type", "ref", "value")
		label, v := f.Get("name").Text(strictjson.Text{Max: proposal.MaxName, Empty: true}), f.Get("value")
		a := deed.Action{Ref: refOf(f.Get("ref"), id(f.Get("ref")), o.Snapshot)}
		switch f.Get("type").OneOf("textbox", "checkbox", "radio", "combobox") {
		case "textbox":
			a.Kind, a.Text = deed.KindFill, typed(v)
		case "checkbox":
			a.Kind = deed.KindUncheck
			if v.OneOf("true", "false") == "true" {
				a.Kind = deed.KindCheck
			}
		case "radio":
			v.OneOf("true") // a radio button cannot be taken back
			a.Kind = deed.KindCheck
		case "combobox":
			a.Kind, a.Options = deed.KindSelect, []string{v.Text(strictjson.Text{Max: proposal.MaxName, Empty: true})}
		}
		c.add(f, a, "provider_element", label, "provider_action_index", i)
	}
}

// texts takes a list of texts, or one text as a list of one.
func texts(n strictjson.Node) []string {
	may := strictjson.Text{Max: proposal.MaxName, Empty: true}
	if n.IsText() {
		return []string{n.Text(may)}
	}
	var out []string
	for _, v := range n.Items(proposal.MaxList) {
		out = append(out, v.Text(may))
	}
	return out
}

// plain takes a text that is to be shown; one that deed would read as a regular expression is refused.
func plain(n strictjson.Node) string {
	s := n.Text(strictjson.Text{Max: proposal.MaxName})
	if len(s) > 1 && s[0] == '/' && (strings.HasSuffix(s, "/") || strings.HasSuffix(s, "/i")) {
		none(n)
	}
	return s
}

// Proposals reads one command.
func (o AgentBrowser) Proposals(data []byte) ([]deed.Proposal, error) {
	doc, err := strictjson.Parse("command", data, limits)
	if err != nil {
		return nil, err
	}
	n := doc.Root()
	c := &call{newID: o.NewID, meta: map[string]any{"provider": "agent-browser"}}
	if n.OpenObject() {
		if v := n.Maybe("id"); v.There() {
			c.meta["provider_call_id"] = id(v)
		}
		o.command(c, n)
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return c.out, nil
}

// onElement are the commands that take an element and nothing else.
var onElement = map[string]deed.Kind{
	"dblclick": deed.KindDblclick, "hover": deed.KindHover, "focus": deed.KindFocus, "check": deed.KindCheck, "uncheck": deed.KindUncheck,
	"clear": deed.KindClear, "scrollintoview": deed.KindScroll,
}

// alone are the commands that take nothing.
var alone = map[string]deed.Kind{"back": deed.KindBack, "forward": deed.KindForward, "reload": deed.KindReload}

func (o AgentBrowser) command(c *call, n strictjson.Node) {
	name := word(n.Get("action"))
	keys := func(names ...string) { n.Object(append(names, "id", "action")...) }
	c.meta["provider_action_type"] = name
	var a deed.Action
	if kind, ok := onElement[name]; ok {
		keys("selector")
		a.Kind = kind
		o.element(&a, n)
		c.add(n, a)
		return
	}
	if kind, ok := alone[name]; ok {
		keys()
		c.add(n, deed.Action{Kind: kind})
		return
	}
	switch name {
	case "navigate":
		keys("url")
		a = deed.Action{Kind: deed.KindGoto, Text: text(n.Get("url"))}
	case "click":
		keys("selector", "newTab", "button")
		a.Kind = deed.KindClick
		o.element(&a, n)
		if v := n.Maybe("newTab"); v.There() && v.Bool() {
			none(v)
		}
		if v := n.Maybe("button"); v.There() {
			a.Button = v.OneOf("left", "right", "middle")
		}
	case "fill":
		keys("selector", "value")
		a = deed.Action{Kind: deed.KindFill, Text: typed(n.Get("value"))}
		o.element(&a, n)
	case "type":
		keys("selector", "text", "clear")
		a = deed.Action{Kind: deed.KindType, Text: typed(n.Get("text"))}
		if v := n.Maybe("clear"); v.There() && v.Bool() {
			a.Kind = deed.KindFill
		}
		o.element(&a, n)
	case "keyboard":
		keys("subaction", "text")
		n.Get("subaction").OneOf("type")
		a = deed.Action{Kind: deed.KindType, Text: typed(n.Get("text"))}
	case "press":
		keys("key")
		v := n.Get("key")
		a = deed.Action{Kind: deed.KindPress, Key: combination(v, chord(v.Text(strictjson.Text{Max: 64})))}
	case "select":
		keys("selector", "values")
		a = deed.Action{Kind: deed.KindSelect, Options: texts(n.Get("values"))}
		o.element(&a, n)
	case "upload":
		keys("selector", "files")
		a = deed.Action{Kind: deed.KindUpload, Files: texts(n.Get("files"))}
		o.element(&a, n)
	case "scroll":
		keys("direction", "amount")
		px := n.Get("amount").Int(1, proposal.MaxScroll)
		way := map[string]deed.Scroll{"up": {Y: -px}, "down": {Y: px}, "left": {X: -px}, "right": {X: px}}[n.Get("direction").OneOf("up", "down", "left", "right")]
		a = deed.Action{Kind: deed.KindScroll, Scroll: &way}
	case "wait":
		keys("timeout", "text")
		a = deed.Action{Kind: deed.KindWait}
		if v := n.Maybe("text"); v.There() {
			a.Expect = []deed.Expect{{Kind: deed.ExpectText, Text: plain(v)}}
			if t := n.Maybe("timeout"); t.There() {
				a.Timeout = time.Duration(t.Int(1, proposal.MaxTimeout)) * time.Millisecond
			}
		} else {
			a.Pause = time.Duration(n.Get("timeout").Int(0, proposal.MaxWaitMS)) * time.Millisecond
		}
	case "screenshot":
		keys("path", "fullPage")
		a = deed.Action{Kind: deed.KindShot}
		if v := n.Maybe("path"); v.There() {
			a.Path = v.Text(strictjson.Text{Max: proposal.MaxPath})
		}
		if v := n.Maybe("fullPage"); v.There() {
			a.Full = v.Bool()
		}
	case "evaluate":
		keys("script")
		a = deed.Action{Kind: deed.KindEval, Text: n.Get("script").Text(strictjson.Text{Max: proposal.MaxText, Lines: true})}
	default:
		none(n)
	}
	c.add(n, a)
}

// engine is a selector that is not CSS: text=…, xpath=…, //…, a chain.
var engine = regexp.MustCompile(`^\s*([a-zA-Z_:-]+=|//|\.\.|\(//)|>>`)

// element takes a selector: @e2, or CSS.
func (o AgentBrowser) element(a *deed.Action, n strictjson.Node) {
	v := n.Get("selector")
	s := v.Text(strictjson.Text{Max: proposal.MaxName})
	if v.Failed() {
		return
	}
	if ref, ok := strings.CutPrefix(s, "@"); ok {
		a.Ref = refOf(v, ref, o.Snapshot)
		return
	}
	if engine.MatchString(s) {
		none(v)
		return
	}
	a.Selector = s
}
