package record

// Tapped are options of a session of which f sees all that the scribe is told.
func Tapped(o Options, f func(any)) Options { o.tap = f; return o }
