// Package web is what a program sees of the web platform: the scripts that make the globals of a
// sandbox, and the native operations those scripts call.
//
// A Script is one .js file of this directory: a function expression that receives the private host
// object of its isolate and defines globals. It runs when the program first touches one of the names
// its header comment lists, so a program pays only for the platform it uses. An Op is a Go function that scripts reach as
// host.ops.NAME; the ops of a script are in the Go file of the same stem.
//
//	for _, s := range web.Scripts() {
//		exports := compile(s.Name, s.Source())(host) // at once, or on first touch of s.Globals
//	}
//	state := web.NewState() // closed with the isolate
//	for name, op := range web.Ops() {
//		host.ops[name] = bind(op, state)
//	}
//
// The host object, which no program can reach, offers ops, primordials (what 00_primordials.js
// returned), define, load, setTimeout, clearTimeout, queueMicrotask, now, timeOrigin, outbound and
// outboundMode, and toUtf8, fromUtf8, toLatin1 and fromLatin1 between texts and bytes; the header of each script says which
// of them it uses. Where the engine can be asked it has isProxy, proxyParts, promiseOf and previewOf, too.
//
// # Modules
//
// host.load("modules").builtin(name) is the namespace of a module of the platform: "node:path" and "path" are
// node/path.js, "cloudflare:workers" is cloudflare/workers.js. It answers undefined for a name that is no module's, and
// for a module that the reference has not either the name as its error has it ("node:fs"). The scripts in node and
// cloudflare are ordinary code: a program that replaces a builtin changes what they do, as it would in Node.
//
// # Limits
//
// The interfaces, their flags, lengths and error texts follow workerd, not the browsers, where the
// two differ. Ops are safe for concurrent use; nearly all are pure functions of their arguments. What streams need between two
// calls is in a State, of which each sandbox has its own and closes it.
package web

import (
	"bufio"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// Op is a native operation. Its arguments and its result are string, float64, bool, nil (undefined
// and null alike) or []byte (a Uint8Array); its result may be a Text, too. Arguments are good while it runs, and what it
// returns until the next operation. An *OpError is thrown in JavaScript as the class it
// names, any other error as an Error.
type Op func(state *State, args []any) (any, error)

// Text is a result that is a string whose units are these bytes.
type Text []byte

// pureOp is an Op that keeps nothing, as nearly all are.
type pureOp = func(args []any) (any, error)

// OpError is a failure of an Op that a script should see as an exception of a given class: Name is a
// constructor of the language (TypeError, RangeError) or else the name of a DOMException.
type OpError struct{ Name, Message string }

func (e *OpError) Error() string { return e.Name + ": " + e.Message }

// Script is one file of this directory. Source reads it, a parenthesised function expression that takes
// the host object and may return the internals it offers to other scripts. A script with Globals runs on
// first touch of one of the names listed, one whose name has no number when another asks for it by
// host.load, and what is left at boot, 00_primordials first.
type Script struct {
	Name    string
	Globals []string
	Source  func() string
}

//go:embed *.js node/*.js cloudflare/*.js
var sources embed.FS

// globalsLine opens the line in a script's header that lists the globals it defines.
const globalsLine = "// Globals: "

// Scripts returns every script in the order of its number, the ones without last.
func Scripts() []Script {
	var scripts []Script
	for _, pattern := range []string{"*.js", "node/*.js", "cloudflare/*.js"} {
		names, err := fs.Glob(sources, pattern)
		if err != nil {
			panic(fmt.Sprintf("web: listing the embedded scripts: %v", err))
		}
		for _, name := range names {
			scripts = append(scripts, Script{Name: strings.TrimSuffix(name, ".js"), Globals: globalsOf(name), Source: func() string { return read(name) }})
		}
	}
	return scripts
}

func read(name string) string {
	source, err := sources.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("web: reading the embedded script %s: %v", name, err))
	}
	return string(source)
}

// globalsOf reads the names on the "Globals:" lines of a script's header comment, and no more than that: a process that
// lists the scripts need not hold half a megabyte of them.
func globalsOf(name string) []string {
	file, err := sources.Open(name)
	if err != nil {
		panic(fmt.Sprintf("web: reading the embedded script %s: %v", name, err))
	}
	defer file.Close()
	var globals []string
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 512), bufio.MaxScanTokenSize)
	for lines.Scan() && strings.HasPrefix(lines.Text(), "//") {
		if names, ok := strings.CutPrefix(lines.Text(), globalsLine); ok {
			globals = append(globals, strings.Fields(names)...)
		}
	}
	return globals
}

// Ops returns the native operations of all scripts by name.
func Ops() map[string]Op {
	ops := map[string]Op{}
	for _, group := range []map[string]Op{codecOps(), base64Ops(), bufferOps()} {
		for name, op := range group {
			ops[name] = surviving(name, op)
		}
	}
	for _, group := range []map[string]pureOp{encodingOps(), urlOps(), cryptoOps(), formDataOps(), fetchOps(), urlPatternOps(), subtleOps(), nodeOps(), hashOps(), cipherOps(), aeadOps(), certificateOps(), keyOps(), signOps(), agreeOps()} {
		for name, op := range group {
			ops[name] = surviving(name, func(_ *State, args []any) (any, error) { return op(args) })
		}
	}
	return ops
}

// surviving turns a panic in an operation, whose argument a program can shape, into an exception: one program's odd key
// must not take a worker down.
func surviving(name string, op Op) Op {
	return func(state *State, args []any) (result any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				result, err = nil, fmt.Errorf("the operation %s failed: %v", name, cause)
			}
		}()
		return op(state, args)
	}
}
