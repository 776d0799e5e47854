package main

import (
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/clewhq/clew/internal/config"
)

// ballast keeps memory that is never touched, and so takes none of the machine's, but
// counts for the collector: it waits until as much was allocated as is in use. Reading
// documents has 6 MB in use, and without the ballast all of it is looked through ten
// times a second.
var ballast = sync.OnceValue(func() []byte { return make([]byte, ballastSize) })

// ballastSize is the size of the ballast. A large heap hardly grows by it.
const ballastSize = 8 << 20

// servingBallast is the size of the ballast of a server beside that: it has 25 MB in
// use and allocates 4 MB for each question.
const servingBallast = 32 << 20

// limitMemory makes the collector work harder before the container's memory is
// used up, and work less while there is little. Go knows of no such limit by itself.
// GOMEMLIMIT wins.
func limitMemory(root fs.FS, cfg config.Config, environ []string) {
	ballast()
	for _, variable := range environ {
		if strings.HasPrefix(variable, "GOMEMLIMIT=") {
			return
		}
	}
	if limit := containerMemory(root); limit > 0 {
		debug.SetMemoryLimit(ownMemory(limit, int64(cfg.Ingests)*cfg.ParseMemory()))
	}
}

// ownMemory returns how much of limit the program itself may use: nine tenths,
// less what the processes that parse may take, but no less than half.
func ownMemory(limit, parsers int64) int64 { return max(limit/10*9-parsers, limit/2) }

// containerMemory returns the least memory limit of this process's control group
// and those above it, 0 when there is none. root is the root of the file system.
func containerMemory(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path, see cgroups(7)
		if len(fields) < 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if fields[1] == "memory" { // of version 1
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if fields[1] != "" {
			continue
		}
		for group := path.Join("/", fields[2]); ; group = path.Dir(group) {
			b, _ := fs.ReadFile(root, path.Join(mount, group, file))
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
				least = min(least, n)
			}
			if group == "/" {
				break
			}
		}
	}
	if least > 1<<50 { // how version 1 says that there is none
		return 0
	}
	return least
}
