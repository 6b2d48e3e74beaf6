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
	// what the model reads, in short:
	// declare namespace stock {
	// /** The parts, or those that run low. */
	// function listParts(input?: { /** Only parts with less than this in stock. */ below?: number }): Promise<{ name: string; level: number }[]>;
	// /** One part. */
	// function getPart(input: { name: string }): Promise<{ name: string; level: number }>;
	// /** Forget a part. */
	// function deletePart(input: { name: string }): Promise<null>;
	// /** Order more of a part. */
	// function createOrder(input: { body: { part: string; /** @minimum 1 */ amount: number } }): Promise<{ id?: string; part: string; /** @minimum 1 */ amount: number }>;
	// /** Any request to the API, for what has no function of its own. */
	// function request(input: { method: "GET" | "PUT" | "POST" | "DELETE" | "OPTIONS" | "HEAD" | "PATCH"; /** Begins with / and goes on from the base of the API. */ path: string; /** Arrays repeat their name. */ query?: Record<string, unknown>; headers?: { [key: string]: string }; /** JSON, or with another Content-Type a string. */ body?: unknown }): Promise<{ status: number; headers: { [key: string]: string }; body: unknown }>;
	// }
	// what the program returns:
	// {"orders":[{"amount":7,"id":"order-of-nut","part":"nut"},{"amount":10,"id":"order-of-washer","part":"washer"}],"status":"open","missing":"HTTP 404 Not Found: {\"error\":\"there is no part cog\"}","deleted":"stock.deletePart was not called: the policy denies it: this program may order, and nothing else","wrong":"Invalid arguments for stock.createOrder:\n- body.amount: expected at least 1, got 0"}
}
