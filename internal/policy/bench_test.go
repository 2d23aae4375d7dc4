package policy_test

import (
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/policy"
)

// BenchmarkDecide: a decision is to take at most 50 µs.
func BenchmarkDecide(b *testing.B) {
	agentPolicy := agent(b, policy.Config{})
	custom := load(b, `permit (principal, action, resource);
@id("keep") forbid (principal, action == Action::"click", resource) when { resource.text like "*delete*account*" } unless { context.confirmed };`)
	del := node("button", "Delete account and all of its 17 orders, for good")
	enter := ask(deed.Action{Kind: deed.KindPress, Key: "Enter"}, node("textbox", "Name"))
	enter.Facts.Submits, enter.Facts.FormAction, enter.Facts.FormMethod = true, page, "POST"
	enter.Also, enter.Alone = []policy.Reached{{Element: del, Facts: enter.Facts}}, true
	open := enter.Clone()
	open.Also, open.Alone = nil, false
	for _, c := range []struct {
		name string
		p    *policy.Policy
		q    *policy.Request
	}{
		{"agent/scroll", agentPolicy, ask(deed.Action{Kind: deed.KindScroll}, nil)},
		{"agent/goto", agentPolicy, ask(deed.Action{Kind: deed.KindGoto, Text: page}, nil)},
		{"agent/click", agentPolicy, ask(deed.Action{Kind: deed.KindClick}, del)},
		{"agent/click-arabic", agentPolicy, ask(deed.Action{Kind: deed.KindClick}, node("button", "حذف الحساب وجميع الطلبات نهائيا"))},
		{"agent/check", agentPolicy, ask(deed.Action{Kind: deed.KindCheck}, node("checkbox", "Newsletter"))},
		{"agent/enter-in-form", agentPolicy, enter},
		{"agent/eval", agentPolicy, ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil)},
		{"own/enter-unknown", custom, open},
		{"own/eval", custom, ask(deed.Action{Kind: deed.KindEval, Text: "1"}, nil)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.p.Decide(c.q).Failed {
					b.Fatal("not decided")
				}
			}
		})
	}
}
