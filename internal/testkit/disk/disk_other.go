//go:build !linux

package disk

import "testing"

// Small needs Linux.
func Small(t *testing.T, _ string, _ func(t *testing.T, dir string)) {
	t.Helper()
	t.Skip("left out: only Linux mounts a small file system for a test")
}

// Seal needs Linux.
func Seal(t *testing.T, _ string) (open func()) {
	t.Helper()
	t.Fatal("only Linux seals a file system for a test")
	return nil
}
