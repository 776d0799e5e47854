package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A WebPage is a web page found for one run. Only the answer of that run cites it, and it is deleted with the answer.
type WebPage struct {
	Workspace domain.WorkspaceID
	ID        domain.DocumentID // see domain.NewPageID
	Run       domain.RunID
	N         int // its place in the results of the search, from 1
	Address   string
	Title     string
	Problem   string // why it was not read; "" if it was
	Passages  int
	FetchedAt time.Time // zero until it was requested
}

var webPageTable = sqlio.Table[WebPage]{Name: "web_pages", Row: func(p *WebPage) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &p.Workspace, "id key", &p.ID, "run_id fixed", &p.Run, "n fixed", &p.N, "address fixed", &p.Address,
		"title", &p.Title, "problem", &p.Problem, "passages", &p.Passages, "fetched_at", &p.FetchedAt,
	}
}}

// webPassageTable holds the passages of web pages, which take the place of documents.
func webPassageTable(ws domain.WorkspaceID) sqlio.Table[domain.Chunk] {
	t := chunkTable(ws)
	t.Name = "web_passages"
	return t
}

// AddWebPages adds the pages found for a run. Pages that are stored already are unchanged.
func (l AnswerStore) AddWebPages(ctx context.Context, pages []WebPage) error {
	return l.tx(ctx, "add pages of the web", func(tx *sql.Tx, _ time.Time) error {
		return webPageTable.InsertAll(ctx, tx, pages, `ON CONFLICT DO NOTHING`)
	})
}

// WebPages lists the pages found for a run, best first.
func (l AnswerStore) WebPages(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) ([]WebPage, error) {
	return list(ctx, l, "list pages of the web", webPageTable.Scan, webPageTable.Select()+`WHERE workspace_id = ? AND run_id = ? ORDER BY n`, ws, run)
}

// WebPage returns the page with an id, or an error of kind NotFound.
func (l AnswerStore) WebPage(ctx context.Context, ws domain.WorkspaceID, id domain.DocumentID) (WebPage, error) {
	p, err := read(ctx, l.reader, webPageTable, domain.Errorf(domain.NotFound, "This page of the web is no longer kept: its answer was deleted."), `WHERE workspace_id = ? AND id = ?`, ws, id)
	return p, l.wrap("read a page of the web", err)
}

// UpdateWebPage stores the result of reading a page: its passages, or the problem.
func (l AnswerStore) UpdateWebPage(ctx context.Context, p WebPage, passages []domain.Chunk) error {
	return l.tx(ctx, "update a page of the web", func(tx *sql.Tx, _ time.Time) error {
		p.Passages = len(passages)
		if err := webPageTable.Put(ctx, tx, &p); err != nil {
			return err
		}
		return webPassageTable(p.Workspace).InsertAll(ctx, tx, passages, `ON CONFLICT DO NOTHING`)
	})
}

var webPassagesFrom = `SELECT ` + webPassageTable("").Columns("c") + `, p.title, p.address, p.fetched_at
	FROM web_passages c JOIN web_pages p ON p.workspace_id = c.workspace_id AND p.id = c.document_id WHERE c.workspace_id = ? AND `

func scanWebPassage(rows *sql.Rows) (p domain.Passage, err error) {
	err = rows.Scan(sqlio.To(append(chunkFields(&p.Chunk), &p.Title, &p.Web.Address, &p.Web.Fetched)...)...)
	p.Name = p.Title
	return p, err
}

// AnyPassages is Passages, except that ids may also be of pages of the web.
func (l *Ledger) AnyPassages(ctx context.Context, ws domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error) {
	found, err := l.Passages(ctx, ws, ids)
	if err != nil || len(found) == len(ids) {
		return found, err
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id domain.ChunkID) bool {
		return slices.ContainsFunc(found, func(p domain.Passage) bool { return p.ID == id })
	})
	more, err := listIn(ctx, l.AnswerStore, "read passages of the web", scanWebPassage, webPassagesFrom+`c.id IN (%s)`, []any{ws}, missing)
	if err != nil || len(more) == 0 {
		return found, err
	}
	found = append(found, more...)
	slices.SortStableFunc(found, func(a, b domain.Passage) int { return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID)) })
	return found, nil
}

// WebPassagesOf lists the passages of pages of the web in reading order.
func (l AnswerStore) WebPassagesOf(ctx context.Context, ws domain.WorkspaceID, pages []domain.DocumentID) ([]domain.Passage, error) {
	return listIn(ctx, l, "read passages of pages of the web", scanWebPassage, webPassagesFrom+`c.document_id IN (%s) ORDER BY c.document_id, c.ordinal`, []any{ws}, pages)
}
