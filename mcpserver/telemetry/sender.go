package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// sender posts one signal's data to a collector: OTLP over HTTP, in binary protobuf.
type sender struct {
	target  target
	client  *http.Client
	log     *slog.Logger
	signal  string
	backoff time.Duration // before the first repetition
	// lifetime ends what is being sent.
	lifetime context.Context
	end      context.CancelFunc

	mu   sync.Mutex
	said string // the failure that was logged last
}

// maxAnswer bounds what is read of a collector's answer.
const maxAnswer = 64 << 10

// firstBackoff is the pause before the first repetition; it doubles. The target's timeout bounds them all.
const firstBackoff = time.Second

func newSender(signal string, t target, log *slog.Logger) *sender {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: t.tls, MaxIdleConns: 2, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true}
	s := &sender{target: t, client: &http.Client{Transport: transport, CheckRedirect: stay}, log: log, signal: signal, backoff: firstBackoff}
	s.lifetime, s.end = context.WithCancel(context.Background())
	return s
}

// stay takes a redirect for the answer: the headers, which have keys in them, are for the configured place.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Start, Stop and UploadTraces implement otlptrace.Client.
func (s *sender) Start(context.Context) error { return nil }

// Stop lets go of the connections.
func (s *sender) Stop(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans. A failure is logged here and nowhere else.
func (s *sender) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	s.send(ctx, &tracepb.TracesData{ResourceSpans: spans}) // on the wire it is the same as an ExportTraceServiceRequest
	return nil
}

// send posts a message, more than once if the collector says that it may work later. What cannot be delivered is dropped, and the
// log says so, once for each reason.
func (s *sender) send(ctx context.Context, message proto.Message) {
	if s.lifetime.Err() != nil {
		return // Close has given up, and that was said
	}
	err := s.deliver(ctx, message)
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	known := s.said == text
	s.said = text
	s.mu.Unlock()
	if err != nil && !known {
		s.log.Warn("telemetry cannot be delivered", "signal", s.signal, "error", err)
	}
}

func (s *sender) deliver(ctx context.Context, message proto.Message) error {
	body, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	if s.target.gzip {
		if body, err = compressed(body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.target.timeout)
	defer cancel()
	defer context.AfterFunc(s.lifetime, cancel)()
	for pause := s.backoff; ; pause *= 2 {
		after, err := s.post(ctx, body)
		var later *laterError
		if !errors.As(err, &later) {
			return err
		}
		select {
		case <-time.After(max(pause, after)):
		case <-ctx.Done():
			return err
		}
	}
}

func compressed(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// laterError is a failure that may pass.
type laterError struct{ cause error }

func (e *laterError) Error() string { return e.cause.Error() }
func (e *laterError) Unwrap() error { return e.cause }

// post makes one attempt, and says how long the collector wants to be left alone.
func (s *sender) post(ctx context.Context, body []byte) (after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, value := range s.target.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if s.target.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := s.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return 0, err
		}
		return 0, &laterError{err}
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswer)) // so that the connection can be used again
	if response.StatusCode/100 == 2 {
		return 0, nil
	}
	err = fmt.Errorf("the collector at %s answered %s", request.URL.Redacted(), response.Status)
	switch response.StatusCode { // those that the specification of OTLP/HTTP calls retryable
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // a date is read as none
		return time.Duration(seconds) * time.Second, &laterError{err}
	}
	return 0, err
}
