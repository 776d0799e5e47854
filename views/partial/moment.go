package partial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/worddiff"
)

// MomentProps show a run as it was between two super-steps.
type MomentProps struct {
	Trace TraceProps // as of the moment
	N     int
	Rail  []StopProps // all moments of the run
	Steps []StepProps // that ended in the super-step before the moment
	Reads []string    // fields that these declare to read
	State []FieldProps
	Gone  string     // why there is no state; "" where there is one
	Forks bool       // a branch can begin at the moment
	Walk  *WalkProps // of the search that ended before the moment; nil without one
}

// StopProps are one moment on the rail.
type StopProps struct {
	N     int
	Names []string // of the nodes that ran before it; none at the start
	Took  time.Duration
}

// FieldProps show a field of the state.
type FieldProps struct {
	Name   string
	Before Value
	After  Value
	Change string // how the super-step changed it; "" when it did not
	Known  bool   // the page says it already
	Plain  string // what a reader calls it; "" for a technical field
}

// Value is a value of a state. It is one of a text, a list and an object.
type Value struct {
	Text    string
	Quiet   bool   // the text stands for no value
	URL     string // of what the text names
	Members []Member
	Count   int // of all members, shown or not
	List    bool
	Name    string   // of an object that is a passage, if it is known
	Decided Decision // of an object that is a passage
}

// Decision is the grade that a person gave a passage.
type Decision struct {
	Grade string // "" where no person decided
	Was   string // the grade that it had; "" if it had none, or the same
	Why   string // the reason of that grade, if it has one
}

// holdsDecision reports whether a person decided on one of the value's members, which is
// then in sight.
func (v Value) holdsDecision() bool {
	return slices.ContainsFunc(v.Members, func(m Member) bool { return m.Value.Decided.Grade != "" })
}

// Member is a value in an object or a list.
type Member struct {
	Name  string // "" in a list
	Value Value
}

// Leaf reports whether the value is a text.
func (v Value) Leaf() bool { return v.Text != "" || v.Quiet }

func (v Value) summary() string {
	if v.List {
		return format.Count(v.Count, "item", "items")
	}
	if v.Name != "" {
		return v.Name
	}
	return format.Count(v.Count, "field", "fields")
}

func (v Value) rest() string {
	if more := v.Count - len(v.Members); more > 0 {
		return fmt.Sprintf("and %s more in the JSON", format.Int(more))
	}
	return ""
}

// folded reports whether a field is folded: it is technical, or holds nothing that one looks for.
func (f FieldProps) folded() bool {
	return f.Plain == "" || f.Change == "" && (f.After.Quiet || f.Known)
}

func (f FieldProps) said() string { return cmp.Or(f.Plain, f.Name) }

// fields returns the fields of the state that are shown, or those that are folded.
func (p MomentProps) fields(folded bool) []FieldProps {
	var out []FieldProps
	for _, f := range p.State {
		if f.folded() == folded {
			out = append(out, f)
		}
	}
	return out
}

func (p MomentProps) last() int { return len(p.Rail) - 1 }

func (p MomentProps) head() string { return fmt.Sprintf("Step %d of %d", p.N, p.last()) }

// title says which state it is.
func (p MomentProps) title() string {
	if p.N == 0 || p.N > p.last() {
		return "State at the start"
	}
	return "State after " + strings.Join(p.Rail[p.N].Names, ", ")
}

// titleSaid says in plain words which state it is.
func (p MomentProps) titleSaid() string {
	if p.N == 0 || p.N > p.last() || len(p.Steps) == 0 {
		return "At the start"
	}
	names := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		names[i] = s.said()
	}
	return strings.Join(names, ", ")
}

