package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// body is a response's body that knows when it was closed.
type body struct {
	io.Reader
	closed chan struct{}
}

func (b *body) Close() error {
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

func TestRequestsThatTheCallerPerforms(t *testing.T) {
	leftover(t)
	large := strings.Repeat("x", 300_000)
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		perform := r.Outbound.Func()
		request, err := http.NewRequestWithContext(ctx, "PUT", "https://api.example/x?y=1", strings.NewReader("in\x00"))
		if err != nil {
			return nil, err
		}
		request.Header.Add("X-A", "1")
		request.Header.Add("X-A", "2")
		response, err := perform(ctx, request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if text := readAll(t, response); text != large || response.Status != "201 Created" || fmt.Sprint(response.Header["X-B"]) != "[1 2]" {
			t.Errorf("%s %v with %d bytes", response.Status, response.Header, len(text))
		}
		return value("1"), nil
	}}, nil)
	client := dial(t, url, nil)
	b := &body{strings.NewReader(large), make(chan struct{})}
	_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Outbound: protocol.OutboundVia(func(_ context.Context, r *http.Request) (*http.Response, error) {
		sent, _ := io.ReadAll(r.Body)
		if string(sent) != "in\x00" || r.Method != "PUT" || r.URL.String() != "https://api.example/x?y=1" || fmt.Sprint(r.Header["X-A"]) != "[1 2]" {
			t.Errorf("%s %s %v %q", r.Method, r.URL, r.Header, sent)
		}
		return &http.Response{StatusCode: 201, Status: "201 Created", Header: http.Header{"X-B": {"1", "2"}}, Body: b}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	<-b.closed
}

// badBody is a body that does not behave.
type badBody struct{}

func (badBody) Read([]byte) (int, error) { panic("boom") }
func (badBody) Close() error             { panic("boom") }

func TestARequestThatFailsAndOneThatIsGivenUp(t *testing.T) {
	leftover(t)
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		for path, want := range map[string]string{"fail": "no route", "panic": "the outbound function panicked: boom", "none": "the outbound function gave no response"} {
			request, _ := http.NewRequest("GET", "https://api.example/"+path, nil)
			if _, err := r.Outbound.Func()(ctx, request); err == nil || err.Error() != want {
				t.Errorf("%s: %v", path, err)
			}
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		request, _ := http.NewRequest("GET", "https://api.example/slow", nil)
		if _, err := r.Outbound.Func()(short, request); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow: %v", err)
		}
		request, _ = http.NewRequest("GET", "https://api.example/bad", nil)
		response, err := r.Outbound.Func()(ctx, request)
		if err != nil {
			return nil, err
		}
		if n, err := response.Body.Read(make([]byte, 10)); err == nil {
			t.Errorf("%d bytes of a body that panics", n)
		}
		response.Body.Close()
		request, _ = http.NewRequest("GET", "https://api.example/endless", nil)
		response, err = r.Outbound.Func()(ctx, request)
		if err != nil {
			return nil, err
		}
		if _, err := response.Body.Read(make([]byte, 10)); err != nil {
			t.Error(err)
		}
		return value("1"), response.Body.Close()
	}}, nil)
	client := dial(t, url, nil)
	gaveUp := make(chan struct{})
	b := &body{neverEnding{}, make(chan struct{})}
	_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Outbound: protocol.OutboundVia(func(ctx context.Context, r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/fail":
			return nil, errors.New("no route")
		case "/panic":
			panic("boom")
		case "/none":
			return nil, nil
		case "/bad":
			return &http.Response{StatusCode: 200, Body: badBody{}}, nil
		case "/slow":
			<-ctx.Done()
			close(gaveUp)
			return nil, ctx.Err()
		}
		return &http.Response{StatusCode: 200, Body: b}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	<-gaveUp
	<-b.closed
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { p[0] = 'x'; return 1, nil }
