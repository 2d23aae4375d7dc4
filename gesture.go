package deed

// Way is one way of carrying out an action.
type Way string

const (
	WayPointer  Way = "pointer"
	WayKeyboard Way = "keyboard" // focus, then Enter or Space
	WayInsert   Way = "insert"   // select all, then insert the text at once, as a paste or an input method does
	WayKeys     Way = "keys"     // select all, then key by key
	WayReplace  Way = "replace"  // select and insert in one task of the page script
	WaySetter   Way = "setter"   // the control's own setter: pickers of dates, colours, ranges
	WayChoose   Way = "choose"   // a native select
	WayOpen     Way = "open"     // a list of the page's own: opened, and its option clicked
	WayNavigate Way = "navigate"
	WayHistory  Way = "history" // back, forward, reload
	WayFiles    Way = "files"   // files into a file input
	WayChooser  Way = "chooser" // a click that opens a file chooser, and the files into it
	WayScroll   Way = "scroll"
	WayFocus    Way = "focus"
	WayNone     Way = "" // nothing is sent: somebody else acts
)

// A Gesture is one try at an action, in one way.
type Gesture struct {
	Action   *Action
	Snapshot *Snapshot // the page as it was seen
	Target   int       // index into Snapshot.Nodes; -1 where the action has no element
	Drop     int       // drag: index of the node to drop at; -1 otherwise
	DropSide int       // drag: -1 before that node, 1 after it, 0 onto it
	Way      Way
}

// A Look is the page after a gesture, when it came to rest or the wait ended.
type Look struct {
	Snapshot   *Snapshot
	Signals    Signals         // since the gesture began
	Caused     map[int]bool    // indexes into Snapshot.Nodes that were changed inside the gesture's own task
	CausedGone map[NodeID]bool // elements that the gesture's own task touched and that are not in the snapshot
	Rested     bool            // nothing changed for two frames
	InFlight   int             // requests of the act that have no answer yet
	Answered   bool            // a request of the act has been answered
	Partial    bool            // what had not changed was taken over from the look before; it proves no absence
	Timers     int             // timers that the page set in the gesture's own tasks: work that may still be to come
	Watched    *Watched        // of a watched act about an element: what it received; nil when that is not known
	Held       *bool           // fill: whether the field holds exactly the text
	FieldValue string          // fill: what the field holds; "" for a sensitive one
}

// Watched is what the element of a watched act received, from whoever acted.
type Watched struct {
	Clicks  int  `json:"clicks"`  // clicks on it; a double-click is one
	Touched bool `json:"touched"` // any event that tells a page that somebody used it
}

// A NodeID names an element across the snapshots of one document.
type NodeID struct {
	Frame   string
	Element int64
}
