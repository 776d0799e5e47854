package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Process tells a process of one machine from every other, one that has got
// the same number later included.
type Process struct {
	Host    string
	Boot    string // the machine's start, "" where it can't be told
	PID     int
	Started string // the process's start in the kernel's words, "" where it can't be told
}

// Self is this process.
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

// Gone reports whether p, seen from here, is certain to have ended: the same
// machine has been started anew since, or holds no such process any more. Of
// other machines, and where starts can't be told, nothing is certain.
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

// startOf reads when a process started, in clock ticks since boot, from
// /proc: the 22nd field of its status line. The second one is a name in
// parentheses, which may hold anything.
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
