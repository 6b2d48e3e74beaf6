package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver/config"
)

const root = "../.."

// documents are the pages that people read.
func documents(t *testing.T) []string {
	t.Helper()
	files := []string{"protocol/PROTOCOL.md"}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			name, _ := filepath.Rel(root, file)
			files = append(files, filepath.ToSlash(name))
		}
	}
	if len(files) < 8 {
		t.Fatalf("found only %q", files)
	}
	return files
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is one fenced piece of a document.
type block struct {
	file           string
	line           int
	language, text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// blocks are the fenced pieces of all documents in some languages.
func blocks(t *testing.T, languages ...string) (found []block) {
	t.Helper()
	for _, file := range documents(t) {
		var open *block
		for i, line := range strings.Split(readDocument(t, file), "\n") {
			fence, isFence := strings.CutPrefix(line, "```")
			switch {
			case open != nil && isFence:
				if slices.Contains(languages, open.language) {
					found = append(found, *open)
				}
				open = nil
			case open != nil:
				open.text += line + "\n"
			case isFence:
				open = &block{file: file, line: i + 1, language: fence}
			}
		}
		if open != nil {
			t.Errorf("%s: the fence is not closed", open)
		}
	}
	return found
}

var (
	markdownLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownFence = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	notInAnchor   = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// Every link of a document leads to a file that is there, and to a heading of it. Addresses on the web are not asked.
func TestDocumentLinks(t *testing.T) {
	for _, file := range documents(t) {
		for _, match := range markdownLink.FindAllStringSubmatch(markdownFence.ReplaceAllString(readDocument(t, file), ""), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			target, anchor, _ := strings.Cut(match[1], "#")
			name := file
			if target != "" {
				name = filepath.ToSlash(filepath.Join(filepath.Dir(file), target))
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s links to %s, which is not there", file, match[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(readDocument(t, name)), anchor) {
				t.Errorf("%s links to %s: there is no such heading", file, match[1])
			}
		}
	}
}

// anchors are the names of a document's headings, as GitHub makes them.
func anchors(text string) (names []string) {
	for _, line := range strings.Split(text, "\n") {
		if hashes, heading, ok := strings.Cut(line, " "); ok && hashes != "" && strings.Trim(hashes, "#") == "" {
			names = append(names, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-"))
		}
	}
	return names
}

// The commands of documents are there, with the flags that they are shown with, and so are the targets of make.
func TestDocumentCommands(t *testing.T) {
	checked := 0
	for _, b := range blocks(t, "sh", "bash") {
		for _, line := range strings.Split(b.text, "\n") {
			line, _, _ = strings.Cut(line, " #")
			if err := checkCommandLine(strings.Fields(line)); err != nil {
				t.Errorf("%s: %s: %v", b, line, err)
			}
			checked++
		}
	}
	for _, file := range documents(t) {
		if file == "CHANGELOG.md" {
			continue
		}
		for _, match := range regexp.MustCompile("`((?:bin/)?codemode|make) ([^`]*)`").FindAllStringSubmatch(strings.ReplaceAll(readDocument(t, file), `\|`, "|"), -1) {
			if err := checkCommandLine(strings.Fields(match[1] + " " + match[2])); err != nil {
				t.Errorf("%s: `%s %s`: %v", file, match[1], match[2], err)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("checked only %d command lines", checked)
	}
}

// checkCommandLine looks at a line that starts a command of ours, or make. Others are somebody else's.
func checkCommandLine(words []string) error {
	for len(words) > 0 && strings.Contains(words[0], "=") { // variables of the environment
		words = words[1:]
	}
	line := strings.Join(words, " ")
	for _, way := range []string{"go run ./cmd/codemode ", "bin/codemode ", "codemode "} {
		if rest, ok := strings.CutPrefix(line, way); ok {
			return checkCommand(strings.Fields(rest))
		}
	}
	if rest, ok := strings.CutPrefix(line, "make "); ok {
		return checkTarget(strings.Fields(rest)[0])
	}
	return nil
}

func checkCommand(words []string) error {
	if words[0] == "help" || strings.ToUpper(words[0]) == words[0] { // COMMAND stands for any
		return nil
	}
	c, ok := findCommand(words[0])
	if !ok {
		return fmt.Errorf("there is no command %q", words[0])
	}
	flags := newFlags(c.name)
	c.setup(flags)
	for _, word := range words[1:] {
		word = strings.Trim(word, "[]…,;")
		if word == "--" {
			break
		}
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		for _, one := range strings.Split(name, "|--") {
			if isFlag && flags.Lookup(one) == nil {
				return fmt.Errorf("%s has no flag --%s", c.name, one)
			}
		}
	}
	return nil
}

func checkTarget(name string) error {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).Match(makefile) {
		return fmt.Errorf("make has no target %q", name)
	}
	return nil
}

// Configurations in documents are read without a complaint, except of those that stand for something ("…").
func TestDocumentConfigurations(t *testing.T) {
	checked := 0
	for _, b := range blocks(t, "json", "jsonc") {
		if !strings.Contains(b.text, "ervers\"") {
			continue
		}
		cfg, err := config.Parse("servers.json", []byte(b.text), &config.Options{LookupEnv: func(string) (string, bool) { return "set", true }})
		if err != nil {
			t.Errorf("%s: %v", b, err)
			continue
		}
		for _, warning := range cfg.Warnings {
			t.Errorf("%s: %s", b, warning)
		}
		for _, problem := range cfg.Problems {
			if problem.Field != "envFile" { // the file is nobody's
				t.Errorf("%s: %s", b, problem)
			}
		}
		checked++
	}
	if checked < 2 {
		t.Errorf("checked only %d configurations", checked)
	}
}

// The programs of writing-programs.md that call nothing have the value that the page says.
func TestDocumentPrograms(t *testing.T) {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	host := dialect.New(pool, nil)
	defer host.Close()
	ran := 0
	for _, b := range blocks(t, "js") {
		if b.file != "docs/writing-programs.md" || strings.Contains(b.text, "await") {
			continue
		}
		result, err := host.Execute(t.Context(), b.text, nil, nil)
		if err != nil || string(result.Value) != "42" {
			t.Errorf("%s: %+v, %v", b, result, err)
		}
		ran++
	}
	if ran < 5 {
		t.Errorf("ran only %d programs", ran)
	}
}

// packages are what a piece of Go in a document may use without saying where it is from.
var packages = map[string]string{
	"codetool": "codetool", "config": "mcpserver/config", "dialect": "dialect", "executor": "executor", "mcpserver": "mcpserver",
	"protocol": "protocol", "remote": "remote", "typegen": "typegen", "worker": "executor/worker",
	"context": "", "errors": "", "fmt": "", "log": "", "os": "", "json": "encoding/json", "http": "net/http",
}

// The Go of documents compiles. A piece without a package clause is a file without its head.
func TestDocumentGo(t *testing.T) {
	scratch, overlay := t.TempDir(), map[string]string{}
	patterns := []string{"build", "-overlay", filepath.Join(scratch, "overlay.json")}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range blocks(t, "go") {
		dir := fmt.Sprintf("documents/block%d", i)
		real := filepath.Join(scratch, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(real, []byte(fmt.Sprintf("%s\n//line %s/%s:%d\n%s", goHead(b.text), module, b.file, b.line+1, b.text)), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(module, dir, "block.go")] = real
		patterns = append(patterns, "./"+dir)
	}
	if len(overlay) < 3 {
		t.Fatalf("found only %d pieces of Go", len(overlay))
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, "overlay.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", patterns...)
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// goHead is the package clause and the imports of a piece that has none.
func goHead(text string) string {
	if strings.HasPrefix(text, "package ") {
		return ""
	}
	head := "package document\n"
	for name, path := range packages {
		if !regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text) {
			continue
		}
		switch {
		case path == "":
			path = name
		case name != "json" && name != "http":
			path = "github.com/codemode-go/codemode/" + path
		}
		head += fmt.Sprintf("import %q\n", path)
	}
	return head
}

// The bundle for Claude Desktop starts a command that there is, and the registry takes the description of server.json.
func TestPackages(t *testing.T) {
	var manifest struct {
		Server struct {
			MCP struct{ Args []string } `json:"mcp_config"`
		}
	}
	var server struct{ Name, Description string }
	for name, into := range map[string]any{"manifest.json": &manifest, "server.json": &server} {
		text, err := os.ReadFile(filepath.Join(root, ".ci/release", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := checkCommand(manifest.Server.MCP.Args); err != nil {
		t.Errorf("manifest.json: %v", err)
	}
	if n := len(server.Description); n == 0 || n > 100 || !regexp.MustCompile(`^[a-z0-9.-]+/[a-z0-9-]+$`).MatchString(server.Name) {
		t.Errorf("server.json: the name %q, or a description of %d bytes where the registry takes 100", server.Name, n)
	}
}
