package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// mcp-go answers with one code, of an internal error, whatever a read says that failed. What a server answered is kept beside the
// request, therefore, and put into the answer on its way out.

// serverError is the error that a server answered a client's request with.
type serverError struct {
	atomic.Pointer[upstream.RPCError]
}

type serverErrorKey struct{}

func withServerError(ctx context.Context, e *serverError) context.Context {
	return context.WithValue(ctx, serverErrorKey{}, e)
}

// passesErrors reports whether the errors of a method are those of servers.
func passesErrors(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return true
	}
	return false
}

// asAnswered keeps a server's error for the answer to the request of ctx, and returns its words.
func asAnswered(ctx context.Context, u *upstream.Upstream, err error) error {
	var theirs *upstream.RPCError
	kept, ok := ctx.Value(serverErrorKey{}).(*serverError)
	if !ok || !errors.As(err, &theirs) {
		return err
	}
	clean := &upstream.RPCError{Code: theirs.Code, Message: u.Redact(theirs.Message), Data: u.RedactData(theirs.Data)}
	kept.Store(clean)
	return errors.New(clean.Message)
}

// internalError is how mcp-go's answer begins to say that something failed.
var internalError = fmt.Appendf(nil, `"error":{"code":%d,`, mcp.INTERNAL_ERROR)

// into puts the error, if there was one, into an answer.
func (e *serverError) into(answer []byte) []byte {
	theirs := e.Load()
	if theirs == nil {
		return answer
	}
	begins := fmt.Appendf(nil, `"error":{"code":%d,`, theirs.Code)
	if len(theirs.Data) > 0 && json.Valid(theirs.Data) {
		var compact bytes.Buffer
		if json.Compact(&compact, theirs.Data) == nil {
			begins = fmt.Appendf(begins, `"data":%s,`, compact.Bytes())
		}
	}
	return bytes.Replace(answer, internalError, begins, 1)
}

// aroundRequest is stdio.Options.Around.
func aroundRequest(ctx context.Context, method string) (context.Context, func([]byte) []byte) {
	if !passesErrors(method) {
		return ctx, nil
	}
	theirs := &serverError{}
	return withServerError(ctx, theirs), theirs.into
}

// errorWriter is an http.ResponseWriter whose answer has the server's error.
type errorWriter struct {
	http.ResponseWriter
	theirs *serverError
}

// Write implements io.Writer.
func (w *errorWriter) Write(text []byte) (int, error) {
	if _, err := w.ResponseWriter.Write(w.theirs.into(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Flush implements http.Flusher, which mcp-go streams with.
func (w *errorWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
