package proposal

import (
	"reflect"
	"time"

	"github.com/deed-dev/deed"
)

// write is the inverse of reading: the canonical kind and params of an action.
func write(a *deed.Action) (kind string, params map[string]any, ok bool) {
	p := map[string]any{}
	set := func(key string, v any) {
		if !reflect.ValueOf(v).IsZero() {
			p[key] = v
		}
	}
	if !a.Locator.IsZero() {
		p["locator"] = writeLocator(a.Locator)
	}
	set("ref", a.Ref)
	set("selector", a.Selector)
	if a.Point != nil {
		p["x"], p["y"] = a.Point.X, a.Point.Y
	}
	set("intent", a.Intent)
	set("timeoutMs", a.Timeout.Milliseconds())
	if a.Timeout%time.Millisecond != 0 || a.Pause%time.Millisecond != 0 {
		return "", nil, false
	}
	for i := range a.Expect {
		list, _ := p["expect"].([]any)
		p["expect"] = append(list, writeExpect(&a.Expect[i]))
	}
	switch d := a.Dialog; {
	case d == nil:
	case !d.Accept:
		p["dialog"] = "dismiss"
	case d.Text == "":
		p["dialog"] = "accept"
	default:
		p["dialog"] = map[string]any{"accept": d.Text}
	}
	kind = string(a.Kind)
	switch a.Kind {
	case deed.KindGoto:
		kind, p["url"] = "navigate", a.Text
	case deed.KindClick:
		set("button", a.Button)
	case deed.KindFill, deed.KindType:
		kind = "type"
		if a.Secret != "" {
			p["secret"] = a.Secret
		} else {
			p["text"] = a.Text
		}
		set("press_enter", a.Enter)
		if a.Kind == deed.KindType && targeted(a) {
			p["append"] = true
		}
	case deed.KindPress:
		p["key"] = a.Key
	case deed.KindSelect:
		p["options"] = a.Options
	case deed.KindUpload:
		p["files"] = a.Files
	case deed.KindDrag:
		if a.Drop == nil {
			return "", nil, false
		}
		p["drop"] = writeDrop(a.Drop)
	case deed.KindScroll:
		if a.Scroll != nil {
			set("delta_x", a.Scroll.X)
			set("delta_y", a.Scroll.Y)
			set("in", a.Scroll.Region)
		}
	case deed.KindTab:
		p["tab"] = a.Tab
		set("text", a.Text)
	case deed.KindWait:
		if len(a.Expect) == 0 {
			p["milliseconds"] = a.Pause.Milliseconds()
		}
	case deed.KindShot:
		set("path", a.Path)
		set("full_page", a.Full)
	case deed.KindEval:
		p["text"] = a.Text
	}
	return kind, p, true
}

func writeLocator(l deed.Locator) map[string]any {
	m := map[string]any{l.Role: l.Name}
	if l.Loose {
		m["exact"] = false
	}
	if l.Region != "" {
		m["in"] = l.Region
	}
	if l.Frame != "" {
		m["frame"] = l.Frame
	}
	if l.Near != "" {
		m["near"] = l.Near
	}
	if l.Nth != 0 {
		m["nth"] = l.Nth
	}
	return m
}

func writeDrop(d *deed.Drop) map[string]any {
	switch {
	case !d.To.IsZero():
		return map[string]any{"to": writeLocator(d.To)}
	case d.In != "":
		return map[string]any{"in": d.In}
	case d.Before != "":
		return map[string]any{"before": d.Before}
	}
	return map[string]any{"after": d.After}
}

func writeExpect(e *deed.Expect) map[string]any {
	key := string(e.Kind)
	m := map[string]any{}
	switch e.Kind {
	case deed.ExpectValue:
		m[key], m["equals"] = writeLocator(e.Locator), e.Text
	case deed.ExpectState:
		m[key] = writeLocator(e.Locator)
		for s, on := range e.States {
			m[s] = on
		}
	case deed.ExpectCount:
		m[key] = writeLocator(e.Locator)
		switch {
		case e.Min == e.Max:
			m["equals"] = e.Min
		default:
			if e.Min >= 0 {
				m["min"] = e.Min
			}
			if e.Max >= 0 {
				m["max"] = e.Max
			}
		}
	case deed.ExpectText:
		m[key] = e.Text
		if e.Locator.Region != "" {
			m["in"] = e.Locator.Region
		}
		if e.Locator.Frame != "" {
			m["frame"] = e.Locator.Frame
		}
	case deed.ExpectURL, deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload:
		m[key] = e.Text
	case deed.ExpectRequest:
		r := map[string]any{}
		if e.Request.Method != "" {
			r["method"] = e.Request.Method
		}
		if e.Request.URL != "" {
			r["url"] = e.Request.URL
		}
		if e.Request.Status != 0 {
			r["status"] = e.Request.Status
		}
		m[key] = r
	case deed.ExpectNoErrors:
		m[key] = true
	default:
		m[key] = writeLocator(e.Locator)
	}
	return m
}

// equal compares proposals, metadata by meaning.
func equal(a, b *deed.Proposal) bool {
	x, y := *a, *b
	x.Metadata, y.Metadata = nil, nil
	return reflect.DeepEqual(x, y) && (a.Metadata == nil) == (b.Metadata == nil)
}
