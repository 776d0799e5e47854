package page

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions/compare"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/worddiff"
)

// CompareProps show two runs side by side.
type CompareProps struct {
	App         layout.Props
	Left, Right RunSide
	Pairs       []StepPair
	At          int // the pair whose states are shown, from 1; 0 if there is none
	States      []StatePair
	Same        int    // fields that are equal
	Gone        string // why there are no states; "" if there are
	Passages    []compare.Passage
	Answer      []worddiff.Part // the right answer against the left one; nil if there are none
	Figures     []FigurePair
}

// RunSide is one of two runs.
type RunSide struct {
	Run   domain.RunID
	Kind  string
	Title string
	Began time.Time
	Trace outline.Trace
}

// StepPair is a step of each run; nil where one has no such step.
type StepPair struct{ Left, Right *outline.Step }

// StatePair is a field that differs.
type StatePair struct {
	Name        string
	Left, Right outline.Value
}

// FigurePair is a figure of each run.
type FigurePair struct{ Name, Left, Right string }

// CompareChoiceProps offer runs to compare a run with.
type CompareChoiceProps struct {
	App     layout.Props
	Left    RunSide
	Choices []RunChoice
	Problem string // with the run that was typed
	Typed   string
}

// RunChoice is a run to compare with.
type RunChoice struct {
	Run   domain.RunID
	Why   string // the reason for the offer: "the run it was forked from"
	Began time.Time
}

func (s RunSide) when(ctx context.Context) string {
	if s.Began.IsZero() {
		return lang.T(ctx, s.Kind)
	}
	return lang.T(ctx, s.Kind) + ", " + lang.Moment(ctx, s.Began)
}

func (p CompareProps) titles() string {
	if p.Left.Title == p.Right.Title {
		return p.Left.Title
	}
	return p.Left.Title + " / " + p.Right.Title
}

// heading says which states are shown, with their nodes named by call.
func (p CompareProps) heading(ctx context.Context, call func(outline.Step) string) string {
	if p.At < 1 || p.At > len(p.Pairs) {
		return lang.T(ctx, "States")
	}
	pair := p.Pairs[p.At-1]
	switch {
	case pair.Left == nil:
		return lang.F(ctx, "State after %s, only on the right", lang.Sentence(ctx, call(*pair.Right)))
	case pair.Right == nil:
		return lang.F(ctx, "State after %s, only on the left", lang.Sentence(ctx, call(*pair.Left)))
	}
	return lang.F(ctx, "States after %s", lang.Sentence(ctx, call(*pair.Left)))
}

func nodeOf(s outline.Step) string { return s.Node }

// field returns the plain words for a field of the state; a technical one keeps its name.
func (p CompareProps) field(name string) string {
	return cmp.Or(diagram.PlainField(p.Left.Trace.Topology.Name, name), name)
}

func (p CompareProps) equal(ctx context.Context) string {
	if p.Same == 0 {
		return ""
	}
	return lang.F(ctx, "%s equal", lang.Count(ctx, p.Same, "field is", "fields are"))
}

func (p CompareProps) pairClass(n int) string {
	pair := p.Pairs[n]
	switch {
	case pair.Left == nil:
		return "only-right"
	case pair.Right == nil:
		return "only-left"
	}
	return ""
}

func (p CompareProps) current(n int) string {
	if n+1 == p.At {
		return "step"
	}
	return "false"
}

func (p CompareProps) at(n int) string { return link.CompareAt(p.Left.Run, p.Right.Run, n+1) }

// groups returns the passages by where they were read.
func (p CompareProps) groups(ctx context.Context) []passageGroup {
	groups := []passageGroup{{name: lang.T(ctx, "In both")}, {name: lang.T(ctx, "Only on the left")}, {name: lang.T(ctx, "Only on the right")}}
	for _, x := range p.Passages {
		i := 0
		switch {
		case x.Right == nil:
			i = 1
		case x.Left == nil:
			i = 2
		}
		groups[i].list = append(groups[i].list, x)
	}
	return groups
}

type passageGroup struct {
	name string
	list []compare.Passage
}

func passageName(ctx context.Context, p compare.Passage) string {
	return lang.Where(ctx, cmp.Or(p.Name, lang.T(ctx, "a passage that was deleted")), p.Page, p.Place)
}

func rankIn(r *compare.Reading) string {
	if r == nil || r.Rank == 0 {
		return "–"
	}
	return fmt.Sprint(r.Rank)
}

func gradeIn(ctx context.Context, r *compare.Reading) string {
	switch {
	case r == nil:
		return ""
	case r.Grade.Verdict == domain.Relevant:
		return lang.T(ctx, "relevant")
	case r.Grade.Verdict == domain.Irrelevant:
		return lang.T(ctx, "not relevant")
	}
	return lang.T(ctx, "ungraded")
}

// loopIn names the search that ranked the passage, unless it is the first.
func loopIn(ctx context.Context, r *compare.Reading) string {
	if r == nil || r.Loop == 0 {
		return ""
	}
	return lang.F(ctx, "in search %d", r.Loop+1)
}

func stepFigures(ctx context.Context, s *outline.Step) string {
	if s.Took <= 0 {
		return ""
	}
	said := lang.Duration(ctx, s.Took)
	if s.Tokens() > 0 {
		said += ", " + lang.Count(ctx, s.Tokens(), "token", "tokens")
	}
	return said
}
