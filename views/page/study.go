package page

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// StudyProps is the data for the page of a study set.
type StudyProps struct {
	App       layout.Props
	Of        string // its sources
	Scope     domain.Scope
	Most      int
	CreatedAt time.Time
	Study     partial.StudyProps
	Trace     outline.Trace
}

// StudiesProps is the data for the page with everything that can be studied in documents, and with the study sets.
type StudiesProps struct {
	App       layout.Props
	Of        string       // the documents to be read
	Names     []string     // of chosen documents
	Scope     domain.Scope // the same, as documents or a tag; the library if empty
	Readable  int          // documents in it
	Kind      domain.StudyKind
	Most      int
	Problem   string // why the order was rejected
	Questions []partial.TryProps
	Items     []StudyLine
	Pager     Pager
}

// A StudyLine is one line of the list of study sets.
type StudyLine struct {
	ID        domain.SummaryID
	Kind      domain.StudyKind
	Of        string
	Items     int
	Status    ledger.SummaryStatus
	CreatedAt time.Time
}

// studyMosts are the numbers of items to choose from.
var studyMosts = []int{10, 30, 100}

// StudyName names a kind of study set.
func StudyName(ctx context.Context, k domain.StudyKind) string {
	switch k {
	case domain.Glossary:
		return lang.T(ctx, "Glossary")
	case domain.FAQ:
		return lang.T(ctx, "FAQ")
	}
	return lang.T(ctx, "Cards")
}

// studySays says what a kind of study set consists of.
func studySays(ctx context.Context, k domain.StudyKind) string {
	switch k {
	case domain.Glossary:
		return lang.T(ctx, "terms with their definitions")
	case domain.FAQ:
		return lang.T(ctx, "questions with their answers")
	}
	return lang.T(ctx, "both, and sentences with a gap, to learn with Anki")
}

// title returns the title of a set.
func (p StudyProps) title(ctx context.Context) string {
	return StudyName(ctx, p.Study.Kind) + ": " + lang.Sentence(ctx, p.Of)
}

// of names what is read, as the first words of a line.
func (p StudiesProps) of(ctx context.Context) string {
	if len(p.Scope.Documents) == 0 && len(p.Scope.Tags) == 0 {
		return lang.T(ctx, "The whole library")
	}
	return lang.Sentence(ctx, p.Of)
}

// events returns the run's stream, or "" if no more events will come.
func (p StudyProps) events() string {
	if !p.Study.Live() && p.Trace.State != diagram.Now {
		return ""
	}
	return link.RunEvents(p.Study.Run, p.Trace.After)
}

func (p StudyProps) busy() string { return SummaryProps{Summary: p.Study.SummaryProps}.busy() }

func (l StudyLine) status(ctx context.Context) string {
	return SummaryItem{Status: l.Status}.status(ctx)
}

// timelineOf returns the address of the timeline of a scope, or of the library if too many documents were chosen.
func timelineOf(s domain.Scope) string {
	if len(s.Documents) > domain.MaxWithin {
		return link.Timeline
	}
	return link.TimelineOf(s)
}

// studied returns the filter of the list, or the part of it that a study set can have.
func (p DocumentsProps) studied() (s domain.Scope) {
	if tag := p.Counts.Filter.Tag; tag != "" {
		s.Tags = []string{tag}
	}
	return s
}
