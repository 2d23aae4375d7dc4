package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/words"
)

// failure returns what the page says went wrong, in an alert, status or dialog that came with the act. Hard is one
// that stands whatever else happened: an alert. Where the target itself speaks of failure ("Show errors"), such
// words are what was asked for.
func (h *hearing) failure(effects []effect) (quote string, hard bool) {
	if h.wantsFailure() {
		return "", false
	}
	for i := range effects {
		e := &effects[i]
		if !e.live || !h.isFailure(e) || h.warns(e) {
			continue
		}
		text := e.says()
		titled := e.change != nil && (e.change.After.Role == "dialog" || e.change.After.Role == "heading")
		if e.signal == "dialog" || titled || e.change != nil && (h.inRole(e.change, []string{"alert", "alertdialog"}) || e.change.AfterIndex < 0 && toastOf(e.change.Now(), "alert")) {
			return text, true
		}
		if quote == "" {
			quote = text
		}
	}
	return quote, false
}

// warns reports the text of a dialog that asks before it acts: "This cannot be undone." is no complaint there. The
// title of such a dialog may still be one.
func (h *hearing) warns(e *effect) bool {
	c := e.change
	if c == nil || c.AfterIndex < 0 || c.After.Role == "heading" {
		return false
	}
	layer := ancestor(h.after, c.AfterIndex, []string{"dialog", "alertdialog"})
	if layer < 0 {
		return false
	}
	choices, asks := 0, strings.ContainsAny(h.after.Nodes[layer].Name, "?？؟")
	for i := range h.after.Nodes {
		if within(h.after, i, layer) {
			n := &h.after.Nodes[i]
			if pressable(n.Role) {
				choices++
			}
			asks = asks || strings.ContainsAny(n.Name+n.Value, "?？؟")
		}
	}
	return choices >= 2 && (asks || h.target != nil && words.RemovalName(h.target.Name))
}

// wantsFailure reports a target that speaks of failure itself: "Show errors", "Retry" in the row of a failed job.
func (h *hearing) wantsFailure() bool {
	if h.target == nil {
		return false
	}
	_, bad := words.SpeaksOfFailure(h.target.Name + " " + h.target.Row)
	return bad
}

// says is the text that an effect shows now.
func (e *effect) says() string {
	if e.change == nil {
		return strings.TrimSpace(e.message)
	}
	n := e.change.Now()
	return strings.TrimSpace(orElse(n.Name, shown(n)))
}

// isFailure reports an effect that brought a complaint. What went away complains no more.
func (h *hearing) isFailure(e *effect) bool {
	if e.change == nil {
		_, bad := words.SpeaksOfFailure(e.message)
		return bad
	}
	c := e.change
	if c.Kind == deed.Disappeared || c.Kind == deed.Moved {
		return false
	}
	if c.Kind == deed.Changed && c.Before.Value == c.After.Value {
		return false
	}
	// A complaint that gives way to another is one of this act: "Wrong password (2)".
	_, bad := words.SpeaksOfFailure(c.After.Name + " " + shown(&c.After))
	return bad
}

// plainFailure returns a complaint in plain text: no proof of failure, but nothing to be called a success.
func (h *hearing) plainFailure(effects []effect) string {
	if h.wantsFailure() {
		return ""
	}
	for i := range effects {
		e := &effects[i]
		if e.change == nil {
			continue
		}
		switch e.change.Now().Role {
		case "text", "paragraph", "heading", "generic", "strong", "emphasis", "region", "group":
			if text := e.says(); len(text) < 200 && h.isFailure(e) && !h.warns(e) {
				return text
			}
		}
	}
	return ""
}

func (h *hearing) failed(quote string) deed.Judgement {
	return mismatch(deed.MismatchPageError, "the page says %q", clip(quote))
}

// pageError tells what else went wrong: an exception in the gesture's own task, a failed navigation, a request of
// the act that was answered with an error.
func (h *hearing) pageError() string {
	sig := &h.ev.Signals
	if sig.Failed != "" && len(sig.Downloads) == 0 && !strings.Contains(sig.Failed, "ERR_ABORTED") {
		return "the page could not be loaded: " + clip(sig.Failed)
	}
	if sig.Status >= 400 {
		return fmt.Sprintf("the page that opened answered %d", sig.Status)
	}
	for _, e := range sig.Errors {
		if e.Caused && !e.Console {
			return fmt.Sprintf("the page threw an exception: %q", clip(e.Text))
		}
	}
	return h.badRequest()
}

