package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/views/format"
)

// MaxAnalysed limits the runs of an analysis to the newest ones.
const MaxAnalysed = 2000

// analysedAtOnce is the number of runs whose events are kept in memory at once.
const analysedAtOnce = 40

// The groupings of an analysis.
const (
	ByNode   = "node"
	ByKind   = "kind"
	ByDay    = "day"
	ByMethod = "method"
	ByModel  = "model"
)

// AnalysisGroupings lists the groupings of an analysis.
func AnalysisGroupings() []string { return []string{ByNode, ByKind, ByDay, ByMethod, ByModel} }

// AnalysisWanted selects the runs to analyse and how to group them.
type AnalysisWanted struct {
	By   string `json:"by" default:"node" doc:"node, kind, day, method or model"`
	From string `json:"from" doc:"the first day, in UTC (default 29 days before the last)"`
	To   string `json:"to" doc:"the last day (default today)"`
}

// An AnalysisLine sums up the runs of a group, or how often a node ended.
type AnalysisLine struct {
	Key     string `json:"key"`
	Kind    string `json:"kind,omitempty"` // of the runs, for a node
	Runs    int    `json:"runs"`           // that have ended; for a node, how often it ended
	Failed  int    `json:"failed"`
	Refused int    `json:"refused"` // questions answered without a source
	Loops   int    `json:"loops"`   // rounds in which questions were reworded
	P50     int64  `json:"p50_ms"`
	P95     int64  `json:"p95_ms"`
	Slowest int64  `json:"slowest_ms"`
	Tokens  int    `json:"tokens"`
	Cost    string `json:"cost,omitempty"` // "" if no model was asked

	took  []time.Duration
	spent costs.Amount
}

// Took returns one of the line's times in words.
func (l AnalysisLine) Took(millis int64) string {
	return format.Duration(time.Duration(millis) * time.Millisecond)
}

// An Analysis sums up runs.
type Analysis struct {
	By    string
	Lines []AnalysisLine
	Runs  int  // that were examined
	Older bool // there were more runs, which were left out
}

// Array returns the lines.
func (a Analysis) Array() any { return a.Lines }

func (a Analysis) print(w io.Writer) error {
	if len(a.Lines) == 0 {
		_, err := fmt.Fprintln(w, "No run ended on these days.")
		return err
	}
	head := strings.ToUpper(a.By) + "\tRUNS\tFAILED\tREFUSED\tLOOPS\tP50\tP95\tSLOWEST\tTOKENS\tCOST"
	if a.By == ByNode {
		head = "NODE\tOF\tENDED\tFAILED\tP50\tP95\tSLOWEST"
	}
	err := operation.Columns(w, head, func(line func(...any)) {
		for _, l := range a.Lines {
			p50, p95, slowest := l.Took(l.P50), l.Took(l.P95), l.Took(l.Slowest)
			if a.By == ByNode {
				line(l.Key, l.Kind, l.Runs, l.Failed, p50, p95, slowest)
			} else {
				line(l.Key, l.Runs, l.Failed, l.Refused, l.Loops, p50, p95, slowest, l.Tokens, l.Cost)
			}
		}
	})
	if err == nil && a.Older {
		_, err = fmt.Fprintf(w, "Only the newest %d runs were looked at.\n", a.Runs)
	}
	return err
}

// Analyse sums up the runs that were added between two days and have ended, at most MaxAnalysed of them, the newest first. It
// fails with kind Invalid for an unknown grouping or day.
func (p *Runs) Analyse(ctx context.Context, in AnalysisWanted) (Analysis, error) {
	if !slices.Contains(AnalysisGroupings(), in.By) {
		return Analysis{}, domain.Errorf(domain.Invalid, "Runs are grouped by %s, not by %q.", strings.Join(AnalysisGroupings(), ", "), in.By)
	}
	w := domain.WorkspaceOf(ctx)
	from, to, err := p.days(in)
	if err != nil {
		return Analysis{}, err
	}
	runs, err := p.Queue.List(ctx, w, job.Query{From: from, To: to.AddDate(0, 0, 1), Status: []job.Status{job.Done, job.Failed, job.Stopped}, Limit: MaxAnalysed + 1})
	if err != nil {
		return Analysis{}, err
	}
	found := Analysis{By: in.By, Runs: min(len(runs), MaxAnalysed), Older: len(runs) > MaxAnalysed}
	a := analysis{Runs: p, workspace: w, by: in.By, lines: map[string]*AnalysisLine{}}
	for part := range slices.Chunk(runs[:found.Runs], analysedAtOnce) {
		if err := a.add(ctx, part); err != nil {
			return Analysis{}, err
		}
	}
	found.Lines = a.settled()
	return found, nil
}

// days returns the first and the last day of an analysis.
func (p *Runs) days(in AnalysisWanted) (from, to time.Time, err error) {
	today := p.Now().UTC().Truncate(24 * time.Hour)
	if to, err = day(in.To, today); err == nil {
		from, err = day(in.From, to.AddDate(0, 0, -29))
	}
	if err == nil && from.After(to) {
		err = domain.Errorf(domain.Invalid, "The first day, %s, is after the last one, %s.", from.Format(time.DateOnly), to.Format(time.DateOnly))
	}
	return from, to, err
}

