package jail

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// Confinement is what Enter has put in force.
type Confinement struct {
	// InForce are the names of the package doc.
	InForce []string
	statm   int
	pages   int64
}

// Enter confines the process. The error is a failure to do what every linux can; see InForce for the rest.
func Enter(o Options) (*Confinement, error) {
	statm, err := unix.Open("/proc/self/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open /proc/self/statm", err)
	}
	c := &Confinement{statm: statm, pages: int64(os.Getpagesize())}
	if leftHost() {
		c.InForce = append(c.InForce, "namespaces")
	}
	time.Sleep(time.Nanosecond) // Go's poller makes its descriptors now, while it can
	highest, err := c.closeInherited(o.Keep)
	if err != nil {
		return nil, err
	}
	// Landlock keeps threads from signalling each other on some kernels, which this needs.
	if err := dropCapabilities(); err != nil {
		return nil, err
	}
	c.InForce = append(c.InForce, "capabilities")
	// Landlock takes /proc/self away, but needs descriptors itself, so it stands between the closing and the limit.
	if abi, err := landlocksys.LandlockGetABIVersion(); err == nil && abi > 0 {
		if err := landlock.V11.BestEffort().Restrict(); err != nil {
			return nil, fmt.Errorf("landlock: %w", err)
		}
		c.InForce = append(c.InForce, "landlock")
	}
	if err := limit(unix.RLIMIT_NOFILE, uint64(highest)+1); err != nil {
		return nil, err
	}
	c.InForce = append(c.InForce, "descriptors")
	if err := c.limitResources(o.Memory); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, os.NewSyscallError("prctl", err)
	}
	c.InForce = append(c.InForce, "undumpable")
	switch err := filterCalls(); {
	case err == nil:
		c.InForce = append(c.InForce, "no_new_privs", "seccomp")
	case isUnsupported(err):
	default:
		return nil, err
	}
	return c, nil
}

// closeInherited closes what was inherited, and returns the highest descriptor that stays. A descriptor without
// close-on-exec has come through the exec.
func (c *Confinement) closeInherited(keep []int) (highest int, err error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, err
	}
	stay := map[int]bool{0: true, 1: true, 2: true}
	for _, fd := range keep {
		stay[fd] = true
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil {
			continue // the directory itself
		}
		if !stay[fd] && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
			continue
		}
		highest = max(highest, fd)
	}
	return highest, nil
}

// dropCapabilities empties the sets of all threads.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if errno != 0 {
		return os.NewSyscallError("capset", errno)
	}
	return nil
}

func (c *Confinement) limitResources(memory int64) error {
	for _, resource := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_MEMLOCK} {
		if err := limit(resource, 0); err != nil {
			return err
		}
	}
	c.InForce = append(c.InForce, "limits")
	if memory <= 0 {
		return nil
	}
	// Reserved address space does not count as data, so the engine's terabyte is no trouble.
	data := c.field(5) * c.pages
	if err := limit(unix.RLIMIT_DATA, uint64(data+memory+slack)); err != nil {
		return err
	}
	c.InForce = append(c.InForce, "memory")
	return nil
}

func limit(resource int, value uint64) error {
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
		return fmt.Errorf("limiting resource %d to %d: %w", resource, value, err)
	}
	return nil
}

// Anonymous is the memory of the process's own, in bytes: resident, and neither file nor shared.
func (c *Confinement) Anonymous() int64 { return (c.field(1) - c.field(2)) * c.pages }

// field reads one number of statm, in pages: 0 size, 1 resident, 2 shared, 3 text, 4 nothing, 5 data and stack.
func (c *Confinement) field(n int) int64 {
	var text [128]byte
	read, err := unix.Pread(c.statm, text[:], 0)
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[:read]))
	if n >= len(fields) {
		return 0
	}
	value, err := strconv.ParseInt(fields[n], 10, 64)
	if err != nil {
		return 0
	}
	return value
}
