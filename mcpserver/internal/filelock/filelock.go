// Package filelock keeps several of our processes from changing one file at the same time. A lock ends with the process that
// holds it.
package filelock
