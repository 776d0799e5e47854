package signon

import (
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// named caches for a while the accounts of people named by a proxy, so that not every request asks the ledger for what
// their groups give. It is safe for concurrent use.
type named struct {
	now domain.Clock

	mu  sync.Mutex
	all map[string]namedPerson // by what the proxy says about them

	warned time.Time // when an ignored header was last logged
}

type namedPerson struct {
	account string
	refused error
	until   time.Time
}

// How long a person is kept, and how many of them. Who is refused is soon asked for again.
const (
	namedFor   = time.Minute
	refusedFor = 5 * time.Second
	maxNamed   = 10_000
)

// account returns the account of a person, as find does, and keeps it.
func (n *named) account(p person, find func() (string, error)) (string, error) {
	key := p.subject + "\x00" + strings.Join(p.groups, "\x00")
	n.mu.Lock()
	kept, ok := n.all[key]
	n.mu.Unlock()
	if ok && n.now().Before(kept.until) {
		return kept.account, kept.refused
	}
	account, err := find()
	lasts := namedFor
	if err != nil {
		if domain.KindOf(err) != domain.Forbidden {
			return "", err
		}
		lasts = refusedFor
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all == nil || len(n.all) >= maxNamed {
		n.all = map[string]namedPerson{}
	}
	for other := range n.all { // entries with other groups
		if strings.HasPrefix(other, p.subject+"\x00") {
			delete(n.all, other)
		}
	}
	n.all[key] = namedPerson{account, err, n.now().Add(lasts)}
	return account, err
}

// warns reports whether a header that is not believed is to be logged: once a minute is enough.
func (n *named) warns() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now().Sub(n.warned) < time.Minute {
		return false
	}
	n.warned = n.now()
	return true
}

// forget forgets everybody.
func (n *named) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = nil
}
