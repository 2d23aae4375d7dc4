// Package demo tells what deed is for, in three acts on a bundled shop: a click that goes wrong without anybody noticing,
// the same click proven, and a page that is itself wrong, whose effect is taken back.
//
// Law of this package: it is an ordinary user of the public hands, with no way of its own into the page; what it tells is
// what the results and the page say, never what they should have said.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/browser"
	"github.com/deed-dev/deed/internal/report"
)

//go:embed pages
var pages embed.FS

// Options of the demo. The zero value tells it at once, without colour.
type Options struct {
	Style report.Style
	Pause time.Duration // before and after each act, for somebody who watches the window
}

// wanted is what every act tries to buy.
const wanted = "T-shirt M"

// Run tells the story on w while it happens. The error is not nil where it did not come out as told; it then says which
// act, and w has what happened instead.
func Run(ctx context.Context, b *browser.Browser, w io.Writer, o Options) error {
	shop, err := open()
	if err != nil {
		return err
	}
	defer shop.close()
	s := &story{ctx: ctx, b: b, w: w, o: o, shop: shop.url, button: deed.Button("Add " + wanted).In("catalog")}
	s.say("deed: browser actions that are proven, or undone.")
	s.say("")
	s.say("A small shop. Its list re-uses its rows, as long lists do: when the pointer goes down it moves on")
	s.say("by one product, and the button under the pointer is another product's. The task: buy a %s.", wanted)
	for _, act := range []func() error{s.bare, s.proven, s.undone} {
		if err := act(); err != nil {
			return err
		}
	}
	s.say("")
	s.say("%s", o.Style.Bold("What next"))
	s.say("  deed demo --show                watch it in a window")
	s.say("  deed observe http://localhost…  your page, as deed sees it")
	s.say("  deed run my.deed.yaml           your own case: README.md has one of ten lines")
	return nil
}

type story struct {
	ctx    context.Context
	b      *browser.Browser
	w      io.Writer
	o      Options
	shop   string
	button deed.Locator
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(s.w, format+"\n", args...) }

func (s *story) act(n int, title string) {
	s.say("")
	s.say("%s", s.o.Style.Bold(fmt.Sprintf("%d  %s", n, title)))
}

// row is a line of an act: what it is about, and what there is to say, on as many lines as it takes.
func (s *story) row(key, text string) {
	if text == "" {
		return
	}
	s.rows(key, wrap(text, width-13))
}

func (s *story) rows(key string, lines []string) {
	for _, line := range lines {
		s.say("   %s %s", s.o.Style.Dim(fmt.Sprintf("%-9s", key)), line)
		key = ""
	}
}

const width = 100

// wrap breaks a text between words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}

// end closes an act: what is in the cart, and what that means.
func (s *story) end(cart []string, conclusion string) {
	holds := "empty"
	if len(cart) > 0 {
		holds = strings.Join(cart, ", ")
	}
	s.say("   %s %-12s %s", s.o.Style.Dim(fmt.Sprintf("%-9s", "cart")), holds, conclusion)
}

// otherwise closes an act that did not come out as the story goes.
func (s *story) otherwise(cart []string, act string, cause error) error {
	s.end(cart, s.o.Style.Bad("? this is not how the story goes"))
	return &deed.Error{Op: "demo", Where: act, Code: deed.CodeMismatch, Err: errors.Join(errors.New("the story did not come out as told"), cause)}
}

