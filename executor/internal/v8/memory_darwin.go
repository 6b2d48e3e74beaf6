//go:build cgo

package v8

// ReleaseMemory gives memory that the C heap has free back to the system; on darwin the system sees to it itself.
func ReleaseMemory() {}

// KeepPages and ReleasePages do nothing: page faults cost little there.
func KeepPages(bytes uint) {}

// ReleasePages does nothing, see KeepPages.
func ReleasePages() {}
