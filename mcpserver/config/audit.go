package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Audit says where runs are written down. Its zero value writes nothing.
type Audit struct {
	// File is where: JSON lines, one a run.
	File string
	// Payloads keeps programs, arguments and results, and not their hashes alone.
	Payloads bool
	// MaxBytes is the size at which a file is put aside, Keep how many of those stay.
	MaxBytes int64
	Keep     int
}

// The bounds of an audit that names none: a year of ordinary use is a few megabytes without payloads.
const (
	defaultAuditBytes = 10 << 20
	defaultAuditKeep  = 5
)

var auditFields = []field{
	{key: "file", shape: shapeString, standard: "codemode/runs.jsonl where this system keeps state", doc: "The file, of JSON lines; `codemode runs` reads it."},
	{key: "payloads", shape: shapeBool, standard: "false", doc: "Keep programs, arguments and results, with the servers' configured secrets redacted. Otherwise their SHA-256 alone is kept."},
	{key: "maxMB", shape: shapeCount, most: 1 << 20, standard: "10", doc: "Size at which the file is put aside, in MiB."},
	{key: "keep", shape: shapeCount, most: 1000, standard: "5", doc: "How many files that were put aside stay."},
}

func (s *Settings) readAudit(file string, in *node) error {
	a := Audit{MaxBytes: defaultAuditBytes, Keep: defaultAuditKeep}
	err := readFields(file, "codemode.audit", in, auditFields, func(key string, value *node) error {
		switch key {
		case "file":
			r := reader{file: file}
			a.File = r.absolute(value.text)
		case "payloads":
			a.Payloads = value.is("true")
		case "maxMB":
			a.MaxBytes = value.count() << 20
		case "keep":
			a.Keep = int(value.count())
		}
		return nil
	})
	if err == nil && a.File == "" {
		a.File, err = DefaultAuditFile()
	}
	s.Audit = a
	return err
}

// DefaultAuditFile is where runs are written down when the configuration names no file.
func DefaultAuditFile() (string, error) { return stateFile("runs.jsonl") }

// stateFile is a file of ours where this system keeps state.
func stateFile(name string) (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "codemode", name), nil
	}
	if runtime.GOOS == "linux" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for the file %s: %w", name, err)
		}
		return filepath.Join(home, ".local", "state", "codemode", name), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the file %s: %w", name, err)
	}
	return filepath.Join(dir, "codemode", name), nil
}
