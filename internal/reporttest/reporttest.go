// Package reporttest makes up results of runs: every outcome there is, long names, right-to-left and wide scripts, hundreds of
// steps, and text that a hostile page would write. They are the same each time.
//
// Law of this package: only tests import it. It makes data; it reads and runs nothing.
package reporttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing/fstest"
	"time"

	"github.com/deed-dev/deed"
)

// Start is when the run that [Run] makes up began.
var Start = time.Date(2026, 11, 30, 17, 14, 0, 0, time.UTC)

// Hostile is what a page would write into a report if it could.
const Hostile = `</script><script>document.title="owned"</script><img src=x onerror=alert(1)> & "quotes" <!-- ` + "`${1}` | @everyone ]]> \u202egnp.exe\x1b[31m\x00"

// Run is a run with one case of each kind.
func Run() *deed.RunResult {
	r := &deed.RunResult{Deed: deed.Format, Run: "20261130-171400-k3x9", Started: Start, DurationMS: 48_210, Browser: "Chromium 156.0.7320.4",
		BaseURL: "http://127.0.0.1:8080", Workers: 2, Trace: ".deed/runs/20261130-171400-k3x9/trace.jsonl"}
	r.Cases = []deed.CaseResult{verified(), mismatch(), healed(), diverged(), refused(), flaky(), quarantined(), cancelled(), crashed(),
		scripts(), hostile(), long()}
	free := make([]time.Time, r.Workers) // when each worker is
	for i := range free {
		free[i] = Start
	}
	r.Outcome = deed.OutcomeVerified
	for i := range r.Cases {
		c := &r.Cases[i]
		w := i % r.Workers
		begin := func(c *deed.CaseResult) {
			c.Worker, c.Started = w+1, free[w]
			free[w] = free[w].Add(time.Duration(c.DurationMS+40) * time.Millisecond)
		}
		for j := range c.Retries {
			begin(&c.Retries[j])
		}
		begin(c)
		if !c.Quarantine {
			r.Outcome = min(r.Outcome, c.Outcome)
		}
	}
	return r
}

// Many is a run of n cases of k steps each, as plain as most are; every seventh fails.
func Many(n, k int) *deed.RunResult {
	r := &deed.RunResult{Deed: deed.Format, Run: "20261130-171400-many", Started: Start, Outcome: deed.OutcomeVerified, Browser: "Chromium 156.0.7320.4"}
	for i := range n {
		c := newCase(fmt.Sprintf("shop/%s-%d", []string{"cart", "checkout", "account", "search"}[i%4], i+1), "The shop keeps what a person put into the cart")
		c.Tags = []string{"smoke"}
		for j := range k {
			s := click(fmt.Sprintf(`button "Add T-shirt %s" in catalog`, string(rune('A'+j%26))), "T-shirt")
			if i%7 == 6 && j == k-1 {
				s = wrong()
			}
			add(&c, s)
		}
		finish(&c)
		r.Cases = append(r.Cases, c)
		r.DurationMS += c.DurationMS
		r.Outcome = min(r.Outcome, c.Outcome)
	}
	return r
}

func newCase(id, title string) deed.CaseResult {
	return deed.CaseResult{Case: id, Title: title, File: "cases/" + strings.Split(id, "/")[0] + ".deed.yaml", Outcome: deed.OutcomeVerified,
		Steps: []deed.StepResult{}}
}

// add appends a step, after those that there are.
func add(c *deed.CaseResult, s deed.StepResult) {
	s.N = len(c.Steps) + 1
	at := int64(120)
	if n := len(c.Steps); n > 0 {
		at = c.Steps[n-1].AtMS + c.Steps[n-1].DurationMS + 4
	}
	if s.Outcome != deed.OutcomeSkipped {
		s.AtMS = at
	}
	s.Pos = deed.Pos{File: c.File, Line: 6 + 3*len(c.Steps), Column: 5}
	c.Steps = append(c.Steps, s)
}

