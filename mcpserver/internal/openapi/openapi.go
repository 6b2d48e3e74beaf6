// Package openapi makes the operations of an HTTP API, as an OpenAPI 3 document describes them, tools as an MCP server
// has them.
//
// An [API] is what one document says: [API.Tools] are the entries of a tools/list, one for each operation and one more,
// request, for what the document leaves out; [API.Call] makes an HTTP request of a call and a tools/call result of the
// answer. A [Transport] sends the requests: it alone knows the host's headers, so a document and a program never see
// them.
//
//	api, err := openapi.Load(ctx, "/etc/petstore.yaml", transport, &openapi.Options{BaseURL: "https://api.example/v1"})
//	if err != nil { … } // names the file, the line and the JSON pointer
//	result, err := api.Call(ctx, &openapi.Call{Tool: "getPet", Arguments: json.RawMessage(`{"petId": 7}`)})
//
// # Arguments
//
// Parameters are members of one object of arguments by their names. Of two with one name the one in the path has it, the
// others are query_name, header_name, cookie_name. The body is the member body (requestBody when a parameter is called
// that): a value for JSON and forms, a text for text, base64 for everything else. A file of a multipart form is base64, or
// {data, filename, contentType}. Where an operation takes several types of body, JSON counts before forms, forms before
// text.
//
// # Results
//
// JSON is the value, text a string, no body null. Images, sounds and other bytes are content blocks. A status other than
// 2xx is an error with the status and the beginning of the body.
//
// # Limits
//
// A request goes to the API's own host or nowhere: arguments cannot leave it, operations that a document puts on another
// host are left out, and a redirect to another host is an error. A document has [MaxDocument] bytes at most, one answer
// [MaxResponse], one tool's schema [MaxSchema], all of them [MaxSchemas]. References lead to files beside a file, and from an address to the same
// host. Callbacks, webhooks and links are not used.
package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
)

const (
	// MaxDocument bounds a document with all that it refers to, in bytes: the largest ones published have 12 MB.
	MaxDocument = 32 << 20
	// MaxResponse bounds the body of one answer, in bytes: as base64 it is what a program may receive from one call.
	MaxResponse = 24 << 20
	// MaxSchema bounds one schema of one tool, in bytes: about 8,000 tokens, more than a model reads of one function.
	// MaxSchemas bounds those of all tools together, since in some documents every type reaches every other: with many
	// operations each has its share. Types past a limit, the farthest first, are open.
	MaxSchema, MaxSchemas = 32 << 10, 16 << 20
	// MaxErrorBody bounds how much of a failed request's answer is told, in bytes.
	MaxErrorBody = 4 << 10
)

// Request is one HTTP request of an API.
type Request struct {
	Method, URL string
	// Header are the header fields that the call wants; those of the host count before them.
	Header map[string]string
	// Body is nil for none.
	Body []byte
	// Document says that a document is read and not an operation called. Anonymous has the host's headers stay at home,
	// since it is another host.
	Document, Anonymous bool
}

// Transport sends requests. A redirect to another host is followed for a Request that is Anonymous alone; for every other
// it is the answer.
type Transport interface {
	Do(ctx context.Context, r *Request) (*http.Response, error)
}

// Options are the optional parts of an API.
type Options struct {
	// BaseURL is where the paths of operations start; empty is the document's own server.
	BaseURL string
	// Security are the values of security schemes by their names in the document: a key, a bearer token, or "user:password"
	// for basic authentication.
	Security map[string]string
	// Headers are the names of header fields that the Transport sets; such parameters are not asked of programs.
	Headers []string
	// Logger gets what is wrong with parts of the document; nil discards it.
	Logger *slog.Logger
}

// API is one document at work. It does not change; its methods may be called from several goroutines.
type API struct {
	// Title and Version are what the API calls itself, Revision the revision of OpenAPI, and About a few words on it.
	Title, Version, Revision, About string

	transport  Transport
	local      map[string]string // files, and their states when they were read
	remote     map[string]answer // addresses, and what they answered
	base       *base
	guard      *guard
	operations map[string]*operation
	tools      []json.RawMessage
}

// Load reads the document at an absolute file or an address. The error is one of the whole document; an operation that
// cannot be called is left out with a warning.
func Load(ctx context.Context, location string, transport Transport, options *Options) (*API, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	docs := newDocuments(ctx, transport, o.BaseURL)
	root, err := docs.load(location)
	if err != nil {
		return nil, err
	}
	a := &API{transport: transport, operations: map[string]*operation{}}
	if a.Revision, err = revision(root); err != nil {
		return nil, err
	}
	info := root.get("info")
	a.Title, a.Version, a.About = info.text("title"), info.text("version"), about(info)
	if a.base, err = newBase(root, o.BaseURL); err != nil {
		return nil, err
	}
	if a.guard, err = newGuard(root, a.base, &o); err != nil {
		return nil, err
	}
	said := &complaints{log: o.Logger}
	defer said.close()
	r := &reader{api: a, root: root, log: said, shapes: newShapes(said, countOperations(root)), names: map[string]int{}, ownServers: o.BaseURL == ""}
	if err := r.paths(ctx); err != nil {
		return nil, err
	}
	r.add(hatch(r))
	a.guard.root = nil // calls do without the document
	a.local, a.remote = docs.local, docs.remote
	return a, nil
}

// maxComplaints bounds what is told of one document: one missing file can be in the way of a thousand operations.
const maxComplaints = 20

// complaints are what is wrong with parts of a document.
type complaints struct {
	log *slog.Logger
	n   int
}

// Warn tells of one, as a slog.Logger does.
func (c *complaints) Warn(message string, args ...any) {
	if c.n++; c.n <= maxComplaints {
		c.log.Warn(message, args...)
	}
}

// close tells how many were not told.
func (c *complaints) close() {
	if c.n > maxComplaints {
		c.log.Warn("more of the document is wrong", "untold", c.n-maxComplaints)
	}
}

// revision is that of OpenAPI which the document says; anything but 3 is refused.
func revision(root *place) (string, error) {
	if old := root.text("swagger"); old != "" {
		return "", root.get("swagger").fail("is Swagger %s; convert the document to OpenAPI 3 first", old)
	}
	said := root.text("openapi")
	switch {
	case said == "":
		return "", root.fail("is no OpenAPI document: it has no member openapi with a revision, such as \"3.1.0\"")
	case len(said) < 2 || said[:2] != "3.":
		return "", root.get("openapi").fail("is OpenAPI %s; 3.0 and 3.1 can be read", said)
	}
	return said, nil
}

// Tools are the entries of a tools/list.
func (a *API) Tools() []json.RawMessage { return slices.Clone(a.tools) }

// Call is one call of a tool.
type Call struct {
	Tool string
	// Arguments is one JSON object; nil is an empty one.
	Arguments json.RawMessage
	// Header goes along where the tool says nothing of it, for traces.
	Header map[string]string
}

// Call performs one call and returns a tools/call result, which may be an error of the API's. An error is one of the
// transport, or of a connection that broke.
func (a *API) Call(ctx context.Context, call *Call) (json.RawMessage, error) {
	operation := a.operations[call.Tool]
	if operation == nil {
		return failure(fmt.Sprintf("the API has no operation %q", call.Tool)), nil
	}
	request, err := operation.request(a, call.Arguments)
	if err != nil {
		return failure(err.Error()), nil
	}
	for name, value := range call.Header {
		if !hasHeader(request.Header, name) {
			request.Header[name] = value
		}
	}
	response, err := a.transport.Do(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return operation.result(response)
}
