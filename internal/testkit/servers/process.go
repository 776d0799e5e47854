package servers

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// startTimeout bounds how long a server may take to start or to stop.
const startTimeout = 5 * time.Minute

// A process is a running server.
type process struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when the server serves
	gone  chan struct{} // closed when the process has ended

	mu   sync.Mutex
	tail []string // its last lines of output
}

// launch starts cmd and waits until it writes a line that ready accepts. The
// system sends it the signal last when this process ends, however it ends.
func launch(cmd *exec.Cmd, last syscall.Signal, ready func(line string) bool) (*process, error) {
	p := &process{cmd: cmd, ready: make(chan struct{}), gone: make(chan struct{})}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	tie(cmd, last)
	started := make(chan error)
	go func() {
		// The system ties the process to the thread that started it, which must live as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.read(out, ready)
		_ = cmd.Wait() // the log says why it ended
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	select {
	case <-p.ready:
		return p, nil
	case <-p.gone:
		return nil, fmt.Errorf("%s ended before it served:\n%s", cmd.Path, p.log())
	case <-time.After(startTimeout):
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%s does not serve after %v:\n%s", cmd.Path, startTimeout, p.log())
	}
}

// read reads the output of the process until it ends.
func (p *process) read(out io.Reader, ready func(string) bool) {
	serves := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.mu.Lock()
		p.tail = append(p.tail[max(0, len(p.tail)-39):], lines.Text())
		p.mu.Unlock()
		if !serves && ready(lines.Text()) {
			serves = true
			close(p.ready)
		}
	}
}

// log returns the last lines that the process wrote.
func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.tail, "\n")
}

// stop ends the process with a signal and waits for its end.
func (p *process) stop(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(startTimeout):
		_ = p.cmd.Process.Kill()
		return fmt.Errorf("%s does not end after %v:\n%s", p.cmd.Path, startTimeout, p.log())
	}
}
