// Package pagescript holds the page script, the part of deed that runs inside the page, and reads what it says.
//
// The script is plain JavaScript in js/, one concern a file, put together in a fixed order into one function that
// shares nothing with the page. It runs in an isolated world of each document, computes roles, names, regions,
// values and states by the public specifications, masks secrets before they leave the page, watches what changes,
// and guards the gestures of an action.
//
// Law of this package: it knows the DOM and the form of the answers. It must never know how a script gets into a
// page (the wire is cdp's and page's), nor what an answer is good for (resolving, diffing and judging are above).
package pagescript

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

//go:embed js/*.js
var files embed.FS

// parts is the order of the files. A later file may use what an earlier one computes when it is loaded; functions
// may be used in any order.
var parts = []string{"dom", "visible", "roles", "names", "sheets", "text", "regions", "values", "redact", "snapshot",
	"watch", "stirs", "reuse", "tell", "guard", "settle", "act", "facts", "record", "api"}

// Source returns the script: one expression statement, to be evaluated once in each document.
func Source() string { return source() }

// SHA256 returns the hash of [Source], in hex. Snapshots and traces carry it.
func SHA256() string { return hash() }

var source = sync.OnceValue(func() string { return assemble(parts, "") })

var hash = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(source()))
	return hex.EncodeToString(sum[:])
})

// assemble puts the named files into one function scope, and tail behind them. A file that does not exist is left
// out.
func assemble(names []string, tail string) string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range names {
		text, err := files.ReadFile("js/" + name + ".js")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			panic(fmt.Sprintf("pagescript: embedded file %s: %v", name, err)) // cannot happen: the file is in the binary
		}
		b.WriteString(code(string(text)))
		b.WriteByte('\n')
	}
	b.WriteString(tail)
	b.WriteString("})();\n")
	return b.String()
}

// code leaves the lines out that are comments and nothing else: two fifths of the script, which every document would read. They
// become empty lines, so that the line of an error is the line of the file.
func code(text string) string {
	lines := strings.Split(text, "\n")
	inside := false
	for i, line := range lines {
		t := strings.TrimSpace(line)
		switch {
		case inside:
			inside = !strings.HasSuffix(t, "*/")
			lines[i] = ""
		case strings.HasPrefix(t, "//"):
			lines[i] = ""
		case strings.HasPrefix(t, "/**"):
			end := strings.Index(t, "*/")
			if end == len(t)-2 {
				lines[i] = ""
			} else if end < 0 {
				inside = true
				lines[i] = ""
			}
		}
	}
	return strings.Join(lines, "\n")
}