// finish adds up what became of a case.
func finish(c *deed.CaseResult) {
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Outcome != deed.OutcomeSkipped {
			c.DurationMS = s.AtMS + s.DurationMS
		}
		if o := s.Outcome; o != deed.OutcomeAlready && o < c.Outcome && o != deed.OutcomeSkipped {
			c.Outcome, c.Code = o, s.Code
		}
	}
	for i := range c.Teardown {
		c.DurationMS += c.Teardown[i].DurationMS
	}
	c.DurationMS += 35
}

func step(do deed.Kind, locator string, ms int64) deed.StepResult {
	return deed.StepResult{Do: do, Locator: locator, Outcome: deed.OutcomeVerified, Verdict: "match", Basis: deed.BasisExpect, Attempts: 1,
		Changes: []string{}, DurationMS: ms, Decision: "allow", Rule: "test.act", PhasesMS: map[string]int64{"observe": ms * 8 / 100,
			"resolve": ms * 2 / 100, "decide": 1, "act": ms * 14 / 100, "settle": ms * 70 / 100, "judge": ms * 4 / 100}}
}

func click(locator, gains string) deed.StepResult {
	s := step(deed.KindClick, locator, 74)
	s.Reason = fmt.Sprintf("listitem %q appeared in cart, as expected", gains)
	s.Changes = []string{fmt.Sprintf("+ listitem %q in cart", gains), `~ text "Total" in cart: "0 €" → "19 €"`, `- text "The cart is empty" in cart`}
	s.Requests = []deed.Request{{Method: "POST", URL: "http://127.0.0.1:8080/api/cart", Status: 201, Done: true}}
	return s
}

func fill(locator, value string) deed.StepResult {
	s := step(deed.KindFill, locator, 41)
	s.Basis = deed.BasisState
	s.Reason = locator + " holds what was typed"
	s.Changes = []string{"~ " + locator + `: value "" → ` + fmt.Sprintf("%q", value)}
	return s
}

func opened(url string) deed.StepResult {
	s := step(deed.KindGoto, url, 312)
	s.Reason = "the page opened"
	s.Changes = []string{"~ url about:blank → " + url}
	s.Requests = []deed.Request{{Method: "GET", URL: url, Status: 200, Done: true, Nav: true},
		{Method: "GET", URL: url + "/assets/app.js?v=8f2c1", Status: 200, Done: true}, {Method: "GET", URL: url + "/api/session", Status: 204, Done: true}}
	return s
}

func skipped(do deed.Kind, locator string) deed.StepResult {
	return deed.StepResult{Do: do, Locator: locator, Outcome: deed.OutcomeSkipped, Reason: "a step before it was not proven", Changes: []string{}, PhasesMS: map[string]int64{}}
}

func wrong() deed.StepResult {
	s := step(deed.KindClick, `button "Add T-shirt M" in catalog`, 1840)
	s.Outcome, s.Verdict, s.Basis, s.Mismatch, s.Code = deed.OutcomeMismatch, "mismatch", "", deed.MismatchNeighbour, deed.CodeMismatch
	s.Reason = `the act went to the neighbour: listitem "Trousers L" appeared in cart, not "T-shirt M"`
	s.Hint = "the list re-used a row in mid-click; narrow the locator with `near`"
	s.Attempts, s.Prevented, s.Undone = 3, 1, 1
	s.Changes = []string{`+ listitem "Trousers L" in cart`, `~ text "Total" in cart: "0 €" → "59 €"`}
	s.Residue = []string{`~ text "Last change" in cart: "never" → "just now"`}
	s.Guarded = []string{`pointerdown for button "Add Trousers L" in catalog`, `mousedown for button "Add Trousers L" in catalog`}
	s.Console = []string{"TypeError: Cannot read properties of undefined (reading 'price')\n    at addToCart (app.js:214:18)\n    at HTMLButtonElement.onclick"}
	s.Requests = []deed.Request{{Method: "POST", URL: "http://127.0.0.1:8080/api/cart", Status: 201, Done: true},
		{Method: "GET", URL: "http://127.0.0.1:8080/api/prices?currency=EUR", Status: 500, Done: true},
		{Method: "GET", URL: "http://127.0.0.1:8080/api/recommendations", Failed: "net::ERR_CONNECTION_RESET"}}
	s.PhasesMS["undo"] = 310
	return s
}

