//go:build !linux

package wire

import (
	"errors"
	"os"
)

// NewMailbox makes none here: there is the pipe.
func NewMailbox() (*Mailbox, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// OpenMailbox has none to open.
func OpenMailbox(int) (*Mailbox, error) { return nil, errors.ErrUnsupported }

// Close closes nothing.
func (m *Mailbox) Close() error { return nil }
