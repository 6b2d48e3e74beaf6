package main

import (
	"flag"
	"os"
	"testing"

	"github.com/codemode-go/codemode/executor/worker"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the scripts' golden files")

func TestMain(m *testing.M) {
	worker.Main()
	testscript.Main(m, map[string]func(){"codemode": main})
}

// TestScripts runs testdata/script: the command line as a person or a script uses it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"daemon": daemonCmd, "petstore": petstoreCmd},
		Setup: func(env *testscript.Env) error {
			env.Values[daemonKey{}] = &daemonUnderTest{}
			if dir := os.Getenv("GOCOVERDIR"); dir != "" {
				env.Setenv("GOCOVERDIR", dir)
			}
			return nil
		},
	})
}
