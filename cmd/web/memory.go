package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/clewhq/clew/internal/config"
)

// The heap may grow to roomForHeap before it is collected, or to two and a half times what is in use if that is more. Little is in use,
// 6 MB while documents are read and 25 MB in a server, and a question allocates 4 MB.
const (
	gcPercent   = 150
	roomForHeap = 128 << 20
)

// limitMemory configures the garbage collector: seldom while there is room, and harder before the memory of the
// container is used up. GOGC and GOMEMLIMIT take precedence.
func limitMemory(cfg config.Config, s env) {
	given := func(name string) bool {
		return slices.ContainsFunc(s.environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	if s.process && !given("GOGC") {
		collectSeldom()
	}
	if given("GOMEMLIMIT") {
		return
	}
	if limit, err := memlimit.FromCgroup(); err == nil && limit < 1<<50 { // version 1 of control groups has a huge number for none
		debug.SetMemoryLimit(ownMemory(int64(limit), int64(cfg.Ingests)*cfg.ParseMemory()))
	}
}

// ownMemory returns how much of limit the program itself may use: nine tenths,
// less what the processes that parse may take, but no less than half.
func ownMemory(limit, parsers int64) int64 { return max(limit/10*9-parsers, limit/2) }

// A mark is garbage from the beginning, so that its finalizer runs after each collection.
type mark [64]byte

// collectSeldom sets how far the heap may grow, now and after each collection.
func collectSeldom() { new(mark).pace() }

func (m *mark) pace() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
	runtime.SetFinalizer(m, (*mark).pace)
}

// percentFor returns the garbage collection percentage for a heap with live bytes in use.
func percentFor(live uint64) int {
	live = max(live, 4<<20) // nothing was collected yet
	return max(gcPercent, int(roomForHeap*100/live)-100)
}
