package documents

import (
	"context"
	"database/sql"

	"github.com/clewhq/clew/internal/domain"
)

// Rename gives a document another name, as when its file was moved within a folder. A title that was made from the name
// follows, at once in the stores too. A document that is not being read is then read again,
// since what is found in a text may depend on its title; what was mined from it is kept.
func (s *Service) Rename(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, name string) error {
	name, err := SafePath(name)
	if err != nil {
		return err
	}
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil || doc.Name == name {
		return err
	}
	rename := func(d *domain.Document) {
		if d.Title == domain.FileTitle(d.Name) {
			d.Title = domain.FileTitle(name)
		}
		d.Name = name
	}
	coming, err := s.Ledger.VersionsToCome(ctx, w, id)
	if err != nil {
		return err
	}
	for _, d := range coming {
		if _, err := s.Ledger.UpdateDocument(ctx, w, d.ID, rename); err != nil {
			return err
		}
	}
	republish := func(tx *sql.Tx) error { return s.Ledger.RepublishTx(ctx, tx, w, id) }
	if doc.Status.Settled() {
		_, err = s.enqueueWith(ctx, doc, rename, func(tx *sql.Tx, _ domain.RunID) error { return republish(tx) })
	} else {
		_, err = s.Ledger.UpdateDocument(ctx, w, id, rename, republish)
	}
	if err != nil {
		return err
	}
	return s.follow(ctx, w)
}
