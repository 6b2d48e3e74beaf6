package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
)

func importCommand() command {
	return command{
		name:    "import",
		usage:   "import [--out F] [--force] [HOST]…",
		summary: "Gather the MCP servers of the programs on this machine into one configuration.",
		description: `Looks at the files of the user, and of the project in this directory, of each HOST (without one: of all): ` + strings.Join(hostIDs(), ", ") + `. The
file that it writes has their servers, with variables as they are; nothing is looked up, and the hosts' files stay as they
are. Serve it with ` + "`codemode serve --config`" + `. To put codemode in front of one program's servers in its own file, use ` + "`codemode install HOST`" + `,
which needs no import.`,
		setup: func(flags *flag.FlagSet) runFunc {
			out := flags.String("out", "", "the `file` to write, - for standard output (default: codemode/codemode.json where this system keeps settings)")
			force := flags.Bool("force", false, "replace a file that is there")
			return func(_ context.Context, term terminal, args []string) error {
				places, err := config.MachinePlaces()
				if err != nil {
					return usageError{err}
				}
				if *out == "" {
					*out = places.DefaultFile()
				}
				return importHosts(term, places, args, *out, *force)
			}
		},
	}
}

func hostIDs() []string {
	var ids []string
	for _, h := range (&config.Places{}).Hosts() {
		ids = append(ids, h.ID)
	}
	return ids
}

// importHosts gathers the servers of hosts and writes them.
func importHosts(term terminal, places *config.Places, ids []string, out string, force bool) error {
	hosts, err := chosenHosts(places, ids)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	gathered := config.NewCollection(self)
	failed := false
	for _, h := range hosts {
		for _, file := range []string{h.UserFile(), h.ProjectFile(wd)} {
			if file == "" {
				continue
			}
			switch names, err := gathered.Add(h.Title, file); {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				failed = true
				fmt.Fprintf(term.err, "codemode import: %v\n", err)
			default:
				fmt.Fprintf(term.err, "%s: %s: %s\n", h.Title, file, listOrNone(names))
			}
		}
	}
	for _, note := range gathered.Notes {
		fmt.Fprintln(term.err, note)
	}
	if len(gathered.Servers()) == 0 {
		return errors.New("no servers were found; where codemode install has been, they are in its own files, which --config takes as they are")
	}
	if err := writeGathered(term, gathered, out, force); err != nil {
		return err
	}
	if failed {
		return errFailed
	}
	return nil
}

func chosenHosts(places *config.Places, ids []string) ([]config.Host, error) {
	all := places.Hosts()
	if len(ids) == 0 {
		return all, nil
	}
	var hosts []config.Host
	for _, id := range ids {
		h, err := config.FindHost(all, id)
		if err != nil {
			return nil, usageError{err}
		}
		hosts = append(hosts, *h)
	}
	return hosts, nil
}

func writeGathered(term terminal, gathered *config.Collection, out string, force bool) error {
	text, err := gathered.File()
	if err != nil {
		return err
	}
	if out == "-" {
		_, err := term.out.Write(text)
		return err
	}
	if _, err := os.Stat(out); err == nil && !force {
		return usagef("%s is there already; --force replaces it, --out writes another", out)
	}
	if err := writeFile(out, text, 0o600); err != nil { // entries may hold tokens
		return err
	}
	fmt.Fprintf(term.err, "`codemode doctor --config %s` checks the servers, `codemode serve --config` serves them\n", shellWord(out))
	_, err = fmt.Fprintln(term.out, out)
	return err
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "no servers to take over"
	}
	return strings.Join(names, ", ")
}
