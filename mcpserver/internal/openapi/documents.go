package openapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFiles bounds how many files one document may consist of.
const maxFiles = 1000

// documents are a document and those that it refers to, each read once.
type documents struct {
	ctx       context.Context // of Load
	transport Transport
	home      string // the origin that the host's headers are for; empty is none
	known     map[string]*file
	failed    map[string]error
	local     map[string]string // the states of files when they were read
	remote    map[string]answer // what addresses answered
	size      int
}

// file is one document: a file, or what an address answered.
type file struct {
	docs *documents
	// location is the absolute file or the address.
	location string
	root     *place
	found    map[string]*place // by pointer
}

func newDocuments(ctx context.Context, transport Transport, baseURL string) *documents {
	d := &documents{ctx: ctx, transport: transport, known: map[string]*file{}, failed: map[string]error{}, local: map[string]string{}, remote: map[string]answer{}}
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		d.home = origin(u)
	}
	return d
}

func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// asAddress is a location's URL, nil for a file.
func asAddress(location string) *url.URL {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// load reads a location and returns its whole value.
func (d *documents) load(location string) (*place, error) {
	if f := d.known[location]; f != nil {
		return f.root, nil
	}
	if err := d.failed[location]; err != nil {
		return nil, err
	}
	f, err := d.read(location)
	if err != nil {
		d.failed[location] = err
		return nil, err
	}
	d.known[location] = f
	return f.root, nil
}

func (d *documents) read(location string) (*file, error) {
	if len(d.known)+len(d.failed) >= maxFiles {
		return nil, fmt.Errorf("the document consists of more than %d files", maxFiles)
	}
	data, final, err := d.text(location)
	if err != nil {
		return nil, err
	}
	if d.size += len(data); d.size > MaxDocument {
		return nil, tooLargeDocument(location)
	}
	node, err := parse(data)
	var p *problem
	if errors.As(err, &p) {
		p.file = location
	}
	if err != nil {
		return nil, err
	}
	f := &file{docs: d, location: final, found: map[string]*place{}}
	f.root = &place{file: f, node: node}
	if node.Kind != yaml.MappingNode {
		return nil, f.root.fail("is no object")
	}
	return f, nil
}

func tooLargeDocument(location string) error {
	return fmt.Errorf("%s: the document has more than %d bytes (%d MiB), the limit of one with all that it refers to", location, MaxDocument, MaxDocument>>20)
}

// text reads a location. Final is where an address led to.
func (d *documents) text(location string) (data []byte, final string, err error) {
	if u := asAddress(location); u != nil {
		return d.download(u)
	}
	in, err := os.Open(location)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the document: %w", err)
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil {
		d.local[location] = stateOf(info)
	}
	data, err = io.ReadAll(io.LimitReader(in, MaxDocument+1))
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the document: %w", err)
	}
	return data, location, nil
}

