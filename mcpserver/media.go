package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/protocol"
)

// media is an image, a sound or a file that an upstream's result held.
type media struct {
	data  string // base64
	block protocol.Object
}

const (
	// minMedia is the least base64 that is recognised by its text alone, without a block around it: 96 characters of
	// it are no word that a program would return by chance.
	minMedia = 96
	// maxRemembered bounds the base64 that one run remembers.
	maxRemembered = 64 << 20
	// maxMedia and maxMediaBlocks bound what one answer carries beside its text: the APIs behind the known clients take
	// requests of 20 to 32 MB and 100 images, and a client that gets more fails the whole conversation.
	maxMedia       = 20 << 20
	maxMediaBlocks = 100
)

// remember keeps the media of a result, so that their base64 is known wherever a program puts it.
func (r *run) remember(result json.RawMessage) {
	var fields struct {
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(result, &fields) != nil {
		return
	}
	for _, raw := range fields.Content {
		if kind := blockType(raw); kind != "image" && kind != "audio" && kind != "resource" {
			continue
		}
		value, err := protocol.DecodeValue(raw)
		if err != nil {
			continue
		}
		if block, data, ok := mediaBlock(value); ok && len(data) >= minMedia {
			r.mu.Lock()
			if r.remembered += len(data); r.remembered <= maxRemembered {
				r.media = append(r.media, media{data, block})
			}
			r.mu.Unlock()
		}
	}
}

func blockType(raw json.RawMessage) string {
	var block struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &block) // what is no block has no type
	return block.Type
}

// known lists what was remembered.
func (r *run) known() []media {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.media)
}

// mediaBlock recognises a content block that carries base64 (an image, audio, or an embedded resource with a blob) and
// returns it in the form of the wire: a program may also give the data as bytes.
func mediaBlock(value any) (block protocol.Object, data string, ok bool) {
	object, ok := value.(protocol.Object)
	if !ok {
		return nil, "", false
	}
	switch get(object, "type") {
	case "image", "audio":
		if _, isText := get(object, "mimeType").(string); !isText {
			return nil, "", false
		}
		data, ok = base64Text(get(object, "data"))
		return with(object, "data", data), data, ok
	case "resource":
		resource, _ := get(object, "resource").(protocol.Object)
		if _, isText := get(resource, "uri").(string); !isText {
			return nil, "", false
		}
		data, ok = base64Text(get(resource, "blob"))
		return with(object, "resource", with(resource, "blob", data)), data, ok
	}
	return nil, "", false
}

// plainBlock recognises the other content blocks: text, links, and embedded resources with text.
func plainBlock(value any) (block protocol.Object, ok bool) {
	object, ok := value.(protocol.Object)
	if !ok {
		return nil, false
	}
	isText := func(o protocol.Object, key string) bool { _, ok := get(o, key).(string); return ok }
	switch get(object, "type") {
	case "text":
		return object, isText(object, "text")
	case "resource_link":
		return object, isText(object, "uri") && isText(object, "name")
	case "resource":
		resource, _ := get(object, "resource").(protocol.Object)
		return object, isText(resource, "uri") && isText(resource, "text")
	}
	return nil, false
}

func get(o protocol.Object, key string) any {
	value, _ := o.Get(key)
	return value
}

// with is the object with one member replaced.
func with(o protocol.Object, key string, value any) protocol.Object {
	out := make(protocol.Object, 0, len(o))
	for _, m := range o {
		if m.Key == key {
			m.Value = value
		}
		out = append(out, m)
	}
	return out
}

// base64Text is the base64 of a value: the text if it is base64, which clients insist on, or of bytes.
func base64Text(value any) (string, bool) {
	switch v := value.(type) {
	case []byte:
		return base64.StdEncoding.EncodeToString(v), true
	case protocol.ArrayBuffer:
		return base64.StdEncoding.EncodeToString(v), true
	case string:
		_, err := base64.StdEncoding.DecodeString(v)
		return v, err == nil && v != ""
	}
	return "", false
}

// lifter takes media out of a value, each once.
type lifter struct {
	known  []media
	links  links
	lifted []mcp.Content
	bytes  int               // of base64 in lifted
	names  map[string]string // what stands in the text for base64 that was lifted
}

