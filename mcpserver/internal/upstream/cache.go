package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// cache keeps the tool list that a server gave last in a file, so that the next start can describe its tools before it
// is there. The zero cache keeps nothing. A cache that cannot be read or written costs that and no more.
type cache struct {
	file string
	last []byte
}

// cacheKey stands for everything that decides which tools a server has. Secrets are a part of it, and only of its hash.
func cacheKey(s *config.Server) string {
	text, err := json.Marshal([]any{s.Name, s.Transport, s.Command, s.Args, s.Dir, s.Env, s.URL, s.Headers, s.OpenAPI})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func newCache(dir, key string) *cache {
	if dir == "" || key == "" {
		return &cache{}
	}
	return &cache{file: filepath.Join(dir, key+".json")}
}

// load returns what was saved, nil when there is nothing.
func (c *cache) load() []json.RawMessage {
	if c.file == "" {
		return nil
	}
	data, err := os.ReadFile(c.file)
	if err != nil {
		return nil
	}
	var entries []json.RawMessage
	if json.Unmarshal(data, &entries) != nil {
		return nil
	}
	c.last = data
	return entries
}

// save keeps entries unless they are what the file holds. Another instance may do the same at the same time, so the file
// is replaced whole.
func (c *cache) save(entries []json.RawMessage, log *slog.Logger) {
	if c.file == "" {
		return
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(entries) != nil || bytes.Equal(b.Bytes(), c.last) {
		return
	}
	if err := ReplaceFile(c.file, b.Bytes()); err != nil {
		log.Debug("cannot keep the tool list", "error", err)
		return
	}
	c.last = b.Bytes()
}

// ReplaceFile writes a file for us alone, whole or not at all, and makes its directory.
func ReplaceFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".new-*") // its mode is 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
