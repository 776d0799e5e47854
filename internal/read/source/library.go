package source

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
)

// library takes items in as documents.
type library struct {
	ledger    *ledger.Ledger
	documents *documents.Service
}

// Enter implements Library. If an item gave one document, its content becomes the next version of that, as it does for
// a document fetched from the same address in any other way.
func (l library) Enter(ctx context.Context, src ledger.Source, c Content, before []domain.DocumentID) (ids []domain.DocumentID, err error) {
	how := documents.How{
		Schema: src.Rules.Schema, Chunking: src.Rules.Chunking, Hold: src.Rules.Hold, Limited: src.Limited, Readers: src.Rules.Readers, Source: c.Source, Link: c.Link,
	}
	if c.Link != "" {
		how.LinkTag = c.Stamp
	}
	q := ledger.DocumentQuery{IDs: before, Limit: 2}
	if len(before) == 0 {
		q.Link, q.FactFilter = c.Link, domain.FactFilter{Sources: []domain.Source{c.Source}}
	}
	if len(before) == 1 || len(before) == 0 && c.Link != "" {
		found, _, err := l.ledger.Documents(ctx, src.Workspace, q)
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			how.Of = found[0].ID
		}
	}
	for _, r := range l.documents.Add(ctx, src.Workspace, c.Name, how, c.Body) {
		if r.Err != nil {
			err = r.Err
			continue
		}
		ids = append(ids, r.Document.Becomes())
	}
	if len(ids) > 0 {
		err = nil
	}
	return ids, err
}
