package runner_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/browsertest"
	"github.com/deed-dev/deed/internal/runner"
)

func TestPicturesOfSteps(t *testing.T) {
	base := serve(t)
	wrong := click("Greet")
	wrong.Action.Timeout = 300 * time.Millisecond
	wrong.Action.Expect = []deed.Expect{deed.Text("never said")}
	c := three(base)
	c.Steps = append(c.Steps[:2:2], wrong)
	for mode, want := range map[browser.Pictures][]string{
		browser.PicturesNone:   {"", "", ""},
		browser.PicturesFailed: {"", "", "after"},
		browser.PicturesAll:    {"both", "both", "both"},
	} {
		dir := t.TempDir()
		r := runner.Run(t.Context(), browsertest.Browser(t), []deed.Case{c}, runner.Options{Dir: dir, Pictures: mode})
		for i, s := range r.Cases[0].Steps {
			is := ""
			switch {
			case s.Shots == nil:
			case s.Shots.Before != "" && s.Shots.After != "":
				is = "both"
			case s.Shots.After != "":
				is = "after"
			}
			if is != want[i] {
				t.Errorf("mode %d, step %d: %q, want %q: %s", mode, i+1, is, want[i], s.Reason)
			}
			if s.Shots == nil {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, r.Run, s.Shots.After))
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil || img.Bounds().Dx() < 100 {
				t.Errorf("%v, %v", img.Bounds(), err)
			}
			if b := s.Shots.Box; is == "both" && (b == nil || b.Width < 5 || b.Height < 5 || b.X < 0 || b.Y < 0 || int(b.X) > img.Bounds().Dx()) {
				t.Errorf("step %d stands at %+v", i+1, b)
			}
		}
	}
}
