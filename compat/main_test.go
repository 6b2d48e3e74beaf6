package compat

import (
	"os"
	"testing"

	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main() // does not return in a process that a pool started as a worker
	os.Exit(m.Run())
}
