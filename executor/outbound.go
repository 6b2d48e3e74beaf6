package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// maxRedirects is the Fetch standard's bound (HTTP-redirect fetch, step 7).
const maxRedirects = 20

func newTransport() *http.Transport {
	return http.DefaultTransport.(*http.Transport).Clone()
}

// fetch takes a Fetch frame: an outbound request of the program. It stops the run clock only when the caller performs
// it.
func (r *run) fetch(frame wire.Frame) error {
	if len(frame.Fields) != 3 {
		return fmt.Errorf("%w: %d fields of a fetch", errMalformed, len(frame.Fields))
	}
	var header wire.FetchHeader
	if err := json.Unmarshal(frame.Fields[1], &header); err != nil {
		return fmt.Errorf("%w: header of a fetch: %v", errMalformed, err)
	}
	mode := r.plan.outbound.Mode()
	c, err := r.accept(frame, protocol.Call{Tool: clip("fetch "+header.URL, nameBytes)}, mode == protocol.OutboundStub)
	if c == nil {
		return err
	}
	body := frame.Fields[2]
	r.pool.goCall(func() {
		r.serve(c, func(ctx context.Context) {
			fetched, content, err := r.perform(ctx, header, body)
			if err != nil {
				fetched, content = wire.FetchedHeader{Error: err.Error()}, nil
			}
			text, _ := json.Marshal(fetched) // strings and numbers always have a rendering
			if r.finished(c, protocol.CallCompleted) {
				r.worker.send(r, wire.Fetched, []byte(c.id), text, content)
			}
		})
	})
	return nil
}

// perform sends one request as the run's outbound policy has it, and reads the whole response.
func (r *run) perform(ctx context.Context, header wire.FetchHeader, body []byte) (wire.FetchedHeader, []byte, error) {
	none := wire.FetchedHeader{}
	trail := &trail{}
	switch r.plan.outbound.Mode() {
	case protocol.OutboundInherit:
		trail.next = r.pool.inherit
	case protocol.OutboundStub:
		trail.next = stub(r.plan.outbound.Func())
	default:
		return none, nil, errors.New("outbound requests are blocked")
	}
	request, err := newRequest(ctx, header, body)
	if err != nil {
		return none, nil, err
	}
	client := http.Client{Transport: trail, CheckRedirect: redirects(header.Redirect)}
	response, err := client.Do(request)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // without the method and the address, which the program knows
		}
		return none, nil, err
	}
	defer response.Body.Close()
	limit := r.plan.limits.ToolResultBytes
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return none, nil, fmt.Errorf("the response broke off: %w", err)
	}
	if int64(len(content)) > limit {
		return none, nil, fmt.Errorf("the response has more than %d bytes (limit toolResultBytes)", limit)
	}
	return wire.FetchedHeader{
		Status: response.StatusCode, StatusText: statusText(response), Headers: headerPairs(response.Header),
		URL: trail.last, Redirected: trail.hops > 1,
	}, content, nil
}

func newRequest(ctx context.Context, header wire.FetchHeader, body []byte) (*http.Request, error) {
	var reader io.Reader
	if header.HasBody {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, header.Method, header.URL, reader)
	if err != nil {
		return nil, err
	}
	if scheme := request.URL.Scheme; scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("the scheme %q is not supported", scheme)
	}
	for _, pair := range header.Headers {
		request.Header.Add(pair[0], pair[1])
	}
	if !slices.ContainsFunc(header.Headers, func(pair [2]string) bool { return strings.EqualFold(pair[0], "user-agent") }) {
		request.Header.Set("User-Agent", "codemode")
	}
	return request, nil
}

// redirects reads a request's redirect mode.
func redirects(mode string) func(*http.Request, []*http.Request) error {
	return func(_ *http.Request, via []*http.Request) error {
		switch {
		case mode == "manual":
			return http.ErrUseLastResponse
		case mode == "error":
			return errors.New("the response is a redirect, and the request's redirect mode is error")
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}
}

// trail is a transport that remembers where the redirects led.
type trail struct {
	next http.RoundTripper
	last string
	hops int
}

func (t *trail) RoundTrip(request *http.Request) (*http.Response, error) {
	protocol.Admit(request.Context())
	t.hops++
	t.last = request.URL.String()
	return t.next.RoundTrip(request)
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
	return response, err
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
