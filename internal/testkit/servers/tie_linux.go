package servers

import (
	"os/exec"
	"syscall"
)

// tie has the system send cmd a signal when this process ends.
func tie(cmd *exec.Cmd, last syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = last
}