// pause lets somebody who watches follow.
func (s *story) pause() {
	if s.o.Pause <= 0 {
		return
	}
	t := time.NewTimer(s.o.Pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// on opens a page of the shop, lets act work on it, and closes it.
func (s *story) on(name string, act func(*browser.Page) error) error {
	page, err := s.b.Open(s.ctx, s.shop+name)
	if err != nil {
		return err
	}
	s.pause()
	err = act(page)
	s.pause()
	return errors.Join(err, page.Close())
}

func cartOf(ctx context.Context, p *browser.Page) ([]string, error) {
	var cart []string
	_, err := p.Eval(ctx, "__cart()", &cart)
	return cart, err
}

// bare is the click that most tools send: to the place where the button was.
func (s *story) bare() error {
	s.act(1, "The click, as most tools send it")
	return s.on("recycle.html", func(p *browser.Page) error {
		err := p.BareClick(s.ctx, s.button)
		if err != nil {
			return err
		}
		cart, err := cartOf(s.ctx, p)
		if err != nil {
			return err
		}
		s.row("asked", "click "+s.button.String())
		s.row("said", "no error")
		if len(cart) != 1 || cart[0] == wanted {
			return s.otherwise(cart, "act 1", nil)
		}
		s.end(cart, s.o.Style.Bad("✗ the wrong thing was bought, and nobody noticed"))
		return nil
	})
}

// proven is the same click by deed.
func (s *story) proven() error {
	s.act(2, "The same click, by deed")
	return s.on("recycle.html", func(p *browser.Page) error {
		res, actErr := p.Click(s.ctx, s.button, browser.Expect(deed.Appears("listitem", "/"+wanted+"/").In("cart")))
		cart, err := cartOf(s.ctx, p)
		if err != nil {
			return err
		}
		s.row("asked", "click "+s.button.String())
		s.rows("tried", res.Log)
		s.verdict(res)
		good := actErr == nil && res.OK() && res.Prevented > 0 && res.Undone == 0 && slices.Equal(cart, []string{wanted})
		if !good {
			return s.otherwise(cart, "act 2", actErr)
		}
		s.end(cart, s.o.Style.Good(fmt.Sprintf("✓ %d wrong clicks stopped before the page saw them, nothing to undo", res.Prevented)))
		return nil
	})
}

// undone is a page whose own code does the wrong thing: no guard can know, so the effect is judged and taken back.
func (s *story) undone() error {
	s.act(3, "A page that is itself wrong: its button adds the next product")
	return s.on("neighbour.html", func(p *browser.Page) error {
		res, actErr := p.Click(s.ctx, s.button)
		cart, err := cartOf(s.ctx, p)
		if err != nil {
			return err
		}
		s.row("asked", "click "+s.button.String())
		s.verdict(res)
		s.row("undone", res.Undo)
		left := "not known"
		if res.Residue != nil {
			left = "nothing"
			if !res.Residue.Empty() {
				left = strings.Join(res.Residue.Lines(), "; ")
			}
		}
		s.row("left over", left)
		good := errors.Is(actErr, deed.CodeMismatch) && res.Undone > 0 && res.Residue != nil && res.Residue.Empty() && len(cart) == 0
		if !good {
			return s.otherwise(cart, "act 3", actErr)
		}
		s.end(cart, s.o.Style.Good("✓ noticed without being told, taken back, stopped"))
		return nil
	})
}

func (s *story) verdict(res *deed.Result) {
	word, ground := res.Judgement.Verdict.String(), string(res.Judgement.Basis)+string(res.Judgement.Kind)
	if ground != "" {
		word += " (" + ground + ")"
	}
	lines := wrap(word+": "+res.Judgement.Reason, width-13)
	colour := s.o.Style.Warn
	if res.OK() {
		colour = s.o.Style.Good
	}
	if rest, ok := strings.CutPrefix(lines[0], word); ok {
		lines[0] = colour(word) + rest
	}
	s.rows("verdict", lines)
}

// server is the shop, on a port of its own.
type server struct {
	url  string
	http *http.Server
	done chan struct{}
}

// Pages are the files of the shop.
func Pages() fs.FS {
	files, err := fs.Sub(pages, "pages")
	if err != nil {
		panic(err) // the folder is embedded under this name
	}
	return files
}

func open() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &deed.Error{Op: "demo", Code: deed.CodeEnvironment, Err: err}
	}
	s := &server{url: "http://" + l.Addr().String() + "/", http: &http.Server{Handler: http.FileServerFS(Pages()), ReadHeaderTimeout: 10 * time.Second}, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // it ends when close says so
	}()
	return s, nil
}

func (s *server) close() {
	_ = s.http.Close()
	<-s.done
}
