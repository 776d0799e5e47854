// Package timeline orders the sentences of documents by the dates in them.
package timeline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/prose/dates"
	"github.com/clewhq/clew/views/link"
)

// What a timeline reads at most: passages, of the newest documents, and characters of a sentence.
const (
	mostPassages = 4000
	longest      = 800
)

// A Desk is where people ask for timelines.
type Desk struct {
	Ledger Ledger
	Scopes Scopes
}

// Ledger lists documents and reads their passages. Both leave out what the viewer of ctx may not read.
type Ledger interface {
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) (list []domain.Document, all int, err error)
	PassagesOf(ctx context.Context, w domain.WorkspaceID, documents []domain.DocumentID) ([]domain.Passage, error)
}

// Scopes finds the documents of a part of the library.
type Scopes interface {
	DocumentsWithin(ctx context.Context, w domain.WorkspaceID, terms []string) ([]domain.DocumentID, error)
}

// Wanted selects the events of a timeline.
type Wanted struct {
	Words  string   `json:"words" arg:"[WORDS]" words:"" doc:"list only sentences with these words"`
	Within []string `json:"within" whole:"" doc:"read only documents matching tag:NAME, doc:NAME (or its id), from:2024-01-31 or to:2024-12-31 (day added), lang:de, source:web, author:NAME, published:2024 or published:2024-05..2025, field:status=final or field:year>=2020; several terms of a kind widen it"`
	Since  string   `json:"since" doc:"list nothing that ended before this year, month (1888-11) or day (1888-11-09)"`
	Until  string   `json:"until" doc:"list nothing that began after this year, month or day"`
	Limit  int      `json:"limit" default:"200" doc:"list at most this many"`
}

// An Event is a date that a sentence names.
type Event struct {
	When dates.Time `json:"-"`

	From       string            `json:"from,omitempty"`  // 1888-11-09, 1888-11, 1888 or -0044; "" if open
	Until      string            `json:"until,omitempty"` // "" if open
	About      bool              `json:"about,omitempty"` // the date is approximate: about 1888
	Sentence   string            `json:"sentence"`
	Document   string            `json:"document"`
	DocumentID domain.DocumentID `json:"document_id"`
	Page       int               `json:"page,omitempty"`
	Place      string            `json:"place,omitempty"`
	Start      int               `json:"start"` // of the sentence within the document's text, in code points
	End        int               `json:"end"`
	Address    string            `json:"address"` // of the sentence in the pages
}

// A Timeline is a list of events, the earliest first.
type Timeline struct {
	Events    []Event `json:"events"`
	More      int     `json:"more"`      // events omitted because of the limit
	Documents int     `json:"documents"` // that were read
	Unread    int     `json:"unread"`    // older documents, omitted because the passages of a timeline are limited
}

// Timeline returns the events of documents. The error is Invalid for a date or a scope that is none.
func (d Desk) Timeline(ctx context.Context, in Wanted) (t Timeline, err error) {
	w := domain.WorkspaceOf(ctx)
	since, err := day(in.Since)
	if err != nil {
		return t, err
	}
	until, err := day(in.Until)
	if err != nil {
		return t, err
	}
	ids, err := d.Scopes.DocumentsWithin(ctx, w, in.Within)
	if err != nil {
		return t, err
	}
	newest, all, err := d.Ledger.Documents(ctx, w, ledger.DocumentQuery{IDs: ids, Status: []domain.DocumentStatus{domain.DocumentReady}, Sort: domain.SortAdded, Limit: mostPassages})
	if err != nil {
		return t, err
	}
	ids = read(newest)
	t.Documents, t.Unread = len(ids), all-len(ids)
	passages, err := d.Ledger.PassagesOf(ctx, w, ids)
	if err != nil {
		return t, err
	}
	words := strings.Fields(strings.ToLower(in.Words))
	for _, e := range events(ctx, passages) {
		if e.When.Meets(since, until) && e.has(words) {
			t.Events = append(t.Events, e)
		}
	}
	slices.SortStableFunc(t.Events, func(a, b Event) int {
		return cmp.Or(dates.Compare(a.When, b.When), strings.Compare(a.Document, b.Document), cmp.Compare(a.Start, b.Start))
	})
	if t.More = max(0, len(t.Events)-in.Limit); t.More > 0 {
		t.Events = t.Events[:in.Limit]
	}
	return t, nil
}

func day(text string) (domain.Day, error) {
	if strings.TrimSpace(text) == "" {
		return domain.Day{}, nil
	}
	return dates.Parse(text)
}

// read returns the documents that are read, which is at least one.
func read(newest []domain.Document) (ids []domain.DocumentID) {
	passages := 0
	for _, d := range newest {
		if passages += d.Chunks; passages > mostPassages && len(ids) > 0 {
			break
		}
		ids = append(ids, d.ID)
	}
	return ids
}

// events returns the dates in passages. Passages of a document may share sentences.
func events(ctx context.Context, passages []domain.Passage) (list []Event) {
	type place struct {
		document domain.DocumentID
		at       int
	}
	seen := map[place]bool{}
	for _, p := range passages {
		for _, s := range prose.Sentences(p.Text) {
			if s.Len() > longest {
				continue
			}
			text := s.Slice(p.Text)
			for _, t := range dates.Read(text) {
				at := s.Shift(p.Span.Start)
				if key := (place{p.Document, at.Start + t.Span.Start}); !seen[key] {
					seen[key] = true
					list = append(list, Event{
						When: t, From: t.From.String(), Until: t.Until.String(), About: t.About, Sentence: text, Document: p.Name, DocumentID: p.Document, Page: p.PageOf(at), Place: p.Place(at),
						Start: at.Start, End: at.End, Address: link.At(ctx, link.Passage(p.Document, at)),
					})
				}
			}
		}
	}
	return list
}

// has reports whether the sentence has all words, in any case.
func (e Event) has(words []string) bool {
	text := strings.ToLower(e.Sentence)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// Marked returns the sentence in three parts, of which the second names the date.
func (e Event) Marked() (before, date, after string) {
	return domain.Span{End: e.When.Span.Start}.Slice(e.Sentence), e.When.Span.Slice(e.Sentence), domain.Span{Start: e.When.Span.End, End: domain.Runes(e.Sentence)}.Slice(e.Sentence)
}
