package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/web/weburl"
	"github.com/codemode-go/codemode/protocol"
)

// maxRedirects is the Fetch standard's bound (HTTP-redirect fetch, step 7).
const maxRedirects = 20

// trail is where redirects have led.
type trail struct {
	last string
	hops int
}

// perform sends the request as the run's outbound policy has it, follows its redirects, and returns the response with a
// body that is decoded.
func (o *outbound) perform() (*http.Response, trail, error) {
	var transport http.RoundTripper
	switch policy := o.run.plan.outbound; policy.Mode() {
	case protocol.OutboundInherit:
		transport = own{o.run.pool.inherit}
	case protocol.OutboundStub:
		transport = stub(policy.Func())
	default:
		return nil, trail{}, errors.New("outbound requests are blocked")
	}
	response, end, err := o.follow(transport)
	if err != nil {
		return nil, end, err
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		response.Body.Close()
		return nil, end, errors.New("the server changed the protocol")
	}
	if o.header.Method != http.MethodHead {
		decodeContent(response)
	}
	return response, end, nil
}

// hop is one request of a chain of redirects.
type hop struct {
	at     *weburl.URL
	method string
	header http.Header
	body   func() (io.ReadCloser, error) // nil when there is none
	size   int64                         // of the body, -1 when unknown
	replay bool                          // the body can be sent again
}

// follow is the Fetch standard's HTTP-redirect fetch over a transport that performs single requests.
func (o *outbound) follow(transport http.RoundTripper) (*http.Response, trail, error) {
	h, err := o.firstHop()
	if err != nil {
		return nil, trail{}, err
	}
	var end trail
	for {
		request, err := h.request(o.ctx)
		if err != nil {
			return nil, end, err
		}
		end.hops++
		end.last = h.at.String()
		protocol.Admit(o.ctx)
		response, err := transport.RoundTrip(request)
		if err != nil {
			return nil, end, err
		}
		location := response.Header.Get("Location")
		if !isRedirect(response.StatusCode) || o.header.Redirect == "manual" || location == "" && o.header.Redirect != "error" {
			return response, end, nil
		}
		io.CopyN(io.Discard, response.Body, 2<<10) // so that the connection can be used again
		response.Body.Close()
		switch {
		case o.header.Redirect == "error":
			return nil, end, errors.New("the response is a redirect, and the request's redirect mode is error")
		case end.hops > maxRedirects:
			return nil, end, fmt.Errorf("more than %d redirects", maxRedirects)
		}
		if err := h.redirect(response.StatusCode, location); err != nil {
			return nil, end, err
		}
	}
}

func isRedirect(status int) bool {
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308
}

func (o *outbound) firstHop() (*hop, error) {
	at, ok := weburl.Parse(o.header.URL, nil)
	if !ok {
		return nil, fmt.Errorf("%.200q is no URL", o.header.URL)
	}
	if at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("the scheme %q is not supported", at.Scheme)
	}
	h := &hop{at: at, method: o.header.Method, header: newHeader(o.header.Headers), size: -1}
	if !o.header.HasBody {
		return h, nil
	}
	switch o.header.Upload {
	case "":
		h.size, h.replay = int64(len(o.inline)), true
		h.body = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(o.inline)), nil }
		return h, nil
	case "bytes":
		h.size, h.replay = o.header.Size, true
	}
	first := true
	h.body = func() (io.ReadCloser, error) {
		if first {
			first = false
			return o.body(), nil
		}
		return o.again()
	}
	return h, nil
}

func newHeader(pairs [][2]string) http.Header {
	header := http.Header{}
	for _, pair := range pairs {
		header.Add(pair[0], pair[1])
	}
	return header
}

func (h *hop) request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, h.method, "http://placeholder/", nil)
	if err != nil {
		return nil, err
	}
	request.URL = goURL(h.at)
	request.Host = request.URL.Host
	request.Header = h.header.Clone()
	if h.at.Username+h.at.Password != "" && request.Header.Get("Authorization") == "" {
		name, _ := url.PathUnescape(h.at.Username)
		password, _ := url.PathUnescape(h.at.Password)
		request.SetBasicAuth(name, password)
	}
	if h.body == nil {
		return request, nil
	}
	if request.Body, err = h.body(); err != nil {
		return nil, err
	}
	request.ContentLength = h.size
	if h.size == 0 {
		request.Body = http.NoBody
	}
	if h.replay {
		request.GetBody = h.body
	}
	return request, nil
}

