package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// credentials are the headers that a server wants to see.
type credentials interface {
	// headers returns them; fresh asks for new ones, since the server refused the last.
	headers(ctx context.Context, fresh bool) (map[string]string, error)
	// hint says what a person can do when the server refuses them, for the end of a sentence.
	hint(response *http.Response) string
}

// web sends HTTP requests to one server.
type web struct {
	url         string
	client      *http.Client
	base        *http.Transport
	credentials credentials
}

func newWeb(address string, c credentials) (*web, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the URL is not one of http or https") // the cause quotes it
	}
	w := newWebClient(c, sameHost)
	w.url = address
	return w, nil
}

// newWebClient sends to whatever address it is given; redirect decides about redirections, nil follows them.
func newWebClient(c credentials, redirect func(*http.Request, []*http.Request) error) *web {
	base := http.DefaultTransport.(*http.Transport).Clone()
	return &web{base: base, credentials: c, client: &http.Client{Transport: base, CheckRedirect: redirect}}
}

func (w *web) close() { w.base.CloseIdleConnections() }

// sameHost refuses to carry configured headers to a host that the configuration does not name.
func sameHost(request *http.Request, via []*http.Request) error {
	if request.URL.Host != via[0].URL.Host || request.URL.Scheme != via[0].URL.Scheme {
		return &misdirected{fmt.Sprintf("it redirects to another host, %s; configure that URL instead", request.URL.Host)}
	}
	if len(via) > 10 {
		return &misdirected{"it redirects in circles"}
	}
	return nil
}

// misdirected is a redirection that is not followed.
type misdirected struct{ text string }

func (e *misdirected) Error() string { return e.text }

// do sends one request, and once more with fresh credentials when the server refuses the first.
func (w *web) do(ctx context.Context, method, address string, body []byte, headers map[string]string) (*http.Response, error) {
	response, err := w.once(ctx, method, address, body, headers, false)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	again, err := w.once(ctx, method, address, body, headers, true)
	if err != nil { // there are no others: the first answer says what is wrong
		return response, nil
	}
	response.Body.Close()
	return again, nil
}

// errNoFresh says that credentials cannot be renewed.
var errNoFresh = errors.New("there are no other credentials")

func (w *web) once(ctx context.Context, method, address string, body []byte, headers map[string]string, fresh bool) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	own, err := w.credentials.headers(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, set := range []map[string]string{headers, own} {
		for name, value := range set {
			if strings.EqualFold(name, "Host") {
				request.Host = value
				continue
			}
			request.Header.Set(name, value)
		}
	}
	response, err := w.client.Do(request)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	if response.StatusCode == http.StatusUnauthorized {
		response.Header.Set(hintHeader, w.credentials.hint(response))
	}
	return response, nil
}

// hintHeader carries the hint of the credentials to statusError; no server can set it, since it is always replaced.
const hintHeader = "Codemode-Hint"

// unreachable words what http.Client reports, without its URL.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	var redirect *misdirected
	if errors.As(err, &redirect) {
		return redirect
	}
	var operation *net.OpError
	if errors.As(err, &operation) && operation.Op == "dial" {
		return fmt.Errorf("%w: it cannot be reached: %w", errUnsent, err)
	}
	return &lostAnswer{fmt.Sprintf("the connection ended without an answer (%v)", err)}
}

// badStatus is an HTTP answer that is no JSON-RPC.
type badStatus struct {
	code int
	text string
}

func (e *badStatus) Error() string { return e.text }

// statusError says what a status means for people.
func statusError(response *http.Response) *badStatus {
	code := response.StatusCode
	text := fmt.Sprintf("it answered HTTP %d %s", code, http.StatusText(code))
	switch code {
	case http.StatusUnauthorized:
		text = fmt.Sprintf("it needs a login (HTTP 401); %s", response.Header.Get(hintHeader))
	case http.StatusForbidden:
		text += "; the token or the account has no right to this"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		text += "; is this the URL of an MCP server? (often it ends in /mcp)"
	case http.StatusTooManyRequests:
		if after := response.Header.Get("Retry-After"); after != "" {
			text += "; it may be asked again after " + after
		}
	}
	return &badStatus{code, text}
}

// readBody reads a body up to the bound.
func readBody(response *http.Response) ([]byte, error) {
	if response.ContentLength > maxMessage {
		return nil, &tooLarge{size: response.ContentLength}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxMessage+1))
	switch {
	case len(body) > maxMessage:
		return nil, &tooLarge{size: maxMessage, more: true}
	case err != nil:
		return nil, &lostAnswer{fmt.Sprintf("the connection broke before the answer was complete (%v)", err)}
	}
	return body, nil
}
