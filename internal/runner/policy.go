package runner

import (
	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/gate"
)

// caseMethods are those that what a case's pages load may use: a case is about an application, which does as it does.
var caseMethods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// casePolicy holds a case to the origins that it names: its start's and those of `origins`. It acts, and opens pages, nowhere else; what
// those pages load from elsewhere loads, unless its egress is strict. A case that names
// no origin (it starts in a file, or on an empty page) is held to nothing, unless it is strict: then nothing leaves.
func casePolicy(c *deed.Case, start string, j gate.Journal, o *Options) *browser.Policy {
	p := &browser.Policy{Methods: caseMethods, By: deed.ByCase, Name: c.ID, ValueFrom: deed.ValueCase, Journal: j, Source: o.Policy, File: o.PolicyFile}
	if own, ok := browser.OriginOf(start); ok {
		p.Origins = []string{own}
	}
	p.Origins = append(p.Origins, c.Origins...)
	p.Open = len(p.Origins) == 0 && c.Egress == ""
	p.TopOnly = c.Egress != "strict"
	return p
}
