package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeFile replaces a file as a whole, or not at all: it is never seen half written. A link stays a link, the mode of a file
// that was there stays, and one that nobody may write is left alone.
func writeFile(file string, data []byte, mode fs.FileMode) (err error) {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	switch info, err := os.Stat(file); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", file)
	case err == nil && info.Mode()&0o222 == 0:
		return fmt.Errorf("%s is read-only; nothing was written", file)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".codemode-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}

// freeName is a file's name, or where something else is there than data the name with a number that nothing has: what
// somebody may still need is not overwritten.
func freeName(file string, data []byte) (string, error) {
	free := file
	for n := 2; ; n++ {
		there, err := os.ReadFile(free)
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(there, data) {
			return free, nil
		}
		if err != nil {
			return "", err
		}
		extension := filepath.Ext(file)
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, extension), n, extension)
	}
}

// readOrEmpty reads a file; one that is not there is empty.
func readOrEmpty(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
