package casefile

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

// maxStubBody bounds the request body that the stub repeats.
const maxStubBody = 32 << 20

// stubFetch is the fetcher behind {"outbound": "stub"}: it answers every request with what it was asked, and /500 with
// a failure.
func stubFetch(_ context.Context, request *http.Request) (*http.Response, error) {
	if request.URL.Path == "/500" {
		return textResponse(request, http.StatusInternalServerError, "text/plain;charset=UTF-8", "boom"), nil
	}
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(io.LimitReader(request.Body, maxStubBody)); err != nil {
			return nil, err
		}
	}
	headers := stubHeaders(request.Header)
	if request.ContentLength > 0 { // net/http has it beside the headers
		headers["content-length"] = strconv.FormatInt(request.ContentLength, 10)
	}
	answer, err := protocol.RenderJSON(protocol.Object{
		{Key: "stub", Value: true},
		{Key: "method", Value: request.Method},
		{Key: "url", Value: request.URL.String()},
		{Key: "body", Value: strings.ToValidUTF8(string(body), string(utf8.RuneError))},
		{Key: "headers", Value: headers},
	}, nil)
	if err != nil {
		return nil, err
	}
	return textResponse(request, http.StatusOK, "application/json", string(answer)), nil
}

// stubHeaders are the headers as a fetcher's Headers lists them: in lower case, joined, without the platform's own.
func stubHeaders(header http.Header) map[string]any {
	headers := map[string]any{}
	for name, values := range header {
		if name = strings.ToLower(name); !strings.HasPrefix(name, "cf-") {
			headers[name] = strings.Join(values, ", ")
		}
	}
	return headers
}

func textResponse(request *http.Request, status int, contentType, body string) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {contentType}},
		Body:          io.NopCloser(bytes.NewReader([]byte(body))),
		ContentLength: int64(len(body)),
		Request:       request,
	}
}
