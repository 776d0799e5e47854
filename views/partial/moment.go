package partial

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/worddiff"
)

// A moment is drawn.
type moment struct{ outline.Moment }

// holdsDecision reports whether a person decided on a member of the value, so that it must be visible.
func holdsDecision(v outline.Value) bool {
	return slices.ContainsFunc(v.Members, func(m outline.Member) bool { return m.Value.Decided.Grade != "" })
}

func valueSummary(ctx context.Context, v outline.Value) string {
	if v.List {
		return lang.Count(ctx, v.Count, "item", "items")
	}
	return cmp.Or(v.Name, lang.Count(ctx, v.Count, "field", "fields"))
}

func valueRest(ctx context.Context, v outline.Value) string {
	if more := v.Count - len(v.Members); more > 0 {
		return lang.F(ctx, "and %s more in the JSON", lang.Int(ctx, more))
	}
	return ""
}

// technical reports whether a field is folded, because it is technical or empty.
func technical(f outline.Field) bool {
	return f.Plain == "" || f.Change == "" && (f.After.Quiet || f.Known)
}

// fieldsOf returns the fields of the state that are shown, or those that are folded.
func fieldsOf(p outline.Moment, hidden bool) []outline.Field {
	return lists.Filter(p.State, func(f outline.Field) bool { return technical(f) == hidden })
}

func (p moment) last() int { return len(p.Rail) - 1 }

func (p moment) head(ctx context.Context) string { return lang.F(ctx, "Step %d of %d", p.N, p.last()) }

// title names the state.
func (p moment) title(ctx context.Context) string {
	if p.N == 0 || p.N > p.last() {
		return lang.T(ctx, "State at the start")
	}
	return lang.F(ctx, "State after %s", strings.Join(p.Rail[p.N].Names, ", "))
}

// titleSaid names the state in plain words.
func (p moment) titleSaid(ctx context.Context) string {
	if p.N == 0 || p.N > p.last() || len(p.Steps) == 0 {
		return lang.T(ctx, "At the start")
	}
	return strings.Join(lists.Map(p.Steps, Said), ", ")
}

// figures lists the time and tokens of the super-step.
func (p moment) figures(ctx context.Context) []total {
	var took time.Duration
	tokens := 0
	for _, s := range p.Steps {
		took, tokens = max(took, s.Took), tokens+s.Tokens()
	}
	var figures []total
	if took > 0 {
		figures = append(figures, total{lang.Duration(ctx, took), ""})
	}
	if tokens > 0 {
		figures = append(figures, total{lang.Count(ctx, tokens, "token", "tokens"), "te"})
	}
	if len(p.Steps) == 1 && p.Steps[0].Cost != "" {
		figures = append(figures, total{p.Steps[0].Cost, "te"})
	}
	return figures
}

func (p moment) back() string    { return link.RunAt(p.Trace.Run, max(0, p.N-1)) }
func (p moment) forward() string { return link.RunAt(p.Trace.Run, min(p.last(), p.N+1)) }

// said names a moment on the rail in plain words, by what ran before it.
func (p moment) said(s outline.Stop) string {
	done := func(name string) string { return diagram.Plain(p.Trace.Topology.Name, name).Done }
	return p.onRail(s, done(diagram.Start), " ", done)
}

// named names a moment on the rail by the nodes that ran before it.
func (p moment) named(s outline.Stop) string {
	return strings.ReplaceAll(p.onRail(s, "start", "_", func(name string) string { return name }), "_", "_\u200b")
}

// onRail names a moment by its nodes' first words, up to sep, if nothing else on the rail begins with start.
func (p moment) onRail(s outline.Stop, start, sep string, call func(node string) string) string {
	if len(s.Names) == 0 {
		return start
	}
	short := make([]string, len(s.Names))
	for i, name := range s.Names {
		short[i], _, _ = strings.Cut(call(name), sep)
		for _, stop := range p.Rail {
			for _, other := range stop.Names {
				if begins, _, _ := strings.Cut(call(other), sep); begins == short[i] && other != name {
					short[i] = call(name)
				}
			}
		}
	}
	return strings.Join(short, ", ")
}

// stopClass returns the class of a moment on the rail.
func (p moment) stopClass(n int) string {
	switch {
	case n == p.N:
		return "at"
	case n > p.N:
		return "ahead"
	}
	return ""
}

func (p moment) current(n int) string {
	if n == p.N {
		return "step"
	}
	return "false"
}

// fieldWords returns the difference of two texts, and whether both are worth
// comparing word by word.
func fieldWords(f outline.Field) ([]worddiff.Part, bool) {
	if f.Change == "" || !f.Before.Leaf() || !f.After.Leaf() || f.Before.Quiet {
		return nil, false
	}
	return worddiff.Words(f.Before.Text, f.After.Text), true
}

// valueURL returns the page of the thing whose id a value is.
func valueURL(v outline.Value) string {
	switch {
	case strings.HasPrefix(v.Text, "d"):
		return link.Document(domain.DocumentID(v.Text))
	case strings.HasPrefix(v.Text, "e"):
		return link.Entity(domain.EntityID(v.Text))
	}
	return link.Chunk(domain.ChunkID(v.Text))
}

// rewritten is the field of the state with the wordings of a question.
const rewritten = "query_rewrites"

// reworded returns the rewordings that the field received at the moment, which are more detailed than the field.
func (p moment) reworded(f outline.Field) []domain.Rewrite {
	if f.Name != rewritten || f.Change == "" {
		return nil
	}
	return lists.Flat(p.Steps, func(s outline.Step) []domain.Rewrite { return s.Rewrites })
}

// besides returns a step without what its field in the state already shows.
func (p moment) besides(s outline.Step) outline.Step {
	for _, f := range p.State {
		if len(p.reworded(f)) > 0 {
			s.Rewrites = nil
		}
	}
	return s
}

func momentID(run domain.RunID) string { return "moment-" + string(run) }
