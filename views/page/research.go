package page

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// ResearchProps is the data for the page of a research.
type ResearchProps struct {
	App                       layout.Props
	Within                    []string // terms
	Rounds, Questions, Budget int
	CreatedAt                 time.Time
	Research                  partial.ResearchProps
	Trace                     outline.Trace
}

// ResearchesProps is the data for the list of researches, with the form for a new one.
type ResearchesProps struct {
	App   layout.Props
	Items []ResearchItem
	Pager Pager

	Question, Within  string
	Plan              string // its questions, one per line
	Rounds, Questions int
	Budget            string // as typed
	Review            bool
	Estimate          string
	Problem           string // why the order was rejected
}

// A ResearchItem is one line of the list of researches.
type ResearchItem struct {
	ID        domain.ResearchID
	Question  string
	Status    string
	Questions int // in the plan
	CreatedAt time.Time
}

// ordered describes the order of the research.
func (p ResearchProps) ordered(ctx context.Context) string {
	said := []string{lang.F(ctx, "At most %s in %s", lang.Count(ctx, p.Questions, "question", "questions"), lang.Count(ctx, p.Rounds, "round", "rounds"))}
	if p.Budget > 0 {
		said = append(said, lang.F(ctx, "%s tokens at most", lang.Int(ctx, p.Budget)))
	}
	said = append(said, p.Within...)
	return strings.Join(append(said, lang.Moment(ctx, p.CreatedAt)), ", ")
}

// events returns the run's stream, or "" if no more events will come.
func (p ResearchProps) events() string {
	if !p.Research.Live() && (p.Research.Asks() || p.Trace.State != diagram.Now) {
		return ""
	}
	return link.RunEvents(p.Research.Run, p.Trace.After)
}

func (p ResearchProps) busy() string { return strconv.FormatBool(p.Research.Live()) }

func (i ResearchItem) status(ctx context.Context) string {
	switch i.Status {
	case "done":
		return lang.T(ctx, "finished")
	case "answering":
		return lang.T(ctx, "at work")
	case "asking":
		return lang.T(ctx, "waiting for you")
	}
	return i.Status
}
