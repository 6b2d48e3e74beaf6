package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/codemode-go/codemode/mcpserver/config"
)

func installCommand() command {
	return command{
		name:    "install",
		usage:   "install [--file F] HOST",
		summary: "Put codemode in front of the MCP servers that a program has.",
		description: `HOST is one of ` + strings.Join(hostIDs(), ", ") + `. Its servers move into a
configuration of ours, and codemode takes their place in its file; every other byte of that stays, comments among them. The
file as it was is kept beside it, and ` + "`codemode uninstall HOST`" + ` brings it back.`,
		setup: func(flags *flag.FlagSet) runFunc {
			file := flags.String("file", "", "the host's `file` (default: the user's own; a project's file goes here)")
			return installer(file, "install", func(i *installation, term terminal) error { return i.install(term) })
		},
	}
}

func uninstallCommand() command {
	return command{
		name:    "uninstall",
		usage:   "uninstall [--file F] HOST",
		summary: "Give a program its own MCP servers back.",
		description: `Undoes ` + "`codemode install HOST`" + `. A file that was not changed since becomes what it was, byte for byte; in one that was, the
servers come back in the place of codemode and the rest stays.`,
		setup: func(flags *flag.FlagSet) runFunc {
			file := flags.String("file", "", "the host's `file`, as install was given it")
			return installer(file, "uninstall", func(i *installation, term terminal) error { return i.uninstall(term) })
		},
	}
}

func installer(file *string, verb string, do func(*installation, terminal) error) runFunc {
	return func(_ context.Context, term terminal, args []string) error {
		if len(args) != 1 {
			return usagef("say which host: codemode %s HOST, one of %s", verb, strings.Join(hostIDs(), ", "))
		}
		places, err := config.MachinePlaces()
		if err != nil {
			return usageError{err}
		}
		host, err := config.FindHost(places.Hosts(), args[0])
		if err != nil {
			return usageError{err}
		}
		i, err := newInstallation(places, host, *file)
		if err != nil {
			return err
		}
		return do(i, term)
	}
}

// installation is codemode in front of one file's servers.
type installation struct {
	host *config.Host
	// file is the host's, ours the configuration with its servers, backup the host's file as it was, record what was done.
	file, ours, backup, record string
}

// undo is the command that takes codemode out again.
func (i *installation) undo() string {
	if i.file == i.host.UserFile() {
		return "codemode uninstall " + i.host.ID
	}
	return fmt.Sprintf("codemode uninstall --file %s %s", shellWord(i.file), i.host.ID)
}

// shellWord is a path as a shell takes it: quoted where it has a space or the like.
func shellWord(path string) string {
	plain := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("/._-", c) }
	if strings.IndexFunc(path, func(c rune) bool { return !plain(c) }) < 0 {
		return path
	}
	return shellQuote(path)
}

// installRecord is what install notes for uninstall.
type installRecord struct {
	File   string   `json:"file"`
	Backup string   `json:"backup"`
	Config string   `json:"config"`
	Taken  []string `json:"servers"`
	// SHA256 is that of the host's file as install wrote it.
	SHA256 string `json:"sha256"`
}

func newInstallation(places *config.Places, host *config.Host, file string) (*installation, error) {
	id := host.ID
	if file == "" {
		file = host.UserFile()
	} else {
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if file = absolute; file != host.UserFile() {
			sum := sha256.Sum256([]byte(file))
			id += "-" + hex.EncodeToString(sum[:4])
		}
	}
	dir := filepath.Dir(places.DefaultFile())
	return &installation{host: host, file: file, ours: filepath.Join(dir, id+".json"),
		backup: file + ".before-codemode", record: filepath.Join(dir, id+".install.json")}, nil
}

// read is the record of an installation; nil when there is none.
func (i *installation) read() (*installRecord, error) {
	data, err := os.ReadFile(i.record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r installRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", i.record, err)
	}
	return &r, nil
}

func (i *installation) install(term terminal) error {
	switch done, err := i.read(); {
	case err != nil:
		return err
	case done != nil:
		return usagef("codemode is already in front of %s (%s); %s first", i.host.Title, done.File, i.undo())
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(i.file)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("%s has no file %s, so there are no servers of its own to stand in front of; a project's file is named by --file", i.host.Title, i.file)
	}
	if err != nil {
		return usageError{fmt.Errorf("the file of %s cannot be read: %w; a project's file is named by --file", i.host.Title, err)}
	}
	gathered := config.NewCollection(self)
	taken, err := gathered.Add(i.host.Title, i.file)
	if err != nil {
		return usageError{err}
	}
	for _, note := range gathered.Notes {
		fmt.Fprintln(term.err, note)
	}
	if len(taken) == 0 {
		return usagef("%s has no servers that codemode could stand in front of (%s)", i.host.Title, i.file)
	}
	if err := i.put(term, self, gathered, before, taken); err != nil {
		return err
	}
	i.warn(term, before)
	return nil
}

