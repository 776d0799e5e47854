package servers

import (
	"os/exec"
	"syscall"
)

// tie lets the system kill cmd when this process ends.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
