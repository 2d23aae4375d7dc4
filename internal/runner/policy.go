package runner

import (
	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
)

// caseMethods are those that what a case's pages load may use: a case is about an application, which does as it does.
var caseMethods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}

// casePolicy holds a case to the origins that it names: its start's and those of `origins`. It acts, and opens pages, nowhere else; what
// those pages load from elsewhere loads. A case that starts nowhere that has an origin (a file, an empty page) is held to nothing.
func casePolicy(c *deed.Case) *browser.Policy {
	own, ok := browser.OriginOf(c.Start)
	if !ok {
		return nil
	}
	return &browser.Policy{Origins: append([]string{own}, c.Origins...), Methods: caseMethods, TopOnly: true,
		By: deed.ByCase, Name: c.ID, ValueFrom: deed.ValueCase}
}
