package casefile

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deed-dev/deed"
)

// devices that have a name. A user agent is that of the device's usual browser.
var devices = map[string]deed.Device{
	"desktop":    {Width: 1280, Height: 720},
	"desktop-hd": {Width: 1920, Height: 1080},
	"laptop":     {Width: 1440, Height: 900, Scale: 2},
	"phone":      {Width: 390, Height: 844, Scale: 3, Mobile: true, Touch: true, UserAgent: "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36"},
	"phone-small": {Width: 360, Height: 640, Scale: 2, Mobile: true, Touch: true,
		UserAgent: "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36"},
	"tablet": {Width: 820, Height: 1180, Scale: 2, Mobile: true, Touch: true, UserAgent: "Mozilla/5.0 (Linux; Android 15; Pixel Tablet) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"},
}

// settings reads what the pages of the case find, and what else holds for the whole of it.
func (r *reader) settings(doc *node) {
	on := func(key string, read func(f field)) {
		if f, ok := doc.field(key); ok {
			read(f)
		}
	}
	on("quarantine", func(f field) { r.c.Quarantine, _ = r.boolean(f) })
	on("retries", func(f field) {
		if n, ok := r.integer(f); ok {
			if r.c.Retries = n; n < 0 || n > 10 {
				r.complain(f.value.pos, "retries: 1", "a case is attempted again at most 10 times")
			}
		}
	})
	on("session", func(f field) { r.c.Session = r.duration(f) })
	on("egress", func(f field) {
		text, ok := r.text(f)
		if r.c.Egress = text; ok && text != "strict" {
			r.complain(f.value.pos, "egress: strict", "egress is strict, or not given")
		}
	})
	on("requires", func(f field) {
		for _, n := range r.listOf(f.value) {
			if t, ok := r.scalar(n, "requires"); ok {
				r.c.Requires = append(r.c.Requires, t)
			}
		}
	})
	on("depends_on", func(f field) {
		for _, n := range r.listOf(f.value) {
			id, ok := r.scalar(n, "depends_on")
			switch {
			case !ok:
			case !deed.ValidCaseID(id):
				r.complain(n.pos, caseIDHint(id), "%q cannot be the id of a case", id)
			case id == r.c.ID:
				r.complain(n.pos, "", "the case depends on itself")
			case slices.Contains(r.c.DependsOn, id):
				r.complain(n.pos, "", "%s is named twice", id)
			default:
				r.c.DependsOn = append(r.c.DependsOn, id)
			}
		}
	})
	on("failOn", r.failOn)
	on("device", r.device)
	on("clock", r.clock)
	on("storage", r.storage)
	on("cookies", r.cookies)
	on("network", r.network)
}

// each reads the keys of a mapping; known are those that there are.
func (r *reader) each(n *node, what, example string, known []string, read func(f field)) {
	if n.kind != mapping {
		r.wrongKind(n, what, "a mapping", example)
		return
	}
	for _, f := range n.fields {
		if !slices.Contains(known, f.key) {
			r.unknown(f, what, known)
			continue
		}
		read(f)
	}
}

func (r *reader) failOn(f field) {
	const example = "failOn: [console, exceptions, http5xx]"
	out := &deed.FailOn{}
	set := func(at deed.Pos, key string, on bool) {
		switch key {
		case "console":
			out.Console = on
		case "exceptions":
			out.Exceptions = on
		case "http5xx":
			out.HTTP5xx = on
		default:
			hint := example
			if s := deed.Suggest(key, []string{"console", "exceptions", "http5xx"}); s != "" {
				hint = fmt.Sprintf("did you mean %q?", s)
			}
			r.complain(at, hint, "%q is no trouble that a case fails on", key)
		}
	}
	if f.value.kind != mapping {
		for _, n := range r.listOf(f.value) {
			if t, ok := r.scalar(n, "failOn"); ok {
				set(n.pos, t, true)
			}
		}
	} else {
		r.each(f.value, "failOn", example, []string{"console", "exceptions", "http5xx", "ignore"}, func(k field) {
			if k.key != "ignore" {
				if on, ok := r.boolean(k); ok {
					set(k.pos, k.key, on)
				}
				return
			}
			for _, n := range r.listOf(k.value) {
				if t, ok := r.scalar(n, "ignore"); ok && t != "" {
					out.Ignore = append(out.Ignore, t)
				} else if ok {
					r.complain(n.pos, "", "an empty text is in every trouble")
				}
			}
		})
	}
	if !out.Console && !out.Exceptions && !out.HTTP5xx {
		r.complain(f.pos, example, "failOn names no trouble")
	}
	r.c.FailOn = out
}

