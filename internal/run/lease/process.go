package lease

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// A Process identifies a process across machines, restarts, and reuse of its number.
type Process struct {
	Host    string
	Boot    string // the machine's boot id, "" where unknown
	PID     int
	Started string // the process's start time as the kernel prints it, "" where unknown
}

// Self returns this process.
func Self() (Process, error) {
	host, err := os.Hostname()
	if err != nil {
		return Process{}, fmt.Errorf("read the host's name: %w", err)
	}
	p := Process{Host: host, PID: os.Getpid()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil { // Linux; elsewhere leases end by time alone
		p.Boot = strings.TrimSpace(string(boot))
		p.Started, err = startOf(p.PID)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Process{}, fmt.Errorf("read the process's start: %w", err)
	}
	return p, nil
}

// Gone reports whether p has certainly ended: this machine was its own and has rebooted since, or has no such process. It
// is false for other machines, and where start times are unknown.
func (here Process) Gone(p Process) bool {
	if p == here || p.Host != here.Host || here.Boot == "" || here.Started == "" {
		return false
	}
	if p.Boot != here.Boot {
		return true
	}
	started, err := startOf(p.PID)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && started != p.Started
}

// startOf reads the start time of a process, in clock ticks since boot: the 22nd field of /proc/<pid>/stat, see proc(5).
// The second field is a name in parentheses, which may hold anything.
func startOf(pid int) (string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	line := string(b)
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	const started = 22 - 3 // counted from the third field on
	if len(fields) <= started {
		return "", fmt.Errorf("the status of process %d has %d fields", pid, len(fields))
	}
	return fields[started], nil
}
