package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// program is a running benchmark program. On "WORK SIZE TIMES" it does the work
// so many times and answers with a line: a number if the work returns one, or
// "none" if its library has no such feature. For 0 times it prepares the work
// and frees memory. While working it may print "mark" and wait for an empty
// line.
type program struct {
	command string
	folder  string // in which it keeps databases; given as its last argument
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	marks   []time.Duration // CPU at each mark of the last work
	medians map[string]float64
	grown   map[int]growth
}

// errNone means that a library has no such feature.
var errNone = errors.New("none")

func start(command string) (*program, error) {
	folder, err := os.MkdirTemp("", "bench-engine")
	if err != nil {
		return nil, err
	}
	p := &program{command: command, folder: folder, medians: map[string]float64{}, grown: map[int]growth{}}
	return p, p.run()
}

// run starts the process.
func (p *program) run() (err error) {
	words := append(strings.Fields(p.command), p.folder)
	p.process = exec.Command(words[0], words[1:]...)
	p.process.Stderr = os.Stderr
	if p.in, err = p.process.StdinPipe(); err != nil {
		return err
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewScanner(out)
	return p.process.Start()
}

// again restarts the program.
func (p *program) again() error {
	_ = p.in.Close()
	_ = p.process.Wait() // may have been killed
	return p.run()
}

func (p *program) end() {
	_ = p.in.Close()
	_ = p.process.Wait()
	_ = os.RemoveAll(p.folder)
}

// do runs a work and returns the program's answer.
func (p *program) do(work string, size, times int) (float64, error) {
	p.marks = p.marks[:0]
	if _, err := fmt.Fprintln(p.in, work, size, times); err != nil {
		return 0, err
	}
	for p.out.Scan() {
		switch answer := p.out.Text(); answer {
		case "none":
			return 0, errNone
		case "mark":
			now, err := p.cpu()
			if err != nil {
				return 0, err
			}
			p.marks = append(p.marks, now)
			if _, err := fmt.Fprintln(p.in); err != nil {
				return 0, err
			}
		default:
			return strconv.ParseFloat(answer, 64)
		}
	}
	return 0, errors.Join(io.ErrUnexpectedEOF, p.out.Err())
}

// timed returns the CPU time of a work.
func (p *program) timed(work string, size, times int) (time.Duration, error) {
	before, err := p.cpu()
	if err != nil {
		return 0, err
	}
	if _, err := p.do(work, size, times); err != nil {
		return 0, err
	}
	after, err := p.cpu()
	return after - before, err
}

// cpu returns the user and system time that the process has used. The id of a
// process's clock is ~pid<<3|2, see clock_getcpuclockid(3).
func (p *program) cpu() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(int32(^p.process.Process.Pid<<3|2), &t)
	return time.Duration(t.Nano()), err
}

// resident reads a line of the process's memory status in MB: VmRSS is current,
// VmHWM the peak.
func (p *program) resident(line string) (float64, error) {
	status, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), line+":")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseFloat(kb, 64)
	return n / 1e3, err
}

// forget resets the recorded peak memory to the current value.
func (p *program) forget() error { return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) }

func (p *program) proc(name string) string {
	return fmt.Sprintf("/proc/%d/%s", p.process.Process.Pid, name)
}
