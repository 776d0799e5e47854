package page

import (
	"cmp"
	"context"
	"strconv"
	"strings"
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

// SummaryProps is the data for a summary's page.
type SummaryProps struct {
	App       layout.Props
	Title     string
	Focus     string
	Length    string
	TokenMax  int // 0 if it was not chosen
	CreatedAt time.Time
	Summary   partial.SummaryProps
	Trace     outline.Trace
}

// SummariesProps is the data for the list of summaries.
type SummariesProps struct {
	App   layout.Props
	Items []SummaryItem
	Pager Pager
}

// A SummaryItem is one line of the list of summaries.
type SummaryItem struct {
	ID        domain.SummaryID
	Title     string
	Length    string
	Status    ledger.SummaryStatus
	Outdated  bool
	Begins    string // first sentence
	CreatedAt time.Time
}

// NewSummaryProps is the data for the form for a new summary.
type NewSummaryProps struct {
	App       layout.Props
	Documents []domain.Document // selected in the list
	Whole     bool
	Tag       string // whose documents to summarise; "" if there is none
	Tagged    int    // number of documents with Tag
	Readable  int    // number of documents in the library with text to summarise
	Length    string
	Focus     string
	TokenMax  string // as typed
	Review    bool
	Problem   string // why the order was rejected
}

// lengths are the choices of length.
var lengths = []struct{ value, says string }{
	{"short", "Short, a few sentences"}, {"medium", "Medium, a paragraph or two"}, {"long", "Long, about a page"},
}

func (p NewSummaryProps) length() string {
	return cmp.Or(p.Length, "medium")
}

func (p NewSummaryProps) chosen(ctx context.Context) string {
	if len(p.Documents) == 1 {
		return lang.T(ctx, "This document")
	}
	return lang.F(ctx, "These %s documents", lang.Int(ctx, len(p.Documents)))
}

// ordered describes the order of the summary.
func (p SummaryProps) ordered(ctx context.Context) string {
	length := lang.T(ctx, p.Length)
	said := lang.F(ctx, "%s%s length", strings.ToUpper(length[:min(1, len(length))]), length[min(1, len(length)):])
	if p.Focus != "" {
		said += lang.F(ctx, ", with this in view: %s", p.Focus)
	}
	if p.TokenMax > 0 {
		said += lang.F(ctx, ", condensed to %s tokens", lang.Int(ctx, p.TokenMax))
	}
	return said + ", " + lang.Moment(ctx, p.CreatedAt)
}

// events returns the run's stream, or "" if no more events will come. A run continues for a moment after its summary is
// stored.
func (p SummaryProps) events() string {
	if !p.Summary.Live() && (p.Summary.Asks() || p.Trace.State != diagram.Now) {
		return ""
	}
	return link.RunEvents(p.Summary.Run, p.Trace.After)
}

func (p SummaryProps) busy() string { return strconv.FormatBool(p.Summary.Live()) }

func (i SummaryItem) status(ctx context.Context) string {
	switch i.Status {
	case ledger.SummaryDone:
		if i.Outdated {
			return lang.T(ctx, "outdated")
		}
		return lang.T(ctx, "finished")
	case ledger.SummaryWorking:
		return lang.T(ctx, "at work")
	case ledger.SummaryAsking:
		return lang.T(ctx, "waiting for you")
	}
	return lang.T(ctx, string(i.Status))
}