func verified() deed.CaseResult {
	c := newCase("shop/add-to-cart", "A shirt goes into the cart")
	c.Tags, c.Lock = []string{"smoke", "shop"}, deed.LockHit
	add(&c, opened("http://127.0.0.1:8080/shop"))
	add(&c, fill(`textbox "Email"`, "ana@example.com"))
	s := fill(`textbox "Password"`, deed.Redacted)
	s.Changes = []string{`~ textbox "Password": value "" → [redacted]`}
	add(&c, s)
	s = click(`button "Add T-shirt M" in catalog`, "T-shirt M")
	s.Shots = &deed.Shots{Before: "shots/add-4-before.png", After: "shots/add-4-after.png", Box: &deed.Box{X: 64, Y: 212, Width: 168, Height: 36}}
	add(&c, s)
	s = step(deed.KindCheck, `checkbox "Gift wrap" in cart`, 18)
	s.Outcome, s.Basis, s.Reason, s.Attempts = deed.OutcomeAlready, deed.BasisState, `checkbox "Gift wrap" is checked already`, 0
	add(&c, s)
	c.Saved = map[string]json.RawMessage{"title": json.RawMessage(`"Shop"`), "items": json.RawMessage(`[{"id":17,"name":"T-shirt M"}]`)}
	td := step("http", "DELETE http://127.0.0.1:8080/api/cart", 9)
	td.N, td.Reason, td.AtMS = 1, "status 204, as expected", 700
	c.Teardown = []deed.StepResult{td}
	c.Notes = []string{"the session of account/sign-in was as old as an hour, and is used all the same"}
	finish(&c)
	return c
}

func mismatch() deed.CaseResult {
	c := newCase("shop/wrong-row", "The row that is clicked is the row that is bought")
	c.Tags = []string{"shop", "regression"}
	add(&c, opened("http://127.0.0.1:8080/shop"))
	s := wrong()
	s.Shots = &deed.Shots{Before: "shots/wrong-2-before.png", After: "shots/wrong-2-after.png", Box: &deed.Box{X: 64, Y: 212, Width: 168, Height: 36}}
	add(&c, s)
	add(&c, skipped(deed.KindClick, `link "Checkout"`))
	add(&c, skipped(deed.KindExpect, `visible heading "Pay"`))
	finish(&c)
	return c
}

func healed() deed.CaseResult {
	c := newCase("account/sign-in", "Somebody signs in")
	c.Tags, c.Lock = []string{"smoke", "account"}, deed.LockHealed
	c.LockChange = []string{`- button "Sign in" in banner`, `+ button "Log in" in banner`}
	add(&c, opened("http://127.0.0.1:8080/login"))
	s := click(`button "Log in" in banner`, "Ana")
	s.Outcome, s.Basis, s.Reason = deed.OutcomeHealed, deed.BasisContract, "every effect of the lock was there"
	s.Healed = &deed.Healed{Old: `button "Sign in" in banner`, New: `button "Log in" in banner`, Why: "test id sign-in, position 1 of 1, text nearby \"Forgot your password?\""}
	add(&c, s)
	finish(&c)
	return c
}

func diverged() deed.CaseResult {
	c := newCase("account/profile", "A profile is saved")
	c.Tags = []string{"account"}
	add(&c, opened("http://127.0.0.1:8080/profile"))
	s := click(`button "Save" in form "Profile"`, "Saved")
	s.Outcome, s.Verdict, s.Basis, s.Mismatch, s.Code = deed.OutcomeMismatch, "mismatch", "", deed.MismatchDiverged, deed.CodeMismatch
	s.Reason = "the step did not have the effects that its lock holds"
	s.Diverged = []deed.Divergence{{Code: "effect_missing", Object: `status "Saved"`, Expected: "appears in main"},
		{Code: "effect_elsewhere", Object: `alert "Could not save"`, Expected: `status "Saved"`, Actual: `alert "Could not save"`},
		{Code: "request_extra", Object: "POST /api/audit", Actual: "status 500"},
		{Code: "url_changed", Object: "url", Expected: "http://127.0.0.1:8080/profile", Actual: "http://127.0.0.1:8080/profile?error=1"}}
	add(&c, s)
	add(&c, skipped(deed.KindClick, `link "Back"`))
	finish(&c)
	return c
}

