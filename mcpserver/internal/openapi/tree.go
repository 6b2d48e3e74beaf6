package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// place is a value of a document, and where it stands. The nil place is a value that is not there; its methods work.
// JSON and YAML both become YAML's nodes, which keep the order, the lines and the digits.
type place struct {
	file *file
	node *yaml.Node // no alias
	up   *place
	key  string // in up
}

// problem is what is wrong with a value of a document.
type problem struct {
	file    string
	line    int
	pointer string
	text    string
}

func (p *problem) Error() string {
	where := p.file
	if p.line > 0 {
		where = fmt.Sprintf("%s:%d", where, p.line)
	}
	if p.pointer != "" {
		where += " #" + p.pointer
	}
	return where + ": " + p.text
}

// fail is an error about the value.
func (p *place) fail(format string, args ...any) error {
	return &problem{p.file.location, p.node.Line, p.pointer(), fmt.Sprintf(format, args...)}
}

// pointer is the JSON pointer to the value (RFC 6901).
func (p *place) pointer() string {
	if p.up == nil {
		return p.key
	}
	return p.up.pointer() + "/" + escapePointer(p.key)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(key string) string { return pointerEscapes.Replace(key) }

func (p *place) child(key string, node *yaml.Node) *place {
	return &place{file: p.file, node: dealias(node), up: p, key: key}
}

// get is a member of an object.
func (p *place) get(key string) *place {
	if p == nil {
		return nil
	}
	if node := member(p.node, key); node != nil {
		return p.child(key, node)
	}
	return nil
}

// text is a member that is a text or a number, else empty.
func (p *place) text(key string) string { return textOf(p.get(key)) }

// textOf is a text, or a number as it is written.
func textOf(p *place) string {
	if p == nil || p.node.Kind != yaml.ScalarNode || isNull(p.node) {
		return ""
	}
	return p.node.Value
}

// flag is a member that is true or false; without one it is standard.
func (p *place) flag(key string, standard bool) bool {
	v := p.get(key)
	if v == nil || v.node.ShortTag() != "!!bool" {
		return standard
	}
	return strings.EqualFold(v.node.Value, "true")
}

// members are those of an object, in its order; nil for anything else.
func (p *place) members() []*place {
	if p == nil {
		return nil
	}
	var list []*place
	for _, pair := range pairs(p.node) {
		list = append(list, p.child(pair.key, pair.value))
	}
	return list
}

// byKey has the members of an object by their keys, for those who ask for many; the last of several counts.
func (p *place) byKey() map[string]*place {
	all := map[string]*place{}
	for _, m := range p.members() {
		all[m.key] = m
	}
	return all
}

// items are those of an array; nil for anything else.
func (p *place) items() []*place {
	if p == nil || p.node.Kind != yaml.SequenceNode {
		return nil
	}
	list := make([]*place, 0, len(p.node.Content))
	for i, node := range p.node.Content {
		list = append(list, p.child(strconv.Itoa(i), node))
	}
	return list
}

func (p *place) isObject() bool { return p != nil && p.node.Kind == yaml.MappingNode }

type pair struct {
	key   string
	value *yaml.Node
}

// maxMerges bounds how deep "<<" of YAML may nest.
const maxMerges = 10

// pairs are the members of an object with those that "<<" merges in, whose own values count before them.
func pairs(node *yaml.Node) []pair { return merging{}.pairs(node, 0) }

// merging is what one object has merged so far: a second time adds nothing to it.
type merging map[*yaml.Node]bool

func (m merging) pairs(node *yaml.Node, depth int) []pair {
	if node == nil || node.Kind != yaml.MappingNode || depth > maxMerges || m[node] {
		return nil
	}
	if depth > 0 {
		m[node] = true
	}
	list := make([]pair, 0, len(node.Content)/2)
	var merged []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], dealias(node.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if key.ShortTag() != "!!merge" {
			list = append(list, pair{key.Value, value})
			continue
		}
		m[node] = true
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			merged = append(merged, m.pairs(dealias(source), depth+1)...)
		}
	}
	if len(merged) == 0 {
		return list
	}
	known := map[string]bool{}
	for _, own := range list {
		known[own.key] = true
	}
	for _, one := range merged {
		if !known[one.key] {
			known[one.key] = true
			list = append(list, one)
		}
	}
	return list
}

