//go:build !linux

package tempdir

import "os"

// root returns the folder in which folders are made.
func root() string { return os.TempDir() }
