package mcpserver

import (
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// pieceTime is how long a client may take over pieceBytes of an answer: who does not read would have it kept here for ever.
	pieceTime  = 30 * time.Second
	pieceBytes = 64 << 10
)

// responseLoan is a response that is lent for as long as its request is served. mcp-go keeps the writer of every stream that
// could be resumed until its session ends; of a loan taken back it keeps nothing of the request.
type responseLoan struct {
	lent atomic.Pointer[http.ResponseWriter]
	long atomic.Bool // it was flushed, or has more than a server keeps back to say how long it is
}

func lend(w http.ResponseWriter) *responseLoan {
	var l responseLoan
	l.lent.Store(&w)
	return &l
}

// takeBack has what is written from now on go nowhere.
func (l *responseLoan) takeBack() {
	if l.long.Load() {
		l.Flush() // the rest of what was written, which the server would send at its leisure
	}
	l.lent.Store(&goneResponse)
}

// inTime does what writes at most a piece, for which the client has its time. In between there is no bound: a stream may be silent.
func (l *responseLoan) inTime(write func(http.ResponseWriter) error) error {
	w := l.Unwrap()
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(pieceTime)) // it is an HTTP connection that has one, or gone
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	return write(w)
}

// Unwrap is for http.ResponseController.
func (l *responseLoan) Unwrap() http.ResponseWriter { return *l.lent.Load() }

// Header implements http.ResponseWriter.
func (l *responseLoan) Header() http.Header { return l.Unwrap().Header() }

// WriteHeader implements http.ResponseWriter.
func (l *responseLoan) WriteHeader(status int) { l.Unwrap().WriteHeader(status) }

// Write implements http.ResponseWriter.
func (l *responseLoan) Write(p []byte) (written int, err error) {
	if len(p) > pieceBytes {
		l.long.Store(true)
	}
	for {
		part := p[written:min(len(p), written+pieceBytes)]
		err = l.inTime(func(w http.ResponseWriter) error {
			n, err := w.Write(part)
			written += n
			return err
		})
		if err != nil || written >= len(p) {
			return written, err
		}
	}
}

// Flush implements http.Flusher.
func (l *responseLoan) Flush() {
	l.long.Store(true)
	_ = l.inTime(func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }) // Write has told what is wrong
}

// gone is the response of a request that is over.
type gone struct{}

var goneResponse http.ResponseWriter = gone{}

func (gone) Header() http.Header       { return http.Header{} }
func (gone) WriteHeader(int)           {}
func (gone) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }
