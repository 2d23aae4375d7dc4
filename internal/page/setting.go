package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	cdproto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/pagescript"
)

// setUp puts a session into its setting, before anything of it runs.
func (p *Page) setUp(ctx context.Context, s *cdp.Session) []*cdp.Call {
	if p.setting == nil {
		return nil
	}
	var calls []*cdp.Call
	send := func(method string, params any) { calls = append(calls, s.Send(ctx, method, params)) }
	if d := p.setting.Device; d != nil {
		if d.UserAgent != "" {
			send(emulation.CommandSetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: d.UserAgent, AcceptLanguage: d.Locale})
		}
		if d.Locale != "" && s == p.s { // one override a process
			send(emulation.CommandSetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: d.Locale})
		}
		var features []*emulation.MediaFeature
		if d.ColorScheme != "" {
			features = append(features, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: d.ColorScheme})
		}
		if d.ReducedMotion {
			features = append(features, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
		}
		if features != nil {
			send(emulation.CommandSetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		}
		if d.Touch {
			send(emulation.CommandSetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 5})
		}
	}
	if c := p.setting.Clock; c != nil {
		if c.Timezone != "" && s == p.s {
			send(emulation.CommandSetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: c.Timezone})
		}
		if !c.Now.IsZero() {
			now := c.Now
			if !c.Frozen {
				now = now.Add(time.Since(p.adopted))
			}
			send(cdppage.CommandAddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: pagescript.Apart(pagescript.Clock, now.UnixMilli(), c.Frozen)})
		}
	}
	for i := range p.setting.Storage {
		yes := true
		send(cdppage.CommandAddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: pagescript.Apart(pagescript.Seed, p.setting.Storage[i]), WorldName: p.world, RunImmediately: &yes})
		if s == p.s {
			p.seeds[p.setting.Storage[i].Origin] = append(p.seeds[p.setting.Storage[i].Origin], calls[len(calls)-1])
		}
	}
	if len(p.setting.Network) > 0 && p.egress == nil || p.topOnly && len(p.setting.Network) > 0 {
		send(fetch.CommandEnable, fetch.EnableParams{}) // every request, since any may have an answer
	}
	return calls
}

// sownLocked ends the storing of an origin's seed once a page of it has run: what the page removes from then on stays removed.
func (p *Page) sownLocked(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	origin := u.Scheme + "://" + u.Host
	for _, call := range p.seeds[origin] {
		go func() {
			var res cdppage.AddScriptToEvaluateOnNewDocumentResult
			if call.Wait(p.life, &res) == nil {
				p.s.Send(p.life, cdppage.CommandRemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams(res))
			}
		}()
	}
	delete(p.seeds, origin)
}

// metrics is the size of what the page is shown on.
func (o *Options) metrics() emulation.SetDeviceMetricsOverrideParams {
	m := emulation.SetDeviceMetricsOverrideParams{Width: int64(o.Width), Height: int64(o.Height), DeviceScaleFactor: 1}
	if o.Setting == nil || o.Setting.Device == nil {
		return m
	}
	d := o.Setting.Device
	if d.Width > 0 && d.Height > 0 {
		m.Width, m.Height = int64(d.Width), int64(d.Height)
	}
	if d.Scale > 0 {
		m.DeviceScaleFactor = d.Scale
	}
	m.Mobile = d.Mobile
	return m
}

// mocks answer requests in the network's place.
type mocks struct {
	mu    sync.Mutex
	rules []deed.NetworkRule
	used  []int
}

// answer takes the rule that answers a request; nil where the network does.
func (m *mocks) answer(method, url string) *deed.NetworkRule {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.rules {
		r := &m.rules[i]
		if r.Method != "" && r.Method != method || r.Times > 0 && m.used[i] >= r.Times || !locate.Glob(r.URL, url) {
			continue
		}
		m.used[i]++
		return r
	}
	return nil
}

