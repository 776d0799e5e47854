package partial

import (
	"context"
	"fmt"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

// SummaryProps show a summary with its sources.
type SummaryProps struct {
	ID        domain.SummaryID
	Run       domain.RunID
	Status    ledger.SummaryStatus
	Sentences []domain.Sentence
	Citations []domain.Citation // Document and Text are "" once the source is deleted
	Draft     []string          // texts to review; nil if there are none
	Problem   string
	Warnings  []string
	Paused    string // why it is waiting for a cap; "" if it isn't
	Outdated  string // how the documents have changed since; "" if they haven't
	Took      time.Duration
	Tokens    int
	Cost      string // "" if there is none
	Stations  []outline.Station
}

// Asks reports whether the draft waits for a person's review.
func (p SummaryProps) Asks() bool { return p.Draft != nil }

// Live reports whether the summary is being written.
func (p SummaryProps) Live() bool {
	return !p.Asks() && (p.Status == ledger.SummaryWaiting || p.Status == ledger.SummaryWorking || p.Status == ledger.SummaryAsking)
}

func (p SummaryProps) domID() string { return "summary-" + string(p.ID) }

func (p SummaryProps) pending(ctx context.Context) string {
	if p.Status == ledger.SummaryWaiting {
		return lang.T(ctx, "Waiting for its turn")
	}
	return lang.T(ctx, "Reading the documents")
}

func (p SummaryProps) paragraphs() [][]domain.Sentence {
	return TurnProps{Sentences: p.Sentences}.Paragraphs()
}

// source returns the address of a citation: in the list of sources, in its document if
// the list is shorter, or of the page if the document was deleted.
func (p SummaryProps) source(ctx context.Context, n int) string {
	for i, c := range p.Citations {
		if c.N == n && i < mostSources {
			return "#" + sourceID(n)
		}
		if c.N == n && c.Document != "" {
			return link.Passage(c.DocumentID, c.Span)
		}
	}
	return "#main"
}

// Limits of the links after a sentence and of the list of sources; the rest is
// counted.
const (
	mostLinks   = 6
	mostSources = 60
)

func sourceID(n int) string { return fmt.Sprintf("source-%d", n) }

func (p SummaryProps) shownLinks(s domain.Sentence) []int {
	return s.Citations[:min(mostLinks, len(s.Citations))]
}

// notes returns the citations of a sentence, before its final punctuation, as in an answer.
func (p SummaryProps) notes(ctx context.Context, s domain.Sentence) (out []note) {
	at := beforeSigns(s.Text, len(s.Text))
	out = lists.Map(p.shownLinks(s), func(n int) note { return note{at, summaryCite(p, n)} })
	if more := p.moreLinks(ctx, s); more != "" {
		out = append(out, note{at, moreCited(more)})
	}
	return out
}

func (p SummaryProps) moreLinks(ctx context.Context, s domain.Sentence) string {
	if rest := len(s.Citations) - mostLinks; rest > 0 {
		return lang.F(ctx, "and %d more", rest)
	}
	return ""
}

func (p SummaryProps) shownSources() []domain.Citation {
	return p.Citations[:min(mostSources, len(p.Citations))]
}

func (p SummaryProps) moreSources(ctx context.Context) string {
	if rest := len(p.Citations) - mostSources; rest > 0 {
		return lang.F(ctx, "and %s more sources", lang.Int(ctx, rest))
	}
	return ""
}

func (p SummaryProps) figures(ctx context.Context) string {
	return TurnProps{Took: p.Took, Tokens: p.Tokens, Cost: p.Cost}.figures(ctx)
}

// brief shortens a quotation: a source may be a whole part.
func brief(text string) string {
	const most = 280
	return domain.Cut(text, most)
}

// madeOf names the texts of a draft.
func madeOf(ctx context.Context, draft []string) string {
	if len(draft) == 1 {
		return lang.T(ctx, "this text")
	}
	return lang.F(ctx, "these %d texts", len(draft))
}

// rows returns the height of a text field in lines.
func rows(text string) string { return fmt.Sprint(min(14, 2+domain.Runes(text)/90)) }
