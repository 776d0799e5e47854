package partial

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/worddiff"
)

// shortName returns the beginning of a station's name.
func shortName(s outline.Station) string {
	name, _, _ := strings.Cut(s.Node, "_")
	return name
}

// stateClasses maps states to CSS classes; done has none.
var stateClasses = map[diagram.State]string{diagram.Now: "now", diagram.Waiting: "later", diagram.Failed: "failed", diagram.Stopped: "stopped"}

func stationClass(s outline.Station) string {
	switch class := stateClasses[s.State.Or()]; {
	case class != "" && class != "stopped":
		return class
	case s.Times > 1:
		return "twice"
	}
	return ""
}

// A total is a figure of a run.
type total struct{ text, class string }

// totalsOf returns the totals of a run as text.
func totalsOf(ctx context.Context, p outline.Trace) []total {
	var figures []total
	if p.Took > 0 {
		figures = append(figures, total{lang.Duration(ctx, p.Took), ""})
	}
	if p.Tokens > 0 {
		figures = append(figures, total{lang.Count(ctx, p.Tokens, "token", "tokens"), "te"})
	}
	if p.Cost != "" {
		figures = append(figures, total{p.Cost, ""})
	}
	if p.Resumed {
		figures = append(figures, total{lang.T(ctx, "resumed"), ""})
	}
	return figures
}

// calm reports whether the drawing alone suffices to show the state of a run.
func calm(p outline.Trace) bool {
	return !p.Asks && (p.State == diagram.Seen || p.State == diagram.Now)
}

func gistID(run domain.RunID) string   { return "gist-" + string(run) }
func graphID(run domain.RunID) string  { return "graph-" + string(run) }
func stepsID(run domain.RunID) string  { return "steps-" + string(run) }
func totalsID(run domain.RunID) string { return "totals-" + string(run) }
func laterID(run domain.RunID) string  { return "later-" + string(run) }
func stripID(run domain.RunID) string  { return "strip-" + string(run) }

// about marks a step's figure as an estimate.
func about(ctx context.Context, p outline.Step) templ.Attributes {
	if !p.Estimated() {
		return nil
	}
	return templ.Attributes{"title": lang.T(ctx, "About, until the server has counted")}
}

// remarks returns the lines of small print under a step.
func remarks(ctx context.Context, p outline.Step) []string {
	var out []string
	if p.Attempt > 1 {
		out = append(out, lang.F(ctx, "Attempt %d.", p.Attempt))
	}
	return append(out, p.Notes...)
}

// called names the models that a step asked.
func called(ctx context.Context, p outline.Step) string {
	switch models := strings.Join(p.Models(), ", "); {
	case models == "":
		return ""
	case p.Recorded():
		return lang.F(ctx, "Recorded before by %s, not called again.", models)
	default:
		return lang.F(ctx, "Model: %s.", models)
	}
}

// Said returns the plain words for a step.
func Said(p outline.Step) string { return cmp.Or(p.Said, diagram.Plain("", p.Node).In(p.State)) }

// told counts what a step shows besides its writes to the state.
func told(ctx context.Context, p outline.Step) int {
	return len(p.Grades) + len(p.Rewrites) + len(p.Methods) + len(remarks(ctx, p))
}

// hush reports whether a step has nothing to unfold for readers who leave the state aside.
func hush(ctx context.Context, p outline.Step) bool {
	return !Bare(ctx, p) && told(ctx, p) == 0 && p.Problem == ""
}

// tells reports whether a step shows more than its writes to the state.
func tells(ctx context.Context, p outline.Step) bool {
	return told(ctx, p) > 0 && len(p.Writes)+len(p.Models()) > 0
}

// Bare reports whether there is nothing of a step to unfold.
func Bare(ctx context.Context, p outline.Step) bool {
	return told(ctx, p)+len(p.Writes)+len(p.Models()) == 0 && p.Problem == ""
}

func changeClass(c outline.Change) string {
	if c.Added {
		return "a"
	}
	return "r"
}

// changeText writes a change with its values in a column.
func changeText(p outline.Changes, c outline.Change) string {
	widest := 0
	for _, other := range p.Lines {
		widest = max(widest, len(other.Field))
	}
	sign := "−"
	if c.Added {
		sign = "+"
	}
	return fmt.Sprintf("%s %-*s  %s", sign, widest, c.Field, c.Value)
}

// spaced returns the space before the next part.
func spaced(parts []worddiff.Part, i int) string {
	if i+1 < len(parts) && !parts[i+1].Tight {
		return " "
	}
	return ""
}

// Limits on the rejected passages shown: next to relevant ones, on their own, and when one asks for them.
const (
	besides = 1
	alone   = 2
	shown   = 24
)

// gradesOf returns the listed grades of a step, relevant ones first, and the remaining irrelevant ones.
func gradesOf(p outline.Step) (first, rest []domain.Grading) {
	var other []domain.Grading
	for _, g := range p.Grades {
		switch g.Verdict {
		case domain.Relevant:
			first = append(first, g)
		case domain.Irrelevant:
			rest = append(rest, g)
		default:
			other = append(other, g)
		}
	}
	n := besides
	if len(first) == 0 {
		n = alone
	}
	n = min(n, len(rest))
	return slices.Concat(first, other, rest[:n]), rest[n:]
}

func nameClass(s diagram.Stop) string {
	switch s.State {
	case diagram.Now:
		return "b"
	case diagram.Waiting:
		return "dim"
	}
	return ""
}

// legible is the minimum scale of a drawing: its letters of 11.5 units are then 12 px high.
const legible = 1.044

func verdictWord(v domain.Verdict) string {
	if v == domain.Ungraded {
		return "none"
	}
	return string(v)
}

// methodSaid returns a method of search in plain words.
func methodSaid(ctx context.Context, m domain.Method) string {
	switch m.Name {
	case domain.MethodWords:
		return lang.T(ctx, "by words")
	case domain.MethodVectors:
		return lang.T(ctx, "by meaning")
	case domain.MethodWalk:
		return lang.T(ctx, "by names and relations")
	case domain.MethodHybrid:
		return lang.T(ctx, "by words and meaning")
	case domain.MethodRerank:
		return lang.T(ctx, "reordered by a model")
	}
	return string(m.Name)
}

// whyNot describes why a method was not used, "" for one that was.
func whyNot(m domain.Method) string {
	why, unused := strings.CutPrefix(m.Reason, "left out: ")
	if !unused {
		return ""
	}
	return cmp.Or(m.Missing, why)
}
