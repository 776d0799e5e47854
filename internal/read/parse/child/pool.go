// Package child parses and splits files in child processes, so that a malicious or oversized file ends
// a child and not the program.
//
// A child is the program itself, started with a command that calls [Serve]. Its environment is empty,
// its folder is private and removed as soon as it is in it, and all it has of the system is three
// pipes. It gets the bytes of a file and answers with the text, or gets a text and answers where to
// cut it. A [Pool] starts children, uses them for many documents, and ends one that takes too much
// memory or time, or is no longer needed. A child's answers are checked like any untrusted input.
//
// # Memory
//
// No limit of the system fits a Go program. RLIMIT_AS counts address space, of which Go reserves
// gigabytes that it never touches, and a control group needs rights that a service seldom has. So
// three things work together: the child's collector works harder when three quarters of its memory are
// used, so files that just fit can be read; the pool checks the child's memory every few milliseconds,
// and kills it above the limit; and RLIMIT_DATA, which counts writable memory, ends a child that grows
// faster than the pool checks. When the machine itself runs out of memory, Linux is told to end the
// child first.
//
// # Priority
//
// On Linux a child gives way to the program and to all others that need the processor, so a large file
// delays no question.
//
// # What a child can't do
//
// On Linux it can't gain privileges (no_new_privs), open, create, change or remove a file (Landlock,
// seccomp), connect or listen (seccomp), start a process or signal another (seccomp), write to a file
// that it was started with, or dump its memory; and it dies with the program, even if that is killed.
// Measures that the kernel refuses are left out, and the log says so. Seccomp is used on amd64 and
// arm64. RLIMIT_NPROC is not used: it counts all of a user's threads, and a Go program needs some. On
// other systems a child has the empty environment, the folder and the time limit, and ends itself when
// it has too much memory.
package child

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/chunk"
	"github.com/clewhq/clew/internal/read/parse"
)

// Options configure a Pool. All are required but KeepStruck and Draws.
type Options struct {
	Command []string // starts a process that calls Serve
	Memory  int64    // maximum of bytes for a child
	Timeout time.Duration
	Limits  parse.Limits // all but Timeout
	Tokens  int          // maximum in a chunk
	Log     *slog.Logger

	KeepStruck bool // keep text that is crossed out or marked as deleted
	Draws      bool // its texts may have pictures that have not been drawn yet, see parse.IsUndrawn
}

// A Parser reads and splits files, and takes images out of them. Of a page whose image it can't decode it passes on nothing.
type Parser interface {
	Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error)
	Split(ctx context.Context, id domain.DocumentID, t domain.Text, how domain.Chunking, large func() error) ([]domain.Chunk, error)
	Unpack(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error)
}

// A Pool parses and splits files in children. It starts one if none becomes idle soon, so there are at most as many as
// concurrent callers. It is safe for concurrent use.
type Pool struct {
	Options
	mu     sync.Mutex
	idle   []*process // the last one used is at the end
	busy   int        // children that are starting or working
	wait   time.Duration
	closed bool
	warn   sync.Once     // once: children keep more of the system than they should
	freed  chan struct{} // receives a value when a child becomes idle or ends
}

// New returns a Pool, which starts no child yet. Close must follow.
func New(o Options) *Pool { return &Pool{Options: o, wait: maxWait, freed: make(chan struct{}, 1)} }

// Program returns this program's executable as it runs, even if another version
// has taken its place on the disk.
func Program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// unpackLimit is how long a caller may take over one file that a child unpacks.
const unpackLimit = 5 * time.Minute

const (
	// maxUses is the number of documents after which a child is replaced.
	maxUses = 100
	// maxIdle is how long a child waits for the next document.
	maxIdle = time.Minute
	// maxWait is how long a caller waits for a busy child: most files take less time than starting a
	// process.
	maxWait = 300 * time.Millisecond
)

// Parse reads the file of the given format, of which file holds size bytes. What
// is wrong with the file is a domain error as parse.Parser.Parse returns it. If
// the child ends over it, the error is a *parse.DeathError.
//
// When the child holds half of its memory, Parse calls large while the child is
// halted, and gives up if that fails. Callers can note that what happens next
// may be the file's doing.
func (p *Pool) Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (t domain.Text, err error) {
	err = p.send(ctx, request{Format: format, Size: size, How: how}, file, large, func(r io.Reader, head answer, _ *time.Timer) (err error) {
		t, err = readText(r, head, p.Limits, p.Draws)
		return err
	})
	return t, err
}

// neverLarge lets a child use its full memory.
func neverLarge() error { return nil }

// send sends a request with its file to a child and receives its answer.
func (p *Pool) send(ctx context.Context, q request, file io.Reader, large func() error, receive func(io.Reader, answer, *time.Timer) error) error {
	if q.Size > p.Limits.MaxBytes {
		return domain.Errorf(domain.TooLarge, "This file has %d bytes; the limit is %d. MAX_UPLOAD_MB changes it.", q.Size, p.Limits.MaxBytes)
	}
	source := &source{r: io.LimitReader(file, q.Size)}
	err := p.call(ctx, large, func(w io.Writer) error {
		if err := writeJSON(w, q); err != nil {
			return err
		}
		n, err := io.Copy(w, source)
		if err == nil && n < q.Size {
			source.err = fmt.Errorf("the file ends after %d of %d bytes", n, q.Size)
		}
		return errors.Join(err, source.err)
	}, receive)
	if source.err != nil { // the child is not to blame
		return fmt.Errorf("read a file: %w", source.err)
	}
	return err
}

