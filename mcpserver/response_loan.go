package mcpserver

import (
	"net/http"
	"sync/atomic"
)

// responseLoan is a response that is lent for as long as its request is served. mcp-go keeps the writer of every stream that
// could be resumed until its session ends; of a loan taken back it keeps nothing of the request.
type responseLoan struct {
	lent atomic.Pointer[http.ResponseWriter]
}

func lend(w http.ResponseWriter) *responseLoan {
	var l responseLoan
	l.lent.Store(&w)
	return &l
}

// takeBack has what is written from now on go nowhere.
func (l *responseLoan) takeBack() { l.lent.Store(&goneResponse) }

// Unwrap is for http.ResponseController.
func (l *responseLoan) Unwrap() http.ResponseWriter { return *l.lent.Load() }

// Header implements http.ResponseWriter.
func (l *responseLoan) Header() http.Header { return l.Unwrap().Header() }

// WriteHeader implements http.ResponseWriter.
func (l *responseLoan) WriteHeader(status int) { l.Unwrap().WriteHeader(status) }

// Write implements http.ResponseWriter.
func (l *responseLoan) Write(p []byte) (int, error) { return l.Unwrap().Write(p) }

// Flush implements http.Flusher.
func (l *responseLoan) Flush() { _ = http.NewResponseController(l.Unwrap()).Flush() } // Write has told what is wrong

// gone is the response of a request that is over.
type gone struct{}

var goneResponse http.ResponseWriter = gone{}

func (gone) Header() http.Header       { return http.Header{} }
func (gone) WriteHeader(int)           {}
func (gone) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }
