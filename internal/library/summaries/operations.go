package summaries

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/run/report"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/views/format"
)

// A Finder finds documents by names or ids.
type Finder interface {
	Find(ctx context.Context, w domain.WorkspaceID, names []string) ([]domain.DocumentID, error)
}

// A Desk takes orders from programs.
type Desk struct {
	*Service
	Documents Finder
}

// Summing is an order as programs give it.
type Summing struct {
	Ordering
	Wait operation.Wait `json:"wait" doc:"the summary"`
}

// Ordering is a request for a summary.
type Ordering struct {
	Documents []string `json:"documents" arg:"[DOCUMENT...]" doc:"documents, by name or id"`
	All       bool     `json:"all" doc:"summarise the whole library"`
	Tag       string   `json:"tag" doc:"summarise the documents with this tag"`
	How
}

// How describes how to summarise.
type How struct {
	Length   summarize.Length `json:"length" default:"medium" doc:"short, medium or long"`
	Focus    string           `json:"focus" doc:"for whom, or what about, for instance \"for a lawyer\""`
	TokenMax int              `json:"token_max" doc:"condense until the summaries of the parts have at most so many tokens together, from 200 to 8000 (default 1000)"`
	Review   bool             `json:"review" doc:"stop before the last step, to edit the draft"`
	Strict   bool             `json:"strict" doc:"fail if the summaries can't be condensed far enough"`
}

// Order returns the order of a summary in these ways.
func (h How) Order(w domain.WorkspaceID) Order {
	return Order{Workspace: w, Length: h.Length, Focus: h.Focus, TokenMax: h.TokenMax, Review: h.Review, Strict: h.Strict}
}

// Summed is a summary as programs read it.
type Summed struct {
	Summary   string           `json:"summary"` // with the numbers of its citations
	Citations []report.Cited   `json:"citations"`
	Condensed bool             `json:"condensed"`
	Warnings  []string         `json:"warnings"`
	Run       domain.RunID     `json:"run"`
	ID        domain.SummaryID `json:"id"`

	Title     string               `json:"title"`
	Status    ledger.SummaryStatus `json:"status"`
	Problem   string               `json:"problem,omitempty"`  // why it failed
	Outdated  string               `json:"outdated,omitempty"` // how its documents have changed since
	Draft     []string             `json:"draft,omitempty"`    // texts to edit, while it waits for that
	Documents []SummedDocument     `json:"documents"`
	How
	Created time.Time `json:"created"`
}

// SummedDocument is a document of a summary.
type SummedDocument struct {
	ID   domain.DocumentID `json:"id"`
	Name string            `json:"name"` // "" once it is deleted
}

// At implements operation.Begun.
func (s Summed) At() string {
	if s.Status != ledger.SummaryWaiting && s.Status != ledger.SummaryWorking {
		return ""
	}
	return "/summaries/" + string(s.ID)
}

// ListedSummary is a summary in a list.
type ListedSummary struct {
	ID       domain.SummaryID     `json:"id"`
	Title    string               `json:"title"`
	Length   string               `json:"length"`
	Status   ledger.SummaryStatus `json:"status"`
	Outdated string               `json:"outdated,omitempty"` // how its documents have changed since
	Begins   string               `json:"begins,omitempty"`   // first sentence
	Created  time.Time            `json:"created"`
}

type summariesWanted struct {
	Limit int `json:"limit" default:"20" doc:"list at most this many; 0 lists all"`
}

type oneSummary struct {
	ID domain.SummaryID `json:"summary" arg:"SUMMARY" doc:"id of a summary"`
}

type summaryWanted struct {
	oneSummary
	Wait operation.Wait `json:"wait" doc:"the summary"`
}

type editing struct {
	oneSummary
	Texts []string `json:"text" whole:"" doc:"text to go on with, in place of the one at its place in the draft; leave it out for the draft as it is, and give an empty one to leave a text out"`
}

// Start is the operation that orders a summary.
var Start = operation.Op[Desk, Summing, Summed]{
	Name: "summarize", Short: "Summarise documents, or the whole library", Scope: operation.Summarize, Routes: []string{"POST /summaries"}, Own: true,
	Do: func(d Desk, ctx context.Context, in Summing) (Summed, error) {
		o, err := d.Order(ctx, in.Ordering)
		if err != nil {
			return Summed{}, err
		}
		sum, err := d.Start(ctx, o)
		if err != nil {
			return Summed{}, err
		}
		return d.await(ctx, sum.ID, in.Wait)
	},
	Text: PrintSummed,
}

