package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// An outbound request that the caller performs crosses as a call of its function with
//
//	{method, url, headers: [[name, value], …], body?: bytes}
//
// and its answer is
//
//	{status, statusText?, headers?: [[name, value], …], body?: bytes or text}
//
// or, in place of body, read: a function that answers the next bytes, and null at the end. The request's body crosses
// whole; whoever gives the function back ends the response.

// maxRequestBody bounds a request's body: half of what a message can carry, since bytes grow by a third on the wire.
const maxRequestBody = 16 << 20

// responsePiece is what one call of read answers at most, as the executor passes bodies on.
const responsePiece = 64 << 10

// wireHTTPRequest is the request, without its body.
type wireHTTPRequest struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
}

// wireHTTPResponse is the response, without its body.
type wireHTTPResponse struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Headers    [][2]string `json:"headers"`
}

func headerPairs(h http.Header) [][2]string {
	pairs := [][2]string{}
	for name, values := range h {
		for _, value := range values {
			pairs = append(pairs, [2]string{name, value})
		}
	}
	return pairs
}

func headerOf(pairs [][2]string) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		h.Add(p[0], p[1])
	}
	return h
}

// outboundVia performs a program's requests through the caller's function. It runs on the daemon.
func outboundVia(st *capnweb.Stub) protocol.OutboundFunc {
	return func(ctx context.Context, request *http.Request) (*http.Response, error) {
		o := capnweb.Object{{Key: "method", Value: request.Method}, {Key: "url", Value: request.URL.String()}, {Key: "headers", Value: headerPairs(request.Header)}}
		body, err := wholeBody(request)
		if err != nil {
			return nil, err
		}
		if body != nil {
			o = append(o, capnweb.Member{Key: "body", Value: body})
		}
		pending, err := st.Start("", o)
		if err != nil {
			return nil, localError(err)
		}
		protocol.Admit(ctx)
		answer, err := pending.Wait(ctx)
		if err != nil {
			return nil, localError(err)
		}
		response, err := responseOf(ctx, request, answer)
		if err != nil {
			capnweb.Dispose(answer)
		}
		return response, err
	}
}

func wholeBody(request *http.Request) ([]byte, error) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	defer request.Body.Close()
	body, err := io.ReadAll(io.LimitReader(request.Body, maxRequestBody+1))
	if err == nil && len(body) > maxRequestBody {
		err = protocol.Errorf(protocol.CodePayloadTooLarge, "the request's body has more than %d bytes, as many as cross to the caller", maxRequestBody)
	}
	return body, err
}

// responseOf reads the caller's answer. Its body, when it is a function, is read as the program asks for it.
func responseOf(ctx context.Context, request *http.Request, answer any) (*http.Response, error) {
	body, rest, err := takeBody(ctx, answer)
	if err != nil {
		return nil, err
	}
	var w wireHTTPResponse
	if err := unmarshal("response", rest, &w, everyLevel); err != nil {
		return nil, err
	}
	if w.Status < 100 || w.Status > 599 {
		return nil, invalid("response.status must be an HTTP status, got %d", w.Status)
	}
	status := w.StatusText
	if status == "" {
		status = http.StatusText(w.Status)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.Status, status), StatusCode: w.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: headerOf(w.Headers), Body: body, ContentLength: -1, Request: request,
	}, nil
}

// takeBody separates what a response says from its body.
func takeBody(ctx context.Context, answer any) (io.ReadCloser, any, error) {
	if raw, ok := answer.(json.RawMessage); ok { // plain JSON: the body, if any, is text
		var plain struct{ Body *string }
		if err := json.Unmarshal(raw, &plain); err != nil || plain.Body == nil {
			return http.NoBody, answer, nil
		}
		return io.NopCloser(bytes.NewReader([]byte(*plain.Body))), answer, nil
	}
	object, ok := answer.(capnweb.Object)
	if !ok {
		return nil, nil, invalid("an outbound function answers {status, headers, body}")
	}
	var body io.ReadCloser = http.NoBody
	rest := capnweb.Object{}
	for _, m := range object {
		switch value := m.Value.(type) {
		case []byte:
			body = io.NopCloser(bytes.NewReader(value))
		case capnweb.TypedBytes:
			body = io.NopCloser(bytes.NewReader(value.Data))
		case *capnweb.Stub:
			if m.Key != "read" {
				return nil, nil, invalid("response.%s must be no function", m.Key)
			}
			body = &remoteBody{ctx: ctx, read: value, answer: answer}
		default:
			rest = append(rest, m)
		}
	}
	return body, rest, nil
}

