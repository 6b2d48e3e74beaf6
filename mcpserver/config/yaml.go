package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxYAMLNodes bounds what aliases may unfold to: a few lines of them can stand for gigabytes.
const maxYAMLNodes = 100_000

// parseYAML reads the first document of a YAML text. Aliases stand for what they name, and "<<" merges.
func parseYAML(data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		out := &SyntaxError{Format: "YAML", Message: err.Error()}
		if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
			out.Line, out.Column, out.Message = load.Mark.Line, max(load.Mark.Column, 1), load.Message
		}
		return nil, out
	}
	if len(document.Content) == 0 {
		return nil, &SyntaxError{Line: 1, Column: 1, Format: "YAML", Message: "the file is empty"}
	}
	r := yamlReader{left: maxYAMLNodes}
	return r.value(document.Content[0], 0)
}

type yamlReader struct{ left int }

func (r *yamlReader) value(in *yaml.Node, depth int) (*node, error) {
	if r.left--; r.left < 0 || depth > 1000 {
		return nil, r.fail(in, "aliases unfold to more than %d values", maxYAMLNodes)
	}
	n := &node{text: in.Value, at: Position{in.Line, in.Column}}
	switch in.Kind {
	case yaml.AliasNode:
		return r.value(in.Alias, depth+1)
	case yaml.MappingNode:
		n.kind = isObject
		return n, r.mapping(n, in, depth)
	case yaml.SequenceNode:
		n.kind = isArray
		for _, item := range in.Content {
			value, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, value)
		}
		return n, nil
	}
	switch in.ShortTag() {
	case "!!int", "!!float":
		n.kind = isNumber
	case "!!bool":
		n.kind, n.text = isBoolean, strings.ToLower(n.text)
	case "!!null":
		n.kind, n.text = isNull, ""
	default:
		n.kind = isString
	}
	return n, nil
}

func (r *yamlReader) mapping(n *node, in *yaml.Node, depth int) error {
	var merged []*node
	for i := 0; i+1 < len(in.Content); i += 2 {
		key := in.Content[i]
		value, err := r.value(in.Content[i+1], depth+1)
		switch {
		case err != nil:
			return err
		case key.Kind != yaml.ScalarNode:
			return r.fail(key, "a key must be a plain text")
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
		default:
			n.members = append(n.members, member{key: key.Value, value: value})
		}
	}
	for _, m := range merged {
		sources := []*node{m}
		if m.kind == isArray {
			sources = m.items
		}
		for _, source := range sources {
			for _, inherited := range source.members {
				if n.get(inherited.key) == nil {
					n.members = append(n.members, inherited)
				}
			}
		}
	}
	return nil
}

func (r *yamlReader) fail(at *yaml.Node, format string, args ...any) error {
	return &SyntaxError{Line: at.Line, Column: at.Column, Format: "YAML", Message: fmt.Sprintf(format, args...)}
}
