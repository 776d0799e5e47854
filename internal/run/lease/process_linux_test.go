package lease_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/run/lease"
)

func TestGone(t *testing.T) {
	t.Parallel()
	self, err := lease.Self()
	if err != nil {
		t.Fatal(err)
	}
	if self.Host == "" || self.Boot == "" || self.PID != os.Getpid() || self.Started == "" {
		t.Errorf("got %+v, want every field set", self)
	}
	with := func(change func(*lease.Process)) lease.Process {
		p := self
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name string
		p    lease.Process
		want bool
	}{
		{"itself", self, false},
		{"the same number, started at another time", with(func(p *lease.Process) { p.Started = "1" }), true},
		{"an earlier boot", with(func(p *lease.Process) { p.Boot = "earlier" }), true},
		{"another machine", with(func(p *lease.Process) { p.Host = "other"; p.Boot = "x" }), false},
		{"a number that nobody has", with(func(p *lease.Process) { p.PID = ended(t) }), true},
	} {
		if got := self.Gone(tt.p); got != tt.want {
			t.Errorf("%s: got gone %v, want %v", tt.name, got, tt.want)
		}
	}
	killed := exec.CommandContext(t.Context(), "sleep", "60")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killed.Wait() }() // until then it has an entry
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", killed.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	one := with(func(p *lease.Process) { p.PID, p.Started = killed.Process.Pid, strings.Fields(string(stat))[21] })
	if self.Gone(one) {
		t.Error("got gone for a process that runs")
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); !self.Gone(one); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("a killed process that nobody has waited for lives")
		}
	}
	unsure := with(func(p *lease.Process) { p.Started = "" })
	if unsure.Gone(with(func(p *lease.Process) { p.Boot = "earlier" })) {
		t.Error("got gone for a process of unknown start time")
	}
}

// ended returns the id of a process that has just ended.
func ended(t *testing.T) int {
	t.Helper()
	c := exec.CommandContext(t.Context(), "true")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid
}
