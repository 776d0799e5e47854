package trace

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
)

// The hubs of several processes tell each other about runs that somebody watches. A process whose
// watchers follow a run that another process records keeps asking for it; the recording process then
// announces events and sends the words. Words are not stored: a message says where its words belong in
// the text, and a process that lacks earlier ones asks for the rest from there.

// The topics of messages between hubs.
const (
	topicWanted = "wanted"
	topicEvent  = "event"
	topicWords  = "words"
)

const (
	wantedFor  = 15 * time.Second       // how long a run is reported after a request
	askEvery   = 5 * time.Second        // how often a watched run is requested
	askAgain   = 100 * time.Millisecond // after a part of its words was missed
	mostWanted = 10_000                 // runs
	mostBytes  = 1_000                  // of the words in a message, which JSON may make six times as long
	mostWords  = 1 << 18                // bytes of a text that others see being written
)

// words is a message with a part of a text, or one of its sources.
type words struct {
	Run   domain.RunID     `json:"run"`
	Text  writing          `json:"of"`
	From  int              `json:"from,omitempty"` // bytes before it
	Words string           `json:"words,omitempty"`
	Marks int              `json:"marks,omitempty"` // sources before it
	Cited *domain.Citation `json:"cited,omitempty"`
}

// writing names a text: the attempt that writes it, and which of its texts it is.
type writing struct {
	By    string `json:"by"`
	Round int    `json:"round"`
}

// wanted is a message that asks for what follows the words and sources that the sender has.
type wanted struct {
	Run   domain.RunID `json:"run"`
	Text  writing      `json:"of"`
	Bytes int          `json:"bytes,omitempty"`
	Cited int          `json:"cited,omitempty"`
}

// told is the part of a recorded run's text that other processes have.
type told struct {
	round, bytes, cited int
	due                 bool // more will be sent after a batch
}

// tellOthers sends a message, and reports whether it will arrive if all goes well.
func (h *Hub) tellOthers(topic string, message any) bool {
	text, err := json.Marshal(message)
	return err == nil && h.wire.Tell(topic, string(text))
}

// ask asks for a run that watchers here follow and others record. The caller holds the lock.
func (h *Hub) ask(run domain.RunID, l *live, every time.Duration) {
	now := h.now()
	if h.recorders[run] != nil || !h.wire.Listening() || now.Sub(l.asked) < every {
		return
	}
	l.asked = now
	h.tellOthers(topicWanted, wanted{run, l.writing, len(l.text), len(l.cited)})
}

// askAgain asks for a run of whose words a part was missed, once for all messages that follow it. The caller holds the lock.
func (h *Hub) askAgain(run domain.RunID, l *live) {
	if l.lacks {
		return
	}
	l.lacks = true
	time.AfterFunc(askAgain, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		l.lacks = false
		if h.live[run] == l {
			h.ask(run, l, 0)
		}
	})
}

// isWanted reports whether a watcher elsewhere follows a run. The caller holds the lock.
func (h *Hub) isWanted(run domain.RunID) bool {
	until, ok := h.wanted[run]
	if ok && until.Before(h.now()) {
		delete(h.wanted, run)
		ok = false
	}
	return ok
}

// Hear takes a message of another process; without a topic, messages may have been missed.
func (h *Hub) Hear(topic, text string) {
	switch topic {
	case topicWanted:
		var m wanted
		if json.Unmarshal([]byte(text), &m) == nil {
			h.hearWanted(m)
		}
	case topicWords:
		var m words
		if json.Unmarshal([]byte(text), &m) == nil {
			h.hearWords(m)
		}
	case topicEvent:
		var run domain.RunID
		if json.Unmarshal([]byte(text), &run) == nil {
			h.lookAt(run)
		}
	case "":
		h.mu.Lock()
		defer h.mu.Unlock()
		for run, l := range h.live {
			l.asked = time.Time{}
			h.ask(run, l, 0)
			l.lookAgain()
		}
	}
}

// lookAt has the watchers of a run look at its log.
func (h *Hub) lookAt(run domain.RunID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.live[run]; l != nil {
		l.lookAgain()
	}
}

func (l *live) lookAgain() {
	l.heard++
	l.wake()
}

// hearWanted notes that a run is watched elsewhere, and sends what is requested.
func (h *Hub) hearWanted(m wanted) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for run := range h.wanted {
		if len(h.wanted) >= mostWanted {
			h.isWanted(run)
		}
	}
	if len(h.wanted) >= mostWanted {
		return
	}
	h.wanted[m.Run] = h.now().Add(wantedFor)
	r := h.recorders[m.Run]
	if r == nil {
		return
	}
	if m.Text == (writing{r.name, r.live.round}) {
		r.told.bytes, r.told.cited = min(r.told.bytes, max(0, m.Bytes)), min(r.told.cited, max(0, m.Cited))
	} else {
		r.told = told{round: r.live.round, due: r.told.due}
	}
	h.tellOthers(topicEvent, m.Run)
	h.tellWords(r)
}

// tellWords sends other processes the words that they lack, if they watch the run. The caller holds the lock.
func (h *Hub) tellWords(r *Recorder) {
	if !h.isWanted(r.run) {
		return
	}
	l, t := r.live, &r.told
	if t.round != l.round {
		*t = told{round: l.round, due: t.due}
	}
	of := writing{r.name, l.round}
	for t.cited < len(l.cited) && h.tellOthers(topicWords, words{Run: r.run, Text: of, Marks: t.cited, Cited: &l.cited[t.cited]}) {
		t.cited++
	}
	for t.bytes < min(len(l.text), mostWords) {
		part := upTo(l.text[t.bytes:], mostBytes)
		if !h.tellOthers(topicWords, words{Run: r.run, Text: of, From: t.bytes, Words: part, Marks: t.cited}) {
			return
		}
		t.bytes += len(part)
	}
}

// upTo returns the beginning of a text of at most n bytes, without a part of a character.
func upTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// tellSoon sends words to other processes after a batch, the first ones at once. The caller holds the lock.
func (h *Hub) tellSoon(r *Recorder) {
	switch {
	case r.told.due || !h.isWanted(r.run):
	case r.told.round != r.live.round || r.told.bytes == 0:
		h.tellWords(r)
	default:
		r.told.due = true
		time.AfterFunc(h.batch, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			r.told.due = false
			h.tellWords(r)
		})
	}
}

// hearWords adds words of another process to the text of a run.
func (h *Hub) hearWords(m words) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.live[m.Run]
	if l == nil || h.recorders[m.Run] != nil {
		return
	}
	if l.writing != m.Text {
		l.restart()
		l.writing = m.Text
	}
	if m.From > len(l.text) || m.Marks > len(l.cited) {
		h.askAgain(m.Run, l)
		return
	}
	if m.Cited != nil && m.Marks == len(l.cited) {
		l.cited = append(l.cited, *m.Cited)
	}
	if have := len(l.text) - m.From; have < len(m.Words) {
		l.text += strings.Clone(m.Words[have:])
	}
	l.wake()
}