// Again is the operation that repeats a summary.
var Again = operation.Op[Desk, oneSummary, Summed]{
	Name: "summaries again", Short: "Summarise the same documents again, as they are now", Scope: operation.Summarize, Routes: []string{"POST /summaries/{summary}/again"}, Example: "  clew summaries again s0123456789abcdef0123",
	Do: func(d Desk, ctx context.Context, in oneSummary) (Summed, error) {
		sum, err := d.Again(ctx, domain.WorkspaceOf(ctx), in.ID)
		if err != nil {
			return Summed{}, err
		}
		return d.Summed(ctx, sum)
	},
	Text: func(w io.Writer, s Summed) error {
		_, err := fmt.Fprintf(w, "Summary %s waits for a clew serve or clew work.\n", s.ID)
		return err
	},
}

// Continue is the operation that continues a summary with the draft that a person has edited.
var Continue = operation.Op[Desk, editing, Summed]{
	Name: "summaries continue", Short: "Continue a summary with its draft, as it is or edited", Scope: operation.Summarize, Routes: []string{"POST /summaries/{summary}/continue"},
	Example: `  clew summaries continue s0123456789abcdef0123
  clew summaries continue s0123456789abcdef0123 --text "[1] The bridge was repaired." --text ""`,
	Do: func(d Desk, ctx context.Context, in editing) (Summed, error) {
		w := domain.WorkspaceOf(ctx)
		sum, err := d.Ledger.Summary(ctx, w, in.ID)
		if err != nil {
			return Summed{}, err
		}
		draft, err := d.Draft(ctx, sum)
		if err != nil {
			return Summed{}, err
		}
		if len(in.Texts) > len(draft) && draft != nil {
			return Summed{}, domain.Errorf(domain.Invalid, "The draft has %s, not %d.", domain.Counted(len(draft), "text", "texts"), len(in.Texts))
		}
		if err := d.Continue(ctx, w, in.ID, append(in.Texts, draft[min(len(in.Texts), len(draft)):]...)); err != nil {
			return Summed{}, err
		}
		return d.read(ctx, in.ID)
	},
	Text: func(w io.Writer, s Summed) error {
		_, err := fmt.Fprintf(w, "Summary %s goes on when a clew serve or clew work runs.\n", s.ID)
		return err
	},
}

// Delete is the operation that deletes a summary.
var Delete = operation.Op[Desk, oneSummary, operation.Nothing]{
	Name: "summaries delete", Short: "Delete a summary", Scope: operation.Summarize, Routes: []string{"DELETE /summaries/{summary}"}, Example: "  clew summaries delete s0123456789abcdef0123",
	Do: func(d Desk, ctx context.Context, in oneSummary) (none operation.Nothing, err error) {
		return none, d.Delete(ctx, domain.WorkspaceOf(ctx), in.ID)
	},
}

// Operations are the operations on summaries.
func Operations() []operation.Operation[Desk] {
	return []operation.Operation[Desk]{
		Start,
		operation.Op[Desk, summariesWanted, operation.Page[ListedSummary]]{
			Name: "summaries list", Short: "List summaries, newest first", Scope: operation.Read, Routes: []string{"GET /summaries"},
			Do: Desk.listed, Text: printListed,
		},
		operation.Op[Desk, summaryWanted, Summed]{
			Name: "summaries show", Short: "Print a summary with its sources, or the draft that waits to be edited", Scope: operation.Read, Routes: []string{"GET /summaries/{summary}"}, Example: "  clew summaries show s0123456789abcdef0123 --wait 60",
			Do: func(d Desk, ctx context.Context, in summaryWanted) (Summed, error) {
				return d.await(ctx, in.ID, in.Wait)
			},
			Text: PrintSummed,
		},
		Again, Continue, Delete,
	}
}

// Order returns an order, with the documents that it names.
func (d Desk) Order(ctx context.Context, in Ordering) (Order, error) {
	o := in.Order(domain.WorkspaceOf(ctx))
	o.Whole, o.Tag = in.All, in.Tag
	if len(in.Documents) == 0 && !in.All && in.Tag == "" {
		return o, domain.Errorf(domain.Invalid, "Name the documents to summarise, or choose them with --tag or --all.")
	}
	var err error
	o.Documents, err = d.Documents.Find(ctx, o.Workspace, in.Documents)
	return o, err
}

