// Package program runs the program for benchmarks.
package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/clewhq/clew/views/link"
)

// In returns an address in the workspace that an installation begins with.
func In(address string) string { return link.Under("library", address) }

// A Process is the program, serving.
type Process struct {
	URL string
	cmd *exec.Cmd
}

// Serve starts the program at path on a data folder, with more settings if any, and
// returns once it serves.
func Serve(path, data string, environ ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(path, "serve", "--data", data)}
	p.cmd.Env = append(append(os.Environ(), "LISTEN=127.0.0.1:0", "LOG_LEVEL=warn"), environ...)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server did not start: %w", err), p.Stop())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, address, _ := strings.Cut(line, " at ")
	p.URL = strings.TrimSpace(address)
	return p, nil
}

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop ends the program.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}
