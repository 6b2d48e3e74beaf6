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
	// → codemode listOrders [{"userId":"u1"}]
	// ← codemode listOrders {"result":[{"id":"o1","total":42},{"id":"o2","total":7}]}
	// → codemode listInvoices [{}]
	// ← codemode listInvoices {"error":"Tool \"listInvoices\" not found"}
	// value: [2,"Tool \"listInvoices\" not found"]
}
