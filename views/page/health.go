package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// HealthProps are how the program is.
type HealthProps struct {
	App      layout.Props
	Stores   []StoreLine
	Outgrown string // a sentence when the search index is of another embedding model
	Check    CheckLines
	Working  *partial.TraceProps // the check or rebuild that is waiting or at work
	Rebuilds bool                // it is a rebuild
	Queue    QueueLines
	Workers  []WorkerLine
	Disk     DiskLines
	Speeds   []SpeedLine
	Answers  AnswerLine
	Now      time.Time
}

// StoreLine is one store as it answers.
type StoreLine struct {
	Role    string
	Name    string
	Can     string
	Took    time.Duration
	Problem string // a sentence when it does not answer
	At      int64  // the change it has been brought to
	Behind  int64  // how many changes wait for it
	Since   time.Time
	Waiting []string // the first documents whose changes wait
}

// CheckLines are what the last check found; At is zero when there was none.
type CheckLines struct {
	At     time.Time
	Found  []string
	Mended []string
	Unsure string
}

// QueueLines are what waits, works and has failed.
type QueueLines struct {
	Waiting, Running, Failed int
	Asleep                   int // of the waiting ones: those that wait for a person
	Oldest                   time.Time
	Late, Dead               []QueuedItem
}

// QueuedItem is one run of the queue.
type QueuedItem struct {
	ID      domain.RunID
	Kind    string
	Subject string
	Problem string
	Attempt int
	NextTry time.Time // zero when it is not tried again
}

// WorkerLine is one process that carries out runs.
type WorkerLine struct {
	Host   string
	PID    int
	Seen   time.Time
	Leases int
	Gone   bool
}

// DiskLines are what is stored and what there is room for.
type DiskLines struct {
	Folder string
	Uses   []UseLine
	Free   int64
	Known  bool // Free can be told
	Low    bool
}

// UseLine is how many bytes something takes.
type UseLine struct {
	Name  string
	Bytes int64
	More  bool // it is more than that
}

// SpeedLine is how long the last runs of one kind took.
type SpeedLine struct {
	Kind     string
	Runs     int
	P50, P95 time.Duration
}

// AnswerLine sums up how the last questions went.
type AnswerLine struct {
	Questions        int
	Loops            int
	Capped           int
	Yes, No, Ungiven int
}

// quiet is how long a worker may be silent: several heartbeats.
const quiet = 30 * time.Second

// state is all of it in one sentence.
func (p HealthProps) state() string {
	wrong := len(p.Check.Found)
	for _, s := range p.Stores {
		if s.Problem != "" {
			wrong++
		}
	}
	if p.Outgrown != "" {
		wrong++
	}
	if p.Disk.Low {
		wrong++
	}
	if len(p.Workers) == 0 {
		wrong++
	}
	if wrong == 0 {
		return "Everything is in order."
	}
	return format.Count(wrong, "thing wants", "things want") + " a look."
}

func (p HealthProps) events() string {
	if p.Working == nil {
		return ""
	}
	return link.RunEvents(p.Working.Run, p.Working.After)
}

func (p HealthProps) run() domain.RunID {
	if p.Working == nil {
		return ""
	}
	return p.Working.Run
}

func (p HealthProps) doing() string {
	if p.Rebuilds {
		return "The stores are being rebuilt."
	}
	return "The stores are being compared with the ledger."
}

func (s StoreLine) state() string {
	switch {
	case s.Problem != "":
		return "away"
	case s.Behind > 0:
		return "behind"
	}
	return "well"
}

// lag says what the store has still to take in.
func (s StoreLine) lag(now time.Time) string {
	said := format.Count(int(s.Behind), "change waits", "changes wait") + " for it"
	if !s.Since.IsZero() {
		said += ", the oldest for " + format.Duration(now.Sub(s.Since))
	}
	if len(s.Waiting) > 0 {
		said += ": " + strings.Join(s.Waiting, ", ")
	}
	return said + "."
}

func (c CheckLines) when() string {
	switch {
	case c.At.IsZero():
		return "Not checked yet. A check rebuilds the stores in memory and compares them with those in use. It changes nothing and calls no model."
	case len(c.Found) == 0 && c.Unsure == "":
		return "Sound, as of " + format.Moment(c.At) + "."
	}
	return "As of " + format.Moment(c.At) + ":"
}

func (q QueueLines) sums(now time.Time) string {
	if q.Waiting+q.Running+q.Failed == 0 {
		return "Nothing waits, nothing has failed."
	}
	said := fmt.Sprintf("%s waiting, %s at work, %s failed", format.Int(q.Waiting), format.Int(q.Running), format.Int(q.Failed))
	if q.Asleep > 0 {
		said += fmt.Sprintf("; %s of the waiting for a person", format.Int(q.Asleep))
	}
	if !q.Oldest.IsZero() {
		said += ". The oldest waits for " + format.Duration(now.Sub(q.Oldest))
	}
	return said + "."
}

// says is why the run is where it is, and when it is tried again.
func (r QueuedItem) says(now time.Time) string {
	said := r.Kind + ", " + format.Count(r.Attempt, "try", "tries")
	if !r.NextTry.IsZero() {
		if wait := r.NextTry.Sub(now); wait > 0 {
			said += ", next in " + format.Duration(wait)
		} else {
			said += ", next at once"
		}
	}
	if r.Problem != "" {
		said += ": " + r.Problem
	}
	return said
}

func (w WorkerLine) name() string { return fmt.Sprintf("%s, process %d", w.Host, w.PID) }

// silent reports whether a worker should have been heard of.
func (w WorkerLine) silent(now time.Time) bool { return w.Gone || now.Sub(w.Seen) > quiet }

func (w WorkerLine) says(now time.Time) string {
	if w.Gone {
		return "gone; its runs are taken over"
	}
	said := "seen just now"
	if ago := now.Sub(w.Seen); ago >= time.Second {
		said = "seen " + format.Duration(ago) + " ago"
	}
	if w.Leases > 0 {
		said += ", works on " + format.Count(w.Leases, "run", "runs")
	}
	return said
}

func (u UseLine) size() string {
	if u.More {
		return "more than " + format.Bytes(u.Bytes)
	}
	return format.Bytes(u.Bytes)
}

// says are the sums over the last questions, each in words.
func (a AnswerLine) says() []string {
	said := []string{
		fmt.Sprintf("Of the last %s, each was reworded %.1f times.", format.Count(a.Questions, "question", "questions"), float64(a.Loops)/float64(a.Questions)),
		format.Count(a.Capped, "question", "questions") + " came to the loop cap with nothing relevant.",
	}
	if graded := a.Yes + a.No + a.Ungiven; graded > 0 {
		percent := func(n int) int { return (n*100 + graded/2) / graded }
		said = append(said, fmt.Sprintf("Of %s %d %% were relevant, %d %% were not, %d %% are missing.", format.Count(graded, "grade", "grades"), percent(a.Yes), percent(a.No), percent(a.Ungiven)))
	}
	return said
}

func currentTab(here, tab layout.Section) string {
	if here == tab {
		return "page"
	}
	return "false"
}
