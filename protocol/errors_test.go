package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

// The texts are compared character for character by hosts and by the differential suite.
func TestTheTextsOfTheContract(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{(&ToolNotFoundError{Tool: "list-issues"}).Error(), `Tool "list-issues" not found`},
		{
			(&ExecutionTimeoutError{Timeout: 1500 * time.Millisecond}).Error(),
			"Execution timed out at its 1500 ms bound. Do less work per run and return the part that is already finished.",
		},
		{CompletedMessage, "Execution has already completed"},
		{TimeoutMessage, "Execution timed out"},
		{CheckVersion(1, 2).Error(), "Executor protocol mismatch: client speaks v1, server speaks v2"},
	} {
		if c.got != c.want {
			t.Errorf("got  %q\nwant %q", c.got, c.want)
		}
	}
	if err := CheckVersion(Version, Version); err != nil {
		t.Errorf("equal versions: %v", err)
	}
	if err := CheckVersion(2, 1); !errors.Is(err, CodeProtocolMismatch) {
		t.Errorf("code of %v", err)
	}
}

func TestATimeoutIsKnownByItsWholeFirstSentence(t *testing.T) {
	for message, want := range map[string]bool{
		(&ExecutionTimeoutError{Timeout: time.Minute}).Error():         true,
		"Execution timed out at its 5 ms bound.":                       true,
		"Execution timed out at its 5 ms bound. And so on":             true,
		"Execution timed out":                                          false,
		"Execution timed out waiting for the vendor API":               false,
		"Execution timed out at its  ms bound.":                        false,
		"Execution timed out at its 5s bound.":                         false,
		"Execution timed out at its five ms bound.":                    false,
		"Execution timed out at its 5 ms bound":                        false,
		"Error: Execution timed out at its 5 ms bound. Do less work …": false,
		"": false,
	} {
		if got := MatchesExecutionTimeout(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

func TestErrorsAreComparedByCode(t *testing.T) {
	cause := io.ErrUnexpectedEOF
	err := fmt.Errorf("around: %w", Errorf(CodeConnectionBroken, "the text may change: %w", cause))
	for _, target := range []error{CodeConnectionBroken, &Error{Code: CodeConnectionBroken}, cause} {
		if !errors.Is(err, target) {
			t.Errorf("it is no %v", target)
		}
	}
	for _, target := range []error{CodeQueueFull, &Error{Code: CodeQueueFull, Message: "the text may change"}, context.Canceled} {
		if errors.Is(err, target) {
			t.Errorf("it is a %v", target)
		}
	}
	var ours *Error
	if !errors.As(err, &ours) || ours.Message != "the text may change: unexpected EOF" || !ours.Retryable {
		t.Errorf("as %+v", ours)
	}
}

func TestRetryableIsWhatNeverTookEffect(t *testing.T) {
	for _, code := range Codes() {
		want := code == CodeQueueFull || code == CodeQueueTimeout || code == CodeConnectionBroken
		if got := Errorf(code, "x").Retryable; got != want {
			t.Errorf("%s: retryable %v", code, got)
		}
	}
}

func TestCodesAreAppendOnly(t *testing.T) {
	want := []Code{
		"INVALID_REQUEST", "POOL_CLOSED", "QUEUE_FULL", "QUEUE_TIMEOUT", "WORKER_START_FAILED", "WORKER_LOST", "EXECUTION_UNKNOWN",
		"HANDLE_UNKNOWN", "HANDLES_EXHAUSTED", "CONNECTION_REJECTED", "PROTOCOL_MISMATCH", "CONNECTION_BROKEN", "UNAUTHORIZED",
		"PAYLOAD_TOO_LARGE",
	}
	codes := Codes()
	if len(codes) < len(want) {
		t.Fatalf("codes %v", codes)
	}
	for i, code := range want {
		if codes[i] != code {
			t.Errorf("code %d is %s, was %s", i, codes[i], code)
		}
	}
}
