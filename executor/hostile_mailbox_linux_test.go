package executor_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// mailboxPage is one direction of a mailbox, as package wire lays it out: state, size, piped, after, text.
const mailboxPage = 4 << 10

// openPages opens the mailbox of a fake as bytes.
func openPages() []byte {
	pages, err := unix.Mmap(wire.MailboxDescriptor, 0, 2*mailboxPage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		os.Exit(1)
	}
	return pages
}

// scribble writes into a mailbox for as long as the process lives.
func scribble(how string, pages []byte) {
	call := new(bytes.Buffer)
	out := wire.NewWriter(call)
	out.Write(wire.Call, []byte("1"), []byte("api"), []byte("t"), []byte("[]"))
	out.Flush()
	for seed := byte(1); ; seed = seed*5 + 7 {
		switch how {
		case "noise": // anything anywhere
			for i := range pages {
				seed = seed*5 + 7
				pages[i] = seed
			}
		case "states": // what stands before the texts
			for _, page := range [][]byte{pages[:mailboxPage], pages[mailboxPage:]} {
				seed = seed*5 + 7
				page[0] = seed % 4
				page[4+seed%20]++
			}
		case "calls": // there is always a call, and there was never anything in the pipe
			copy(pages[24:], call.Bytes())
			copy(pages[4:24], make([]byte, 20))
			pages[4] = byte(call.Len())
			pages[0] = 2
		case "sizes": // there is more than there is room for, or nothing
			copy(pages[4:24], make([]byte, 20))
			pages[4+seed%4] = seed
			pages[0] = 2
		case "promise": // much comes by the pipe, and soon
			copy(pages[8:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
			copy(pages[16:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
			pages[0] = seed % 3
		}
	}
}

// misbehaveInMailbox makes calls while it scribbles.
func misbehaveInMailbox(how string) func(*fake) {
	return func(f *fake) {
		go scribble(how, openPages())
		for i := range 1000 {
			f.send(wire.Call, strconv.Itoa(i), "api", "t", "[]")
		}
	}
}

func init() {
	for _, how := range []string{"noise", "states", "calls", "sizes", "promise"} {
		misbehaviours["scribble-"+how] = misbehaveInMailbox(how)
	}
	misbehaviours["mailbox-heir"] = func(f *fake) {
		if f == nil { // it is the heir
			go scribble("calls", openPages())
			unix.Poll([]unix.PollFd{{Fd: 1}}, -1) // until nobody reads the worker's stdout
			os.Exit(0)
		}
		child := &exec.Cmd{Path: "/proc/self/exe", Args: []string{wire.ProcessName, "mailbox-heir"}, Stdout: os.Stdout,
			ExtraFiles: []*os.File{os.NewFile(3, ""), os.NewFile(wire.MailboxDescriptor, "")}}
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		for range 10 {
			f.send(wire.Call, "1", "api", "t", "[]")
			f.answer()
		}
	}
}

// What a worker writes into its mailbox costs it its run at most, also when tools answer on the goroutine that reads from there.
func TestAWorkerThatScribblesIntoItsMailbox(t *testing.T) {
	for _, how := range []string{"scribble-noise", "scribble-states", "scribble-calls", "scribble-sizes", "scribble-promise", "mailbox-heir"} {
		t.Run(how, func(t *testing.T) {
			leavesNothing(t, func() {
				pool, err := executor.New(&executor.Options{Workers: 1, Command: fakeCommand(t, "normal")})
				if err != nil {
					t.Fatal(err)
				}
				pool.TakeToolsForQuick()
				for range 3 {
					c := new(counting)
					result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: how, Dispatch: c.dispatch, Timeout: protocol.TimeoutOf(soon)})
					if f := result.Failure; f == nil || f.Kind != protocol.FailureCrashed && f.Kind != protocol.FailureTimeout {
						t.Errorf("value %.100s, failure %+v", result.Value, f)
					}
					if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:2"}); got != "2" {
						t.Errorf("the next run has %s", got)
					}
				}
				if err := pool.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}
