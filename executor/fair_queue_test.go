package executor_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// served lets requests of clients wait, one letter each, and returns the order that they were served in. Each letter of
// again comes when the request before it in order has been served.
func served(t *testing.T, waiting, again string) string {
	t.Helper()
	pool := newFakePool(t, executor.Options{Workers: 1})
	h := hold(t, pool)
	var order []byte // one program runs at a time
	var all sync.WaitGroup
	var ask func(client byte)
	ask = func(client byte) {
		all.Go(func() {
			ctx := protocol.WithSession(context.Background(), string(client))
			_, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: func(context.Context, string, string, string) (string, error) {
				order = append(order, client)
				if len(again) > 0 {
					next := again[0]
					again = again[1:]
					queued := pool.Status().Queued
					ask(next)
					eventually(t, "the newcomer waits", func() bool { return pool.Status().Queued == queued+1 })
				}
				return "{}", nil
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for i := range waiting {
		ask(waiting[i])
		eventually(t, "the request waits", func() bool { return pool.Status().Queued == i+1 })
	}
	h.release()
	all.Wait()
	<-h.done
	return string(order)
}

func TestClientsAreServedInTurn(t *testing.T) {
	for _, c := range []struct{ waiting, again, want string }{
		{"aaaaabbc", "", "abcabaaa"}, // nobody waits for more than one of each other client
		{"aaaa", "bb", "aabaab"},     // one that comes later waits for one turn, and takes no more than its own
		{"aaa", "bcdefg", ""},        // nor do many that come once
	} {
		got := served(t, c.waiting, c.again)
		if c.want != "" && got != c.want {
			t.Errorf("%s and then %s: served %s, want %s", c.waiting, c.again, got, c.want)
		}
		if c.want == "" && strings.LastIndex(got, "a") > 5 {
			t.Errorf("%s and then %s: served %s", c.waiting, c.again, got)
		}
	}
}

func TestRequestsWithoutAClientAreOne(t *testing.T) {
	if protocol.SessionOf(context.Background()) != "" {
		t.Error("a context has a client")
	}
	if got := served(t, "aaab", ""); got != "abaa" {
		t.Error(got)
	}
}
