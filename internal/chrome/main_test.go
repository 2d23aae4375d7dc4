package chrome

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/deed-dev/deed/internal/cdp"
)

// roleVariable makes the test binary play another process: an owner that is killed, a bystander, a sandboxed user.
const roleVariable = "DEED_CHROME_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

func play(role string) int {
	switch role {
	case "owner": // launches, says who it is, and waits for its end
		b, err := Launch(context.Background(), Options{})
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		if _, err := openPage(context.Background(), b.Conn()); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(b.PID())
	case "user": // launches, says what it has to, and closes when its input ends
		b, err := Launch(context.Background(), Options{})
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		if _, err := openPage(context.Background(), b.Conn()); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Printf("%d %s\n", b.PID(), b.Notice())
		_, _ = io.Copy(io.Discard, os.Stdin)
		if err := b.Close(); err != nil {
			fmt.Println("error:", err)
			return 1
		}
		return 0
	case "idler":
		fmt.Println("here")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// tempRoot gives the test a temporary folder of its own, short enough for sockets, and fails it if anything is left
// there at its end.
func tempRoot(t *testing.T) string {
	t.Helper()
	root, err := os.MkdirTemp("", "dc")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", root)
	t.Setenv("TMP", root)
	t.Cleanup(func() {
		if left := listing(t, root); left != "" {
			t.Errorf("left in the temporary folder: %s", left)
		}
		os.RemoveAll(root)
	})
	return root
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

func launched(t *testing.T, o Options) *Browser {
	t.Helper()
	b, err := Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// openPage opens an empty page, so that the browser's whole tree is there, and proves that it runs.
func openPage(ctx context.Context, c *cdp.Conn) (*cdp.Session, error) {
	own, err := protocol.Call(ctx, c.Browser(), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		return nil, err
	}
	made, err := protocol.Call(ctx, c.Browser(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: own.BrowserContextID})
	if err != nil {
		return nil, err
	}
	attached, err := protocol.Call(ctx, c.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: new(true)})
	if err != nil {
		return nil, err
	}
	s := c.Session(attached.SessionID)
	got, err := protocol.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "6*7"})
	if err != nil {
		return nil, err
	}
	if string(got.Result.Value) != "42" {
		return nil, fmt.Errorf("6*7 is %s", got.Result.Value)
	}
	return s, nil
}
