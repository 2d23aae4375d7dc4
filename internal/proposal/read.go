package proposal

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/origin"
	"github.com/deed-dev/deed/internal/strictjson"
)

// The patterns of texts that have a form. The published schema holds the same ones.
const (
	SecretPattern = `^[A-Za-z_][A-Za-z0-9_]*$`
	RefPattern    = `^s[1-9][0-9]{0,8}:e[1-9][0-9]{0,8}$`
	MethodPattern = `^[A-Z]{1,20}$`
	KeyPattern    = `^((Alt|Command|Control|Ctrl|Meta|Shift)\+)*([A-Z][A-Za-z0-9]{1,31}|[^\s])$`
)

var (
	secretName = regexp.MustCompile(SecretPattern)
	refText    = regexp.MustCompile(RefPattern)
	methodName = regexp.MustCompile(MethodPattern)
	keyName    = regexp.MustCompile(KeyPattern)
)

var name = strictjson.Text{Max: MaxName}

// fact is what an error says, without its object.
func fact(err error) string {
	var e *deed.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return "invalid"
}

func words(list []string) string { return strings.Join(list, ", ") }

func readRef(n strictjson.Node) string {
	s := n.Text(name)
	if !n.Failed() && !refText.MatchString(s) {
		n.Fail("not written s7:e12")
	}
	return s
}

func readKey(n strictjson.Node) string {
	s := n.Text(strictjson.Text{Max: 64})
	if !n.Failed() && (!keyName.MatchString(s) || strings.ContainsFunc(s, origin.Invisible)) {
		n.Fail("not a key such as Enter, a or Control+A")
	}
	return s
}

// siblings narrow a locator.
var siblings = []string{"in", "frame", "near", "nth", "exact"}

// readLocator takes {ROLE: NAME} with in, frame, near, nth and exact beside it. Its errors stand at the locator's place: the
// role is a name that was submitted.
func readLocator(n strictjson.Node) deed.Locator {
	var l deed.Locator
	role, named := n.Other("a role", siblings...)
	if n.Failed() {
		return l
	}
	if !deed.KnownRole(role) {
		n.Fail("an unknown key, or an unknown role")
		return l
	}
	l.Role, l.Name = role, named.Text(strictjson.Text{Max: MaxName, Empty: true})
	narrow(&l, n)
	if v := n.Get("near"); v.There() {
		l.Near = v.Text(name)
	}
	if v := n.Get("nth"); v.There() {
		l.Nth = v.Int(1, MaxPoint)
	}
	if v := n.Get("exact"); v.There() {
		l.Loose = !v.Bool()
	}
	if !n.Failed() && l.Validate() != nil {
		n.Fail("a name that is no valid regular expression")
	}
	return l
}

func narrow(l *deed.Locator, n strictjson.Node) {
	if v := n.Get("in"); v.There() {
		l.Region = v.Text(name)
	}
	if v := n.Get("frame"); v.There() {
		l.Frame = v.Text(name)
	}
}

func readDrop(n strictjson.Node) *deed.Drop {
	d := &deed.Drop{}
	places := []string{"to", "in", "before", "after"}
	if !n.Object(places...) {
		return d
	}
	given := 0
	for _, p := range places {
		v := n.Get(p)
		if !v.There() {
			continue
		}
		given++
		switch p {
		case "to":
			d.To = readLocator(v)
		case "in":
			d.In = v.Text(name)
		case "before":
			d.Before = v.Text(name)
		case "after":
			d.After = v.Text(name)
		}
	}
	if given != 1 {
		n.Fail("takes one of " + words(places))
	}
	return d
}

// readAnswer takes "accept", "dismiss" or {"accept": TEXT}.
func readAnswer(n strictjson.Node) *deed.Answer {
	if n.IsText() {
		return &deed.Answer{Accept: n.OneOf("accept", "dismiss") == "accept"}
	}
	if !n.Object("accept") {
		return nil
	}
	return &deed.Answer{Accept: true, Text: n.Get("accept").Text(strictjson.Text{Max: MaxName, Empty: true, Lines: true})}
}

// An ExpectForm is a form of an expectation: the key that says it, and the keys that may stand beside it.
type ExpectForm struct {
	Kind   deed.ExpectKind
	Beside []string
}

// ExpectForms returns every form of an expectation.
func ExpectForms() []ExpectForm {
	return []ExpectForm{
		{deed.ExpectAppears, nil}, {deed.ExpectDisappears, nil}, {deed.ExpectVisible, nil}, {deed.ExpectHidden, nil},
		{deed.ExpectValue, []string{"equals"}}, {deed.ExpectState, deed.ExpectableStates()}, {deed.ExpectText, []string{"in", "frame"}},
		{deed.ExpectCount, []string{"equals", "min", "max"}}, {deed.ExpectURL, nil}, {deed.ExpectTitle, nil}, {deed.ExpectRequest, nil},
		{deed.ExpectDialog, nil}, {deed.ExpectPopup, nil}, {deed.ExpectDownload, nil}, {deed.ExpectNoErrors, nil},
	}
}

var expectForms = ExpectForms()