func (r *reader) device(f field) {
	const example = "device: phone"
	names := make([]string, 0, len(devices))
	for n := range devices {
		names = append(names, n)
	}
	slices.Sort(names)
	named := func(f field) deed.Device {
		text, ok := r.text(f)
		d, known := devices[text]
		if ok && !known {
			hint := "known are " + strings.Join(names, ", ")
			if s := deed.Suggest(text, names); s != "" {
				hint = fmt.Sprintf("did you mean %q?", s)
			}
			r.complain(f.value.pos, hint, "unknown device %q", text)
		}
		d.Name = text
		return d
	}
	var d deed.Device
	if f.value.kind == scalar {
		d = named(f)
	} else {
		if n, ok := f.value.field("name"); ok {
			d = named(n)
		}
		r.each(f.value, "device", example, []string{"name", "width", "height", "scale", "mobile", "touch", "user_agent", "locale", "color_scheme", "reduced_motion"}, func(k field) {
			switch k.key {
			case "width", "height":
				n, ok := r.integer(k)
				if ok && (n < 1 || n > 10000) {
					r.complain(k.value.pos, "in CSS pixels", "%s: %d is no size of a screen", k.key, n)
				}
				if k.key == "width" {
					d.Width = n
				} else {
					d.Height = n
				}
			case "scale":
				text, ok := r.text(k)
				if !ok {
					return
				}
				x, err := strconv.ParseFloat(text, 64)
				if d.Scale = x; err != nil || x < 0.1 || x > 10 {
					r.complain(k.value.pos, "scale: 2", "scale: %q is no number of device pixels to a CSS pixel", text)
				}
			case "mobile":
				d.Mobile, _ = r.boolean(k)
			case "touch":
				d.Touch, _ = r.boolean(k)
			case "reduced_motion":
				d.ReducedMotion, _ = r.boolean(k)
			case "user_agent":
				d.UserAgent, _ = r.text(k)
			case "locale":
				d.Locale, _ = r.text(k)
			case "color_scheme":
				text, ok := r.text(k)
				if d.ColorScheme = text; ok && text != "light" && text != "dark" {
					r.complain(k.value.pos, "light or dark", "color_scheme is light or dark, not %q", text)
				}
			}
		})
	}
	if (d.Width == 0) != (d.Height == 0) {
		r.complain(f.pos, "", "a device has a width and a height")
	}
	r.c.Device = &d
}

func (r *reader) clock(f field) {
	c := &deed.Clock{}
	r.each(f.value, "clock", `clock: {now: "2031-02-03T04:05:06Z", timezone: Europe/Zurich}`, []string{"now", "frozen", "timezone"}, func(k field) {
		switch k.key {
		case "now":
			text, ok := r.text(k)
			t, err := time.Parse(time.RFC3339, text)
			if c.Now = t; ok && err != nil {
				r.complain(k.value.pos, `now: "2031-02-03T04:05:06Z"`, "now: %q is no time of RFC 3339", text)
			}
		case "frozen":
			c.Frozen, _ = r.boolean(k)
		case "timezone":
			text, ok := r.text(k)
			if c.Timezone = text; !ok {
				return
			}
			if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
				r.complain(k.value.pos, "timezone: Europe/Zurich", "unknown time zone %q", text)
			}
		}
	})
	if c.Frozen && c.Now.IsZero() {
		r.complain(f.pos, `now: "2031-02-03T04:05:06Z"`, "a clock that stands still says what time it is")
	}
	r.c.Clock = c
}

// storage reads what an origin has stored: the case's own, or a list with the origin of each.
func (r *reader) storage(f field) {
	const example = "storage: {local: {theme: dark}}"
	items := r.listOf(f.value)
	for _, n := range items {
		s := deed.Storage{}
		r.each(n, "storage", example, []string{"origin", "local", "session"}, func(k field) {
			switch k.key {
			case "origin":
				if text, ok := r.text(k); ok {
					u := r.url(k.value.pos, text)
					if u != nil {
						if s.Origin = origin(u); s.Origin == "" {
							r.complain(k.value.pos, `"https://shop.example"`, "%q is no origin", text)
						}
					}
				}
			case "local":
				s.Local = r.texts(k)
			case "session":
				s.Session = r.texts(k)
			}
		})
		if _, ok := n.field("origin"); !ok {
			if r.base != nil {
				s.Origin = origin(r.base)
			}
			if s.Origin == "" {
				r.complain(n.pos, "give origin", "the case has no origin whose storage it could be")
			}
		}
		r.c.Storage = append(r.c.Storage, s)
	}
}

