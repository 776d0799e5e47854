package child

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// How a child ended that the pool did not end.
var (
	errKilled  = errors.New("killed by the system")
	errCrashed = errors.New("crashed")
)

// process is a child.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	read   *bufio.Reader // of out
	write  *bufio.Writer // to in
	stderr tail
	meter  meter
	uses   int
	expiry *time.Timer // while idle

	done chan struct{} // closed when the process has ended and its folder is gone
	mu   sync.Mutex
	why  error // the first reason for which the pool ended it
}

// start starts a child, and returns what it could not drop of the system.
func start(ctx context.Context, command []string, s setup) (*process, []string, error) {
	c := &process{done: make(chan struct{})}
	started := make(chan error, 1)
	go c.live(command, started)
	if err := <-started; err != nil {
		return nil, nil, err
	}
	defer context.AfterFunc(ctx, func() { c.kill(context.Cause(ctx)) })()
	var r ready
	err := writeJSON(c.in, s)
	if err == nil {
		err = readJSON(c.read, &r)
	}
	if err != nil {
		return nil, nil, c.end(err)
	}
	// Nothing can be made in a folder that is gone, and nothing is left of it
	// if this program is killed.
	_ = os.Remove(c.cmd.Dir)
	return c, r.Missing, nil
}

// live starts the process and waits until it ends. Linux ends a child with the
// thread that started it, so this is the thread's only work.
func (c *process) live(command []string, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(c.done)
	dir, err := os.MkdirTemp("", "clew-parse-*")
	if err != nil {
		started <- err
		return
	}
	defer os.RemoveAll(dir)
	if err = c.launch(command, dir); err != nil {
		started <- err
		return
	}
	started <- nil
	_ = c.cmd.Wait() // ProcessState keeps it
	for _, f := range []io.Closer{c.in, c.out, c.meter} {
		_ = f.Close()
	}
}

func (c *process) launch(command []string, dir string) error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	defer stdout.Close()
	c.cmd = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // kill ends it; the command is this program
	c.cmd.Args[0] = os.Args[0]                       // what people look for in a list of processes
	c.cmd.Dir, c.cmd.Env = dir, []string{}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, &c.stderr
	c.cmd.WaitDelay = time.Second
	c.cmd.SysProcAttr = apart()
	c.in, c.out, c.read, c.write = in, out, bufio.NewReaderSize(out, bufferSize), bufio.NewWriterSize(in, bufferSize)
	if err := c.cmd.Start(); err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	c.meter = meterOf(c.cmd.Process.Pid)
	return nil
}

const bufferSize = 64 << 10

// exchange sends a request and receives the answer, while it watches the child.
func (c *process) exchange(memory int64, large func() error, send func(io.Writer) error, receive func(io.Reader) error) error {
	over, watching := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watching)
		c.watch(over, memory, large)
	}()
	err := send(c.write)
	if err == nil {
		err = c.write.Flush()
	}
	if err == nil {
		err = receive(c.read)
	} else if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, os.ErrClosed) {
		c.kill(err) // it waits for what can't be sent
	}
	close(over)
	<-watching
	if why := c.reason(); err == nil && why != nil {
		return why
	}
	return err
}

// watchInterval is short, for a child can take gigabytes in a second.
const watchInterval = 5 * time.Millisecond

// watch kills the child when it holds more than memory, and calls large once
// when it holds half of that.
func (c *process) watch(over <-chan struct{}, memory int64, large func() error) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	told := false
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		held := c.held()
		switch {
		case held > memory:
			c.kill(errMemory)
		case held > memory/2 && !told:
			told = true
			c.halt()
			if err := large(); err != nil {
				c.kill(fmt.Errorf("note a large file: %w", err))
			}
			c.resume()
		}
	}
}

func (c *process) held() int64 { return c.meter.read() }

func (c *process) alive() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// kill ends the process for a reason, nil for none.
func (c *process) kill(why error) {
	c.mu.Lock()
	if c.why == nil {
		c.why = why
	}
	c.mu.Unlock()
	_ = c.cmd.Process.Kill()
}

func (c *process) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// maxEnding is how long a child may take to end whose pipe is closed: a crash
// takes a while to print.
const maxEnding = 10 * time.Second

// end ends the process after an exchange that failed with err, and returns why
// it ended.
func (c *process) end(err error) error {
	if err != nil && c.reason() == nil {
		if pipeClosed(err) {
			select {
			case <-c.done:
				return c.fate(err)
			case <-time.After(maxEnding):
			}
		}
		c.kill(fmt.Errorf("%w: %w", errCrashed, err)) // it waits for what nobody reads, or does not end
	}
	c.kill(nil)
	<-c.done
	return c.reason()
}

// pipeClosed reports whether err is that of a pipe whose other end is gone.
func pipeClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// fate says how a process ended that the pool did not end.
func (c *process) fate(err error) error {
	message := c.stderr.String()
	switch status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); {
	case strings.Contains(message, "out of memory"), strings.Contains(message, "cannot allocate memory"):
		return fmt.Errorf("%w: %s", errMemory, message)
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL:
		return errKilled
	}
	return fmt.Errorf("%w: %w: %v: %s", errCrashed, err, c.cmd.ProcessState, message)
}

// tail keeps the first line that a process writes. The rest of a crash tells of
// goroutines.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[:min(len(b), maxTail-len(t.kept))]...)
	return len(b), nil
}

const maxTail = 4096

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := bytes.Cut(t.kept, []byte("\n"))
	return string(bytes.ToValidUTF8(line, nil))
}
