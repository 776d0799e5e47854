package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopwatch measures a piece of work in this process.
type stopwatch struct {
	began time.Time
	cpu   time.Duration
}

func start() stopwatch { return stopwatch{time.Now(), processor()} }

// read returns the elapsed wall and CPU time.
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

// forgetPeak frees memory and resets the recorded peak.
func forgetPeak() error {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
}

// memory returns a figure of /proc/PID/FILE in bytes.
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

// programs maps process names to servers.
var programs = map[string]string{"java": neo4jName, "postgres": postgresName}

const neo4jName, postgresName, qdrantName = "Neo4j", "Postgres", "Qdrant"

// serversMemory returns the current memory of each server started by this
// process, counting pages shared among its processes once, and of Qdrant if
// QDRANT_PID is set.
func serversMemory() map[string]int64 {
	sum := map[string]int64{}
	for pid, name := range serverProcesses() {
		sum[name] += held(pid)
	}
	if pid := os.Getenv("QDRANT_PID"); pid != "" {
		sum[qdrantName] += held(pid)
	}
	return sum
}

// serversCPU returns the CPU time that each server started by this process has taken, in seconds.
func serversCPU() map[string]float64 {
	const ticks = 100 // a second, on Linux
	sum := map[string]float64{}
	for pid, name := range serverProcesses() {
		fields := statOf(pid)
		for i := 11; i < 15 && i < len(fields); i++ { // its own, and that of its processes that ended
			n, _ := strconv.ParseFloat(fields[i], 64)
			sum[name] += n / ticks
		}
	}
	return sum
}

// serverProcesses maps the processes of the servers that this process started to the servers' names.
func serverProcesses() map[string]string {
	parents, found := map[string]string{}, map[string]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid := filepath.Base(filepath.Dir(path))
		if fields := statOf(pid); len(fields) > 1 {
			parents[pid] = fields[1]
		}
	}
	self := strconv.Itoa(os.Getpid())
	for pid, up := range parents {
		for up != "" && up != self {
			up = parents[up]
		}
		if up == self {
			comm, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
			found[pid] = programs[strings.TrimSpace(string(comm))]
		}
	}
	return found
}

// statOf returns the figures that the system keeps of a process, from its state on; none if it has ended.
func statOf(pid string) []string {
	data, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, after, _ := strings.Cut(string(data), ") ")
	return strings.Fields(after)
}

// held returns the memory of a process, 0 if it has ended.
func held(pid string) int64 {
	n, err := memory(pid, "smaps_rollup", "Pss")
	if err != nil { // a process of another user tells less
		n, _ = memory(pid, "status", "VmRSS")
	}
	return n
}

// watchInterval is the interval at which servers' memory is sampled.
const watchInterval = 2 * time.Second

// peaks watches the servers until the returned function is called, which
// returns their peaks.
func peaks() func() map[string]int64 {
	most, stop, stopped := map[string]int64{}, make(chan struct{}), make(chan struct{})
	look := func() {
		for name, n := range serversMemory() {
			most[name] = max(most[name], n)
		}
	}
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(watchInterval); ; {
			look()
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	return func() map[string]int64 {
		close(stop)
		<-stopped
		look()
		return most
	}
}

// size returns the disk usage, in bytes, of the files below a folder whose
// names start with one of the prefixes, or of all files.
func size(dir string, prefixes ...string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		path, _ = filepath.Rel(dir, path)
		if len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
			sum += onDisk(info)
		}
		return nil
	})
	return sum, err
}

// onDisk excludes space that a file merely reserves.
func onDisk(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(info.Size(), 512*s.Blocks)
	}
	return info.Size()
}
