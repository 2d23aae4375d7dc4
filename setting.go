package deed

import (
	"encoding/json"
	"time"
)

// A Setting is what a page finds when it is opened: the device, the time, what is stored, and how the network answers.
type Setting struct {
	Device  *Device       `json:"device,omitempty"`
	Clock   *Clock        `json:"clock,omitempty"`
	Storage []Storage     `json:"storage,omitempty"`
	Cookies []Cookie      `json:"cookies,omitempty"`
	Network []NetworkRule `json:"network,omitempty"` // the first that matches answers
}

// A Device is what a page believes to be shown on. Zero fields are as in a plain desktop window of 1280 × 720.
type Device struct {
	Name          string  `json:"name,omitempty"` // where it is one that deed knows: see package casefile
	Width         int     `json:"width,omitempty"`
	Height        int     `json:"height,omitempty"` // of the viewport, in CSS pixels
	Scale         float64 `json:"scale,omitempty"`  // device pixels to a CSS pixel
	Mobile        bool    `json:"mobile,omitempty"`
	Touch         bool    `json:"touch,omitempty"`
	UserAgent     string  `json:"user_agent,omitempty"`
	Locale        string  `json:"locale,omitempty"`       // BCP 47
	ColorScheme   string  `json:"color_scheme,omitempty"` // light, dark
	ReducedMotion bool    `json:"reduced_motion,omitempty"`
}

// A Clock is the time that a page tells.
type Clock struct {
	Now      time.Time `json:"now,omitzero"`       // when the page is opened; zero is the real time
	Frozen   bool      `json:"frozen,omitempty"`   // it does not go on
	Timezone string    `json:"timezone,omitempty"` // IANA name; "" is the machine's
}

// Storage is what an origin has stored before a page of it runs. A key that is there already stays as it is.
type Storage struct {
	Origin  string            `json:"origin"`
	Local   map[string]string `json:"local,omitempty"`
	Session map[string]string `json:"session,omitempty"`
}

// A Cookie is one that a page finds.
type Cookie struct {
	Name     string    `json:"name"`
	Value    string    `json:"value"`
	URL      string    `json:"url,omitempty"` // that sets it, where no domain is given
	Domain   string    `json:"domain,omitempty"`
	Path     string    `json:"path,omitempty"`
	Expires  time.Time `json:"expires,omitzero"` // zero: with the session
	HTTPOnly bool      `json:"http_only,omitempty"`
	Secure   bool      `json:"secure,omitempty"`
	SameSite string    `json:"same_site,omitempty"` // Strict, Lax, None
}

// A NetworkRule answers requests in the network's place. Nothing of what it answers leaves the browser.
type NetworkRule struct {
	Method  string            `json:"method,omitempty"` // "" is any
	URL     string            `json:"url"`              // glob over the whole URL; ** crosses slashes
	Times   int               `json:"times,omitempty"`  // how often it answers; 0 is always
	Pass    bool              `json:"pass,omitempty"`   // the network answers after all
	Abort   bool              `json:"abort,omitempty"`  // the request fails
	Delay   time.Duration     `json:"delay,omitempty"`  // before any of these
	Status  int               `json:"status,omitempty"` // 0 is 200
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	JSON    json.RawMessage   `json:"json,omitempty"` // instead of Body, with its content type
}

// A Session is what a browser keeps of who is signed in: it lets another page go on.
type Session struct {
	Saved   time.Time `json:"saved"`
	URL     string    `json:"url,omitempty"` // where the page was
	Cookies []Cookie  `json:"cookies,omitempty"`
	Storage []Storage `json:"storage,omitempty"`
}
