package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// HealthProps show the state of the program.
type HealthProps struct {
	App        layout.Props
	Stores     []maintenance.StoreState
	Outgrown   string             // a sentence if the search index belongs to another embedding model
	Check      maintenance.Result // zero before the first check
	Working    *outline.Trace     // the check or rebuild in progress or queued
	Rebuilds   bool               // Working is a rebuild
	Queue      maintenance.QueueState
	Late, Dead []QueuedItem // runs of Queue
	Workers    []maintenance.Worker
	Disk       maintenance.Disk
	Models     []llm.Load
	Monitoring []string // see maintenance.MonitorParams
	Program    string   // see maintenance.MonitorParams
	Speeds     []maintenance.Speed
	Answers    maintenance.Answers
	Now        time.Time
}

// A QueuedItem is a run in the queue, with the title of its kind and what it is about.
type QueuedItem struct {
	job.Run
	Kind, Subject string
}

// quiet is how long a worker may be silent: several heartbeats.
const quiet = 30 * time.Second

// foreign reports whether a store belongs to another library.
func (p HealthProps) foreign() bool {
	return slices.ContainsFunc(p.Stores, func(s maintenance.StoreState) bool { return s.Foreign })
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
	if p.Disk.Low() {
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

// storeState names the state of a store for styles.
func storeState(s maintenance.StoreState) string {
	switch {
	case s.Problem != "":
		return "away"
	case s.Behind > 0:
		return "behind"
	}
	return "well"
}

// lag describes how far a store is behind.
func lag(s maintenance.StoreState, now time.Time) string {
	text := format.Count(int(s.Behind), "change", "changes") + " not applied yet"
	if !s.Since.IsZero() {
		text += ", the oldest for " + format.Duration(now.Sub(s.Since))
	}
	if len(s.Waiting) > 0 {
		text += ": " + strings.Join(s.Waiting, ", ")
	}
	return text + "."
}

// groups lists the findings of a check.
func groups(list []maintenance.Group) []string {
	said := make([]string, len(list))
	for i, g := range list {
		said[i] = g.String()
	}
	return said
}

func checkedAt(c maintenance.Result) string {
	switch {
	case c.At.IsZero():
		return "Not checked yet. A check rebuilds the stores in memory and compares them with those in use. It changes nothing and calls no model."
	case len(c.Found) == 0 && c.Unsure == "":
		return "No differences as of " + format.Moment(c.At) + "."
	}
	return "As of " + format.Moment(c.At) + ":"
}

func queueSums(q maintenance.QueueState, now time.Time) string {
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

// detail describes why the run is in the queue and when it is retried.
func (r QueuedItem) detail(now time.Time) string {
	text := r.Kind + ", " + format.Count(r.Attempt, "try", "tries")
	if !r.Status.Ended() && !r.NextTry.IsZero() {
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

func workerName(w maintenance.Worker) string { return fmt.Sprintf("%s, process %d", w.Host, w.PID) }

// silent reports whether a worker missed its heartbeats.
func silent(w maintenance.Worker, now time.Time) bool { return w.Gone || now.Sub(w.Seen) > quiet }

func workerDetail(w maintenance.Worker, now time.Time) string {
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

// loadDetail says how many calls are made at once, and why not more.
func loadDetail(m llm.Load, now time.Time) string {
	text := fmt.Sprintf("%s of %s at once", format.Int(m.InFlight), format.Count(m.Bound, "call", "calls"))
	if m.Bound < m.Most {
		text += fmt.Sprintf(", fewer than the %d that are set, because the server was busy or slow", m.Most)
	}
	if m.Waiting > 0 {
		text += ", " + format.Int(m.Waiting) + " waiting"
	}
	if rate := format.Rate(m.Rate.Calls, m.Rate.Tokens); rate != "" {
		text += ", at most " + rate
	}
	if wait := m.Until.Sub(now); wait > 0 {
		text += "; it asked for no calls for another " + format.Duration(wait)
	}
	return text
}

// slowed reports whether fewer calls are made than configured.
func slowed(m llm.Load, now time.Time) bool { return m.Bound < m.Most || m.Until.After(now) }

func useSize(u maintenance.Use) string {
	if u.More {
		return "more than " + format.Bytes(u.Bytes)
	}
	return format.Bytes(u.Bytes)
}

// answersSaid sums up the last questions.
func answersSaid(a maintenance.Answers) []string {
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
