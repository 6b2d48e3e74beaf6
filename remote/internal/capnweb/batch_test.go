package capnweb

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// written is a connection that keeps what each Write was given.
type written struct {
	net.Conn
	pieces []string
	err    error
}

func (w *written) Write(p []byte) (int, error) {
	w.pieces = append(w.pieces, string(bytes.Clone(p)))
	return len(p), w.err
}

func (w *written) SetWriteDeadline(time.Time) error { return nil }

func (w *written) expect(t *testing.T, when string, pieces ...string) {
	t.Helper()
	if strings.Join(w.pieces, "|") != strings.Join(pieces, "|") {
		t.Errorf("%s: %d writes: %.100q", when, len(w.pieces), w.pieces)
	}
	w.pieces = nil
}

func TestShortMessagesAreWrittenTogether(t *testing.T) {
	conn := &written{}
	b := &batch{Conn: conn}
	put := func(text string) {
		t.Helper()
		if n, err := b.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	flush := func() {
		t.Helper()
		if err := b.flush(time.Second); err != nil {
			t.Fatal(err)
		}
	}
	put("at once")
	conn.expect(t, "nobody holds", "at once")
	b.hold()
	put("push")
	put("pull")
	conn.expect(t, "it holds")
	flush()
	conn.expect(t, "after the flush", "pushpull")
	flush()
	conn.expect(t, "a flush of nothing")
	put("ping")
	conn.expect(t, "after the flush, again", "ping")

	long, longer := strings.Repeat("x", batchBytes-3), strings.Repeat("y", batchBytes+1)
	b.hold()
	put("push")
	put(long)
	conn.expect(t, "two that do not fit together", "push")
	put(longer)
	conn.expect(t, "one that is too long to be held", long, longer)
	flush()
	conn.expect(t, "nothing is held of it")

	conn.err = errors.New("broken")
	b.hold()
	put("lost")
	if err := b.flush(time.Second); !errors.Is(err, conn.err) {
		t.Errorf("a flush to a broken connection: %v", err)
	}
}
