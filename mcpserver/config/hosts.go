package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Host is a program that keeps MCP servers in a file of its own.
type Host struct {
	// ID is what the command line calls it, Title what people do.
	ID, Title string
	// key is the key of its servers.
	key string
	// user are the candidates for the user's own file, project those for a project's, relative to its directory. The first
	// that exists counts, else the first.
	user, project []string
}

// Places are the directories that hosts keep their files in.
type Places struct {
	// OS is a runtime.GOOS.
	OS string
	// Home is the user's directory, Config where programs keep settings: ~/Library/Application Support on a Mac, %APPDATA% on
	// Windows, elsewhere $XDG_CONFIG_HOME or ~/.config.
	Home, Config string
	// Codex is $CODEX_HOME, or ~/.codex.
	Codex string
}

// MachinePlaces are those of this machine and user.
func MachinePlaces() (*Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("the home directory is not known: %w", err)
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the home directory is no directory: %s", home)
	}
	p := &Places{OS: runtime.GOOS, Home: home, Config: filepath.Join(home, ".config"), Codex: filepath.Join(home, ".codex")}
	switch dir := os.Getenv("XDG_CONFIG_HOME"); {
	case p.OS == "darwin":
		p.Config = filepath.Join(home, "Library", "Application Support")
	case p.OS == "windows":
		p.Config = os.Getenv("APPDATA")
	case filepath.IsAbs(dir):
		p.Config = dir
	}
	if dir := os.Getenv("CODEX_HOME"); dir != "" {
		p.Codex = dir
	}
	return p, nil
}

// Hosts are the programs whose files are known, with where their files would be.
func (p *Places) Hosts() []Host {
	home := func(parts ...string) string { return filepath.Join(append([]string{p.Home}, parts...)...) }
	config := func(parts ...string) string { return filepath.Join(append([]string{p.Config}, parts...)...) }
	dotConfig := func(parts ...string) string { // programs that use ~/.config on a Mac too
		if p.OS == "darwin" {
			return home(append([]string{".config"}, parts...)...)
		}
		return config(parts...)
	}
	goose := dotConfig("goose", "config.yaml")
	if p.OS == "windows" {
		goose = config("Block", "goose", "config", "config.yaml")
	}
	return []Host{
		{ID: "claude-desktop", Title: "Claude Desktop", key: "mcpServers", user: []string{config("Claude", "claude_desktop_config.json")}},
		{ID: "claude-code", Title: "Claude Code", key: "mcpServers", user: []string{home(".claude.json")}, project: []string{".mcp.json"}},
		{ID: "cursor", Title: "Cursor", key: "mcpServers", user: []string{home(".cursor", "mcp.json")}, project: []string{filepath.Join(".cursor", "mcp.json")}},
		{ID: "vscode", Title: "VS Code", key: "servers", user: []string{config("Code", "User", "mcp.json")}, project: []string{filepath.Join(".vscode", "mcp.json")}},
		{ID: "copilot", Title: "Copilot CLI", key: "mcpServers", user: []string{home(".copilot", "mcp-config.json")}},
		{ID: "windsurf", Title: "Windsurf", key: "mcpServers", user: []string{home(".codeium", "windsurf", "mcp_config.json")}},
		{ID: "zed", Title: "Zed", key: "context_servers", user: []string{dotConfig("zed", "settings.json")}, project: []string{filepath.Join(".zed", "settings.json")}},
		{ID: "codex", Title: "Codex", key: "mcp_servers", user: []string{filepath.Join(p.Codex, "config.toml")}, project: []string{filepath.Join(".codex", "config.toml")}},
		{ID: "goose", Title: "Goose", key: "extensions", user: []string{goose}},
		{ID: "gemini", Title: "Gemini CLI", key: "mcpServers", user: []string{home(".gemini", "settings.json")}, project: []string{filepath.Join(".gemini", "settings.json")}},
		{ID: "opencode", Title: "opencode", key: "mcp", user: []string{dotConfig("opencode", "opencode.json"), dotConfig("opencode", "opencode.jsonc")}, project: []string{"opencode.json", "opencode.jsonc"}},
	}
}

// FindHost finds a host by its ID.
func FindHost(hosts []Host, id string) (*Host, error) {
	i := slices.IndexFunc(hosts, func(h Host) bool { return h.ID == id })
	if i < 0 {
		var ids []string
		for _, h := range hosts {
			ids = append(ids, h.ID)
		}
		return nil, fmt.Errorf("there is no host %q; known are %s", id, strings.Join(ids, ", "))
	}
	return &hosts[i], nil
}

// UserFile is the user's file, whether it exists or not.
func (h *Host) UserFile() string { return firstThere(h.user) }

// ProjectFile is the file of the project in a directory; empty when the host has none.
func (h *Host) ProjectFile(dir string) string {
	if len(h.project) == 0 {
		return ""
	}
	files := make([]string, len(h.project))
	for i, name := range h.project {
		files[i] = filepath.Join(dir, name)
	}
	return firstThere(files)
}

func firstThere(files []string) string {
	for _, file := range files {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return file
		}
	}
	return files[0]
}