func refused() deed.CaseResult {
	c := newCase("pay/elsewhere", "Paying leaves the shop")
	c.Tags = []string{"pay"}
	add(&c, opened("http://127.0.0.1:8080/cart"))
	s := step(deed.KindClick, `link "Pay with Elsewhere"`, 22)
	s.Outcome, s.Verdict, s.Basis, s.Code = deed.OutcomeRefused, "ambiguous", "", deed.CodeRefused
	s.Reason, s.Hint = "policy test.origins refuses https://pay.elsewhere.example", "name the origin in the case: origins: [\"https://pay.elsewhere.example\"]"
	s.Decision, s.Rule = "deny", "test.origins"
	s.Blocked = []string{"GET https://pay.elsewhere.example/start (document): the origin is not one of the case's"}
	add(&c, s)
	add(&c, skipped(deed.KindFill, `textbox "Card"`))
	finish(&c)
	return c
}

func flaky() deed.CaseResult {
	first := newCase("search/suggest", "Suggestions appear while typing")
	first.Tags = []string{"search"}
	add(&first, opened("http://127.0.0.1:8080/search"))
	s := step(deed.KindType, `combobox "Search"`, 3050)
	s.Outcome, s.Verdict, s.Basis, s.Mismatch, s.Code = deed.OutcomeAmbiguous, "ambiguous", "", "", deed.CodeAmbiguous
	s.Reason = "nothing of the page tells what came of it"
	add(&first, s)
	finish(&first)
	second := first
	second.Steps, second.Outcome, second.Code, second.DurationMS = nil, deed.OutcomeVerified, "", 0
	add(&second, opened("http://127.0.0.1:8080/search"))
	add(&second, click(`combobox "Search"`, "shirts"))
	finish(&second)
	second.Retries, second.Flaky = []deed.CaseResult{first}, true
	return second
}

func quarantined() deed.CaseResult {
	c := newCase("search/filters", "Filters narrow the results")
	c.Tags, c.Quarantine = []string{"search"}, true
	add(&c, opened("http://127.0.0.1:8080/search"))
	add(&c, wrong())
	finish(&c)
	first := newCase(c.Case, c.Title)
	first.Quarantine, first.Tags = true, c.Tags
	add(&first, wrong())
	finish(&first)
	c.Retries = []deed.CaseResult{first}
	return c
}

func cancelled() deed.CaseResult {
	c := newCase("account/export", "An export is downloaded")
	add(&c, opened("http://127.0.0.1:8080/export"))
	s := step(deed.KindClick, `button "Export everything"`, 900)
	s.Outcome, s.Verdict, s.Basis, s.Code, s.Reason = deed.OutcomeCancelled, "ambiguous", "", deed.CodeCancelled, "the run was interrupted"
	add(&c, s)
	finish(&c)
	return c
}

func crashed() deed.CaseResult {
	c := newCase("chart/huge", "A chart of a million points")
	add(&c, opened("http://127.0.0.1:8080/chart"))
	s := step(deed.KindClick, `button "Draw"`, 2210)
	s.Outcome, s.Verdict, s.Basis, s.Code, s.Reason = deed.OutcomeFailed, "ambiguous", "", deed.CodeCrashed, "the page crashed"
	s.Hint, s.Dialogs = "its renderer ran out of memory", []string{`confirm "Draw 1,000,000 points?"`}
	add(&c, s)
	finish(&c)
	c.Reason = "the browser was started anew after the page crashed"
	return c
}

