package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// spelling is how a host writes entries where that differs from what the others do.
type spelling struct {
	// bareDollar: "$VAR" is a variable too (Goose, Gemini CLI).
	bareDollar bool
	// braces: "{env:VAR}" and "{file:path}" are variables (opencode).
	braces bool
	// seconds: "timeout" is a number of seconds (Goose).
	seconds bool
}

// serverMap is a key that holds servers, and who writes it.
type serverMap struct{ key, host string }

// serverMaps are the keys of a file that hold servers, and whose they are.
var serverMaps = []serverMap{
	{"mcpServers", "Claude Desktop, Claude Code, Cursor, Windsurf, Gemini CLI, Copilot CLI"},
	{"servers", "VS Code, with \"inputs\""},
	{"context_servers", "Zed"},
	{"mcp_servers", "Codex, in TOML"},
	{"extensions", "Goose, in YAML"},
	{"mcp", "opencode; and VS Code's settings.json, which has \"servers\" in it"},
}

// add reads one file into the merger.
func (m *merger) add(file string, data []byte) error {
	top, err := parseTree(file, data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if top.kind != isObject {
		return fmt.Errorf("%s: must hold an object, holds %s", file, top.kind)
	}
	m.files = append(m.files, file)
	servers, err := m.topLevel(file, top)
	if err != nil {
		return err
	}
	for _, s := range servers {
		m.put(m.read(file, s))
	}
	return nil
}

// found is one entry of a file with what it needs to be read.
type found struct {
	member
	inputs   *node
	spelling spelling
}

// topLevel reads everything but the servers and returns those.
func (m *merger) topLevel(file string, top *node) ([]found, error) {
	if err := oneSection(file, top); err != nil {
		return nil, err
	}
	if own := top.get("codemode"); own != nil {
		r := reader{file: file, options: m.options, inputs: top.get("inputs"), commands: &m.commands}
		if err := m.settings.read(file, own, r.expander().expand, m.warnOfViews); err != nil {
			return nil, err
		}
	}
	if vscode := top.get("customizations", "vscode", "mcp"); vscode != nil { // of a devcontainer.json
		top = vscode
	}
	var servers []found
	read := ""
	m.warnOfTwice(file, top)
	for _, t := range serverMaps {
		value := top.get(t.key)
		if value == nil || t.key == "mcp" && read != "" { // beside "mcpServers" it holds Gemini's switches
			continue
		}
		list, err := entriesOf(file, t.key, value, top.get("inputs"))
		if err != nil {
			return nil, err
		}
		if read != "" {
			m.warn(file, "both %q and %q hold servers; both are read", read, t.key)
		}
		read = t.key
		servers = append(servers, list...)
	}
	m.warnOfSlips(file, top)
	switch {
	case top.get("codemode") != nil && len(servers) == 0: // settings of their own, for other files' servers
	case read == "":
		return nil, fmt.Errorf("%s: has no servers: there is no \"mcpServers\" object (nor another key that holds servers: %s)%s", file, otherKeys(), meant(top))
	case len(servers) == 0:
		return nil, fmt.Errorf("%s: has no servers: %q is empty", file, read)
	}
	return servers, nil
}

// warnOfTwice names the keys of servers that the file has twice: what the first one holds is not read.
func (m *merger) warnOfTwice(file string, top *node) {
	read := map[string]bool{}
	for _, t := range top.members {
		if read[t.key] && slices.ContainsFunc(serverMaps, func(known serverMap) bool { return known.key == t.key }) {
			m.warnings = append(m.warnings, fmt.Sprintf("%s %q is there twice; the later one counts", place(file, t.value.at), t.key))
		}
		read[t.key] = true
	}
}

// meant says what of a file without servers was surely meant to be them.
func meant(top *node) string {
	isServer := func(n *node) bool {
		return kindOf(n) == isObject && (n.get("command") != nil || n.get("url") != nil || n.get("openapi") != nil)
	}
	if isServer(top) {
		return `; this one server belongs into it under a name: {"mcpServers": {"NAME": {…}}}`
	}
	for _, t := range top.members {
		switch {
		case isServer(t.value):
			return fmt.Sprintf(`; %q looks like a server, and belongs into it: {"mcpServers": {%[1]q: {…}}}`, t.key)
		case kindOf(t.value) == isObject && slices.ContainsFunc(t.value.members, func(m member) bool { return isServer(m.value) }):
			return fmt.Sprintf(`; %q holds servers, and is to be called "mcpServers"`, t.key)
		}
	}
	return ""
}

// oneSection refuses a second "codemode" object, and one that is spelled in another way: what such a one says is not read.
func oneSection(file string, top *node) error {
	sections := 0
	for _, m := range top.members {
		if m.key == "codemode" {
			if sections++; sections > 1 {
				return fmt.Errorf("%s codemode is there twice", place(file, m.value.at))
			}
			continue
		}
		plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(m.key)
		isOurs := func(one member) bool { _, known := fieldOf(settingFields, one.key); return known }
		if strings.EqualFold(plain, "codemode") && slices.ContainsFunc(m.value.members, isOurs) {
			return fmt.Errorf("%s %q is not read; our settings are called \"codemode\"", place(file, m.value.at), m.key)
		}
	}
	return nil
}

func entriesOf(file, key string, value, inputs *node) ([]found, error) {
	if value.kind != isObject {
		return nil, fmt.Errorf("%s:%d:%d: %q must be an object of servers, is %s", file, value.at.Line, value.at.Column, key, value.kind)
	}
	spelling := spelling{bareDollar: key == "extensions" || filepath.Base(filepath.Dir(file)) == ".gemini", braces: key == "mcp", seconds: key == "extensions"}
	if nested := value.get("servers"); key == "mcp" && kindOf(nested) == isObject && nested.get("command") == nil && nested.get("url") == nil {
		if own := value.get("inputs"); own != nil {
			inputs = own
		}
		value, spelling.braces = nested, false
	}
	var list []found
	for _, entry := range value.members {
		list = append(list, found{entry, inputs, spelling})
	}
	return list, nil
}

func otherKeys() string {
	var keys []string
	for _, t := range serverMaps[1:] {
		keys = append(keys, t.key)
	}
	return strings.Join(keys, ", ")
}

// misplaced are settings that no host has at the top of its file, and without which more is allowed than was meant.
var misplaced = []string{"policy", "audit", "pins", "views", "outbound", "hardened"}

// misspelt are what is written for "codemode", but for case and separators.
var misspelt = []string{"codemode", "codemod", "codmode", "codemodes"}

// warnOfSlips names keys that were surely meant to hold servers, or settings. A host keeps its own settings in the same file,
// so nothing else that is unknown is worth a line.
func (m *merger) warnOfSlips(file string, top *node) {
	for _, t := range top.members {
		plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(t.key))
		if slices.Contains(misplaced, t.key) || slices.Contains(misspelt, plain) && t.key != "codemode" {
			m.warn(file, "%q is not read; settings belong under \"codemode\"", t.key)
		}
		slip := plain == "mcpservers" || plain == "mcpserver" || plain == "server" || plain == "servers" || plain == "contextservers"
		for _, known := range serverMaps {
			slip = slip && known.key != t.key
		}
		if slip {
			m.warn(file, "%q is not read; the servers belong under \"mcpServers\"", t.key)
		}
	}
}
