package ui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// patient is a response whose connection tells until when it is read from.
type patient struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (p *patient) SetReadDeadline(until time.Time) error {
	p.until = until
	return nil
}

func TestABodyThatNobodyReadsComesInItsTime(t *testing.T) {
	g := newGuard("1", http.NotFoundHandler())
	for method, status := range map[string]int{http.MethodPost: http.StatusMethodNotAllowed, http.MethodGet: http.StatusUnauthorized} {
		request := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/", strings.NewReader("{"))
		w := &patient{ResponseRecorder: httptest.NewRecorder()}
		g.ServeHTTP(w, request)
		if w.Code != status || w.until.IsZero() || time.Until(w.until) > bodyTime {
			t.Errorf("%s: status %d, read from until %v", method, w.Code, w.until)
		}
	}
}
