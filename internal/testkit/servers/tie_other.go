//go:build !linux

package servers

import (
	"os/exec"
	"syscall"
)

// tie does nothing: only Linux has such a signal. Elsewhere a server that
// outlives its test binary has to be ended by hand.
func tie(*exec.Cmd, syscall.Signal) {}
