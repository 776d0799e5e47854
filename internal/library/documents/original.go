package documents

import (
	"context"
	"io"

	"github.com/clewhq/clew/internal/domain"
)

// Original returns a document and a reader of its file, as it was added. It fails with kind NotFound for an unknown document,
// and for one whose file is gone.
func (s *Service) Original(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (domain.Document, io.ReadSeekCloser, error) {
	doc, err := s.Ledger.Document(ctx, w, id)
	if err != nil {
		return doc, nil, err
	}
	file, _, err := s.Files.Open(ctx, w, doc.Hash)
	return doc, file, err
}
