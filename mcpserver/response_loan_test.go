package mcpserver

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// stalled is a response whose client has taken so many bytes and takes no more. It notes what was written without a bound.
type stalled struct {
	*httptest.ResponseRecorder
	takes     int
	until     time.Time
	unbounded int
}

func (s *stalled) SetWriteDeadline(until time.Time) error {
	s.until = until
	return nil
}

func (s *stalled) Write(p []byte) (int, error) {
	if left := time.Until(s.until); left <= 0 || left > pieceTime || len(p) > pieceBytes {
		s.unbounded++
	}
	if s.takes -= len(p); s.takes < 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return s.ResponseRecorder.Write(p)
}

// TestAnAnswerIsTakenInItsTime, or the connection ends: a client that does not read would have it kept for ever.
func TestAnAnswerIsTakenInItsTime(t *testing.T) {
	answer := bytes.Repeat([]byte("0123456789"), 30_000)
	slow := &stalled{ResponseRecorder: httptest.NewRecorder(), takes: 200_000}
	loan := lend(slow)
	n, err := loan.Write(answer)
	if !errors.Is(err, os.ErrDeadlineExceeded) || n != 3*pieceBytes || slow.unbounded > 0 {
		t.Errorf("%d bytes are written, %d times without a bound, %v", n, slow.unbounded, err)
	}
	quick := &stalled{ResponseRecorder: httptest.NewRecorder(), takes: 1 << 20}
	loan = lend(quick)
	for _, part := range [][]byte{answer, nil, []byte("short")} {
		if n, err := loan.Write(part); n != len(part) || err != nil {
			t.Errorf("%d of %d bytes, %v", n, len(part), err)
		}
	}
	if !quick.until.IsZero() {
		t.Error("a stream may not be silent afterwards")
	}
	loan.takeBack()
	if !bytes.Equal(quick.Body.Bytes(), append(answer, "short"...)) || quick.unbounded > 0 || !quick.Flushed {
		t.Errorf("%d bytes came, %d times without a bound, flushed: %v", quick.Body.Len(), quick.unbounded, quick.Flushed)
	}
	if n, err := loan.Write([]byte("late")); n != 0 || err == nil {
		t.Errorf("what is written late: %d, %v", n, err)
	}
}

// TestAShortAnswerSaysItsLength: nothing of it is flushed.
func TestAShortAnswerSaysItsLength(t *testing.T) {
	w := &stalled{ResponseRecorder: httptest.NewRecorder(), takes: 1 << 20}
	loan := lend(w)
	if _, err := loan.Write([]byte("{}")); err != nil {
		t.Error(err)
	}
	if loan.takeBack(); w.Flushed {
		t.Error("it was flushed")
	}
}
