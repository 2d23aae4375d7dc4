package deed

import "time"

// A Witness tells which events of a gesture the page received, and which the guard kept from it.
type Witness struct {
	Events    []WitnessEvent `json:"events,omitempty"`
	Delivered bool           `json:"delivered"`           // the event that acts (click, key, input) reached the element that was asked for
	Prevented int            `json:"prevented,omitempty"` // gestures stopped by the guard
	Receiver  string         `json:"receiver,omitempty"`  // who would have received the first stopped event: `button "Add Trousers L" in catalog`
	Via       string         `json:"via,omitempty"`       // pointer, keyboard, insert, keys, setter
	Elsewhere bool           `json:"elsewhere,omitempty"` // the press reached the element, the rest of the gesture another one, although the element is who it was
	Renamed   string         `json:"renamed,omitempty"`   // the name the element took in the course of the gesture
}

// A WitnessEvent is one trusted event of the gesture.
type WitnessEvent struct {
	Type     string `json:"type"`
	Receiver string `json:"receiver"`
	OnTarget bool   `json:"onTarget"`
	Blocked  bool   `json:"blocked,omitempty"`
	Canceled bool   `json:"canceled,omitempty"` // the page called preventDefault
}

// Signals are what happened beside the page's content between the start of an act and its verdict.
type Signals struct {
	Requests  []Request   `json:"requests,omitempty"`
	Dialogs   []Dialog    `json:"dialogs,omitempty"`
	Pages     []NewPage   `json:"pages,omitempty"`
	Downloads []Download  `json:"downloads,omitempty"`
	Errors    []PageError `json:"errors,omitempty"`
	Invalid   []Complaint `json:"invalid,omitempty"` // validation messages of fields the browser or the page refused
	Navigated bool        `json:"navigated,omitempty"`
	Status    int         `json:"status,omitempty"` // HTTP status of the document that the navigation brought
	Failed    string      `json:"failed,omitempty"` // why a navigation failed: net::ERR_…
	Crashed   bool        `json:"crashed,omitempty"`
	Closed    bool        `json:"closed,omitempty"`
	Files     []File      `json:"files,omitempty"`   // what the file input, or the page, holds after an upload
	Blocked   []Blocked   `json:"blocked,omitempty"` // what policy kept from leaving the browser, since the act before
	Scrolled  *Scrolled   `json:"scrolled,omitempty"`
	Hovered   bool        `json:"hovered,omitempty"` // the target matches :hover
	Focused   bool        `json:"focused,omitempty"` // the target, or something in it, has the focus
	InView    bool        `json:"inView,omitempty"`  // the target is in the viewport, unclipped by what scrolls around it
	Selection *Selection  `json:"selection,omitempty"`
}

// A Selection is what a key press did to the caret and the selection in the element that has the focus.
type Selection struct {
	Moved bool `json:"moved"` // it is not where it was before the press
	All   bool `json:"all"`   // it covers all that the element holds
	Start bool `json:"start"` // a caret before all that it holds
	End   bool `json:"end"`   // a caret after all that it holds
}

// A Request that the act caused.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"`
	Failed string `json:"failed,omitempty"`
	Done   bool   `json:"done"`
	Nav    bool   `json:"navigation,omitempty"`
}

// Blocked is something that policy kept from leaving the browser: a request at one hop, a socket, a popup, a worker.
type Blocked struct {
	Method string `json:"method,omitempty"`
	URL    string `json:"url,omitempty"`
	Type   string `json:"type"` // document, image, fetch, …; websocket, popup, download, serviceworker, rtcpeerconnection, webtransport
	Why    string `json:"why"`
}

// String is the form for people: `GET http://other.example/x.png (image): the origin is not allowed`.
func (b *Blocked) String() string {
	s := b.Type
	if b.URL != "" {
		s = b.URL + " (" + b.Type + ")"
		if b.Method != "" {
			s = b.Method + " " + s
		}
	}
	return s + ": " + b.Why
}

// A Dialog that the page opened (alert, confirm, prompt, beforeunload) and how it was answered.
type Dialog struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	Expected bool   `json:"expected"`
}

// A NewPage is a tab or popup that the act opened.
type NewPage struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// A Download that the act started.
type Download struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Path string `json:"path,omitempty"` // where it was saved, once it is complete
	Done bool   `json:"done"`
}

// A File in a file input.
type File struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// Scrolled is how far a scroll moved what scrolls, and whether it stands at its end in that direction.
type Scrolled struct {
	X   float64 `json:"x"`
	Y   float64 `json:"y"`
	End bool    `json:"end"`
}

// A PageError is an uncaught exception or a console error.
type PageError struct {
	Text    string `json:"text"`
	Console bool   `json:"console,omitempty"`
	Caused  bool   `json:"caused,omitempty"` // thrown in the gesture's own task
}

// A Complaint is a field that is invalid, with its validation message.
type Complaint struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Phases says where the time of a step went.
type Phases struct {
	Observe time.Duration
	Resolve time.Duration
	Decide  time.Duration
	Act     time.Duration
	Settle  time.Duration
	Judge   time.Duration
	Undo    time.Duration
}