func scripts() deed.CaseResult {
	c := newCase("i18n/scripts", "עברית، العربية 日本語 한국어 ภาษาไทย: a title of many scripts")
	c.Tags = []string{"i18n", "日本語"}
	add(&c, fill(`textbox "שם מלא"`, "אנה כהן 123"))
	add(&c, fill(`textbox "الاسم الكامل"`, "آنا (اختبار)"))
	add(&c, click(`button "カートに入れる" in region "商品一覧"`, "Tシャツ M（白）"))
	add(&c, click(`button "👩🏽‍💻 Développer"`, "e\u0301te\u0301 🏳️‍🌈"))
	finish(&c)
	return c
}

func hostile() deed.CaseResult {
	c := newCase("hostile/text", "Text that a page wrote: "+Hostile)
	c.Tags = []string{"<b>bold</b>"}
	s := wrong()
	s.Locator, s.Reason, s.Hint = "button "+fmt.Sprintf("%q", Hostile), Hostile, Hostile
	s.Changes, s.Residue, s.Guarded, s.Console = []string{"+ text " + Hostile, "- " + Hostile}, []string{Hostile}, []string{Hostile}, []string{Hostile}
	s.Dialogs, s.Blocked, s.Files, s.Rule = []string{Hostile}, []string{Hostile}, []string{Hostile}, Hostile
	s.Requests = []deed.Request{{Method: "GET", URL: "javascript:alert(1)//" + Hostile, Failed: Hostile}}
	s.Healed = &deed.Healed{Old: Hostile, New: Hostile, Why: Hostile}
	s.Diverged = []deed.Divergence{{Code: "effect_extra", Object: Hostile, Expected: Hostile, Actual: Hostile}}
	s.PhasesMS = map[string]int64{"act": 10, Hostile: 5}
	s.Shots = &deed.Shots{Before: "../../etc/passwd", After: `shots/"><script>.png`}
	add(&c, s)
	c.LockChange, c.Saved = []string{"+ " + Hostile}, map[string]json.RawMessage{"x": json.RawMessage(`"</script><script>"`)}
	finish(&c)
	c.Reason = Hostile
	return c
}

func long() deed.CaseResult {
	c := newCase("long/two-hundred-steps", strings.TrimSpace(strings.Repeat("A very long title that goes on and on without saying much more ", 4)))
	c.Tags = []string{"slow"}
	for i := range 200 {
		name := fmt.Sprintf("Row %d", i+1)
		if i%50 == 7 {
			name += " " + strings.Repeat("averylongnamewithoutanyspaceatallthatcouldbebroken", 4)
		}
		s := click(`button "Open" near "`+name+`"`, name)
		s.DurationMS += int64(i*37%90) * 3
		add(&c, s)
	}
	finish(&c)
	return c
}

// Shots are the pictures that the cases of [Run] name: a made-up shop, before and after.
func Shots() fstest.MapFS {
	return fstest.MapFS{
		"shots/add-4-before.png": {Data: picture(0)}, "shots/add-4-after.png": {Data: picture(1)},
		"shots/wrong-2-before.png": {Data: picture(0)}, "shots/wrong-2-after.png": {Data: picture(2)},
	}
}

// picture draws a shop: a header, rows with a button each, a cart with n things in it.
func picture(n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	box := func(x, y, w, h int, c color.Color) {
		draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
	}
	ink, line, paper := color.RGBA{40, 44, 52, 255}, color.RGBA{222, 224, 230, 255}, color.RGBA{250, 250, 248, 255}
	box(0, 0, 1280, 720, paper)
	box(0, 0, 1280, 56, ink)
	for i := range 6 {
		y := 120 + 92*i
		box(40, y, 760, 76, color.White)
		box(40, y+75, 760, 1, line)
		box(64, y+16, 220, 14, color.RGBA{150, 154, 164, 255})
		if i == 1 {
			box(64, 212, 168, 36, color.RGBA{36, 99, 235, 255})
			continue
		}
		box(640, y+20, 120, 36, line)
	}
	box(860, 120, 360, 500, color.White)
	for i := range n {
		box(884, 160+52*i, 300, 36, color.RGBA{214, 236, 221, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}
