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
	// GET /low: ["nut","washer"]
	// 1 tool, "code", says: [
	//   "nut",
	//   "washer"
	// ]
}
