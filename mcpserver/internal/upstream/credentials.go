package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// configured are the headers of a configuration, those that its command prints and, where neither has Authorization, the
// token of a login.
type configured struct {
	server *config.Server
	auth   Authorizer // nil knows no logins
	vault  *vault

	mu      sync.Mutex
	printed map[string]string // by the command; nil before it ran
}

// vault knows the secrets that were not in the configuration but came later.
type vault struct {
	mu      sync.Mutex
	secrets []string
}

func (v *vault) add(secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(secret) < 4 || slices.Contains(v.secrets, secret) { // what is shorter would blot out words
		return
	}
	v.secrets = append(v.secrets, config.SecretForms(secret)...)
	// The longest first, so that a part does not break up the whole.
	slices.SortStableFunc(v.secrets, func(a, b string) int { return len(b) - len(a) })
}

func (v *vault) redact(text string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, secret := range v.secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

func credentialsOf(s *config.Server, auth Authorizer, v *vault) credentials {
	return &configured{server: s, auth: auth, vault: v}
}

func (c *configured) headers(ctx context.Context, fresh bool) (map[string]string, error) {
	headers, own := map[string]string{}, false
	for _, h := range c.server.Headers {
		headers[h.Name] = h.Value
		own = own || strings.EqualFold(h.Name, "Authorization")
	}
	if c.server.HeadersCommand != "" {
		printed, err := c.command(ctx, fresh)
		if err != nil {
			return nil, err
		}
		for name, value := range printed {
			headers[name] = value
			own = own || strings.EqualFold(name, "Authorization")
		}
		if own {
			return headers, nil
		}
	}
	if own || c.auth == nil {
		if fresh {
			return nil, errNoFresh
		}
		return headers, nil
	}
	token, err := c.auth.Token(ctx, c.server, fresh)
	switch {
	case err != nil:
		return nil, err
	case token != "":
		c.vault.add(token)
		headers["Authorization"] = "Bearer " + token
	case fresh:
		return nil, errNoFresh
	}
	return headers, nil
}

// commandTimeout bounds the command that prints headers: it asks a keychain or a token service, and no person.
const commandTimeout = 10 * time.Second

// command is what the command prints, once for a connection and again when the server refuses it.
func (c *configured) command(ctx context.Context, fresh bool) (map[string]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.printed != nil && !fresh {
		return c.printed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	shell, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/c"
	}
	cmd := exec.CommandContext(ctx, shell, flag, c.server.HeadersCommand)
	cmd.Dir = filepath.Dir(c.server.File)
	cmd.Env = append(os.Environ(), "CODEMODE_SERVER="+c.server.Name, "CODEMODE_URL="+c.server.URL)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it took longer than %s", commandTimeout)
		}
		return nil, fmt.Errorf("its headersCommand failed: %w", err)
	}
	printed := map[string]string{}
	if json.Unmarshal(out.Bytes(), &printed) != nil { // the cause would quote a secret
		return nil, errors.New("its headersCommand did not print a JSON object of strings")
	}
	for _, value := range printed {
		c.vault.add(value)
		if _, token, ok := strings.Cut(value, " "); ok { // "Bearer …"
			c.vault.add(token)
		}
	}
	c.printed = printed
	return printed, nil
}

func (c *configured) hint(*http.Response) string {
	login := ""
	if c.auth != nil {
		login = fmt.Sprintf("run `codemode auth %s`, or ", c.server.Name)
	}
	return login + `put its token into "headers", for example {"Authorization": "Bearer ${TOKEN}"}`
}
