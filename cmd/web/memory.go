package main

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/clewhq/clew/internal/config"
)

// gcPercent lets the heap grow to two and a half times what is in use before it is collected. Little is in use, 6 MB while
// documents are read and 25 MB in a server, and a question allocates 4 MB.
const gcPercent = 150

// limitMemory configures the garbage collector: seldom while there is room, and harder before the memory of the
// container is used up. GOGC and GOMEMLIMIT take precedence.
func limitMemory(cfg config.Config, environ []string) {
	given := func(name string) bool {
		return slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	}
	if !given("GOGC") {
		debug.SetGCPercent(gcPercent)
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
