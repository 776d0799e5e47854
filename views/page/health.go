package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// HealthProps show the state of the program.
type HealthProps struct {
	App      layout.Props
	Stores   []StoreLine
	Outgrown string // a sentence if the search index belongs to another embedding model
	Check    CheckLines
	Working  *outline.Trace // the check or rebuild in progress or queued
	Rebuilds bool           // Working is a rebuild
	Queue    QueueLines
	Workers  []WorkerLine
	Disk     DiskLines
	Models   []ModelLoad
	Speeds   []SpeedLine
	Answers  AnswerLine
	Now      time.Time
}

// A StoreLine shows one store.
type StoreLine struct {
	Role    string
	Name    string
	Can     string
	Took    time.Duration
	Problem string // a sentence if it does not answer
	Foreign bool   // it belongs to another library
	At      int64  // number of the last change applied
	Behind  int64  // changes not yet applied
	Since   time.Time
	Waiting []string // first documents with such changes
}

// CheckLines show what the last check found; At is zero without one.
type CheckLines struct {
	At       time.Time
	Found    []string
	Repaired []string
	Unsure   string
}

// QueueLines sum up the queue.
type QueueLines struct {
	Waiting, Running, Failed int
	Asleep                   int // of the waiting ones: waiting for a person
	Oldest                   time.Time
	Late, Dead               []QueuedItem
}

// A QueuedItem is one run in the queue.
type QueuedItem struct {
	ID      domain.RunID
	Kind    string
	Subject string
	Problem string
	Attempt int
	NextTry time.Time // zero if there is no retry
}

// A WorkerLine is one process that works on the queue.
type WorkerLine struct {
	Host   string
	PID    int
	Seen   time.Time
	Leases int
	Gone   bool
}

// DiskLines show used and free space.
type DiskLines struct {
	Folder string
	Uses   []UseLine
	Free   int64
	Known  bool // Free is known
	Low    bool
}

// A UseLine is the space that something takes.
type UseLine struct {
	Name  string
	Bytes int64
	More  bool // Bytes is a lower bound
}

// A ModelLoad shows how busy this process keeps a server of models.
type ModelLoad struct {
	Server   string
	Most     int
	Bound    int
	InFlight int
	Waiting  int
	Rate     string    // what the server allows, "" for any number
	Until    time.Time // the server asked for no calls before
}

// A SpeedLine shows how long the last runs of one kind took.
type SpeedLine struct {
	Kind     string
	Runs     int
	P50, P95 time.Duration
}

// An AnswerLine sums up the last questions.
type AnswerLine struct {
	Questions        int
	Loops            int
	Capped           int
	Yes, No, Ungiven int
}

// quiet is how long a worker may be silent: several heartbeats.
const quiet = 30 * time.Second

// foreign reports whether a store belongs to another library.
func (p HealthProps) foreign() bool {
	return slices.ContainsFunc(p.Stores, func(s StoreLine) bool { return s.Foreign })
}

// state sums up the page in one sentence.
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
	return format.Count(wrong, "thing needs", "things need") + " attention."
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

// lag describes how far the store is behind.
func (s StoreLine) lag(now time.Time) string {
	text := format.Count(int(s.Behind), "change", "changes") + " not applied yet"
	if !s.Since.IsZero() {
		text += ", the oldest for " + format.Duration(now.Sub(s.Since))
	}
	if len(s.Waiting) > 0 {
		text += ": " + strings.Join(s.Waiting, ", ")
	}
	return text + "."
}

func (c CheckLines) when() string {
	switch {
	case c.At.IsZero():
		return "Not checked yet. A check rebuilds the stores in memory and compares them with those in use. It changes nothing and calls no model."
	case len(c.Found) == 0 && c.Unsure == "":
		return "No differences as of " + format.Moment(c.At) + "."
	}
	return "As of " + format.Moment(c.At) + ":"
}

func (q QueueLines) sums(now time.Time) string {
	if q.Waiting+q.Running+q.Failed == 0 {
		return "The queue is empty, and nothing has failed."
	}
	text := format.Int(q.Waiting) + " waiting"
	if q.Asleep > 0 {
		text += fmt.Sprintf(" (%s for a person)", format.Int(q.Asleep))
	}
	text += fmt.Sprintf(", %s running, %s failed", format.Int(q.Running), format.Int(q.Failed))
	if !q.Oldest.IsZero() {
		text += ". The oldest has been waiting for " + format.Duration(now.Sub(q.Oldest))
	}
	return text + "."
}

// detail says why the run is in the queue and when it is retried.
func (r QueuedItem) detail(now time.Time) string {
	text := r.Kind + ", " + format.Count(r.Attempt, "try", "tries")
	if !r.NextTry.IsZero() {
		if wait := r.NextTry.Sub(now); wait > 0 {
			text += ", next in " + format.Duration(wait)
		} else {
			text += ", next now"
		}
	}
	if r.Problem != "" {
		text += ": " + r.Problem
	}
	return text
}

func (w WorkerLine) name() string { return fmt.Sprintf("%s, process %d", w.Host, w.PID) }

// silent reports whether a worker missed its heartbeats.
func (w WorkerLine) silent(now time.Time) bool { return w.Gone || now.Sub(w.Seen) > quiet }

func (w WorkerLine) detail(now time.Time) string {
	if w.Gone {
		return "gone; other workers take over its runs"
	}
	text := "seen just now"
	if ago := now.Sub(w.Seen); ago >= time.Second {
		text = "seen " + format.Duration(ago) + " ago"
	}
	if w.Leases > 0 {
		text += ", working on " + format.Count(w.Leases, "run", "runs")
	}
	return text
}

// detail says how many calls are made at once, and why not more.
func (m ModelLoad) detail(now time.Time) string {
	text := fmt.Sprintf("%s of %s at once", format.Int(m.InFlight), format.Count(m.Bound, "call", "calls"))
	if m.Bound < m.Most {
		text += fmt.Sprintf(", fewer than the %d that are set, because the server was busy or slow", m.Most)
	}
	if m.Waiting > 0 {
		text += ", " + format.Int(m.Waiting) + " waiting"
	}
	if m.Rate != "" {
		text += ", at most " + m.Rate
	}
	if wait := m.Until.Sub(now); wait > 0 {
		text += "; it asked for no calls for another " + format.Duration(wait)
	}
	return text
}

// slowed reports whether fewer calls are made than are set.
func (m ModelLoad) slowed(now time.Time) bool { return m.Bound < m.Most || m.Until.After(now) }

func (u UseLine) size() string {
	if u.More {
		return "more than " + format.Bytes(u.Bytes)
	}
	return format.Bytes(u.Bytes)
}

// sentences sums up the last questions.
func (a AnswerLine) sentences() []string {
	text := []string{
		fmt.Sprintf("Last %s: reworded %.1f times on average.", format.Count(a.Questions, "question", "questions"), float64(a.Loops)/float64(a.Questions)),
		format.Count(a.Capped, "question", "questions") + " reached the loop cap without a relevant passage.",
	}
	if graded := a.Yes + a.No + a.Ungiven; graded > 0 {
		percent := func(n int) int { return (n*100 + graded/2) / graded }
		text = append(text, fmt.Sprintf("Of %s %d %% were relevant, %d %% were not, %d %% are missing.", format.Count(graded, "grade", "grades"), percent(a.Yes), percent(a.No), percent(a.Ungiven)))
	}
	return text
}

func currentTab(here, tab layout.Section) string {
	if here == tab {
		return "page"
	}
	return "false"
}