// mocked answers a request that a rule is for; it reports whether that is done with.
func (p *Page) mocked(ctx context.Context, s *cdp.Session, e *fetch.EventRequestPaused, r *deed.NetworkRule) bool {
	if r.Delay > 0 {
		select {
		case <-time.After(r.Delay):
		case <-p.life.Done():
			return true
		}
	}
	switch {
	case r.Pass:
		return false
	case r.Abort:
		s.Send(ctx, fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonFailed})
		return true
	}
	out := fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: int64(r.Status), Body: []byte(r.Body)}
	if out.ResponseCode == 0 {
		out.ResponseCode = http.StatusOK
	}
	headers := http.Header{}
	for k, v := range r.Headers {
		headers.Set(k, v)
	}
	kind := "text/plain; charset=utf-8"
	if r.JSON != nil {
		out.Body, kind = r.JSON, "application/json"
	}
	if headers.Get("Content-Type") == "" {
		headers.Set("Content-Type", kind)
	}
	// A page may read what it asks for from another origin, unless the rule says otherwise: the rule stands for its whole server.
	if e.Request != nil && headers.Get("Access-Control-Allow-Origin") == "" {
		if origin, _ := e.Request.Headers["Origin"].(string); origin != "" {
			headers.Set("Access-Control-Allow-Origin", origin)
			headers.Set("Access-Control-Allow-Credentials", "true")
		}
	}
	for k := range headers {
		out.ResponseHeaders = append(out.ResponseHeaders, &fetch.HeaderEntry{Name: k, Value: headers.Get(k)})
	}
	s.Send(ctx, fetch.CommandFulfillRequest, out)
	return true
}

// SetCookies puts cookies into a browser context.
func SetCookies(ctx context.Context, conn *cdp.Conn, in cdproto.BrowserContextID, cookies []deed.Cookie) error {
	if len(cookies) == 0 {
		return nil
	}
	params := storage.SetCookiesParams{BrowserContextID: in}
	for _, c := range cookies {
		params.Cookies = append(params.Cookies, &network.CookieParam{Name: c.Name, Value: c.Value, URL: c.URL, Domain: c.Domain, Path: c.Path,
			Secure: c.Secure, HTTPOnly: c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite)})
		if !c.Expires.IsZero() {
			params.Cookies[len(params.Cookies)-1].Expires = cdproto.TimeSinceEpoch(c.Expires.Unix())
		}
	}
	if err := conn.Browser().Execute(ctx, storage.CommandSetCookies, params, nil); err != nil {
		return &deed.Error{Op: "cookies", Code: deed.CodeInvalid, Err: err, Hint: "a cookie needs a url, or a domain and a path", SideEffects: deed.EffectsNone}
	}
	return nil
}

// Session is what the browser context keeps: all cookies, and what the origins of the documents that are open have stored.
func (p *Page) Session(ctx context.Context, in cdproto.BrowserContextID) (*deed.Session, error) {
	res, err := cdproto.Call(ctx, p.conn.Browser(), storage.GetCookies, storage.GetCookiesParams{BrowserContextID: in})
	if err != nil {
		return nil, err
	}
	out := &deed.Session{Saved: time.Now().UTC().Truncate(time.Second), URL: p.Address()}
	for _, c := range res.Cookies {
		k := deed.Cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: string(c.SameSite)}
		if !c.Session && c.Expires > 0 {
			k.Expires = time.Unix(int64(c.Expires), 0).UTC()
		}
		out.Cookies = append(out.Cookies, k)
	}
	seen := map[string]bool{}
	for _, f := range p.order() {
		var s deed.Storage
		if err := p.evalIn(ctx, f, pagescript.Apart(pagescript.Stored), &s); err != nil || seen[s.Origin] || len(s.Local)+len(s.Session) == 0 {
			continue // a document that may store nothing
		}
		seen[s.Origin] = true
		out.Storage = append(out.Storage, s)
	}
	return out, nil
}

// evalIn evaluates an expression in the page script's world of a frame.
func (p *Page) evalIn(ctx context.Context, f *frame, expression string, res any) error {
	p.mu.Lock()
	s, w := f.s, f.world
	p.mu.Unlock()
	if w == 0 {
		return errGone
	}
	yes := true
	var out runtime.EvaluateResult
	if err := s.Execute(ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: expression, ContextID: w, ReturnByValue: &yes}, &out); err != nil {
		return err
	}
	if out.ExceptionDetails != nil {
		return &deed.Error{Op: "page script", Code: deed.CodeScript, Err: fmt.Errorf("%s", exceptionText(out.ExceptionDetails))}
	}
	return json.Unmarshal(out.Result.Value, res)
}