func (d Desk) read(ctx context.Context, id domain.SummaryID) (Summed, error) {
	sum, err := d.Ledger.Summary(ctx, domain.WorkspaceOf(ctx), id)
	if err != nil {
		return Summed{}, err
	}
	return d.Summed(ctx, sum)
}

// await returns a summary once it is made or waits for a person, or as it is after a time.
func (d Desk) await(ctx context.Context, id domain.SummaryID, wait operation.Wait) (Summed, error) {
	return operation.Await(ctx, wait, func() (Summed, error) { return d.read(ctx, id) })
}

// Summed returns a summary in the form that programs get.
func (d Desk) Summed(ctx context.Context, sum ledger.Summary) (s Summed, err error) {
	s = Summed{
		Summary: textOf(sum), Condensed: sum.Condensed, Warnings: append([]string{}, sum.Warnings...), Run: sum.Run, ID: sum.ID,
		Title: Title(sum), Status: sum.Status, Problem: sum.Problem, Created: sum.CreatedAt, Documents: []SummedDocument{},
		How: How{Length: summarize.Length(sum.Length), Focus: sum.Focus, Review: sum.Review, Strict: sum.MaxCollapses == 0},
	}
	for _, doc := range sum.Documents {
		s.Documents = append(s.Documents, SummedDocument{doc.ID, doc.Name})
	}
	if s.TokenMax, err = d.TokenMax(ctx, sum); err != nil {
		return s, err
	}
	if s.Draft, err = d.Draft(ctx, sum); err != nil {
		return s, err
	}
	outdated, err := d.Outdated(ctx, sum.Workspace, sum)
	if err != nil {
		return s, err
	}
	s.Outdated = outdated[sum.ID]
	s.Citations, err = report.CitedOf(ctx, d.Ledger, sum.Workspace, sum.Citations)
	return s, err
}

func (d Desk) listed(ctx context.Context, in summariesWanted) (operation.Page[ListedSummary], error) {
	w := domain.WorkspaceOf(ctx)
	found, total, err := d.Ledger.Summaries(ctx, w, in.Limit, 0)
	list := operation.Page[ListedSummary]{Items: make([]ListedSummary, len(found)), Total: total}
	if err != nil {
		return list, err
	}
	outdated, err := d.Outdated(ctx, w, found...)
	for i, s := range found {
		list.Items[i] = ListedSummary{ID: s.ID, Title: Title(s), Length: s.Length, Status: s.Status, Outdated: outdated[s.ID], Created: s.CreatedAt}
		if len(s.Sentences) > 0 {
			list.Items[i].Begins = s.Sentences[0].Text
		}
	}
	return list, err
}

func printListed(w io.Writer, list operation.Page[ListedSummary]) error {
	return operation.Table("SUMMARY\tLENGTH\tSTATE\tORDERED\tID", "There is no summary.", func(s ListedSummary) []any {
		state := string(s.Status)
		if s.Outdated != "" {
			state = "outdated"
		}
		return []any{s.Title, s.Length, state, format.Moment(s.Created), s.ID}
	})(w, list.Items)
}

// textOf returns the text of a summary with the numbers of its citations.
func textOf(sum ledger.Summary) string {
	var b strings.Builder
	for i, line := range sum.Sentences {
		switch {
		case i > 0 && line.Paragraph != sum.Sentences[i-1].Paragraph:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteString(" ")
		}
		b.WriteString(line.Text)
		for j, n := range line.Citations {
			if j == 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}

// PrintSummed prints a summary with its sources, or what it waits for.
func PrintSummed(w io.Writer, s Summed) error {
	switch {
	case s.Draft != nil:
		fmt.Fprintf(w, "Summary %s waits for you. clew summaries continue goes on with this draft, or with what --text gives in place of its texts:\n", s.ID)
		for _, text := range s.Draft {
			fmt.Fprintf(w, "\n%s\n", text)
		}
		return nil
	case s.Problem != "":
		fmt.Fprintln(w, s.Problem)
	case s.At() != "":
		_, err := fmt.Fprintf(w, "Summary %s is being made: it is %s.\n", s.ID, s.Status)
		return err
	}
	if s.Summary != "" {
		fmt.Fprintln(w, s.Summary)
	}
	for _, c := range s.Citations {
		fmt.Fprintf(w, "  [%d] %s: “%s”\n", c.N, c.Where(), domain.OneLine(c.Text))
	}
	for _, warning := range slices.Concat(s.Warnings, []string{s.Outdated}) {
		if warning != "" {
			fmt.Fprintln(w, warning)
		}
	}
	return nil
}
