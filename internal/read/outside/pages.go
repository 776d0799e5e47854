package outside

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/read/crawl"
)

// The limits of reading a page.
const (
	maxBytes    = 1_000_000 // the rest is left out
	maxPassages = 200       // the rest is left out
)

// A Parser reads untrusted files, and cuts their texts into passages.
type Parser interface {
	Parse(ctx context.Context, format domain.Format, how domain.Chunking, file io.Reader, size int64, large func() error) (domain.Text, error)
	Split(ctx context.Context, id domain.DocumentID, t domain.Text, how domain.Chunking, large func() error) ([]domain.Chunk, error)
}

// Params configure Pages. All are required.
type Params struct {
	Search *Search
	Crawl  *crawl.Service // fetches pages under its rules, calling only allowed addresses
	Parser Parser
	Ledger *ledger.Ledger
	Now    domain.Clock
}

// Pages implements answer.Outside.
type Pages struct{ Params }

// New returns Pages.
func New(p Params) *Pages { return &Pages{p} }

// Search implements answer.Outside. Later searches of the same run return its stored pages, and a replay sends no request.
func (p *Pages) Search(ctx context.Context, w domain.WorkspaceID, run domain.RunID, words string) ([]answer.WebPage, error) {
	known, err := p.Ledger.WebPages(ctx, w, run)
	if err != nil || len(known) > 0 {
		return listed(known), err
	}
	if llm.IsOnlyRecorded(ctx) {
		return nil, nil
	}
	found, err := p.Params.Search.Find(ctx, words)
	if err != nil {
		return nil, err
	}
	for i, r := range found[:min(len(found), maxPages)] {
		known = append(known, ledger.WebPage{Workspace: w, ID: domain.NewPageID(run, r.Address), Run: run, N: i + 1, Address: r.Address, Title: r.Title})
	}
	return listed(known), p.Ledger.AddWebPages(ctx, known)
}

// Read implements answer.Outside.
func (p *Pages) Read(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (answer.WebPage, error) {
	page, err := p.Ledger.WebPage(ctx, w, id)
	if err != nil || !page.FetchedAt.IsZero() || llm.IsOnlyRecorded(ctx) {
		return shown(page), err
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	passages, err := p.read(limited, &page)
	switch {
	case ctx.Err() != nil:
		return answer.WebPage{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		page.Problem = "It took longer than " + patience.String() + "."
	case err != nil:
		var said bool
		if page.Problem, said = domain.MessageOf(err); !said {
			page.Problem = "It could not be read."
		}
	case len(passages) == 0:
		page.Problem = "It has no text."
	}
	page.FetchedAt, page.Passages = p.Now(), len(passages)
	return shown(page), p.Ledger.UpdateWebPage(ctx, page, passages)
}

// read fetches a page, gives it the title that it states, and returns its passages.
func (p *Pages) read(ctx context.Context, page *ledger.WebPage) ([]domain.Chunk, error) {
	file, err := p.Crawl.Beginning(ctx, page.Address, maxBytes)
	if err != nil {
		return nil, err
	}
	format, ok := map[string]domain.Format{"text/html": domain.FormatHTML, "application/xhtml+xml": domain.FormatHTML, "text/plain": domain.FormatText}[file.Type]
	if !ok {
		return nil, domain.Errorf(domain.Invalid, "It is no page of text.")
	}
	small := func() error { return nil } // at most maxBytes
	text, err := p.Parser.Parse(ctx, format, domain.Chunking{}, bytes.NewReader(file.Data), int64(len(file.Data)), small)
	if err != nil {
		return nil, err
	}
	if title := domain.Cut(domain.OneLine(text.Title), maxTitle); title != "" {
		page.Title = title
	}
	passages, err := p.Parser.Split(ctx, page.ID, text, domain.Chunking{}, small)
	return passages[:min(len(passages), maxPassages)], err
}

// Passages implements answer.Outside.
func (p *Pages) Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	return p.Ledger.AnyPassages(ctx, w, ids)
}

// PassagesOf implements answer.Outside.
func (p *Pages) PassagesOf(ctx context.Context, w domain.WorkspaceID, pages []domain.DocumentID) ([]domain.Passage, error) {
	return p.Ledger.WebPassagesOf(ctx, w, pages)
}

// listed returns pages as a search lists them, whether they were read since or not.
func listed(pages []ledger.WebPage) []answer.WebPage {
	return lists.Map(pages, func(p ledger.WebPage) answer.WebPage { return answer.WebPage{ID: p.ID, N: p.N, Address: p.Address} })
}

// shown returns a page that was read.
func shown(p ledger.WebPage) answer.WebPage {
	return answer.WebPage{ID: p.ID, N: p.N, Address: p.Address, Title: p.Title, Passages: p.Passages, Problem: p.Problem}
}