func (r *reader) cookies(f field) {
	for _, n := range r.listOf(f.value) {
		c := deed.Cookie{Path: "/"}
		r.each(n, "a cookie", "cookies: [{name: theme, value: dark}]", []string{"name", "value", "url", "domain", "path", "http_only", "secure", "same_site"}, func(k field) {
			switch k.key {
			case "name":
				c.Name, _ = r.text(k)
			case "value":
				c.Value, _ = r.text(k)
			case "url":
				if text, ok := r.text(k); ok {
					if u := r.url(k.value.pos, text); u != nil {
						c.URL = u.String()
					}
				}
			case "domain":
				c.Domain, _ = r.text(k)
			case "path":
				c.Path, _ = r.text(k)
			case "http_only":
				c.HTTPOnly, _ = r.boolean(k)
			case "secure":
				c.Secure, _ = r.boolean(k)
			case "same_site":
				text, ok := r.text(k)
				if c.SameSite = text; ok && !slices.Contains([]string{"Strict", "Lax", "None"}, text) {
					r.complain(k.value.pos, "Strict, Lax or None", "same_site is not %q", text)
				}
			}
		})
		if c.Name == "" && n.kind == mapping {
			r.complain(n.pos, "", "a cookie has no name")
		}
		if c.URL == "" && c.Domain == "" {
			if r.base != nil {
				c.URL = origin(r.base) + "/"
			} else {
				r.complain(n.pos, "give url, or domain", "the case has no page whose cookie it could be")
			}
		}
		if c.URL != "" {
			c.Path = strings.TrimSuffix(c.Path, "/") // the URL says it, unless another one is given
		}
		r.c.Cookies = append(r.c.Cookies, c)
	}
}

var networkKeys = []string{"url", "method", "times", "status", "headers", "body", "json", "file", "delay", "abort", "pass"}

func (r *reader) network(f field) {
	for _, n := range r.listOf(f.value) {
		rule, answers := deed.NetworkRule{}, 0
		r.each(n, "a network rule", `network: [{url: "**/api/cart", json: {items: []}}]`, networkKeys, func(k field) {
			switch k.key {
			case "url":
				if text, ok := r.text(k); ok {
					r.glob(k.value, text)
					rule.URL = text
				}
			case "method":
				rule.Method = r.method(k)
			case "times":
				if t, ok := r.integer(k); ok {
					if rule.Times = t; t < 1 {
						r.complain(k.value.pos, "", "a rule answers once or more often")
					}
				}
			case "status":
				if t, ok := r.integer(k); ok {
					if rule.Status = t; t < 100 || t > 599 {
						r.complain(k.value.pos, "status: 503", "%d is no status of an answer", t)
					}
				}
				answers |= 1
			case "headers":
				rule.Headers = r.texts(k)
				answers |= 1
			case "body":
				rule.Body, _ = r.text(k)
				answers |= 1 | 8
			case "json":
				if raw := r.json(k.value); raw != nil {
					rule.JSON = raw
				}
				answers |= 1 | 16
			case "file":
				answers |= 1 | 32
				path, ok := r.file(k.value)
				if !ok {
					return
				}
				data, err := os.ReadFile(path)
				if err != nil {
					r.complain(k.value.pos, "", "the file cannot be read: %w", bare(err))
				}
				if rule.Body = string(data); strings.HasSuffix(path, ".json") {
					if !json.Valid(data) {
						r.complain(k.value.pos, "", "the file holds no JSON")
						return
					}
					rule.Body, rule.JSON = "", data
				}
			case "delay":
				rule.Delay = r.duration(k)
			case "abort":
				if rule.Abort, _ = r.boolean(k); rule.Abort {
					answers |= 2
				}
			case "pass":
				if rule.Pass, _ = r.boolean(k); rule.Pass {
					answers |= 4
				}
			}
		})
		if n.kind != mapping {
			continue
		}
		if _, ok := n.field("url"); !ok {
			r.complain(n.pos, `url: "**/api/cart"`, "the rule says of no URL what is answered")
		}
		switch answers & 7 {
		case 1, 2, 4:
		case 0:
			if rule.Delay == 0 {
				r.complain(n.pos, "status, body, json or file; or abort, or pass", "the rule answers nothing")
			}
			rule.Pass = true // it is only late
		default:
			r.complain(n.pos, "status, body, json or file; or abort, or pass", "the rule answers in two ways")
		}
		if b := answers &^ 7; b&(b-1) != 0 {
			r.complain(n.pos, "body, json or file", "an answer has one body")
		}
		r.c.Network = append(r.c.Network, rule)
	}
}
