//go:build !linux

package child

import (
	"errors"
	"fmt"
	"os"
	"runtime/metrics"
	"syscall"
	"time"
)

// Apart returns nil: only Linux ends a process with the thread that started it.
func Apart() *syscall.SysProcAttr { return nil }

// MakeWay does nothing: only Linux has threads with priorities of their own.
func MakeWay(int) {}

// meter reads nothing: the child watches itself.
type meter struct{}

func meterOf(int) meter    { return meter{} }
func (meter) read() int64  { return 0 }
func (meter) Close() error { return nil }
func (c *process) halt()   {}
func (c *process) resume() {}

// confine makes the child exit when it exceeds memory or has lost its parent.
func confine(memory int64) []string {
	parent := os.Getppid()
	go func() {
		held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for range time.Tick(watchInterval) {
			metrics.Read(held)
			if held[0].Value.Uint64()-held[1].Value.Uint64() > uint64(memory) {
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(1)
			}
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}()
	return []string{"files", "network", "processes"}
}

// Confines reports that no program of the system can be confined here.
func Confines() bool { return false }

// Become fails: only Linux confines a program.
func Become(uint64, string, ...string) error { return errors.ErrUnsupported }
