package config_test

import (
	"fmt"
	"log"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// A file as Claude Desktop, Claude Code and Cursor write it. A bad server never keeps a good one from running, and a
// message never holds a value.
func ExampleParse() {
	cfg, err := config.Parse("/home/me/mcp.json", []byte(`{"mcpServers": {
		"My Notes": {"command": "npx", "args": ["-y", "notes-server", "${NOTES:-/home/me/notes}"]},
		"issues":   {"url": "https://api.example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
	}}`), &config.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		log.Fatal(err) // about the whole file
	}
	for _, s := range cfg.Servers {
		fmt.Println(s.Namespace, s.Transport, s.Command, s.Args)
	}
	for _, problem := range cfg.Problems {
		fmt.Println(problem)
	}
	// Output:
	// My_Notes stdio npx [-y notes-server /home/me/notes]
	// /home/me/mcp.json:3:83: server "issues": headers.Authorization uses ${TOKEN}, but the environment variable TOKEN is not set; set it or write ${TOKEN:-default}
}

func ExampleNamespace() {
	for _, name := range []string{"github", "my-notes", "1password", "天气"} {
		fmt.Println(config.Namespace(name))
	}
	// Output:
	// github
	// my_notes
	// _1password
	// u5929_u6c14
}