// goURL is a URL record as net/http takes it. A path that net/url would spell otherwise, or not take, passes as it is.
func goURL(at *weburl.URL) *url.URL {
	parts := at.Parts()
	target := parts.Pathname
	if at.Query != nil {
		target += "?" + *at.Query
	}
	plain := &url.URL{Scheme: at.Scheme, Host: parts.Host, Opaque: target}
	if parsed, err := url.Parse(at.Scheme + "://" + parts.Host + target); err == nil && parsed.RequestURI() == target {
		return parsed
	}
	return plain
}

// redirect makes h the request that a response asks for.
func (h *hop) redirect(status int, location string) error {
	next, ok := weburl.Parse(location, h.at)
	if !ok {
		return fmt.Errorf("the redirect leads to %.200q, which is no URL", location)
	}
	if next.Scheme != "http" && next.Scheme != "https" {
		return fmt.Errorf("the redirect leads to the scheme %q, which is not supported", next.Scheme)
	}
	if next.Fragment == nil {
		next.Fragment = h.at.Fragment
	}
	if status != http.StatusSeeOther && h.body != nil && !h.replay {
		return errors.New("the redirect asks for the body again, and a stream can be sent only once")
	}
	asGet := (status == http.StatusMovedPermanently || status == http.StatusFound) && h.method == http.MethodPost ||
		status == http.StatusSeeOther && h.method != http.MethodGet && h.method != http.MethodHead
	if asGet {
		h.method, h.body = http.MethodGet, nil
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type", "Content-Length"} {
			h.header.Del(name)
		}
	}
	if next.Origin() != h.at.Origin() {
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			h.header.Del(name)
		}
	}
	h.at = next
	return nil
}

// own performs requests from this machine.
type own struct{ next *http.Transport }

func (t own) RoundTrip(request *http.Request) (*http.Response, error) {
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		request.Header.Del(name) // they are the connection's, not the program's
	}
	if request.Header.Get("Accept-Encoding") == "" {
		request.Header.Set("Accept-Encoding", "gzip, deflate, br")
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header["User-Agent"] = nil // keeps net/http from naming itself
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		err = discreet(err, request.URL.Hostname())
	}
	return response, err
}

// stub makes a transport of the caller's function. One that panics fails its own request alone.
type stub protocol.OutboundFunc

func (f stub) RoundTrip(request *http.Request) (response *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			response, err = nil, fmt.Errorf("the outbound function panicked: %v", p)
		}
	}()
	response, err = f(request.Context(), request)
	if err == nil && response == nil {
		err = errors.New("the outbound function returned no response")
	}
	if response != nil && response.Body == nil {
		response.Body = http.NoBody
	}
	if response != nil && response.Header == nil {
		response.Header = http.Header{}
	}
	if response != nil {
		response.Body = stubBody{response.Body}
	}
	return response, err
}

// stubBody is the body of the caller's response, of which the same holds.
type stubBody struct{ body io.ReadCloser }

func (b stubBody) Read(p []byte) (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, fmt.Errorf("its body panicked: %v", p)
		}
	}()
	n, err = b.body.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("its body read more than it was asked for")
	}
	return n, err
}

func (b stubBody) Close() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("its body panicked: %v", p)
		}
	}()
	return b.body.Close()
}

// reason is an error's text without the method and the address, which the program knows.
func reason(err error) string {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return err.Error()
}

// statusText is the reason phrase of a response, as its first line has it.
func statusText(response *http.Response) string {
	code := fmt.Sprint(response.StatusCode)
	if rest, ok := strings.CutPrefix(response.Status, code); ok {
		return strings.TrimSpace(rest)
	}
	return http.StatusText(response.StatusCode)
}

// headerPairs lists headers by name, in the order that iteration of Headers has.
func headerPairs(header http.Header) [][2]string {
	pairs := [][2]string{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			pairs = append(pairs, [2]string{strings.ToLower(name), value})
		}
	}
	return pairs
}
