package pagescript

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// The scripts that run apart from the page script: in the page's own world, or once.
const (
	Clock  = "clock"  // (at ms, frozen): Date tells another time
	Seed   = "seed"   // (deed.Storage): an origin finds something stored
	Stored = "stored" // (): what an origin has stored, as deed.Storage
	Seal   = "seal"   // (name of a binding): nothing leaves but requests
)

//go:embed apart/*.js
var apart embed.FS

// Apart is a call of a script that runs apart, with arguments as JSON.
func Apart(name string, args ...any) string {
	text, err := apart.ReadFile("apart/" + name + ".js")
	if err != nil {
		panic(fmt.Sprintf("there is no script %q", name)) // a constant of this package names it
	}
	list := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			panic(err) // texts, numbers and mappings of them
		}
		list[i] = string(b)
	}
	return "(" + function(string(text)) + ")(" + strings.Join(list, ", ") + ")"
}

// function is a file without what stands before its function, and the line end behind it.
func function(file string) string {
	_, f, _ := strings.Cut(file, "*/\n")
	return strings.TrimSpace(f)
}
