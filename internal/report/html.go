package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"strings"

	"github.com/deed-dev/deed"
)

//go:embed html/page.html html/report.css html/*.js
var htmlFiles embed.FS

// scripts are put together in this order; none of them is a module, for a file that is opened from a disk can load none.
var scripts = []string{"dom.js", "data.js", "parts.js", "overview.js", "step.js", "timeline.js", "main.js"}

// HTMLOptions of a report as a page. The zero value is a report without pictures.
type HTMLOptions struct {
	// Shots holds the pictures that the steps name; nil is none.
	Shots fs.FS
	// Inline bounds the bytes of pictures that the page holds itself; 0 is DefaultInline. Those of cases that are not proven come first.
	Inline int64
	// Beside is the URL, relative to the page, of the folder that Shots is: pictures for which there is no room are shown from there. "" is nowhere.
	Beside string
}

// DefaultInline is how much of pictures a page holds: as much as a mail server or a CI artefact viewer still takes.
const DefaultInline = 24 << 20

// HTML writes the run as one page that needs nothing but itself: no request leaves it, and it works from a disk. Whatever pages wrote
// is data in it, never markup: it enters the document as text.
func HTML(w io.Writer, r *deed.RunResult, o HTMLOptions) error {
	page, err := htmlFiles.ReadFile("html/page.html")
	if err != nil {
		return err
	}
	style, err := htmlFiles.ReadFile("html/report.css")
	if err != nil {
		return err
	}
	script, err := htmlScript()
	if err != nil {
		return err
	}
	run, err := json.Marshal(r) // escapes < > & and the line separators, so no text can end the element that it stands in
	if err != nil {
		return err
	}
	pictures, images := gather(r, o)
	table, err := json.Marshal(pictures)
	if err != nil {
		return err
	}
	csp := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data: 'self' file:; base-uri 'none'; form-action 'none'", digest(script), digest(style))
	title := "deed: " + r.Outcome.String()
	if r.Run != "" {
		title += ", " + r.Run
	}
	parts := map[string][]byte{"csp": []byte(html.EscapeString(csp)), "title": []byte(html.EscapeString(title)), "style": style, "script": script,
		"run": run, "pictures": table, "images": images}
	for len(page) > 0 { // once through, so that nothing that is put in is looked through
		before, rest, found := bytes.Cut(page, []byte("{{"))
		if _, err := w.Write(before); err != nil {
			return err
		}
		if !found {
			break
		}
		name, after, _ := bytes.Cut(rest, []byte("}}"))
		if _, err := w.Write(parts[string(name)]); err != nil {
			return err
		}
		page = after
	}
	return nil
}

// htmlScript is the page's script: one scope, strict.
func htmlScript() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		src, err := htmlFiles.ReadFile("html/" + name)
		if err != nil {
			return nil, err
		}
		b.Write(src)
	}
	b.WriteString("})();\n")
	return b.Bytes(), nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// A picture is where the page finds one: in an element of its own, or beside itself.
type picture struct {
	ID   string `json:"id,omitempty"`
	Type string `json:"type,omitempty"`
	Href string `json:"href,omitempty"`
}

// gather reads the pictures that steps name, each once, those of cases that are not proven first. A name that leads out of the folder, a file
// that is not there and one that is no picture are left out; the page says that they are not here.
func gather(r *deed.RunResult, o HTMLOptions) (map[string]picture, []byte) {
	pictures := map[string]picture{}
	var images bytes.Buffer
	if o.Shots == nil {
		return pictures, nil
	}
	room := o.Inline
	if room == 0 {
		room = DefaultInline
	}
	same := map[[32]byte]picture{} // what a step leaves is what the next one finds
	take := func(name string) {
		if _, seen := pictures[name]; seen || name == "" || !fs.ValidPath(name) {
			return
		}
		data, err := fs.ReadFile(o.Shots, name)
		if err != nil {
			return
		}
		kind := pictureType(data)
		if kind == "" {
			return
		}
		sum := sha256.Sum256(data)
		p, known := same[sum]
		switch size := int64(base64.StdEncoding.EncodedLen(len(data))); {
		case known:
		case size <= room:
			room -= size
			p = picture{ID: fmt.Sprintf("picture-%d", len(same)), Type: kind}
			fmt.Fprintf(&images, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", p.ID, base64.StdEncoding.EncodeToString(data))
			same[sum] = p
		case o.Beside != "":
			p = picture{Href: strings.TrimSuffix(o.Beside, "/") + "/" + (&url.URL{Path: name}).EscapedPath()}
		default:
			return
		}
		pictures[name] = p
	}
	var ofCase func(c *deed.CaseResult)
	ofCase = func(c *deed.CaseResult) {
		for _, list := range [][]deed.StepResult{c.Steps, c.Teardown} {
			for i := range list {
				if s := list[i].Shots; s != nil {
					take(s.Before)
					take(s.After)
				}
			}
		}
		for i := range c.Retries {
			ofCase(&c.Retries[i])
		}
	}
	for _, ok := range []bool{false, true} {
		for i := range r.Cases {
			if c := &r.Cases[i]; (c.Outcome.OK() && !c.Flaky) == ok {
				ofCase(c)
			}
		}
	}
	return pictures, images.Bytes()
}

// pictureType is the media type of a picture by its first bytes, "" for anything else.
func pictureType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}
