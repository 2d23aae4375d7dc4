package adapt

import (
	"errors"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/strictjson"
)

// Gemini reads function calls of the computer use tool for browsers. Its coordinates are thousandths of the display.
type Gemini struct {
	Display Display       // required
	NewID   func() string // of proposals; nil is random
}

const grid = 1000

// Proposals reads one function call: {"name", "args", "id"}. A safety decision that requires confirmation becomes the proposal's
// Confirm.
func (o Gemini) Proposals(data []byte) ([]deed.Proposal, error) {
	if !o.Display.ok() {
		return nil, &deed.Error{Op: "function_call", Code: deed.CodeInvalid, Err: errors.New("the adapter is not told the display")}
	}
	doc, err := strictjson.Parse("function_call", data, limits)
	if err != nil {
		return nil, err
	}
	n := doc.Root()
	c := &call{newID: o.NewID, meta: map[string]any{"provider": "gemini"}}
	if n.Object("name", "args", "id") {
		if v := n.Maybe("id"); v.There() {
			c.meta["provider_call_id"] = id(v)
		}
		o.call(c, n)
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return c.out, nil
}

func (o Gemini) call(c *call, root strictjson.Node) {
	kind, n := word(root.Get("name")), root.Maybe("args")
	if n.There() {
		n.OpenObject()
		o.safety(c, n.Maybe("safety_decision"))
	}
	keys := func(names ...string) {
		if !n.There() && len(names) == 0 {
			return
		}
		if n.Object(append(names, "safety_decision")...) {
			for _, k := range names {
				if k != "clear_before_typing" && k != "magnitude" && !n.Has(k) {
					n.Get(k).Fail("missing")
				}
			}
		}
	}
	at := func() *deed.Point {
		return &deed.Point{X: thousandths(n.Get("x"), o.Display.Width), Y: thousandths(n.Get("y"), o.Display.Height)}
	}
	var a deed.Action
	switch kind {
	case "navigate":
		keys("url")
		a = deed.Action{Kind: deed.KindGoto, Text: text(n.Get("url"))}
	case "go_back":
		keys()
		a = deed.Action{Kind: deed.KindBack}
	case "go_forward":
		keys()
		a = deed.Action{Kind: deed.KindForward}
	case "wait_5_seconds":
		keys()
		a = deed.Action{Kind: deed.KindWait, Pause: 5 * time.Second}
	case "click_at":
		keys("x", "y")
		a = deed.Action{Kind: deed.KindClick, Point: at()}
	case "hover_at":
		keys("x", "y")
		a = deed.Action{Kind: deed.KindHover, Point: at()}
	case "type_text_at":
		// Whether Enter follows must be said: what it means when it is not is told differently in different places.
		keys("x", "y", "text", "press_enter", "clear_before_typing")
		a = deed.Action{Kind: deed.KindFill, Point: at(), Text: typed(n.Get("text")), Enter: n.Get("press_enter").Bool()}
		if v := n.Maybe("clear_before_typing"); v.There() && !v.Bool() {
			a.Kind = deed.KindType
		}
	case "key_combination":
		keys("keys")
		v := n.Get("keys")
		a = deed.Action{Kind: deed.KindPress, Key: combination(v, chord(v.Text(strictjson.Text{Max: 64})))}
	case "scroll_at":
		keys("x", "y", "direction", "magnitude")
		a = deed.Action{Kind: deed.KindScroll, Point: at(), Scroll: o.scroll(n)}
	default: // scroll_document says no amount, search names no engine, drag_and_drop no element to drop at
		none(root)
	}
	c.add(root, a, "provider_action_type", kind)
}

// safety reads the decision of the provider's own checks.
func (o Gemini) safety(c *call, n strictjson.Node) {
	if !n.There() || !n.Object("decision", "explanation") {
		return
	}
	switch n.Get("decision").OneOf("regular", "allowed", "require_confirmation") {
	case "require_confirmation":
		c.confirm = ask([]string{reason(n, "the provider asks that a person looks at this", "explanation")})
	}
}

// scroll reads direction and magnitude, in thousandths of the display in that direction; 800 where none is said.
func (o Gemini) scroll(n strictjson.Node) *deed.Scroll {
	amount := 800
	if v := n.Maybe("magnitude"); v.There() {
		amount = v.Int(1, grid)
	}
	direction := n.Get("direction").OneOf("up", "down", "left", "right")
	side := o.Display.Height
	if direction == "left" || direction == "right" {
		side = o.Display.Width
	}
	px := (amount*side + grid/2) / grid
	switch direction {
	case "up":
		return &deed.Scroll{Y: -px}
	case "down":
		return &deed.Scroll{Y: px}
	case "left":
		return &deed.Scroll{X: -px}
	}
	return &deed.Scroll{X: px}
}

func thousandths(n strictjson.Node, side int) float64 {
	return float64(n.Int(0, grid-1)*side) / grid
}
