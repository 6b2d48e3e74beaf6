package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// Collection gathers servers of several hosts' files into one file of ours. Variables stay variables: nothing is looked
// up, and no secret is written that was not written already.
type Collection struct {
	executable string
	servers    protocol.Object
	sources    map[string]string // where a name is from
	texts      map[string]string // its entry, to recognise the same one again
	inputs     []any
	// Notes are whole sentences about what was left out or renamed.
	Notes []string
}

// NewCollection makes an empty one. The executable is ours, whose entries are left out.
func NewCollection(executable string) *Collection {
	return &Collection{executable: executable, sources: map[string]string{}, texts: map[string]string{}}
}

// Servers are the names of what was gathered, in order.
func (c *Collection) Servers() []string {
	var names []string
	for _, m := range c.servers {
		names = append(names, m.Key)
	}
	return names
}

// Add gathers a file's servers. The title is that of the host, and names a server whose name is taken. The result are the keys
// of those that were taken over.
func (c *Collection) Add(title, file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	top, err := parseTree(file, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var taken []string
	for _, t := range serverMaps {
		value := top.get(t.key)
		if kindOf(value) != isObject || t.key == "mcp" && taken != nil {
			continue
		}
		list, err := entriesOf(file, t.key, value, top.get("inputs"))
		if err != nil {
			return nil, err
		}
		for _, in := range list {
			if c.add(title, file, in) {
				taken = append(taken, in.key)
			}
		}
	}
	return taken, nil
}

// add takes one entry over, unless it is not for us.
func (c *Collection) add(title, file string, in found) bool {
	note := func(format string, args ...any) bool {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: server %q: %s", file, in.key, fmt.Sprintf(format, args...)))
		return false
	}
	if in.value.kind != isObject || in.key == "" {
		return note("is no entry of a server; it is left where it is")
	}
	// Reading with every variable set tells whether the entry is one that we could start.
	m := newMerger(&Options{Executable: c.executable, LookupEnv: func(string) (string, bool) { return "set", true }})
	tried := *in.value
	tried.members = slices.DeleteFunc(slices.Clone(tried.members), func(m member) bool {
		return m.key == "disabled" || m.key == "enabled" || m.key == "cwd" || m.key == "envFile"
	})
	kept := in
	kept.value = withoutVariables(&tried)
	switch e := m.read(file, kept); {
	case e.problem != nil:
		return note("%s; it is left where it is", strings.TrimSpace(e.problem.Field+" "+e.problem.Message))
	case e.off:
		return note("is codemode, or a part of its host; it is left where it is")
	}
	entry := c.translate(file, in)
	text, err := protocol.RenderJSON(entry, nil)
	if err != nil {
		return note("cannot be written: %v", err)
	}
	name := in.key
	switch {
	case c.texts[name] == string(text):
		return true // two hosts have the same
	case c.texts[name] != "":
		name = c.freeName(in.key, title)
		note("is another one in %s; here it is called %q", c.sources[in.key], name)
	}
	c.sources[name], c.texts[name] = file, string(text)
	c.servers = append(c.servers, protocol.Member{Key: name, Value: entry})
	c.addInputs(in.inputs)
	return true
}

func (c *Collection) freeName(name, title string) string {
	name += "-" + strings.ToLower(strings.ReplaceAll(title, " ", "-"))
	free := name
	for i := 2; c.texts[free] != ""; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

func (c *Collection) addInputs(inputs *node) {
	if inputs == nil {
		return
	}
	for _, item := range inputs.items {
		value := item.plain(func(text string) string { return text })
		text, err := protocol.RenderJSON(value, nil)
		if err != nil || c.texts["\x00"+string(text)] != "" {
			continue
		}
		c.texts["\x00"+string(text)] = "input"
		c.inputs = append(c.inputs, value)
	}
}

// withoutVariables is a value whose texts that hold variables are an address, which everything takes that takes a text.
func withoutVariables(n *node) *node {
	out := *n
	if n.kind == isString && strings.ContainsAny(n.text, "${") {
		out.text = "http://variable/"
	}
	out.members, out.items = nil, nil
	for _, m := range n.members {
		out.members = append(out.members, member{key: m.key, value: withoutVariables(m.value)})
	}
	for _, item := range n.items {
		out.items = append(out.items, withoutVariables(item))
	}
	return &out
}

// translate writes an entry in our own spelling, independent of the place of its file.
func (c *Collection) translate(file string, in found) protocol.Object {
	r := reader{file: file, name: in.key, spelling: in.spelling, warn: func(string, ...any) {}}
	x := r.expander()
	text := x.translate
	raw := r.fields(in.value)
	entry := protocol.Object{}
	for _, f := range serverFields {
		value := raw[f.key]
		if value == nil {
			continue
		}
		var out any = value.plain(text)
		switch {
		case f.shape == shapeDuration && value.kind == isNumber && strings.HasSuffix(r.spelled[f.key], "_sec"), f.shape == shapeDuration && value.kind == isNumber && in.spelling.seconds:
			out = value.text + "s"
		case f.key == "type" && (value.text == "custom" || value.text == "extension"), saysNothing(f.key, value):
			continue
		case (f.key == "cwd" || f.key == "envFile") && value.kind == isString, f.key == "openapi" && value.kind == isString && !strings.Contains(value.text, "://"):
			out = r.anchored(text(value.text))
		case f.key == "command" && value.kind == isString && strings.ContainsRune(value.text, '/'):
			out = r.anchored(text(value.text))
		}
		entry = append(entry, protocol.Member{Key: f.key, Value: out})
	}
	return entry
}

// saysNothing reports whether a field is what it would be without: some hosts write them all, and two entries of one server
// are not to differ by that.
func saysNothing(key string, value *node) bool {
	switch key {
	case "env", "headers", "args":
		return value.kind != isString && len(value.members) == 0 && len(value.items) == 0
	case "type":
		return value.text == "stdio" // a command says so, and nothing else is started by one
	case "disabled":
		return value.is("false")
	}
	return false
}

// anchored makes a path independent of the file's place, unless a variable starts it.
func (r *reader) anchored(path string) string {
	if strings.HasPrefix(path, "$") {
		return path
	}
	return r.absolute(path)
}

// translate rewrites a text with a host's variables so that it means the same in a file of ours, somewhere else.
func (x *expander) translate(text string) string {
	var b strings.Builder
	for text != "" {
		literal, inside, rest := x.next(text)
		b.WriteString(escapeDollars(literal))
		if inside != "" {
			b.WriteString(x.translated(inside))
		}
		text = rest
	}
	return b.String()
}

func (x *expander) translated(inside string) string {
	switch kind, rest, _ := strings.Cut(inside, ":"); {
	case kind == "file" && x.spelling.braces:
		return "${command:cat '" + strings.ReplaceAll(x.absolute(rest), "'", `'\''`) + "'}"
	case inside == "workspaceFolder", inside == "workspaceFolderBasename": // of the old place
		return escapeDollars(x.special[inside])
	}
	return "${" + inside + "}"
}

// escapeDollars keeps a literal text literal.
func escapeDollars(text string) string { return strings.ReplaceAll(text, "$", "$$") }

// plain is a node as JSON, its texts changed by text.
func (n *node) plain(text func(string) string) any {
	switch n.kind {
	case isObject:
		object := protocol.Object{}
		for _, m := range n.members {
			object = append(object, protocol.Member{Key: m.key, Value: m.value.plain(text)})
		}
		return object
	case isArray:
		list := make([]any, 0, len(n.items))
		for _, item := range n.items {
			list = append(list, item.plain(text))
		}
		return list
	case isString:
		return text(n.text)
	case isNull:
		return nil
	}
	if n.kind == isBoolean {
		return n.text == "true"
	}
	if json.Valid([]byte(n.text)) {
		return json.Number(n.text)
	}
	return n.text // a number that only TOML or YAML can write
}

// File is the gathered configuration as JSON.
func (c *Collection) File() ([]byte, error) {
	object := protocol.Object{}
	if len(c.inputs) > 0 {
		object = append(object, protocol.Member{Key: "inputs", Value: c.inputs})
	}
	object = append(object, protocol.Member{Key: "mcpServers", Value: c.servers})
	text, err := protocol.RenderJSON(object, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, text, "", "  ")
	return append(out.Bytes(), '\n'), err
}

// DefaultFile is where a configuration of ours is looked for and written.
func (p *Places) DefaultFile() string { return filepath.Join(p.Config, "codemode", "codemode.json") }
