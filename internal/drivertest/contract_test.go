package drivertest_test

import (
	"testing"
	"testing/synctest"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/drivertest"
)

func TestPaperPageKeepsTheContract(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page = "url http://h/\ntitle T\nbutton \"Go\" #1\ntextbox \"Name\" #2 value=\"Ana\"\n"
		p := drivertest.New(page)
		p.OnGesture = func(*deed.Gesture) (deed.Witness, error) {
			p.Show(page + "status \"Done\" #3\n")
			return deed.Witness{Delivered: true}, nil
		}
		drivertest.Contract(t, p)
	})
}
