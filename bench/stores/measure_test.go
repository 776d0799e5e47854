package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopwatch measures a stretch of work of this process.
type stopwatch struct {
	began time.Time
	cpu   time.Duration
}

func start() stopwatch { return stopwatch{time.Now(), processor()} }

// read is how long it took, and how much processor time this process used.
func (s stopwatch) read() (wall, cpu float64) {
	return time.Since(s.began).Seconds(), (processor() - s.cpu).Seconds()
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak gives back what is free and lets the peak of memory begin anew.
func forgetPeak() error {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
}

// memory is a figure of /proc/PID/FILE in bytes.
func memory(pid, file, name string) (int64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("the system does not tell %s of a process", name)
}

// serversMemory is what the servers that this process started hold now, pages
// that several of their processes share counted once.
func serversMemory() (sum int64) {
	parents := map[string]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(after); len(fields) > 1 {
			parents[filepath.Base(filepath.Dir(path))] = fields[1]
		}
	}
	self := strconv.Itoa(os.Getpid())
	for pid := range parents {
		up := parents[pid]
		for up != "" && up != self {
			up = parents[up]
		}
		if up == self {
			n, err := memory(pid, "smaps_rollup", "Pss")
			if err == nil {
				sum += n
			}
		}
	}
	return sum
}

// size is what the files below a folder take, in bytes.
func size(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