// warn says what will not be as before: servers that the host asks its person for something, and those of single projects.
func (i *installation) warn(term terminal, before []byte) {
	for _, project := range config.ProjectServers(i.file, before) {
		fmt.Fprintf(term.err, "%s has servers of its own in %s; they stay there, beside codemode\n", project, i.file)
	}
	if !bytes.Contains(before, []byte("${input:")) {
		return // nothing else of a host's is unknown here
	}
	if cfg, err := config.Load([]string{i.ours}, nil); err == nil {
		for _, problem := range cfg.Problems {
			fmt.Fprintf(term.err, "it will not start: %v\n", problem)
		}
	}
}

// put writes our configuration, the backup, the record and last the host's file, so that a failure on the way leaves the host as
// it was.
func (i *installation) put(term terminal, self string, gathered *config.Collection, before []byte, taken []string) error {
	entry, err := i.host.Entry(self, i.ours)
	if err != nil {
		return err
	}
	after, err := i.host.Replace(i.file, before, taken, entry)
	if err != nil {
		return usageError{err}
	}
	text, err := gathered.File()
	if err != nil {
		return err
	}
	if info, err := os.Stat(i.file); err == nil && info.Mode()&0o222 == 0 {
		return fmt.Errorf("%s is read-only; nothing was written", i.file)
	}
	if i.backup, err = freeName(i.backup, before); err != nil {
		return err
	}
	aside, err := freeName(i.ours, text)
	if err != nil {
		return err
	}
	if aside != i.ours {
		if err := os.Rename(i.ours, aside); err != nil {
			return err
		}
		fmt.Fprintf(term.err, "%s was there already, and is %s now; what it says beside servers, such as a policy, is not taken over\n", i.ours, aside)
	}
	record, err := i.recordOf(taken, after)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		file string
		data []byte
	}{{i.ours, text}, {i.backup, before}, {i.record, record}} {
		if err := writeFile(step.file, step.data, 0o600); err != nil {
			return err
		}
	}
	if err := writeFile(i.file, after, 0o600); err != nil {
		return errors.Join(err, os.Remove(i.record), os.Remove(i.backup))
	}
	_, err = fmt.Fprintf(term.out, "%s now starts codemode in front of %s\n  its servers: %s\n  its file:    %s (as it was: %s)\nRestart %[1]s to use it; `codemode doctor --config %[7]s` checks the servers, `%[6]s` undoes this.\n",
		i.host.Title, strings.Join(taken, ", "), i.ours, i.file, i.backup, i.undo(), shellWord(i.ours))
	return err
}

// recordOf is the text of the record.
func (i *installation) recordOf(taken []string, after []byte) ([]byte, error) {
	sum := sha256.Sum256(after)
	text, err := json.MarshalIndent(installRecord{File: i.file, Backup: i.backup, Config: i.ours, Taken: taken, SHA256: hex.EncodeToString(sum[:])}, "", "  ")
	return append(text, '\n'), err
}

func (i *installation) uninstall(term terminal) error {
	done, err := i.read()
	if err != nil {
		return err
	}
	if done == nil {
		return usagef("codemode install %s has not been run for %s; there is nothing to undo (a project's file is named by --file)", i.host.ID, i.file)
	}
	original, err := os.ReadFile(done.Backup)
	if err != nil {
		return fmt.Errorf("the file as it was before cannot be read: %w", err)
	}
	now, err := readOrEmpty(done.File)
	if err != nil {
		return err
	}
	restored, how := original, "is as it was, byte for byte"
	if sum := sha256.Sum256(now); hex.EncodeToString(sum[:]) != done.SHA256 {
		how = "has its servers back; what was changed since stays"
		if restored, err = i.host.Restore(done.File, now, original, done.Taken); err != nil {
			return fmt.Errorf("%w (the file as it was before is %s)", err, done.Backup)
		}
	}
	if err := writeFile(done.File, restored, 0o600); err != nil {
		return err
	}
	if err := errors.Join(os.Remove(i.record), os.Remove(done.Backup)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.out, "%s %s\n", done.File, how)
	if _, kept := os.Stat(done.Config); kept == nil && err == nil {
		_, err = fmt.Fprintf(term.out, "%s stays, with the servers and whatever secrets are written in it; remove it when nothing uses it\n", done.Config)
	}
	return err
}
