package partial

import (
	"context"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/lang"
)

// ResearchProps is the data for a research: its plan with the answers so far, or its report.
type ResearchProps struct {
	SummaryProps

	ID       domain.ResearchID
	Question string
	Problem  string
	Notes    []string
	Planned  []domain.PlannedQuestion // waiting to be edited
	Edited   bool                     // the edited plan is about to be carried out
	Sections []outline.Section
}

// Asks reports whether the plan waits for a person.
func (p ResearchProps) Asks() bool { return p.Status == ledger.SummaryAsking && !p.Edited }

// Live reports whether it is being researched.
func (p ResearchProps) Live() bool { return !p.Asks() && p.SummaryProps.Live() }

// plan returns the plan as text, a question on each line.
func (p ResearchProps) plan() string {
	return strings.Join(lists.Map(p.Planned, func(q domain.PlannedQuestion) string { return q.Text }), "\n")
}

// came describes the progress of a question.
func (p ResearchProps) came(ctx context.Context, s outline.Section) string {
	switch {
	case s.Came == domain.CameNothing:
		return lang.T(ctx, "no answer found")
	case s.Came != "":
		return lang.T(ctx, "answered")
	case p.Paused != "" || p.Status == ledger.SummaryWaiting:
		return lang.T(ctx, "not answered yet")
	}
	return lang.T(ctx, "being answered")
}

// askedIn says in which round a question was asked.
func askedIn(ctx context.Context, s outline.Section) string {
	if s.Round > 1 {
		return lang.F(ctx, "asked in round %d, about what was open", s.Round)
	}
	return ""
}

// formatNames names the formats of reports.
var formatNames = map[string]string{"docx": "DOCX", "md": "Markdown", "html": "HTML"}

func (p ResearchProps) pendingResearch(ctx context.Context) string {
	switch {
	case p.Status == ledger.SummaryWaiting && len(p.Sections) == 0:
		return lang.T(ctx, "Waiting for its turn")
	case len(p.Sections) == 0:
		return lang.T(ctx, "Planning the questions")
	}
	return lang.T(ctx, "Answering the questions")
}