func readExpect(n strictjson.Node) (e deed.Expect) {
	if !n.OpenObject() {
		return e
	}
	var form *ExpectForm
	for i := range expectForms {
		if !n.Has(string(expectForms[i].Kind)) {
			continue
		}
		if form != nil {
			n.Fail("an expectation has one form")
			return e
		}
		form = &expectForms[i]
	}
	if form == nil {
		n.Fail("an unknown expectation")
		return e
	}
	key := string(form.Kind)
	if !n.Object(append(slices.Clone(form.Beside), key)...) {
		return e
	}
	e.Kind = form.Kind
	v := n.Get(key)
	switch e.Kind {
	case deed.ExpectAppears, deed.ExpectDisappears, deed.ExpectVisible, deed.ExpectHidden:
		e.Locator = readLocator(v)
	case deed.ExpectValue:
		e.Locator = readLocator(v)
		e.Text = n.Get("equals").Text(strictjson.Text{Max: MaxText, Empty: true, Lines: true})
	case deed.ExpectState:
		e.Locator = readLocator(v)
		e.States = map[string]bool{}
		for _, s := range form.Beside {
			if v := n.Get(s); v.There() {
				e.States[s] = v.Bool()
			}
		}
	case deed.ExpectCount:
		e.Locator = readLocator(v)
		readCount(&e, n)
	case deed.ExpectText:
		e.Text = v.Text(name)
		narrow(&e.Locator, n)
	case deed.ExpectURL, deed.ExpectTitle, deed.ExpectDialog, deed.ExpectPopup, deed.ExpectDownload:
		e.Text = v.Text(name)
	case deed.ExpectRequest:
		readRequest(&e.Request, v)
	case deed.ExpectNoErrors:
		if !v.Bool() {
			v.Fail("errors cannot be demanded")
		}
	}
	if !n.Failed() && e.Validate() != nil {
		n.Fail("cannot be checked, or cannot fail")
	}
	return e
}

func readCount(e *deed.Expect, n strictjson.Node) {
	e.Min, e.Max = -1, -1
	equals, lo, hi := n.Get("equals"), n.Get("min"), n.Get("max")
	switch {
	case equals.There() && (lo.There() || hi.There()):
		n.Fail("takes equals, or min and max")
		return
	case equals.There():
		e.Min = equals.Int(0, MaxPoint)
		e.Max = e.Min
		return
	case !lo.There() && !hi.There():
		n.Fail("does not say how many")
		return
	}
	if lo.There() {
		e.Min = lo.Int(0, MaxPoint)
	}
	if hi.There() {
		e.Max = hi.Int(0, MaxPoint)
	}
}

func readRequest(r *deed.RequestSpec, n strictjson.Node) {
	if !n.Object("method", "url", "status") {
		return
	}
	if v := n.Get("method"); v.There() {
		if r.Method = v.Text(strictjson.Text{Max: 20}); !v.Failed() && !methodName.MatchString(r.Method) {
			v.Fail("no HTTP method")
		}
	}
	if v := n.Get("url"); v.There() {
		r.URL = v.Text(name)
	}
	if v := n.Get("status"); v.There() {
		r.Status = v.Int(100, 599)
	}
}

// readPath takes the path of an artefact or of a file to send; ext is the ending it must have, "" for any.
func readPath(n strictjson.Node, ext string) string {
	s := n.Text(strictjson.Text{Max: MaxPath})
	if n.Failed() {
		return ""
	}
	if why := badPath(s, ext); why != "" {
		n.Fail(why)
		return ""
	}
	return s
}

// CheckShotPath reports a path that a screenshot cannot be kept under, as [deed.CodeInvalid]: it is relative, slash-separated,
// stays inside its folder on every operating system, and ends in .png. The error does not hold the path. Whether something
// stands there already is for whoever writes to see.
func CheckShotPath(path string) error {
	why := badPath(path, ".png")
	switch {
	case !utf8.ValidString(path):
		why = "not valid UTF-8"
	case utf8.RuneCountInString(path) > MaxPath:
		why = "too long"
	}
	if why == "" {
		return nil
	}
	return &deed.Error{Op: "path", Code: deed.CodeInvalid, Err: errors.New(why)}
}

// reserved are names that Windows keeps for devices, whatever follows a dot.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *\..*)?$`)

func badPath(s, ext string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "blank"
	case strings.ContainsFunc(s, origin.Invisible):
		return "a control or an invisible character"
	case strings.ContainsAny(s, "\\:*?\"<>|"):
		return "a character that paths cannot hold everywhere: \\ : * ? \" < > |"
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"):
		return "not a relative path"
	}
	parts := strings.Split(s, "/")
	for _, p := range parts {
		switch {
		case p == "" || p == ".":
		case strings.Trim(p, ". ") == "":
			return "a part that leads out of its folder"
		case strings.HasSuffix(p, "."), strings.TrimSpace(p) != p:
			return "a part that begins or ends in white space, or ends in a dot"
		case reserved.MatchString(p):
			return "the name of a device"
		}
	}
	last := parts[len(parts)-1]
	stem := strings.TrimSuffix(strings.ToLower(last), ext)
	switch {
	case last == "" || last == ".":
		return "it names no file"
	case ext != "" && (len(stem) == len(last) || strings.Trim(stem, ".") == ""):
		return "it does not name a " + ext + " file"
	}
	return ""
}