// stateOf tells the states of a file apart.
func stateOf(info os.FileInfo) string {
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// Changed reports whether a local file of the document is not as it was when it was read, and in which state they are
// now, for who waits until nobody writes them any more.
func (a *API) Changed() (state string, changed bool) {
	for _, name := range slices.Sorted(maps.Keys(a.local)) {
		now := "missing"
		if info, err := os.Stat(name); err == nil {
			now = stateOf(info)
		}
		state += now + "\n"
		changed = changed || now != a.local[name]
	}
	return state, changed
}

func (d *documents) download(u *url.URL) ([]byte, string, error) {
	address := u.String()
	anonymous := d.home == "" || origin(u) != d.home
	got, err := download(d.ctx, d.transport, address, anonymous, nil)
	if err != nil {
		return nil, "", err
	}
	d.remote[address] = got.answer
	return got.data, got.final, nil
}

// answer is how an address answered, to ask it later whether it would do so again.
type answer struct {
	anonymous bool
	sum       [sha256.Size]byte
	// validators are the header fields that ask for an answer only if it is another.
	validators map[string]string
}

type downloaded struct {
	answer
	data  []byte
	final string // where a redirect led to
}

// download reads an address; nil is that it would answer as before, as the validators ask.
func download(ctx context.Context, transport Transport, address string, anonymous bool, validators map[string]string) (*downloaded, error) {
	header := map[string]string{"Accept": "application/json, application/yaml, */*;q=0.5"}
	maps.Copy(header, validators)
	response, err := transport.Do(ctx, &Request{Method: http.MethodGet, URL: address, Document: true, Anonymous: anonymous, Header: header})
	if err != nil {
		return nil, fmt.Errorf("cannot read the document %s: %w", address, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotModified && len(validators) > 0 {
		return nil, nil
	}
	if response.StatusCode != http.StatusOK {
		hint := ""
		if anonymous && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden) {
			hint = `; headers go to a document only when "url" names the same host`
		}
		return nil, fmt.Errorf("cannot read the document %s: it answered HTTP %d %s%s", address, response.StatusCode, http.StatusText(response.StatusCode), hint)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the document %s: %w", address, err)
	}
	got := &downloaded{answer{anonymous, sha256.Sum256(data), map[string]string{}}, data, address}
	for field, asks := range map[string]string{"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"} {
		if value := response.Header.Get(field); value != "" {
			got.validators[asks] = value
		}
	}
	if response.Request != nil && response.Request.URL != nil {
		got.final = response.Request.URL.String()
	}
	return got, nil
}

// HasAddresses reports whether a part of the document is from an address.
func (a *API) HasAddresses() bool { return len(a.remote) > 0 }

// ChangedAtAddress asks the addresses of the document whether they would answer as they did when it was read.
func (a *API) ChangedAtAddress(ctx context.Context) (bool, error) {
	for _, address := range slices.Sorted(maps.Keys(a.remote)) {
		was := a.remote[address]
		now, err := download(ctx, a.transport, address, was.anonymous, was.validators)
		if err != nil {
			return false, err
		}
		if now != nil && now.sum != was.sum {
			return true, nil
		}
	}
	return false, nil
}

// maxReferences bounds a chain of references.
const maxReferences = 32

// resolve follows $ref until there is none.
func (p *place) resolve() (*place, error) {
	for range maxReferences {
		ref := p.get("$ref")
		if ref == nil || ref.node.Kind != yaml.ScalarNode {
			return p, nil
		}
		to, err := p.file.lookup(ref.node.Value)
		if err != nil {
			return nil, ref.fail("%v", err)
		}
		p = to
	}
	return nil, p.fail("refers to itself")
}

// lookup finds what a reference names.
func (f *file) lookup(ref string) (*place, error) {
	location, fragment, _ := strings.Cut(ref, "#")
	if location == "" {
		return f.at(fragment)
	}
	absolute, err := f.beside(location)
	if err != nil {
		return nil, fmt.Errorf("the reference %q %w", ref, err)
	}
	other, err := f.docs.load(absolute)
	if err != nil {
		return nil, fmt.Errorf("the reference %q leads nowhere: %w", ref, err)
	}
	return other.file.at(fragment)
}

// beside is the location of a relative reference. A document from an address must not read our files, nor have other
// hosts asked.
func (f *file) beside(ref string) (string, error) {
	if u := asAddress(f.location); u != nil {
		to, err := u.Parse(ref)
		if err != nil {
			return "", errors.New("is no address")
		}
		if origin(to) != origin(u) {
			return "", errors.New("leads to another host, where a document is not followed")
		}
		return to.String(), nil
	}
	if asAddress(ref) != nil || strings.Contains(ref, "://") {
		return "", errors.New("leads from a file to an address, where a document is not followed")
	}
	name, err := url.PathUnescape(ref)
	if err != nil {
		name = ref
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Join(filepath.Dir(f.location), name), nil
}

// at finds a JSON pointer, as it stands in a fragment.
func (f *file) at(fragment string) (*place, error) {
	if p := f.found[fragment]; p != nil {
		return p, nil
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	if pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("the reference to %q is no JSON pointer", fragment)
	}
	p := f.root
	for _, key := range strings.Split(pointer, "/")[1:] {
		if p = p.step(unescapePointer(key)); p == nil {
			return nil, fmt.Errorf("the reference leads nowhere: there is no #%s", pointer)
		}
	}
	f.found[fragment] = p
	return p, nil
}

// step is a member or an item.
func (p *place) step(key string) *place {
	if items := p.items(); len(items) > 0 {
		if i, err := strconv.Atoi(key); err == nil && 0 <= i && i < len(items) {
			return items[i]
		}
		return nil
	}
	return p.get(key)
}

func unescapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
}
