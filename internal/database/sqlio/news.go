package sqlio

import (
	"sync"
	"time"
)

// News notifies readers in all processes connected by a wire of writes. Processes are only notified while one of them
// asks, and once for all writes of a moment. A nil News has no readers.
type News struct {
	wire Wire

	mu     sync.Mutex
	next   chan struct{} // closed when something is written; nil while nobody waits
	wanted time.Time     // others are told until then
	asked  time.Time     // when others were last asked to tell
	due    bool          // others are about to be told
}

// NewNews returns News that processes share over a wire.
func NewNews(wire Wire) *News { return &News{wire: wire} }

// The topics of messages about what was written.
const (
	topicWritten = "written"
	topicReaders = "readers" // somebody is waiting for news
)

const (
	readersFor   = 15 * time.Second      // how long processes are told after one has asked
	readersAsk   = 5 * time.Second       // how often they ask while waiting
	writtenBatch = 20 * time.Millisecond // writes within this time are announced together
)

// Wrote wakes those who wait.
func (n *News) Wrote() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake()
	if n.due || n.wanted.Before(time.Now()) {
		return
	}
	n.due = true
	time.AfterFunc(writtenBatch, func() {
		n.mu.Lock()
		n.due = false
		n.mu.Unlock()
		n.wire.Tell(topicWritten, "")
	})
}

func (n *News) wake() {
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

// Told reports whether others announce their writes. If they don't, and occasionally if they do, a waiting reader polls
// as well.
func (n *News) Told() bool { return n != nil && n.wire.Listening() }

// Next returns a channel that is closed when something is written from now on.
func (n *News) Next() <-chan struct{} {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); n.wire.Listening() && now.Sub(n.asked) >= readersAsk {
		n.asked = now
		n.wire.Tell(topicReaders, "")
	}
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// Hear takes a message of another process; without a topic, messages may have been missed.
func (n *News) Hear(topic string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch topic {
	case topicReaders:
		if n.wanted.Before(time.Now()) { // it has missed earlier writes
			n.wire.Tell(topicWritten, "")
		}
		n.wanted = time.Now().Add(readersFor)
	case topicWritten:
		n.wake()
	case "":
		n.asked = time.Time{}
		n.wake()
	}
}
