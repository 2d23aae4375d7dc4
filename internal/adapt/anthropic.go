package adapt

import (
	"errors"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/strictjson"
)

// Anthropic reads tool_use blocks of the computer use tool.
type Anthropic struct {
	Version string        // of the tool that the model was given: computer_20250124 or computer_20251124
	Display Display       // as the tool was told; required
	NewID   func() string // of proposals; nil is random
}

// anthropicVersions are the tools whose actions are known.
var anthropicVersions = []string{"computer_20250124", "computer_20251124"}

// Proposals reads one block. An Anthropic that is no such tool is [deed.CodeInvalid] whatever the block says.
func (o Anthropic) Proposals(data []byte) ([]deed.Proposal, error) {
	known := false
	for _, v := range anthropicVersions {
		known = known || v == o.Version
	}
	if !known || !o.Display.ok() {
		return nil, &deed.Error{Op: "tool_use", Code: deed.CodeInvalid, Err: errors.New("the adapter is not told a known version of the tool and its display")}
	}
	doc, err := strictjson.Parse("tool_use", data, limits)
	if err != nil {
		return nil, err
	}
	n := doc.Root()
	c := &call{newID: o.NewID}
	if n.Object("type", "id", "name", "input", "caller") {
		n.Get("type").OneOf("tool_use")
		n.Get("name").OneOf("computer")
		if caller := n.Maybe("caller"); caller.There() {
			only(caller, "type")
			caller.Get("type").OneOf("direct")
		}
		c.meta = map[string]any{"provider": "anthropic", "provider_item_id": id(n.Get("id")), "provider_tool_name": "computer", "provider_tool_version": o.Version}
		if input := n.Get("input"); input.OpenObject() {
			o.action(c, input)
		}
	}
	if doc.Err() != nil {
		return nil, doc.Err()
	}
	return c.out, nil
}

func (o Anthropic) action(c *call, n strictjson.Node) {
	kind := word(n.Get("action"))
	at := func() *deed.Point {
		v := n.Get("coordinate")
		list := v.Items(2)
		if len(list) != 2 {
			v.Fail("not two numbers")
			return nil
		}
		return &deed.Point{X: pixel(list[0], o.Display.Width), Y: pixel(list[1], o.Display.Height)}
	}
	var a deed.Action
	switch kind {
	case "left_click", "right_click", "middle_click":
		only(n, "action", "coordinate")
		a = deed.Action{Kind: deed.KindClick, Point: at(), Button: map[string]string{"left_click": "left", "right_click": "right", "middle_click": "middle"}[kind]}
	case "double_click":
		only(n, "action", "coordinate")
		a = deed.Action{Kind: deed.KindDblclick, Point: at()}
	case "mouse_move":
		only(n, "action", "coordinate")
		a = deed.Action{Kind: deed.KindHover, Point: at()}
	case "type":
		only(n, "action", "text")
		a = deed.Action{Kind: deed.KindType, Text: typed(n.Get("text"))}
	case "key":
		only(n, "action", "text")
		v := n.Get("text")
		a = deed.Action{Kind: deed.KindPress, Key: combination(v, chord(v.Text(strictjson.Text{Max: 64})))}
	case "wait":
		only(n, "action", "duration")
		a = deed.Action{Kind: deed.KindWait, Pause: pause(n.Get("duration"))}
	case "screenshot":
		only(n, "action")
		a = deed.Action{Kind: deed.KindShot}
	default: // scroll among them: it counts clicks of a wheel, not pixels
		none(n)
	}
	c.add(n, a, "provider_action_type", kind)
}
