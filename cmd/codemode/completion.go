package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/template"
)

//go:embed completion.tmpl
var completionTemplates string

func completionCommand() command {
	return command{
		name:    "completion",
		usage:   "completion bash|zsh|fish",
		summary: "Print a completion script for a shell.",
		description: `For bash, in a shell's start: source <(codemode completion bash). For zsh: codemode completion zsh > a file called _codemode in
a directory of $fpath. For fish: codemode completion fish > ~/.config/fish/completions/codemode.fish.`,
		setup: func(*flag.FlagSet) runFunc {
			return func(_ context.Context, term terminal, args []string) error {
				if len(args) != 1 {
					return usagef("say which shell: bash, zsh or fish")
				}
				return printCompletion(term.out, args[0])
			}
		},
	}
}

func manCommand() command {
	return command{
		name:        "man",
		usage:       "man",
		summary:     "Print the manual page.",
		description: `In the form that man reads: codemode man > codemode.1.`,
		setup: func(*flag.FlagSet) runFunc {
			return func(_ context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return usagef("man takes no arguments, got %q", args)
				}
				return printMan(term.out)
			}
		},
	}
}

// documented is a command for a reader that is no person: what help prints, in parts.
type documented struct {
	Name, Usage, Summary, Description string
	Flags                             []documentedFlag
}

type documentedFlag struct {
	Name, Value, Usage string
	// IsFile says that the value is a file's name.
	IsFile bool
}

// documentedCommands are all commands, from the same tables that help uses.
func documentedCommands() (list []documented) {
	for _, c := range commands() {
		d := documented{Name: c.name, Usage: c.usage, Summary: c.summary, Description: c.description}
		flags := newFlags(c.name)
		c.setup(flags)
		flags.VisitAll(func(f *flag.Flag) {
			value, usage := flag.UnquoteUsage(f)
			d.Flags = append(d.Flags, documentedFlag{f.Name, value, usage, value == "file"})
		})
		list = append(list, d)
	}
	return list
}

func printCompletion(w io.Writer, shell string) error {
	all, err := template.New("").Funcs(template.FuncMap{"quote": shellQuote}).Parse(completionTemplates)
	if err != nil {
		return err
	}
	script := all.Lookup(shell)
	if script == nil {
		return usagef("there is no completion for %q; bash, zsh or fish", shell)
	}
	return script.Execute(w, documentedCommands())
}

// shellQuote makes one word of a text, for any of the shells, and one line of it.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "'", `'\''`) + "'"
}

// printMan writes the manual page in man's macros.
func printMan(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH CODEMODE 1 \"\" \"codemode %s\" \"User commands\"\n", roff(version()))
	b.WriteString(".SH NAME\ncodemode \\- one tool, code, in front of your MCP servers\n")
	b.WriteString(".SH SYNOPSIS\n.B codemode\n.I command\n[flags]\n.SH DESCRIPTION\n" + roff(helpIntroduction) + "\n.SH COMMANDS\n")
	for _, c := range documentedCommands() {
		fmt.Fprintf(&b, ".SS codemode %s\n%s\n", roff(c.Usage), roff(c.Summary))
		if c.Description != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(c.Description))
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, ".TP\n\\fB\\-\\-%s\\fR %s\n%s\n", roff(f.Name), italic(f.Value), roff(f.Usage))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 fine, 1 the program or the check failed, 2 usage or configuration.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func italic(value string) string {
	if value == "" {
		return ""
	}
	return `\fI` + roff(value) + `\fR`
}

// roff is a text as man shows it: a line cannot be taken for a request, and an empty one is a paragraph.
func roff(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)), "\n")
	for i, line := range lines {
		switch {
		case line == "":
			lines[i] = ".PP"
		case strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'"):
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
