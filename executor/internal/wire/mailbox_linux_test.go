package wire

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

// Two mappings are as two processes have them.
func TestAMailboxIsSharedByItsFile(t *testing.T) {
	pool, file, err := NewMailbox()
	if err != nil {
		t.Fatal(err)
	}
	worker, err := OpenMailbox(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	inbox, answers := pool.PoolSide(io.Discard)
	answered, outbox := worker.WorkerSide(io.Discard)
	for _, way := range []struct {
		to     *Inbox
		from   *Outbox
		text   string
		listen func(func() bool)
	}{{inbox, outbox, "a call", inbox.Await}, {answered, answers, "an answer", answered.Await}} {
		way.listen(func() bool { _, _ = way.from.Write([]byte(way.text)); return true })
		into := make([]byte, 100)
		n, err := way.to.Read(into, func([]byte) (int, error) { t.Fatal("it came by the pipe"); return 0, nil })
		if string(into[:n]) != way.text || err != nil {
			t.Errorf("%q, %v", into[:n], err)
		}
	}
	for name, spoil := range map[string]func(fd int) error{
		"shrink": func(fd int) error { return unix.Ftruncate(fd, 0) },
		"grow":   func(fd int) error { return unix.Ftruncate(fd, 1<<20) },
		"unseal": func(fd int) error {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE)
			return err
		},
	} {
		if err := spoil(int(file.Fd())); err != unix.EPERM {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range []error{file.Close(), pool.Close(), worker.Close()} {
		if err != nil {
			t.Error(err)
		}
	}
}
