package documents

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Rename gives a document another name, as when its file was moved within a folder. A title that was made from the name
// follows. The document is read again, so that the stores follow too; what was mined from it is kept.
func (s *Service) Rename(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID, name string) error {
	name, err := SafePath(name)
	if err != nil {
		return err
	}
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil || doc.Name == name {
		return err
	}
	coming, err := s.Ledger.VersionsToCome(ctx, w, id)
	if err != nil {
		return err
	}
	for _, d := range append(coming, doc) {
		renamed, err := s.Ledger.UpdateDocument(ctx, w, d.ID, func(d *domain.Document) {
			if d.Title == domain.FileTitle(d.Name) {
				d.Title = domain.FileTitle(name)
			}
			d.Name = name
		})
		if err != nil {
			return err
		}
		doc = renamed
	}
	if doc.Status.Settled() {
		_, err = s.enqueue(ctx, doc)
	}
	return err
}
