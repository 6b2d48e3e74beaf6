package main

import (
	"context"
	"log"
	"os"
	"testing"

	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 200 [{"id":"o1","total":42}]
	// this host lets programs reach api.example only, not elsewhere.example
	// this host lets programs read only: DELETE is refused
	// this host lets programs reach api.example only, not 169.254.169.254
}