// Unpack calls each for the readable files within a file, judging by their names, and returns the names of the others.
// The error is that of each, or like that of Parse.
func (p *Pool) Unpack(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, each func(name string, r io.Reader) error) ([]string, error) {
	var last packed
	var refused, stopped error
	err := p.send(ctx, request{Format: format, Size: size, Unpack: true, How: how}, file, neverLarge, func(r io.Reader, _ answer, clock *time.Timer) error {
		for n := 0; ; n++ {
			last = packed{}
			if err := readJSON(r, &last); err != nil {
				return err
			}
			notFit := func(s string) bool { return !fit(s, maxSentence) }
			switch {
			case n > parse.MaxFiles || notFit(last.Name) || len(last.Others) > maxWarnings || slices.ContainsFunc(last.Others, notFit):
				return malformed("%d files within a file", n)
			case last.Name == "":
				return nil
			}
			clock.Reset(p.Timeout + unpackLimit)
			if stopped = readPacked(r, last.Name, p.Limits.MaxBytes, each); stopped != nil {
				return stopped
			}
			clock.Reset(p.Timeout)
		}
	})
	switch {
	case stopped != nil:
		return nil, stopped
	case err == nil && last.Failed != nil:
		if refused, err = last.Failed.err(); err == nil {
			err = refused
		}
	}
	return last.Others, err
}

// readPacked passes on a file within another.
func readPacked(r io.Reader, name string, most int64, each func(name string, r io.Reader) error) error {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return err
	}
	if int64(length) > most {
		return malformed("a file of %d bytes where %d are allowed", length, most)
	}
	content := io.LimitReader(r, int64(length))
	if err := each(name, content); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, content) // the part that neither read
	return err
}

// Split cuts a text into chunks of document doc, like chunk.Split, with the
// pool's limit of tokens unless how has one. Of errors and
// large it is like Parse.
func (p *Pool) Split(ctx context.Context, doc domain.DocumentID, t domain.Text, how domain.Chunking, large func() error) ([]domain.Chunk, error) {
	var cuts []chunk.Cut
	err := p.call(ctx, large, func(w io.Writer) error {
		if err := writeJSON(w, request{How: how}); err != nil {
			return err
		}
		if err := writeFrame(w, []byte(t.Content)); err != nil {
			return err
		}
		if err := writePages(w, t.Pages); err != nil {
			return err
		}
		return writeHeadings(w, t.Headings)
	}, func(r io.Reader, _ answer, _ *time.Timer) (err error) {
		cuts, err = readCuts(r, t, cmp.Or(how.Tokens, p.Tokens))
		return err
	})
	if err != nil {
		return nil, err
	}
	return chunk.At(doc, t, cuts), nil
}

// Again returns the first size bytes of a file so that they can be read more than once, from the beginning. One that can't be
// rewound is read into memory.
func Again(file io.Reader, size int64) (io.ReadSeeker, error) {
	if seeker, ok := file.(io.ReadSeeker); ok {
		return seeker, nil
	}
	data, err := io.ReadAll(io.LimitReader(file, size))
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", err)
	}
	return bytes.NewReader(data), nil
}

// Holds reports whether a reader has any bytes, and returns one that still has them all.
func Holds(r io.Reader) (io.Reader, bool) {
	b := bufio.NewReader(r)
	_, err := b.Peek(1)
	return b, !errors.Is(err, io.EOF)
}

// Bounded keeps the first bytes written to it, at most Most, and drops the others.
type Bounded struct {
	bytes.Buffer
	Most int
}

// Write implements io.Writer.
func (b *Bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.Most-b.Len())])
	return len(p), nil
}

// source records a reader's error, to distinguish it from the writer's.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// call sends a request to a child and receives its answer. An error of receive
// is the child's. The clock ends the call.
func (p *Pool) call(ctx context.Context, large func() error, send func(io.Writer) error, receive func(io.Reader, answer, *time.Timer) error) error {
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	clock := time.AfterFunc(p.Timeout, func() { cancel(errTimeout) })
	defer clock.Stop()
	c, err := p.take(timed)
	if err != nil {
		return err
	}
	defer p.release()
	stop := context.AfterFunc(timed, func() { c.kill(context.Cause(timed)) })
	var head answer
	var refused error
	err = c.exchange(p.Memory, large, send, func(r io.Reader) error {
		if err := readJSON(r, &head); err != nil {
			return err
		}
		if head.Failed == nil {
			return receive(r, head, clock)
		}
		refused, err = head.Failed.err()
		return err
	})
	if !stop() { // it is being killed
		c.kill(context.Cause(timed))
		err = context.Cause(timed)
	}
	if err != nil {
		return p.explain(ctx, c.end(err))
	}
	p.put(c)
	return refused
}

