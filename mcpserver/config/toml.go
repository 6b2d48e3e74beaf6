package config

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads TOML. The library's decoder judges the text; its parser then gives what the decoder's maps lose, the
// order and the places.
func parseTOML(data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if err := toml.Unmarshal(data, &map[string]any{}); err != nil {
		out := &SyntaxError{Format: "TOML", Message: err.Error()}
		if decode := (*toml.DecodeError)(nil); errors.As(err, &decode) {
			out.Line, out.Column = decode.Position()
		}
		return nil, out
	}
	r := tomlReader{where: newLines(data)}
	r.parser.Reset(data)
	root := &node{kind: isObject, at: Position{1, 1}}
	table := root
	for r.parser.NextExpression() {
		switch e := r.parser.Expression(); e.Kind {
		case unstable.Table:
			table = r.at(root, e.Key())
		case unstable.ArrayTable:
			list := r.slot(root, e.Key())
			list.kind = isArray
			table = &node{kind: isObject, at: list.at}
			list.items = append(list.items, table)
		case unstable.KeyValue:
			r.keyValue(table, e)
		}
	}
	return root, r.parser.Error()
}

// tomlReader builds nodes of text that is known to be TOML.
type tomlReader struct {
	parser unstable.Parser
	where  *lines
}

// slot finds the node at a dotted key, making it, and the tables on the way, when they are not there.
func (r *tomlReader) slot(in *node, key unstable.Iterator) *node {
	for key.Next() {
		if in.kind == isArray { // the last of [[these]] is meant
			in = in.items[len(in.items)-1]
		}
		part := key.Node()
		next := in.get(string(part.Data))
		if next == nil {
			next = &node{kind: isObject, at: r.where.position(int(part.Raw.Offset))}
			in.members = append(in.members, member{key: string(part.Data), value: next})
		}
		in = next
	}
	return in
}

// at is slot for a table, which may be the last of [[several]].
func (r *tomlReader) at(root *node, key unstable.Iterator) *node {
	n := r.slot(root, key)
	if n.kind == isArray {
		return n.items[len(n.items)-1]
	}
	return n
}

func (r *tomlReader) keyValue(table *node, e *unstable.Node) {
	slot := r.slot(table, e.Key())
	at := slot.at
	*slot = *r.value(e.Value())
	if slot.at == (Position{}) {
		slot.at = at
	}
}

func (r *tomlReader) value(v *unstable.Node) *node {
	n := &node{text: string(v.Data)}
	if v.Raw.Length > 0 {
		n.at = r.where.position(int(v.Raw.Offset))
	}
	switch v.Kind {
	case unstable.Array:
		n.kind, n.text = isArray, ""
		for it := v.Children(); it.Next(); {
			if item := it.Node(); item.Kind != unstable.Comment {
				n.items = append(n.items, r.value(item))
			}
		}
	case unstable.InlineTable:
		n.kind, n.text = isObject, ""
		for it := v.Children(); it.Next(); {
			if item := it.Node(); item.Kind == unstable.KeyValue {
				r.keyValue(n, item)
			}
		}
	case unstable.Integer:
		n.kind = isNumber
		if i, err := strconv.ParseInt(n.text, 0, 64); err == nil { // of 0x10 and 1_000
			n.text = strconv.FormatInt(i, 10)
		}
	case unstable.Float:
		n.kind = isNumber
	case unstable.Bool:
		n.kind = isBoolean
	default: // dates are texts to us
		n.kind = isString
	}
	return n
}
