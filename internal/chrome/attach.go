package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp/remote"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/cdp"
)

// Attach connects to a browser that somebody else started with --remote-debugging-port. The address is its WebSocket
// (ws://, wss://), or http://host:port, which is asked for it. Ctx bounds the connecting.
func Attach(ctx context.Context, address string) (*Browser, error) {
	b, err := attach(ctx, address)
	if err == nil {
		return b, nil
	}
	failed := &deed.Error{Op: "attach", Code: deed.CodeDisconnected, Where: address, Err: err, SideEffects: deed.EffectsNone}
	switch {
	case errors.Is(err, errAddress):
		failed.Code = deed.CodeInvalid
		failed.Hint = "give ws://host:port/devtools/browser/ID or http://host:port"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		failed.Code = deed.CodeTimeout
	case ctx.Err() != nil:
		failed.Code = deed.CodeCancelled
	default:
		failed.Hint = "start the browser with --remote-debugging-port=9222 and a --user-data-dir of its own"
	}
	return nil, failed
}

var errAddress = errors.New("not the address of a browser")

func attach(ctx context.Context, address string) (*Browser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errAddress
	}
	socket := address
	switch u.Scheme {
	case "ws":
		// A path like this is the browser's own server, which answers to no host name.
		if strings.HasPrefix(u.Path, "/devtools/") {
			if u.Host, err = numericHost(ctx, u.Host); err != nil {
				return nil, err
			}
			socket = u.String()
		}
	case "wss":
	case "http", "https":
		if socket, err = askForSocket(ctx, *u); err != nil {
			return nil, err
		}
	default:
		return nil, errAddress
	}
	transport, err := remote.DialContext(ctx, socket)
	if err != nil {
		return nil, err
	}
	b := &Browser{conn: cdp.New(transport), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		<-b.conn.Done()
	}()
	version, err := protocol.Call(ctx, b.conn.Browser(), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	b.product = version.Product
	return b, nil
}

// askForSocket asks a browser's HTTP server for the address of its WebSocket.
func askForSocket(ctx context.Context, u url.URL) (string, error) {
	var err error
	if u.Scheme == "http" {
		if u.Host, err = numericHost(ctx, u.Host); err != nil {
			return "", err
		}
	}
	u.Path, u.RawQuery = "/json/version", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	// No proxy: a browser's debugging port is on this machine or on the next.
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return "", err
	}
	var version struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &version) != nil || version.Socket == "" {
		return "", fmt.Errorf("%s is not a browser's: status %s, no webSocketDebuggerUrl", u.String(), resp.Status)
	}
	return version.Socket, nil
}

// numericHost replaces a host name by its address: against DNS rebinding the browser refuses any other name than
// localhost.
func numericHost(ctx context.Context, hostport string) (string, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errAddress, err)
	}
	if host == "localhost" || net.ParseIP(host) != nil {
		return hostport, nil
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(addresses[0].IP.String(), port), nil
}
