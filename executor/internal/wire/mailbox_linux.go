package wire

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// NewMailbox makes a mailbox, and the file by which a worker opens it.
func NewMailbox() (*Mailbox, *os.File, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate("codemode-mailbox", flags|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate("codemode-mailbox", flags)
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "mailbox")
	if err = unix.Ftruncate(fd, int64(mailboxBytes)); err == nil {
		// A worker that made it smaller would end the pool's process by a bus error.
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	var m *Mailbox
	if err == nil {
		m, err = OpenMailbox(fd)
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("making a mailbox: %w", err)
	}
	return m, file, nil
}

// OpenMailbox opens the mailbox of a descriptor, which is not needed afterwards.
func OpenMailbox(fd int) (*Mailbox, error) {
	memory, err := unix.Mmap(fd, 0, mailboxBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return mailboxOf(memory), nil
}

// Close is for when neither side of this process is used any more.
func (m *Mailbox) Close() error {
	if m == nil {
		return nil
	}
	return os.NewSyscallError("munmap", unix.Munmap(m.memory))
}
