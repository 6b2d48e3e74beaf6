//go:build cgo && (linux || darwin)

package dialect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// TestMain makes the test binary its own worker process, for the examples.
func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// newDialect is the composition that a host ships: the dialect over a pool of this machine.
func newDialect() *dialect.Executor {
	pool, err := executor.New(&executor.Options{Workers: 1, Outbound: protocol.BlockOutbound()})
	if err != nil {
		log.Fatal(err)
	}
	return dialect.New(pool, nil)
}

// The three programs of the seed document: a trailing expression, a bare return, and a fence.
func ExampleExecutor_Execute() {
	run := newDialect()
	defer run.Close()
	for _, code := range []string{"const answer = 6 * 7\nanswer", "return 6 * 7", "```js\nconsole.warn(\"late\")\n```"} {
		result, err := run.Execute(context.Background(), code, nil, nil)
		if err != nil {
			log.Fatal(err) // the executor failed
		}
		fmt.Printf("value %s, logs %q\n", result.Value, result.Logs)
	}
	// Output:
	// value 42, logs []
	// value 42, logs []
	// value , logs ["[warn] late"]
}

// Functions stay in this process. A name that JavaScript cannot spell is called by its identifier.
func ExampleExecutor_Execute_providers() {
	run := newDialect()
	defer run.Close()
	listIssues := func(_ context.Context, args []json.RawMessage) (any, error) {
		var in struct{ Repo string }
		if err := json.Unmarshal(args[0], &in); err != nil {
			return nil, err
		}
		return []string{in.Repo + "#1", in.Repo + "#2"}, nil
	}
	github := dialect.Provider{Name: "github", Functions: []dialect.Function{{Name: "list-issues", Call: listIssues}}}
	for _, code := range []string{
		"const list = await github.list_issues({repo: 'x'})\nlist.length",
		"async () => github['list-issues']({repo: 'x'})",
		"async () => gitlab.list_issues()",
	} {
		result, err := run.Execute(context.Background(), code, []dialect.Provider{github}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q %q\n", result.Value, result.Error)
	}
	// Output:
	// "2" ""
	// "" "Tool \"list-issues\" not found"
	// "" "gitlab is not defined"
}

// A Connector's tool names are known only to its far side.
func ExampleConnector() {
	run := newDialect()
	defer run.Close()
	echo := func(_ context.Context, tool string, argument json.RawMessage) (any, error) {
		return tool + " " + string(argument), nil
	}
	result, err := run.Execute(context.Background(), `crm.anything({id: 1})`, nil,
		&dialect.ExecuteOptions{Connectors: []dialect.Connector{{Name: "crm", CallTool: echo}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Value))
	// Output:
	// "anything {\"id\":1}"
}

func ExampleNormalizeCode() {
	fmt.Println(dialect.NormalizeCode("```js\nconst sum = 20 + 22\nsum\n```"))
	// Output:
	// async () => {
	// const sum = 20 + 22
	// return (sum)
	// }
}

func ExampleSanitizeToolName() {
	for _, name := range []string{"list-issues", "send email", "files:read!", "2fa-verify", "delete", "-delete", "поиск🔍"} {
		fmt.Println(dialect.SanitizeToolName(name))
	}
	// Output:
	// list_issues
	// send_email
	// filesread
	// _2fa_verify
	// delete_
	// _delete
	// _
}

func ExampleDetectSanitizeCollision() {
	text, collides := dialect.DetectSanitizeCollision("gh", []string{"list-issues", "list.issues"})
	fmt.Println(text, collides)
	// Output:
	// Tool names "list-issues" and "list.issues" both sanitize to "list_issues" in provider "gh" true
}

// What the dialect refuses costs no worker.
func ExampleValidateExecution() {
	for _, name := range []string{"Promise", "my-api", "class"} {
		text, _ := dialect.ValidateExecution([]dialect.Provider{{Name: name}}, nil)
		fmt.Println(text)
	}
	// Output:
	// Provider name "Promise" is reserved
	// Provider name "my-api" is not a valid JavaScript identifier
	// Provider name "class" is a JavaScript reserved word
}