// badRequest tells of a request of the act that was answered 4xx or 5xx, or never. What a new document loads for
// itself is not the act's.
func (h *hearing) badRequest() string {
	for _, r := range h.ev.Signals.Requests {
		if h.ev.Diff.NewDoc && !r.Nav {
			continue
		}
		switch {
		case r.Done && r.Status >= 400:
			return fmt.Sprintf("%s %s was answered %d", orElse(r.Method, "GET"), clip(r.URL), r.Status)
		case r.Failed != "" && !strings.Contains(r.Failed, "ERR_ABORTED") && !strings.Contains(r.Failed, "ERR_BLOCKED_BY_CLIENT"):
			return fmt.Sprintf("%s %s failed: %s", orElse(r.Method, "GET"), clip(r.URL), clip(r.Failed))
		}
	}
	return ""
}

// serverRefused tells of a request that was to change something, and that the page's own server could not answer: 5xx to anything but a
// GET. Whatever the page shows then, what it asked for has not happened.
func (h *hearing) serverRefused() string {
	if h.wantsFailure() {
		return ""
	}
	for _, r := range h.ev.Signals.Requests {
		if r.Done && r.Status >= 500 && !slices.Contains([]string{"", "GET", "HEAD", "OPTIONS"}, r.Method) && sameSite(r.URL, h.before.URL) {
			return fmt.Sprintf("%s %s was answered %d", r.Method, clip(r.URL), r.Status)
		}
	}
	return ""
}

// sameSite reports whether two addresses have one host; a path alone is the page's own.
func sameSite(a, b string) bool {
	host := func(u string) string {
		_, rest, ok := strings.Cut(u, "://")
		if !ok {
			return ""
		}
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			rest = rest[:i]
		}
		return rest
	}
	return host(a) == "" || host(b) == "" || host(a) == host(b)
}

// bannerWords are words of layers that any first gesture may open: consent, promotion.
var bannerWords = []string{
	"cookie", "consent", "gdpr", "we value your privacy", "privacy settings", "tracking", "newsletter", "subscribe to", "sign up for", "special offer", "% off", "get the app", "install our app",
	"allow notifications", "turn on notifications", "datenschutz", "einwilligung", "zustimmung", "rgpd", "consentement", "consentimiento", "privacidad", "consenso", "boletin", "oferta especial",
	"куки", "согласие на обработку", "рассылк", "クッキー", "同意する", "隐私", "订阅", "쿠키", "ملفات تعريف الارتباط", "cerez", "ciasteczk", "samtycke", "toestemming",
}

func bannerText(s string) bool {
	l := words.Loose(s)
	for _, w := range bannerWords {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// banners returns the nodes of after that appeared as, or inside, a consent layer or promotion.
func (h *hearing) banners() map[int]bool {
	if h.target != nil && bannerText(h.target.Name+" "+h.target.Region) || h.turned {
		return nil
	}
	appeared := map[int]bool{}
	for i := range h.ev.Diff.Changes {
		if c := &h.ev.Diff.Changes[i]; c.Kind == deed.Appeared && c.AfterIndex >= 0 {
			appeared[c.AfterIndex] = true
		}
	}
	out := map[int]bool{}
	for i := range appeared {
		n := &h.after.Nodes[i]
		if !bannerText(n.Name + " " + n.Value) {
			continue
		}
		// The outermost node that came with it is the layer.
		top := i
		for p := n.Parent; p >= 0 && appeared[p]; p = h.after.Nodes[p].Parent {
			top = p
		}
		out[top] = true
		// A banner of bare boxes: the controls beside its text are its own.
		for j := range appeared {
			m := &h.after.Nodes[j]
			if m.Parent == n.Parent && m.Region == n.Region && m.Frame == n.Frame && (hoverRole(m.Role) || m.Role == "checkbox" || m.Role == "switch" || m.Role == "textbox") {
				out[j] = true
			}
		}
	}
	return out
}

// bannerNode reports whether an appeared node belongs to one of the banners.
func bannerNode(c *deed.Change, banners map[int]bool, after *deed.Snapshot) bool {
	for p := c.AfterIndex; p >= 0 && p < len(after.Nodes); p = after.Nodes[p].Parent {
		if banners[p] {
			return true
		}
	}
	return false
}
