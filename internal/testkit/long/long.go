// Package long scales tests that repeat something slow: a few times in make test, often in make test-long.
package long

import "os"

// Enabled reports whether CLEW_LONG asks for the full numbers.
func Enabled() bool { return os.Getenv("CLEW_LONG") != "" }

// Or returns usual, or full if CLEW_LONG is set.
func Or[T any](usual, full T) T {
	if Enabled() {
		return full
	}
	return usual
}
