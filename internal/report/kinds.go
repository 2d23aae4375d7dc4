package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/deed-dev/deed"
)

// A Kind is a form in which a run can be reported.
type Kind string

const (
	KindHTML  Kind = "html"
	KindJUnit Kind = "junit"
	KindCTRF  Kind = "ctrf"
	KindJSON  Kind = "json"
	KindMD    Kind = "md"
)

// kinds are all, with the file that each has in a run's folder.
var kinds = []struct {
	kind Kind
	file string
}{{KindHTML, "report.html"}, {KindJUnit, "junit.xml"}, {KindCTRF, "ctrf.json"}, {KindJSON, "report.json"}, {KindMD, "report.md"}}

// Kinds lists the kinds.
func Kinds() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, string(k.kind))
	}
	return out
}

// ParseKind reads the name of a kind.
func ParseKind(s string) (Kind, error) {
	if !slices.Contains(Kinds(), s) {
		return "", &deed.Error{Op: "report", Where: s, Code: deed.CodeInvalid, Err: fmt.Errorf("there is no such kind of report"),
			Hint: "the kinds are " + strings.Join(Kinds(), ", ")}
	}
	return Kind(s), nil
}

// KindOf is the kind that the name of a file tells, by its end.
func KindOf(file string) (Kind, error) {
	switch base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/"))); {
	case strings.HasSuffix(base, ".html"), strings.HasSuffix(base, ".htm"):
		return KindHTML, nil
	case strings.HasSuffix(base, ".xml"):
		return KindJUnit, nil
	case base == "ctrf.json", strings.HasSuffix(base, ".ctrf.json"), base == "ctrf-report.json":
		return KindCTRF, nil
	case strings.HasSuffix(base, ".json"):
		return KindJSON, nil
	case strings.HasSuffix(base, ".md"):
		return KindMD, nil
	}
	return "", &deed.Error{Op: "report", Where: file, Code: deed.CodeInvalid, Err: fmt.Errorf("its end tells no kind of report"),
		Hint: "name it .html, .json, .ctrf.json, .xml or .md"}
}

// File is the name that a report has in the folder of its run.
func (k Kind) File() string {
	for _, x := range kinds {
		if x.kind == k {
			return x.file
		}
	}
	return string(k)
}

// Write writes the run as a report of a kind.
func Write(w io.Writer, k Kind, r *deed.RunResult, o HTMLOptions) error {
	switch k {
	case KindHTML:
		return HTML(w, r, o)
	case KindJUnit:
		return JUnit(w, r)
	case KindCTRF:
		return CTRF(w, r)
	case KindJSON:
		return JSON(w, r)
	case KindMD:
		return Markdown(w, r)
	}
	_, err := ParseKind(string(k))
	return err
}
