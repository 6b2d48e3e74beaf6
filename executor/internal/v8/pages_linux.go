//go:build cgo && linux

package v8

// #cgo LDFLAGS: -Wl,--wrap=mmap64 -Wl,--wrap=munmap -Wl,--wrap=mprotect -Wl,--wrap=madvise
// #define _GNU_SOURCE
// #include <stddef.h>
// #include <sys/mman.h>
//
// void codemode_keep_pages(size_t bytes);
import "C"

import "unsafe"

// KeepPages lets the engine's pages outlive an isolate, up to that many bytes, for the next one, and has the C heap keep
// as much. It is for a process that makes one isolate after the other, and nothing else with the engine's kind of pages;
// it has to be called before the first. The bound holds from then on.
func KeepPages(bytes uint) { C.codemode_keep_pages(C.size_t(bytes)) }

// ReleasePages gives back what is kept at the moment.
func ReleasePages() { C.codemode_keep_pages(0) }

// The calls that the engine makes, as it makes them, for tests.

func reservePages(size int) unsafe.Pointer {
	return C.mmap64(nil, C.size_t(size), C.PROT_NONE, C.MAP_PRIVATE|C.MAP_ANONYMOUS|C.MAP_NORESERVE, -1, 0)
}

func decommitPages(at unsafe.Pointer, size int) bool {
	return C.mmap64(at, C.size_t(size), C.PROT_NONE, C.MAP_PRIVATE|C.MAP_ANONYMOUS|C.MAP_FIXED, -1, 0) == at
}

func protectPages(at unsafe.Pointer, size, protection int) bool {
	return C.mprotect(at, C.size_t(size), C.int(protection)) == 0
}

func discardPages(at unsafe.Pointer, size int) bool {
	return C.madvise(at, C.size_t(size), C.MADV_DONTNEED) == 0
}

func unmapPages(at unsafe.Pointer, size int) bool { return C.munmap(at, C.size_t(size)) == 0 }