// blocks makes content of a value that consists of blocks: one block, a list of them, or a result of tools/call. Whole
// is false when the value is anything else, or text alone, which reads as JSON like any other value.
func (l *lifter) blocks(value any, chars int) (content []mcp.Content, whole bool) {
	list, ok := blockList(value)
	if !ok {
		return nil, false
	}
	special := false
	for _, item := range list {
		if block, data, ok := mediaBlock(item); ok {
			special = true
			if _, seen := l.names[data]; seen {
				continue
			}
			before := len(l.lifted)
			if name := l.take(block, data); len(l.lifted) > before {
				content = append(content, l.lifted[before])
			} else {
				content = append(content, mcp.NewTextContent(name))
			}
			continue
		}
		block, ok := plainBlock(item)
		if !ok {
			l.lifted, l.names, l.bytes = nil, nil, 0
			return nil, false
		}
		special = special || get(block, "type") != "text"
		if text, ok := get(block, "text").(string); ok {
			text, _, _ = codetool.ResponseText(quote(text), chars) // a string has a text
			chars = max(0, chars-len(text))
			block = with(block, "text", text)
		}
		content = append(content, rawBlock(l.links.mapped(block)))
	}
	return content, special
}

// blockList is a value's blocks, if it may consist of them.
func blockList(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, len(v) > 0
	case protocol.Object:
		if list, ok := get(v, "content").([]any); ok {
			return list, len(list) > 0 && isResult(v)
		}
		return []any{v}, true
	}
	return nil, false
}

// isResult reports whether an object has no members but those of a result of tools/call.
func isResult(o protocol.Object) bool {
	for _, m := range o {
		switch m.Key {
		case "content", "structuredContent", "isError", "_meta":
		default:
			return false
		}
	}
	return true
}

// lift returns the value with a placeholder for each base64 that becomes a block of its own.
func (l *lifter) lift(value any) any {
	switch v := value.(type) {
	case string:
		for _, m := range l.known { // alone, or in a data: URL
			if strings.Contains(v, m.data) {
				v = strings.ReplaceAll(v, m.data, l.take(m.block, m.data))
			}
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = l.lift(item)
		}
		return out
	case protocol.Object:
		if block, data, ok := mediaBlock(v); ok {
			name := l.take(block, data)
			if resource, ok := get(v, "resource").(protocol.Object); ok {
				return with(v, "resource", with(resource, "blob", name))
			}
			return with(v, "data", name)
		}
		out := make(protocol.Object, len(v))
		for i, m := range v {
			out[i] = protocol.Member{Key: m.Key, Value: l.lift(m.Value)}
		}
		return out
	}
	return value
}

// take makes a block of its own, once for the same data and while there is room, and returns what stands for it in the
// text.
func (l *lifter) take(block protocol.Object, data string) (name string) {
	if name, seen := l.names[data]; seen {
		return name
	}
	if l.names == nil {
		l.names = map[string]string{}
	}
	size := base64.StdEncoding.DecodedLen(len(data))
	if len(l.lifted) == maxMediaBlocks || l.bytes+len(data) > maxMedia {
		name = fmt.Sprintf("[%v of %d bytes, left out: the media of one answer may have %d MiB of base64 and %d blocks]", get(block, "type"), size, maxMedia>>20, maxMediaBlocks)
		l.names[data] = name
		return name
	}
	l.bytes += len(data)
	l.lifted = append(l.lifted, rawBlock(l.links.mapped(block)))
	name = fmt.Sprintf("[%v %d of this answer, %d bytes]", get(block, "type"), len(l.lifted), size)
	l.names[data] = name
	return name
}

// contentBlock is a content block as it is, with members that mcp-go's types do not know.
type contentBlock struct {
	mcp.TextContent
	raw json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (b contentBlock) MarshalJSON() ([]byte, error) { return b.raw, nil }

// rawBlock makes mcp content of a block. What has no JSON was not in one.
func rawBlock(block protocol.Object) mcp.Content {
	raw, err := protocol.EncodeValue(block)
	if err != nil {
		return mcp.NewTextContent("[a block that cannot be written: " + err.Error() + "]")
	}
	return contentBlock{raw: raw}
}
