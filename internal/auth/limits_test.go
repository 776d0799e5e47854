package auth

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestABudget(t *testing.T) {
	t.Parallel()
	clk := &clock{time.Unix(1_000_000, 0)}
	l := newLimiter(clk.now)
	mine := []claim{{keyOf("mine"), budget{3, time.Minute}}}
	for i, step := range []struct {
		after, wait time.Duration
	}{
		{0, 0}, {0, 0}, {0, 0}, {0, time.Minute}, {20 * time.Second, 40 * time.Second}, {40 * time.Second, 0}, {0, time.Minute},
		{2 * time.Minute, 0}, {0, 0}, {0, time.Minute}, {time.Hour, 0}, {0, 0}, {0, 0}, {0, time.Minute},
	} {
		clk.at = clk.at.Add(step.after)
		if wait := l.take(mine); wait != step.wait {
			t.Errorf("step %d: wait %v, want %v", i, wait, step.wait)
		}
	}
	l.giveBack(mine)
	if wait := l.take(mine); wait != 0 {
		t.Errorf("what was given back can't be taken: wait %v", wait)
	}
}

// TestAllOrNothing: who is refused by one budget spends none of the others.
func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	l := newLimiter((&clock{time.Unix(1_000_000, 0)}).now)
	small, large := claim{keyOf("small"), budget{1, time.Minute}}, claim{keyOf("large"), budget{3, time.Minute}}
	for i, want := range []time.Duration{0, time.Minute, time.Minute, time.Minute} {
		if wait := l.take([]claim{large, small}); wait != want {
			t.Errorf("take %d: wait %v, want %v", i, wait, want)
		}
	}
	for i, want := range []time.Duration{0, 0, time.Minute} {
		if wait := l.take([]claim{large}); wait != want {
			t.Errorf("take %d of the large budget: wait %v, want %v: have the refused spent it?", i, wait, want)
		}
	}
}

// TestMemoryIsBounded takes from more budgets than are remembered. Those in use
// are not forgotten.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter((&clock{time.Unix(1_000_000, 0)}).now)
	ada := []claim{{keyOf("ada"), perName}}
	for i := range maxKeys + 400 {
		l.take([]claim{{keyOf(fmt.Sprint(i)), perPair}})
		if i%400 == 0 {
			l.take(ada)
		}
	}
	if len(l.spent) != maxKeys || l.order.Len() != maxKeys {
		t.Errorf("%d and %d are remembered, want %d", len(l.spent), l.order.Len(), maxKeys)
	}
	if l.take(ada) == 0 {
		t.Error("a spent budget was forgotten")
	}
	if _, ok := l.spent[keyOf("0")]; ok {
		t.Error("the oldest is still remembered")
	}
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64",
	} {
		if got := network(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}
