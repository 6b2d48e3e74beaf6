package codetool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/protocol"
)

// Shapes remembers what the results of tools without an output schema look like: the names and types of what was seen,
// never a value. Declarations made afterwards have it in place of unknown, marked as observed. It may be shared by Tools
// and is safe for concurrent use.
type Shapes struct {
	path string

	mu    sync.Mutex
	seen  map[string]*shape
	dirty bool
}

// The bounds of what is remembered of one tool and of all.
const (
	maxShapes     = 5000
	maxShapeNodes = 200 // of one tool, past which nothing more is learned about it
	maxShapeDepth = 6   // below which everything is unknown
	maxSampled    = 20  // items of an array that are looked at
	maxKeys       = 40  // of an object, past which it is a map
)

// OpenShapes reads what Save wrote to a file; a file that is missing or broken is no shapes yet. Without a path nothing
// is ever written.
func OpenShapes(path string) (*Shapes, error) {
	s := &Shapes{path: path, seen: map[string]*shape{}}
	if path == "" {
		return s, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &s.seen) != nil || s.seen == nil {
		s.seen = map[string]*shape{}
	}
	return s, nil
}

// Save writes what was learned since the last time, for us alone, and whole or not at all.
func (s *Shapes) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty || s.path == "" {
		return nil
	}
	data, err := json.Marshal(s.seen)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	s.dirty = false
	return nil
}

// key names a tool and its version: a tool that is described anew is another.
func (t *boundTool) key() string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(t.provider), []byte(t.Name), []byte(t.Description), t.InputSchema} {
		sum.Write(part)
		sum.Write([]byte{0})
	}
	return t.provider + "." + t.Name + "@" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// learn takes a result of a tool.
func (s *Shapes) learn(tool *boundTool, value any) {
	raw, err := protocol.EncodeValue(value)
	if err != nil || IsVast(raw) {
		return
	}
	decoded, err := protocol.DecodeValue(raw)
	if _, none := decoded.(protocol.Undefined); none || err != nil {
		return
	}
	key, seen := tool.key(), shapeOf(decoded, 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.seen[key]
	if before == nil && len(s.seen) >= maxShapes {
		return
	}
	merged := seen
	if before != nil {
		merged = before.merge(seen)
	}
	if merged.nodes() > maxShapeNodes {
		return
	}
	if before == nil || !before.equal(merged) {
		s.seen[key] = merged
		s.dirty = true
	}
}

// schema is what is known about a tool's results as a JSON Schema; nil when nothing is.
func (s *Shapes) schema(tool *boundTool) json.RawMessage {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	known := s.seen[tool.key()]
	s.mu.Unlock()
	if known == nil {
		return nil
	}
	text, err := protocol.RenderJSON(known.schema(), nil)
	if err != nil {
		return nil
	}
	return text
}

// shape is the type of the values that were seen in one place. It is not changed once made.
type shape struct {
	Types  []string `json:"t,omitempty"` // of JSON, sorted
	Keys   []field  `json:"k,omitempty"` // of an object, in the order they were first seen
	Items  *shape   `json:"i,omitempty"` // of an array
	Values *shape   `json:"v,omitempty"` // of an object with names that are data
}

type field struct {
	Name     string `json:"n"`
	Optional bool   `json:"o,omitempty"`
	Shape    *shape `json:"s"`
}

func shapeOf(value any, depth int) *shape {
	switch value := value.(type) {
	case nil:
		return &shape{Types: []string{"null"}}
	case bool:
		return &shape{Types: []string{"boolean"}}
	case string:
		return &shape{Types: []string{"string"}}
	case json.Number, float64:
		return &shape{Types: []string{"number"}}
	case []any:
		s := &shape{Types: []string{"array"}}
		if depth < maxShapeDepth {
			for _, item := range value[:min(len(value), maxSampled)] {
				s.Items = s.Items.merge(shapeOf(item, depth+1))
			}
		}
		return s
	case protocol.Object:
		return shapeOfObject(value, depth)
	}
	return &shape{}
}

func shapeOfObject(object protocol.Object, depth int) *shape {
	s := &shape{Types: []string{"object"}}
	if depth >= maxShapeDepth {
		return s
	}
	if len(object) > maxKeys || namesAreData(object) {
		for _, member := range object[:min(len(object), maxSampled)] {
			s.Values = s.Values.merge(shapeOf(member.Value, depth+1))
		}
		return s
	}
	for _, member := range object {
		s.Keys = append(s.Keys, field{Name: member.Key, Shape: shapeOf(member.Value, depth+1)})
	}
	return s
}

// namesAreData reports whether an object's names look like values, as ids, dates and addresses do: those must not be kept.
func namesAreData(object protocol.Object) bool {
	for _, member := range object {
		digits := 0
		for _, r := range member.Key {
			if !isIdentifierPart(r) && r != '-' {
				return true
			}
			if '0' <= r && r <= '9' {
				digits++
			}
		}
		if member.Key == "" || len(member.Key) > 40 || digits > 3 || digits == len(member.Key) {
			return true
		}
	}
	return false
}

// merge is the type of what either has. Either may be nil.
func (s *shape) merge(other *shape) *shape {
	if s == nil || other == nil {
		if s == nil {
			return other
		}
		return s
	}
	merged := &shape{Items: s.Items.merge(other.Items), Values: s.Values.merge(other.Values)}
	merged.Types = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Types, other.Types))))
	if merged.Values != nil { // names that turned out to be data
		for _, f := range slices.Concat(s.Keys, other.Keys) {
			merged.Values = merged.Values.merge(f.Shape)
		}
		return merged
	}
	bothObjects := slices.Contains(s.Types, "object") && slices.Contains(other.Types, "object")
	for _, f := range s.Keys {
		if i := other.find(f.Name); i >= 0 {
			f.Shape, f.Optional = f.Shape.merge(other.Keys[i].Shape), f.Optional || other.Keys[i].Optional
		} else {
			f.Optional = f.Optional || bothObjects
		}
		merged.Keys = append(merged.Keys, f)
	}
	for _, f := range other.Keys {
		if s.find(f.Name) < 0 {
			f.Optional = f.Optional || bothObjects
			merged.Keys = append(merged.Keys, f)
		}
	}
	return merged
}

func (s *shape) find(name string) int {
	return slices.IndexFunc(s.Keys, func(f field) bool { return f.Name == name })
}

func (s *shape) nodes() int {
	if s == nil {
		return 0
	}
	n := 1 + s.Items.nodes() + s.Values.nodes()
	for _, f := range s.Keys {
		n += f.Shape.nodes()
	}
	return n
}

func (s *shape) equal(other *shape) bool {
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// schema is the shape as a JSON Schema, its properties in their order.
func (s *shape) schema() protocol.Object {
	object := protocol.Object{}
	add := func(key string, value any) { object = append(object, protocol.Member{Key: key, Value: value}) }
	switch len(s.Types) {
	case 0:
	case 1:
		add("type", s.Types[0])
	default:
		types := make([]any, len(s.Types))
		for i, name := range s.Types {
			types[i] = name
		}
		add("type", types)
	}
	if s.Items != nil {
		add("items", s.Items.schema())
	}
	if s.Values != nil {
		add("additionalProperties", s.Values.schema())
	}
	if len(s.Keys) > 0 {
		properties, required := protocol.Object{}, []any{}
		for _, f := range s.Keys {
			properties = append(properties, protocol.Member{Key: f.Name, Value: f.Shape.schema()})
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		add("properties", properties)
		add("required", required)
	}
	return object
}
