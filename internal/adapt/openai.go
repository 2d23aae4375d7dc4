package adapt

import (
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
	"github.com/deed-dev/deed/internal/strictjson"
)

// OpenAI reads computer_call items of the Responses API: one action, or a list of actions that are to be carried out one after
// another.
type OpenAI struct {
	Display Display       // what the model was shown; zero leaves coordinates unbounded
	NewID   func() string // of proposals; nil is random
}

// openAIWait is how long "wait" is; the call says no time.
const openAIWait = 2 * time.Second

// Proposals reads one item. Pending safety checks become the Confirm of every proposal of the call, and their ids stand in its
// metadata, so that they can be acknowledged.
func (o OpenAI) Proposals(data []byte) ([]deed.Proposal, error) {
	doc, err := strictjson.Parse("computer_call", data, limits)
	if err != nil {
		return nil, err
	}
	n := doc.Root()
	c := &call{newID: o.NewID}
	if n.Object("type", "id", "call_id", "status", "pending_safety_checks", "action", "actions") {
		o.item(c, n)
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return c.out, nil
}

func (o OpenAI) item(c *call, n strictjson.Node) {
	n.Get("type").OneOf("computer_call")
	n.Get("status").OneOf("completed")
	item, callID := id(n.Get("id")), id(n.Get("call_id"))
	var reasons, checks []string
	for _, check := range n.Get("pending_safety_checks").Items(16) {
		if check.Object("id", "code", "message") {
			checks = append(checks, id(check.Get("id")))
			reasons = append(reasons, reason(check, "the provider asks that a person looks at this", "message", "code"))
		}
	}
	c.confirm = ask(reasons)
	c.meta = map[string]any{"provider": "openai", "provider_item_id": item, "provider_call_id": callID}
	if len(checks) > 0 {
		c.meta["provider_safety_checks"] = checks
	}
	one, many := n.Maybe("action"), n.Maybe("actions")
	switch {
	case one.There() == many.There():
		n.Fail("takes action or actions")
	case one.There():
		o.action(c, one)
	default:
		list := many.Items(maxActions)
		if len(list) == 0 {
			many.Fail("empty")
		}
		for i, a := range list {
			if len(list) > 1 {
				c.meta["provider_action_index"] = i
			}
			o.action(c, a)
		}
	}
}

func (o OpenAI) action(c *call, n strictjson.Node) {
	if !n.OpenObject() {
		return
	}
	kind := word(n.Get("type"))
	// Keys are held during the act: no action of deed does that.
	if kind != "keypress" && n.Maybe("keys").There() && len(n.Get("keys").Items(16)) > 0 {
		none(n.Get("keys"))
	}
	keys := func(names ...string) {
		if n.Object(append(names, "type", "keys")...) {
			for _, k := range names {
				if !n.Has(k) {
					n.Get(k).Fail("missing")
				}
			}
		}
	}
	at := func() *deed.Point {
		return &deed.Point{X: pixel(n.Get("x"), o.Display.Width), Y: pixel(n.Get("y"), o.Display.Height)}
	}
	var a deed.Action
	switch kind {
	case "click":
		keys("button", "x", "y")
		button := map[string]string{"left": "left", "right": "right", "wheel": "middle"}[n.Get("button").OneOf("left", "right", "wheel")]
		a = deed.Action{Kind: deed.KindClick, Point: at(), Button: button}
	case "double_click":
		keys("x", "y")
		a = deed.Action{Kind: deed.KindDblclick, Point: at()}
	case "move":
		keys("x", "y")
		a = deed.Action{Kind: deed.KindHover, Point: at()}
	case "type":
		keys("text")
		a = deed.Action{Kind: deed.KindType, Text: typed(n.Get("text"))}
	case "keypress":
		only(n, "type", "keys")
		var list []string
		for _, k := range n.Get("keys").Items(8) {
			list = append(list, k.Text(strictjson.Text{Max: 32}))
		}
		a = deed.Action{Kind: deed.KindPress, Key: combination(n.Get("keys"), list)}
	case "scroll":
		keys("x", "y", "scroll_x", "scroll_y")
		a = deed.Action{Kind: deed.KindScroll, Point: at(), Scroll: &deed.Scroll{
			X: n.Get("scroll_x").Int(-proposal.MaxScroll, proposal.MaxScroll), Y: n.Get("scroll_y").Int(-proposal.MaxScroll, proposal.MaxScroll)}}
	case "wait":
		keys()
		a = deed.Action{Kind: deed.KindWait, Pause: openAIWait}
	case "screenshot":
		keys()
		a = deed.Action{Kind: deed.KindShot}
	default: // drag among them: a drop is at an element, and its path is lost
		none(n)
	}
	c.add(n, a, "provider_action_type", kind)
}