// take returns an idle child, or starts one. release must follow unless it fails.
func (p *Pool) take(ctx context.Context) (*process, error) {
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	for wait := true; ; {
		c, begin := p.pop(wait)
		switch {
		case c != nil && c.alive():
			return c, nil
		case c != nil:
			p.release()
		case begin:
			c, err := p.begin(ctx)
			if err != nil {
				p.release()
			}
			return c, err
		default:
			select {
			case <-p.freed:
			case <-timer.C:
				wait = false
			case <-ctx.Done():
				wait = false
			}
		}
	}
}

// begin starts a child.
func (p *Pool) begin(ctx context.Context) (*process, error) {
	c, missing, err := start(ctx, p.Command, setup{Memory: p.Memory, Limits: p.Limits, Tokens: p.Tokens, KeepStruck: p.KeepStruck, Draws: p.Draws})
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		e := domain.Because(domain.Unavailable, err, "The process that reads files could not be started. The machine may be out of memory, or out of space for temporary files.")
		e.Retry.Reachable = true // so that attempts count
		return nil, e
	}
	if len(missing) > 0 {
		p.warn.Do(func() {
			p.Log.WarnContext(ctx, "the processes that read files keep more of the system than they should", "missing", missing)
		})
	}
	return c, nil
}

// pop returns an idle child. If there is none, it reports whether to start one, which a waiting caller does only if none
// is busy.
func (p *Pool) pop(wait bool) (c *process, begin bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
		c.expiry.Stop()
	} else if wait && p.busy > 0 {
		return nil, false
	}
	p.busy++
	return c, c == nil
}

// release records that a child is not busy any more, and wakes one who waits for it.
func (p *Pool) release() {
	p.mu.Lock()
	p.busy--
	p.mu.Unlock()
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// put returns a child to the pool unless it has parsed maxUses documents or holds a quarter of its memory limit.
func (p *Pool) put(c *process) {
	c.uses++
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.uses >= maxUses || c.held() > p.Memory/4 {
		c.kill(nil)
		return
	}
	p.idle = append(p.idle, c)
	c.expiry = time.AfterFunc(maxIdle, func() { p.expire(c) })
}

// expire ends a child that has been idle for long.
func (p *Pool) expire(c *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.idle {
		if other == c {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			c.kill(nil)
		}
	}
}

// Close ends the idle children, and waits for them.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.expiry.Stop()
		_ = c.end(nil)
	}
	return nil
}

// Why a pool ends a child.
var (
	errTimeout = errors.New("it took too long")
	errMemory  = errors.New("it took too much memory")
)

// explain returns the error of a call whose child ended because of cause.
func (p *Pool) explain(ctx context.Context, cause error) error {
	mb := p.Memory >> 20
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("read a file: %w", context.Cause(ctx))
	case errors.Is(cause, errTimeout):
		return death(domain.TooLarge, cause, "Reading this file took longer than PARSE_TIMEOUT allows (%s), so it was stopped; the file may be damaged or far too complex.", p.Timeout)
	case errors.Is(cause, errMemory):
		return death(domain.TooLarge, cause, "Reading this file needs more memory than PARSE_MEMORY_MB allows (%d MB). Raise it, or split the file into smaller ones.", mb)
	case errors.Is(cause, errKilled):
		return death(domain.TooLarge, cause, "The system killed the process that read this file, most likely because the machine ran out of memory. Give it more, or split the file into smaller ones.")
	case errors.Is(cause, errCrashed):
		return death(domain.Invalid, cause, "This file is damaged or malicious: reading it crashed the process that read it.")
	}
	return cause
}

func death(kind domain.Kind, cause error, format string, args ...any) error {
	return &parse.DeathError{Err: domain.Because(kind, cause, format, args...)}
}

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
	why  error // the first reason why the pool ended it
}

// start starts a child, and returns the rights it could not drop.
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
	MakeWay(c.cmd.Process.Pid) // before it has anything to do
	// Nothing can be created in a removed folder, and nothing is left of it if this program is killed.
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
	c.cmd.Args[0] = os.Args[0]                       // the name that people look for in a list of processes
	c.cmd.Dir, c.cmd.Env = dir, []string{}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, &c.stderr
	c.cmd.WaitDelay = time.Second
	c.cmd.SysProcAttr = Apart()
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
		c.kill(err) // it waits for input that can't be sent
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

// kill ends the process. why is the reason, or nil.
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

// maxEnding is how long a child may take to end after its pipe is closed: a crash takes a while to print.
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
		c.kill(fmt.Errorf("%w: %w", errCrashed, err)) // it waits for a reader, or does not end
	}
	c.kill(nil)
	<-c.done
	return c.reason()
}

// pipeClosed reports whether err means that the other end of a pipe is closed.
func pipeClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// fate describes how a process ended that the pool did not end.
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

// tail keeps the first line that a process writes. The rest of a crash lists goroutines.
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