// member finds a member; the last of several counts, as in JSON.parse.
func member(node *yaml.Node, key string) (found *yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	merges := false
	for i := 0; i+1 < len(node.Content); i += 2 {
		switch k := node.Content[i]; {
		case k.Kind != yaml.ScalarNode:
		case k.Value == key && k.ShortTag() != "!!merge":
			found = node.Content[i+1]
		default:
			merges = merges || k.Value == "<<"
		}
	}
	if found == nil && merges {
		for _, one := range pairs(node) {
			if one.key == key {
				found = one.value
			}
		}
	}
	return dealias(found)
}

// dealias follows aliases, each of which stands for a node that came before it.
func dealias(node *yaml.Node) *yaml.Node {
	for range maxMerges {
		if node == nil || node.Kind != yaml.AliasNode {
			return node
		}
		node = node.Alias
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" }

// parse reads JSON or YAML. What starts as JSON does, and is not, may still be YAML.
func parse(data []byte) (*yaml.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if start := bytes.TrimLeft(data, " \t\r\n"); len(start) > 0 && start[0] == '{' {
		node, err := parseJSON(data)
		if err == nil {
			return node, nil
		}
		if other, otherErr := parseYAML(data); otherErr == nil {
			return other, nil
		}
		return nil, err
	}
	return parseYAML(data)
}

func parseYAML(data []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
			return nil, &problem{line: load.Mark.Line, text: "is not YAML: " + load.Message}
		}
		return nil, &problem{text: "is not YAML: " + err.Error()}
	}
	if len(document.Content) == 0 {
		return nil, &problem{text: "is empty"}
	}
	return dealias(document.Content[0]), nil
}

// parseJSON is in YAML's nodes what a JSON text says. YAML's own reader takes ten times as long for JSON.
func parseJSON(data []byte) (*yaml.Node, error) {
	in := &jsonReader{text: data, line: 1,
		tokens: jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	node, err := in.value()
	if err == nil {
		if _, more := in.tokens.ReadToken(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after its end")
		}
	}
	if err != nil {
		in.advance()
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			err = syntax.Err
		}
		return nil, &problem{line: in.line, text: "is not JSON: " + err.Error()}
	}
	return node, nil
}

type jsonReader struct {
	text   []byte
	tokens *jsontext.Decoder
	line   int
	seen   int // of text, where line was counted to
}

// advance counts the lines up to the end of the last token.
func (in *jsonReader) advance() {
	end := int(in.tokens.InputOffset())
	in.line += bytes.Count(in.text[in.seen:end], []byte("\n"))
	in.seen = end
}

func (in *jsonReader) value() (*yaml.Node, error) {
	token, err := in.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	in.advance()
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: in.line}
	switch token.Kind() {
	case 'n':
		node.Tag = "!!null"
	case 't', 'f':
		node.Tag, node.Value = "!!bool", token.String()
	case '0':
		node.Tag, node.Value = "!!float", token.String()
	case '"':
		node.Tag, node.Value = "!!str", token.String()
	case '[', '{':
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		if token.Kind() == '{' {
			node.Kind, node.Tag = yaml.MappingNode, "!!map"
		}
		for end := in.tokens.PeekKind(); end != ']' && end != '}'; end = in.tokens.PeekKind() {
			item, err := in.value()
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, item)
		}
		_, err = in.tokens.ReadToken()
	}
	return node, err
}

// appendJSON renders a value, and counts its nodes down: aliases of YAML can stand for any number of them.
func appendJSON(out []byte, node *yaml.Node, left *int) []byte {
	if *left--; *left < 0 {
		return append(out, "null"...)
	}
	switch node = dealias(node); node.Kind {
	case yaml.MappingNode:
		out = append(out, '{')
		for i, one := range pairs(node) {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSON(append(appendQuoted(out, one.key), ':'), one.value, left)
		}
		return append(out, '}')
	case yaml.SequenceNode:
		out = append(out, '[')
		for i, item := range node.Content {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSON(out, item, left)
		}
		return append(out, ']')
	}
	switch node.ShortTag() {
	case "!!null":
		return append(out, "null"...)
	case "!!bool":
		return append(out, strings.ToLower(node.Value)...)
	case "!!int", "!!float":
		return append(out, number(node.Value)...)
	}
	return appendQuoted(out, node.Value)
}

// number is a number of YAML as JSON has it; what JSON cannot say is null.
func number(text string) string {
	if value := jsontext.Value(text); value.IsValid() && value.Kind() == '0' {
		return text
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f-f == 0 { // neither infinite nor no number
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return "null"
}

// appendQuoted appends a JSON string. Any text has one, once its broken UTF-8 is replaced.
func appendQuoted(out []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(out, text)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(text, "\ufffd"))
	}
	return quoted
}

func quoted(text string) string { return string(appendQuoted(nil, text)) }
