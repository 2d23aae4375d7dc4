package verify_test

import (
	"slices"
	"testing"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
)

// What a page says of a secret is covered in a picture: the innermost element that says it, wherever it stands.
func TestPicturesCoverSecrets(t *testing.T) {
	run(t, func(t *testing.T) {
		p := drivertest.New(head + `main: main "" #1
  row "Ana hunter2-secret" #2
    cell "Ana" #3
    cell "hunter2-secret" #4
  textbox "Note" #5 value="the hunter2-secret again"
  button "Save" #6
`)
		l := loop(p)
		if _, err := l.Screenshot(t.Context()); err != nil || p.Covered != nil {
			t.Fatalf("%v, covered %v, though there is no secret", err, p.Covered)
		}
		l.Mask.Add("hunter2-secret")
		res, err := l.Do(t.Context(), deed.Action{Kind: deed.KindShot})
		want(t, res, err, deed.OutcomeVerified)
		var lines []int
		for _, b := range p.Covered {
			lines = append(lines, int(b.Y))
		}
		slices.Sort(lines)
		if !slices.Equal(lines, []int{3, 4}) {
			t.Errorf("covered are nodes %v", lines)
		}
	})
}