// day parses a day, or returns none if text is "".
func day(text string, none time.Time) (time.Time, error) {
	if text == "" {
		return none, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, domain.Errorf(domain.Invalid, "%q is not a day. Write it like 2026-11-27.", text)
	}
	return at, nil
}

// analysis gathers the lines of an Analysis.
type analysis struct {
	*Runs
	workspace domain.WorkspaceID
	by        string
	lines     map[string]*AnalysisLine
}

// line returns the line of a group, or of a node in runs of a kind.
func (a *analysis) line(key, kind string) *AnalysisLine {
	l := a.lines[kind+"/"+key]
	if l == nil {
		l = &AnalysisLine{Key: key, Kind: kind}
		a.lines[kind+"/"+key] = l
	}
	return l
}

// add adds some runs.
func (a *analysis) add(ctx context.Context, runs []job.Run) error {
	ids := lists.Map(runs, func(r job.Run) domain.RunID { return r.ID })
	events, err := a.Hub.EventsOf(ctx, a.workspace, ids)
	if err != nil {
		return err
	}
	if a.by == ByNode {
		for _, r := range runs {
			a.nodes(r, events[r.ID])
		}
		return nil
	}
	ends, err := a.Ledger.AnswerEnds(ctx, a.workspace, ids)
	if err != nil {
		return err
	}
	used, err := a.Ledger.Usage(ctx, a.workspace, ledger.UsageQuery{Runs: ids, By: []ledger.UsageColumn{ledger.UsageRun}})
	if err != nil {
		return err
	}
	prices, err := a.Costs.Prices.Table(ctx)
	if err != nil {
		return err
	}
	of := map[domain.RunID][]ledger.Usage{}
	for _, u := range used {
		of[u.Run] = append(of[u.Run], u)
	}
	for _, r := range runs {
		for _, key := range a.keys(r, ends, of[r.ID]) {
			l := a.line(key, "")
			l.ended(r, a.rounds(r, events[r.ID]))
			if end, asked := ends[r.ID]; asked && r.Status == job.Done && end.Citations == 0 {
				l.Refused++
			}
			for _, u := range of[r.ID] {
				if a.by != ByModel || u.Model == key {
					l.Tokens += u.Input + u.Output + u.Embedded
					l.spent = l.spent.Plus(prices.Sum(u.Day, u.Usage))
				}
			}
		}
	}
	return nil
}

// keys returns the groups that a run belongs to: one per model it asked, none if questions are grouped and it answers no
// question, and otherwise one.
func (a *analysis) keys(r job.Run, ends map[domain.RunID]ledger.AnswerEnd, used []ledger.Usage) []string {
	switch a.by {
	case ByKind:
		return []string{r.Kind}
	case ByDay:
		return []string{costs.DayOf(r.CreatedAt)}
	case ByMethod:
		end, asked := ends[r.ID]
		if !asked {
			return nil
		}
		return []string{cmp.Or(string(end.Method), "all")}
	}
	models := lists.SetOf(used, func(u ledger.Usage) string { return u.Model })
	if len(models) == 0 {
		return []string{"none"}
	}
	return slices.Sorted(maps.Keys(models))
}

// ended adds a run that has ended.
func (l *AnalysisLine) ended(r job.Run, loops int) {
	l.Runs++
	l.Loops += loops
	if r.Status == job.Failed {
		l.Failed++
	}
	if !r.StartedAt.IsZero() {
		l.took = append(l.took, r.FinishedAt.Sub(r.StartedAt))
	}
}

// rounds counts how often a run reworded its question.
func (a *analysis) rounds(r job.Run, events []trace.Event) int {
	return lists.CountFunc(events, func(e trace.Event) bool {
		return e.Kind == string(stategraph.NodeEnd) && e.Node == a.Loops[r.Kind].Node && len(e.Path) <= 1
	})
}

// nodes adds the ends of a run's nodes.
func (a *analysis) nodes(r job.Run, events []trace.Event) {
	for _, e := range events {
		failed := e.Kind == string(stategraph.NodeFailed)
		if !failed && e.Kind != string(stategraph.NodeEnd) {
			continue
		}
		l := a.line(trace.Name(e.Path[min(1, len(e.Path)):], e.Node), r.Kind)
		l.Runs++
		l.took = append(l.took, e.Took)
		if failed {
			l.Failed++
		}
	}
}

// settled returns the lines, sorted by day or else by total time, longest first.
func (a *analysis) settled() []AnalysisLine {
	lines := []AnalysisLine{}
	all := map[string]time.Duration{}
	for key, l := range a.lines {
		for _, took := range l.took {
			all[key] += took
		}
		slices.Sort(l.took)
		l.P50, l.P95, l.Slowest = percentile(l.took, 50), percentile(l.took, 95), percentile(l.took, 100)
		if l.Tokens > 0 {
			l.Cost = l.spent.Short()
		}
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(x, y AnalysisLine) int {
		if a.by == ByDay {
			return cmp.Compare(x.Key, y.Key)
		}
		return cmp.Or(cmp.Compare(all[y.Kind+"/"+y.Key], all[x.Kind+"/"+x.Key]), cmp.Compare(x.Kind+"/"+x.Key, y.Kind+"/"+y.Key))
	})
	return lines
}

// percentile returns the nearest-rank percentile p of sorted times, in milliseconds, or 0 if there are none.
func percentile(sorted []time.Duration, p int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)].Milliseconds()
}
