package auth

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A budget allows burst attempts at once, and one more after each pause.
type budget struct {
	burst int
	pause time.Duration
}

// An attempt to sign in needs one from each budget that counts it; only a wrong
// password spends it. A stranger spends the budgets of his address, and of the
// name only as much as those allow. So one address, or a few, can't use up a
// name's budget, while guesses from many addresses together get no more than
// that. An address from which the account has signed in is not counted against
// the name, and a browser that it has signed in with has a budget to itself:
// strangers can't lock them out.
//
// A process counts for itself and forgets when it ends.
var (
	perPair    = budget{5, 30 * time.Second}  // per name from an address, or from a known browser
	perAddress = budget{30, 10 * time.Second} // per address, for all names
	perName    = budget{25, 10 * time.Second} // per name, from addresses and browsers that are not known
	logLines   = budget{10, 6 * time.Second}
)

// maxKeys limits how many spent budgets are remembered.
const maxKeys = 10_000

// A key names who spends a budget. Hashes have one size, however long the names.
type key [sha256.Size]byte

func keyOf(parts ...string) key { return sha256.Sum256([]byte(strings.Join(parts, "\x00"))) }

// network returns the part of an address that counts as one: an IPv6 customer has 2^64.
func network(a netip.Addr) string {
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // fails only if bits is too large
	return p.String()
}

// A claim is the use of a budget by somebody.
type claim struct {
	key    key
	budget budget
}

// A limiter counts attempts. It is safe for concurrent use.
type limiter struct {
	now domain.Clock

	mu    sync.Mutex
	spent map[key]*list.Element
	order *list.List // of *spending, most recently used first
}

// spending counts the attempts charged to a budget.
type spending struct {
	key     key
	whole   time.Time // when the budget is full again
	trusted bool
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, spent: map[key]*list.Element{}, order: list.New()}
}

// take spends one attempt of every claim, or none and returns how long to wait.
func (l *limiter) take(claims []claim) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, c := range claims {
		if e, ok := l.spent[c.key]; ok {
			left := e.Value.(*spending).whole.Sub(now)
			wait = max(wait, left-time.Duration(c.budget.burst-1)*c.budget.pause)
		}
	}
	if wait > 0 {
		return wait
	}
	for _, c := range claims {
		s := l.touch(c.key)
		if s.whole.Before(now) {
			s.whole = now
		}
		s.whole = s.whole.Add(c.budget.pause)
	}
	return 0
}

// giveBack returns the attempt that take has charged.
func (l *limiter) giveBack(claims []claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range claims {
		if e, ok := l.spent[c.key]; ok {
			s := e.Value.(*spending)
			s.whole = s.whole.Add(-c.budget.pause)
		}
	}
}

// trust makes a budget whole and marks it.
func (l *limiter) trust(k key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.touch(k) = spending{key: k, whole: l.now(), trusted: true}
}

// trusted reports whether trust was called with a key that is still remembered.
func (l *limiter) trusted(k key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.spent[k]
	return ok && e.Value.(*spending).trusted
}

// touch returns the spending of a key. For a new one it forgets the one used
// longest ago if there are too many.
func (l *limiter) touch(k key) *spending {
	if e, ok := l.spent[k]; ok {
		l.order.MoveToFront(e)
		return e.Value.(*spending)
	}
	if oldest := l.order.Back(); l.order.Len() >= maxKeys {
		delete(l.spent, l.order.Remove(oldest).(*spending).key)
	}
	s := &spending{key: k}
	l.spent[k] = l.order.PushFront(s)
	return s
}

// seconds describes how long to wait, rounded up.
func seconds(d time.Duration) string {
	n := int((d + time.Second - 1) / time.Second)
	if n == 1 {
		return "a second"
	}
	return fmt.Sprintf("%d seconds", n)
}
