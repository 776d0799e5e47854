package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"testing/fstest"

	"github.com/clewhq/clew/internal/config"
)

// TestASmallHeapIsCollectedSeldom expects the collector to wait for more than the ballast.
func TestASmallHeapIsCollectedSeldom(t *testing.T) {
	limitMemory(fstest.MapFS{}, config.Config{}, nil)
	runtime.GC()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	if metrics.Read(goal); goal[0].Value.Uint64() < 2*ballastSize {
		t.Errorf("the heap is collected when it reaches %d bytes, want %d", goal[0].Value.Uint64(), 2*ballastSize)
	}
}

func TestContainerMemory(t *testing.T) {
	t.Parallel()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, tt := range map[string]struct {
		root fstest.MapFS
		want int64
	}{
		"none": {fstest.MapFS{}, 0},
		"version 2, in its own namespace": {fstest.MapFS{
			"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("1073741824\n"),
		}, 1 << 30},
		"version 2, unlimited": {fstest.MapFS{
			"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("max\n"),
		}, 0},
		"version 2, limited above": {fstest.MapFS{
			"proc/self/cgroup":                                   file("0::/system.slice/clew.service\n"),
			"sys/fs/cgroup/system.slice/memory.max":              file("2147483648\n"),
			"sys/fs/cgroup/system.slice/clew.service/memory.max": file("max\n"),
		}, 2 << 30},
		"version 1": {fstest.MapFS{
			"proc/self/cgroup": file("5:cpu,cpuacct:/\n4:memory:/docker/1\n"),
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": file("536870912\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          file("9223372036854771712\n"),
		}, 512 << 20},
		"version 1, unlimited": {fstest.MapFS{
			"proc/self/cgroup": file("4:memory:/\n"), "sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"),
		}, 0},
	} {
		if got := containerMemory(tt.root); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestOwnMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, parsers, want int64 }{{1000, 100, 800}, {1000, 4000, 500}} {
		if got := ownMemory(tt.limit, tt.parsers); got != tt.want {
			t.Errorf("of %d beside %d: %d, want %d", tt.limit, tt.parsers, got, tt.want)
		}
	}
}
