package document

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

const (
	maxAdded   = 400 // documents of an upload that are summed up
	askedAfter = 4   // questions suggested once they are read
)

// Added sums up the documents that an upload has added, by kind: reading progress, what is to come, and, once all are
// read, what to ask.
func (h *Handler) Added(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	ids := c.QueryParams()["id"]
	if len(ids) == 0 {
		return domain.Errorf(domain.Invalid, "Name the documents that were added.")
	}
	query := ledger.DocumentQuery{}
	for _, id := range ids[:min(len(ids), maxAdded)] {
		query.IDs = append(query.IDs, domain.DocumentID(id))
	}
	docs, err := h.Ledger.ListDocuments(ctx, w, query)
	if err != nil {
		return err
	}
	rows, err := h.Rows(ctx, w, docs)
	if err != nil {
		return err
	}
	p := partial.AddedProps{Left: len(ids) - len(query.IDs)}
	if p.Again = link.Added(query.IDs); len(docs) == 0 {
		return respond.HTML(c, http.StatusOK, partial.Added(p))
	}
	for _, row := range rows {
		count(&p, row)
	}
	slices.SortFunc(p.Kinds, func(a, b partial.AddedKind) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Format, b.Format))
	})
	held, err := h.held(c, rows)
	if err != nil {
		return err
	}
	p.Held, p.HeldSaid, p.Warning = held.Count, held.Said, held.Warning
	if p.Sum.Read < p.Sum.Documents {
		reading, err := h.Library.Progress(ctx, w)
		if err != nil {
			return err
		}
		p.Reading = reading.String()
	} else {
		for _, q := range present.Suggested(ctx, h.Suggest, w, askedAfter, query.IDs...) {
			p.Questions = append(p.Questions, partial.TryProps(q))
		}
	}
	return respond.HTML(c, http.StatusOK, partial.Added(p))
}

// count adds a document to its kind and to the sum.
func count(p *partial.AddedProps, row partial.DocumentRowProps) {
	d := row.Document
	at := slices.IndexFunc(p.Kinds, func(k partial.AddedKind) bool { return k.Format == d.Format })
	if at < 0 {
		at = len(p.Kinds)
		p.Kinds = append(p.Kinds, partial.AddedKind{Format: d.Format})
	}
	for _, k := range []*partial.AddedKind{&p.Kinds[at], &p.Sum} {
		k.Documents++
		k.Bytes += d.Size
		k.Passages += d.Chunks
		if d.Status.Settled() {
			k.Read++
		}
		switch {
		case d.Status == domain.DocumentFailed:
			k.Failed++
		case row.Held != "":
			k.Held++
		}
	}
}