// figures lists the time and tokens of the super-step.
func (p MomentProps) figures() []total {
	var took time.Duration
	tokens := 0
	for _, s := range p.Steps {
		took, tokens = max(took, s.Took), tokens+s.Tokens
	}
	var figures []total
	if took > 0 {
		figures = append(figures, total{format.Duration(took), ""})
	}
	if tokens > 0 {
		figures = append(figures, total{format.Count(tokens, "token", "tokens"), "te"})
	}
	if len(p.Steps) == 1 && p.Steps[0].Cost != "" {
		figures = append(figures, total{p.Steps[0].Cost, "te"})
	}
	return figures
}

func (p MomentProps) reads() string { return strings.Join(p.Reads, ", ") }

func (p MomentProps) back() string    { return link.RunAt(p.Trace.Run, max(0, p.N-1)) }
func (p MomentProps) forward() string { return link.RunAt(p.Trace.Run, min(p.last(), p.N+1)) }

// said returns what a moment is called on the rail in plain words: what ran before it, each by its first
// word where nothing else begins with that.
func (p MomentProps) said(s StopProps) string {
	if len(s.Names) == 0 {
		return diagram.Plain(p.Trace.Topology.Name, diagram.Start).Done
	}
	short := make([]string, len(s.Names))
	for i, name := range s.Names {
		short[i] = p.shortSaid(name)
	}
	return strings.Join(short, ", ")
}

func (p MomentProps) shortSaid(name string) string {
	done := func(name string) string { return diagram.Plain(p.Trace.Topology.Name, name).Done }
	word, _, _ := strings.Cut(done(name), " ")
	for _, s := range p.Rail {
		for _, other := range s.Names {
			if begins, _, _ := strings.Cut(done(other), " "); begins == word && other != name {
				return done(name)
			}
		}
	}
	return word
}

// named returns what a moment is called on the rail: the nodes that ran before it, each by its first
// word where no other node begins with that.
func (p MomentProps) named(s StopProps) string {
	if len(s.Names) == 0 {
		return "start"
	}
	short := make([]string, len(s.Names))
	for i, name := range s.Names {
		short[i] = p.short(name)
	}
	return strings.Join(short, ", ")
}

func (p MomentProps) short(name string) string {
	word, _, _ := strings.Cut(name, "_")
	for _, s := range p.Rail {
		for _, other := range s.Names {
			if begins, _, _ := strings.Cut(other, "_"); begins == word && other != name {
				return strings.ReplaceAll(name, "_", "_\u200b")
			}
		}
	}
	return word
}

// stopClass returns the class of a moment on the rail.
func (p MomentProps) stopClass(n int) string {
	switch {
	case n == p.N:
		return "at"
	case n > p.N:
		return "ahead"
	}
	return ""
}

func (p MomentProps) current(n int) string {
	if n == p.N {
		return "step"
	}
	return "false"
}

func (f FieldProps) class() string {
	if f.Change != "" {
		return "new"
	}
	return ""
}

// words returns the difference of two texts, and whether both are worth
// comparing word by word.
func (f FieldProps) words() ([]worddiff.Part, bool) {
	if f.Change == "" || !f.Before.Leaf() || !f.After.Leaf() || f.Before.Quiet {
		return nil, false
	}
	return worddiff.Words(f.Before.Text, f.After.Text), true
}

// short reports whether the values of a field are a word each.
func (f FieldProps) short() bool { return !strings.Contains(f.Before.Text+f.After.Text, " ") }

// rewritten is the field of the state with the wordings of a question.
const rewritten = "query_rewrites"

// reworded returns the rewordings that the field got at the moment, which say more than
// the field.
func (p MomentProps) reworded(f FieldProps) []domain.Rewrite {
	if f.Name != rewritten || f.Change == "" {
		return nil
	}
	var all []domain.Rewrite
	for _, s := range p.Steps {
		all = append(all, s.Rewrites...)
	}
	return all
}

// besides returns a step without what its field in the state shows.
func (p MomentProps) besides(s StepProps) StepProps {
	for _, f := range p.State {
		if len(p.reworded(f)) > 0 {
			s.Rewrites = nil
		}
	}
	return s
}

func momentID(run domain.RunID) string { return "moment-" + string(run) }
