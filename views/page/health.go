package page

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/upkeep/maintenance"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/lang"
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
	Late, Dead []QueuedItem // runs in Queue
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
func (p HealthProps) state(ctx context.Context) string {
	wrong := len(p.Check.Found) + lists.CountFunc(p.Stores, func(s maintenance.StoreState) bool { return s.Problem != "" })
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
		return lang.T(ctx, "Everything is in order.")
	}
	return lang.F(ctx, "%s attention.", lang.Count(ctx, wrong, "thing needs", "things need"))
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

func (p HealthProps) doing(ctx context.Context) string {
	if p.Rebuilds {
		return lang.T(ctx, "The stores are being rebuilt.")
	}
	return lang.T(ctx, "The stores are being compared with the ledger.")
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
func lag(ctx context.Context, s maintenance.StoreState, now time.Time) string {
	text := lang.F(ctx, "%s not applied yet", lang.Count(ctx, int(s.Behind), "change", "changes"))
	if !s.Since.IsZero() {
		text += lang.F(ctx, ", the oldest for %s", lang.Duration(ctx, now.Sub(s.Since)))
	}
	if len(s.Waiting) > 0 {
		text += ": " + strings.Join(s.Waiting, ", ")
	}
	return text + "."
}

// groups lists the findings of a check.
func groups(list []maintenance.Group) []string {
	return lists.Map(list, maintenance.Group.String)
}

func checkedAt(ctx context.Context, c maintenance.Result) string {
	switch {
	case c.At.IsZero():
		return lang.T(ctx, "Not checked yet. A check rebuilds the stores in memory and compares them with those in use. It changes nothing and calls no model.")
	case len(c.Found) == 0 && c.Unsure == "":
		return lang.F(ctx, "No differences as of %s.", lang.Moment(ctx, c.At))
	}
	return lang.F(ctx, "As of %s", lang.Moment(ctx, c.At)) + ":"
}

func queueSums(ctx context.Context, q maintenance.QueueState, now time.Time) string {
	if q.Waiting+q.Running+q.Failed == 0 {
		return lang.T(ctx, "The queue is empty, and nothing has failed.")
	}
	text := lang.F(ctx, "%s waiting", lang.Int(ctx, q.Waiting))
	if q.Asleep > 0 {
		text += lang.F(ctx, " (%s for a person)", lang.Int(ctx, q.Asleep))
	}
	text += lang.F(ctx, ", %s running, %s failed", lang.Int(ctx, q.Running), lang.Int(ctx, q.Failed))
	if !q.Oldest.IsZero() {
		text += lang.F(ctx, ". The oldest has been waiting for %s", lang.Duration(ctx, now.Sub(q.Oldest)))
	}
	return text + "."
}

// detail describes why the run is in the queue and when it is retried.
func (r QueuedItem) detail(ctx context.Context, now time.Time) string {
	text := lang.T(ctx, r.Kind) + ", " + lang.Count(ctx, r.Attempt, "try", "tries")
	if !r.Status.Ended() && !r.NextTry.IsZero() {
		if wait := r.NextTry.Sub(now); wait > 0 {
			text += lang.F(ctx, ", next in %s", lang.Duration(ctx, wait))
		} else {
			text += lang.T(ctx, ", next now")
		}
	}
	if r.Problem != "" {
		text += ": " + lang.Sentence(ctx, r.Problem)
	}
	return text
}

func workerName(ctx context.Context, w maintenance.Worker) string {
	return lang.F(ctx, "%s, process %d", w.Host, w.PID)
}

// silent reports whether a worker missed its heartbeats.
func silent(w maintenance.Worker, now time.Time) bool { return w.Gone || now.Sub(w.Seen) > quiet }

func workerDetail(ctx context.Context, w maintenance.Worker, now time.Time) string {
	if w.Gone {
		return lang.T(ctx, "gone; other workers take over its runs")
	}
	text := lang.T(ctx, "seen just now")
	if ago := now.Sub(w.Seen); ago >= time.Second {
		text = lang.F(ctx, "seen %s ago", lang.Duration(ctx, ago))
	}
	if w.Leases > 0 {
		text += lang.F(ctx, ", working on %s", lang.Count(ctx, w.Leases, "run", "runs"))
	}
	return text
}

// loadDetail says how many calls are made at once, and why not more.
func loadDetail(ctx context.Context, m llm.Load, now time.Time) string {
	text := lang.F(ctx, "%s of %s at once", lang.Int(ctx, m.InFlight), lang.Count(ctx, m.Bound, "call", "calls"))
	if m.Bound < m.Most {
		text += lang.F(ctx, ", fewer than the %d that are set, because the server was busy or slow", m.Most)
	}
	if m.Waiting > 0 {
		text += lang.F(ctx, ", %s waiting", lang.Int(ctx, m.Waiting))
	}
	if rate := format.Rate(m.Rate.Calls, m.Rate.Tokens); rate != "" {
		text += lang.F(ctx, ", at most %s", rate)
	}
	if wait := m.Until.Sub(now); wait > 0 {
		text += lang.F(ctx, "; it asked for no calls for another %s", lang.Duration(ctx, wait))
	}
	return text
}

// slowed reports whether fewer calls are made than configured.
func slowed(m llm.Load, now time.Time) bool { return m.Bound < m.Most || m.Until.After(now) }

func useSize(ctx context.Context, u maintenance.Use) string {
	if u.More {
		return lang.F(ctx, "more than %s", lang.Bytes(ctx, u.Bytes))
	}
	return lang.Bytes(ctx, u.Bytes)
}

// answersSaid sums up the last questions.
func answersSaid(ctx context.Context, a maintenance.Answers) []string {
	text := []string{
		lang.F(ctx, "Last %s: reworded %s times on average.", lang.Count(ctx, a.Questions, "question", "questions"), lang.Decimal(ctx, float64(a.Loops)/float64(a.Questions), 1)),
		lang.F(ctx, "%s reached the loop cap without a relevant passage.", lang.Count(ctx, a.Capped, "question", "questions")),
	}
	if graded := a.Yes + a.No + a.Ungiven; graded > 0 {
		percent := func(n int) int { return (n*100 + graded/2) / graded }
		text = append(text, lang.F(ctx, "Of %s %d %% were relevant, %d %% were not, %d %% are missing.", lang.Count(ctx, graded, "grade", "grades"), percent(a.Yes), percent(a.No), percent(a.Ungiven)))
	}
	return text
}

func currentTab(here, tab layout.Section) string { return current(here == tab) }