// remoteBody reads a body piece by piece from the caller.
type remoteBody struct {
	ctx    context.Context
	read   *capnweb.Stub
	answer any
	piece  []byte
	err    error
}

func (b *remoteBody) Read(p []byte) (int, error) {
	for len(b.piece) == 0 && b.err == nil {
		b.piece, b.err = b.next()
	}
	if len(b.piece) == 0 {
		return 0, b.err
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

func (b *remoteBody) next() ([]byte, error) {
	answer, err := b.read.Call(b.ctx, "")
	if err != nil {
		return nil, localError(err)
	}
	switch answer := answer.(type) {
	case []byte:
		return answer, nil
	case capnweb.Undefined:
		return nil, io.EOF
	case json.RawMessage:
		if string(answer) == "null" {
			return nil, io.EOF
		}
	}
	capnweb.Dispose(answer)
	return nil, errors.New("a body's read answers bytes, or null at the end")
}

func (b *remoteBody) Close() error {
	capnweb.Dispose(b.answer)
	return nil
}

// outboundArgument is the function the daemon calls for each outbound request. It runs at the caller.
func (c *calls) outboundArgument(perform protocol.OutboundFunc) any {
	return capnweb.Func(func(args []any) capnweb.Run {
		admitted := c.arrived()
		return func(asked context.Context) (any, error) {
			defer admitted()
			ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx))
			stop := context.AfterFunc(asked, cancel)
			response, err := performFor(protocol.WithAdmission(ctx, admitted), perform, args)
			if err != nil {
				cancel()
				return nil, wireError(err)
			}
			stop() // from here on the body's reader has the request's end in hand
			return encodeResponse(response, cancel), nil
		}
	})
}

// performFor performs one request; a panic fails it alone.
func performFor(ctx context.Context, perform protocol.OutboundFunc, args []any) (response *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the outbound function panicked: %v", p)
		}
	}()
	request, err := requestOf(ctx, args)
	if err != nil {
		return nil, err
	}
	protocol.Admit(ctx)
	if response, err = perform(ctx, request); err == nil && response == nil {
		err = errors.New("the outbound function gave no response")
	}
	return response, err
}

// encodeResponse renders a response; end is called once its body is over or given back.
func encodeResponse(r *http.Response, end func()) capnweb.Object {
	_, status, _ := strings.Cut(r.Status, " ")
	o := capnweb.Object{{Key: "status", Value: r.StatusCode}, {Key: "statusText", Value: status}, {Key: "headers", Value: headerPairs(r.Header)}}
	if r.Body == nil || r.Body == http.NoBody {
		end()
		return o
	}
	read := capnweb.Async(func(context.Context, []any) (any, error) {
		piece := make([]byte, responsePiece)
		n, err := r.Body.Read(piece)
		switch {
		case n > 0:
			return piece[:n], nil // an error comes again
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, wireError(err)
		}
		return []byte{}, nil
	})
	return append(o, capnweb.Member{Key: "read", Value: capnweb.Disposable{Func: read, Dispose: func() {
		end()
		r.Body.Close()
	}}})
}

// requestOf rebuilds the request.
func requestOf(ctx context.Context, args []any) (*http.Request, error) {
	if len(args) != 1 {
		return nil, invalid("an outbound function takes one request")
	}
	var body io.Reader
	v := args[0]
	if object, ok := v.(capnweb.Object); ok {
		rest := capnweb.Object{}
		for _, m := range object {
			if data, ok := m.Value.([]byte); ok && m.Key == "body" {
				body = bytes.NewReader(data)
			} else {
				rest = append(rest, m)
			}
		}
		v = rest
	}
	var w wireHTTPRequest
	if err := unmarshal("request", v, &w, everyLevel); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, w.Method, w.URL, body)
	if err != nil {
		return nil, invalid("request: %v", err)
	}
	request.Header = headerOf(w.Headers)
	return request, nil
}
