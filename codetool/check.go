package codetool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

const (
	// checkTimeout bounds one check; the compiler in JavaScript takes one to five seconds, the native one a tenth of that.
	checkTimeout = 30 * time.Second
	// maxDiagnostics bounds what is said of one program.
	maxDiagnostics = 10
	// maxCheckOutput bounds what is read of the compiler's answer, in bytes.
	maxCheckOutput = 1 << 20
)

// Checker checks programs against the declarations with a TypeScript compiler of the machine. Make it with FindChecker.
type Checker struct{ compiler string }

// ErrNoChecker is a machine without a TypeScript compiler.
var ErrNoChecker = errors.New("to check programs, tsgo or tsc has to be on PATH: npm install -g @typescript/native-preview, or typescript")

// FindChecker looks for tsgo, and else for tsc, on PATH. The error is ErrNoChecker.
func FindChecker() (*Checker, error) {
	for _, name := range []string{"tsgo", "tsc"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err == nil {
			return &Checker{path}, nil
		}
	}
	return nil, ErrNoChecker
}

// diagnostic is one complaint of the compiler.
type diagnostic struct {
	position *protocol.Position
	text     string
}

// checked is the outcome of a program that does not fit the declarations; nil when it does, or goes unchecked: with
// imports, which the compiler would look for on this machine.
func (t *Tool) checked(ctx context.Context, code string) *Outcome {
	if t.options.Check == nil || mentionsImport.MatchString(code) {
		return nil
	}
	found, err := t.options.Check.check(ctx, t.declarationsToCheck(), code)
	if err != nil {
		t.options.Logger.Warn("a program goes unchecked", "error", err)
		return nil
	}
	if len(found) == 0 {
		return nil
	}
	var lines []string
	for _, d := range found {
		lines = append(lines, d.text)
	}
	first := found[0].position
	return &Outcome{Failure: &Failure{
		Message:  "The program does not fit the declarations:\n" + strings.Join(lines, "\n"),
		Position: first, Frame: frameOf(code, first), Foreseen: true,
	}}
}

// mentionsImport finds what may lead the compiler to files.
var mentionsImport = regexp.MustCompile(`\bimport\b|\brequire\b|///`)

// declarationsToCheck are the declarations of all that a program can name.
func (t *Tool) declarationsToCheck() string {
	var b strings.Builder
	for _, d := range t.declared() {
		b.WriteString(d.Text + "\n")
	}
	if t.catalogue != nil && !t.declares(DefaultNamespace) {
		fmt.Fprintf(&b, "declare const %s: any;\n", DefaultNamespace)
	}
	for _, name := range sandboxOnly {
		if !t.hasNamespace(name) {
			fmt.Fprintf(&b, "declare const %s: any;\n", name)
		}
	}
	return b.String()
}

// sandboxOnly are globals of the sandbox that the compiler's own library has not.
var sandboxOnly = []string{"Buffer", "process", "global", "Cloudflare", "HTMLRewriter", "FixedLengthStream", "IdentityTransformStream", "setImmediate", "clearImmediate", "scheduler"}

func (t *Tool) declares(name string) bool {
	return slices.ContainsFunc(t.namespaces, func(ns *namespace) bool { return ns.identifier == name })
}

// checkConfig is the compiler's configuration. What a program leaves without a type is any: models write JavaScript.
//
//go:embed check.json
var checkConfig string

// checkLines is how many lines of the checked file stand above the program.
const checkLines = 1

// check runs the compiler in a directory of its own.
func (c *Checker) check(ctx context.Context, declarations, code string) ([]diagnostic, error) {
	dir, err := os.MkdirTemp("", "codemode-check")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := "void (\n" + dialect.NormalizeCode(code) + "\n)\nexport {}\n"
	for name, text := range map[string]string{"declarations.d.ts": declarations, "program.ts": program, "tsconfig.json": checkConfig} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	compiler := exec.CommandContext(ctx, c.compiler, "--pretty", "false", "--project", "tsconfig.json")
	compiler.Dir = dir
	compiler.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	compiler.WaitDelay = time.Second
	ownGroup(compiler)
	out := &bounded{most: maxCheckOutput}
	compiler.Stdout, compiler.Stderr = out, out
	err = compiler.Run()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the check took longer than %s: %w", checkTimeout, ctx.Err())
	}
	found, understood := diagnosticsIn(out.String(), code)
	if err != nil && !understood {
		return nil, fmt.Errorf("%s: %w: %.500s", filepath.Base(c.compiler), err, out.String())
	}
	return found, nil
}

// complaint is a line of the compiler: a place in the program, a code and a text.
var complaint = regexp.MustCompile(`^program\.ts\((\d+),(\d+)\): error TS(\d+): (.*)$`)

// aboutUnknown finds complaints about values whose type nobody declared: a tool without an output schema gives one, and a
// program may well know better.
var aboutUnknown = regexp.MustCompile(`'unknown'|type unknown\b`)

// diagnosticsIn reads the compiler's answer. It is understood when it has a line of the form that all complaints have.
func diagnosticsIn(output, code string) (found []diagnostic, understood bool) {
	for line := range strings.Lines(output) {
		parts := complaint.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if parts == nil {
			continue
		}
		understood = true
		if aboutUnknown.MatchString(parts[4]) || len(found) == maxDiagnostics {
			continue
		}
		row, _ := strconv.Atoi(parts[1])
		column, _ := strconv.Atoi(parts[2])
		d := diagnostic{position: dialect.PositionIn(code, &protocol.Position{Line: row - checkLines, Column: column})}
		d.text = fmt.Sprintf("- %s (TS%s)", parts[4], parts[3])
		if d.position != nil {
			d.text = fmt.Sprintf("- line %d:%d: %s (TS%s)", d.position.Line, d.position.Column, parts[4], parts[3])
		}
		found = append(found, d)
	}
	return found, understood
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	most int
}

// Write takes what still fits, and says that it took all.
func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, b.most-b.Len()))])
	return len(p), nil
}
