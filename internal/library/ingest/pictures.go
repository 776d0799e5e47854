package ingest

import (
	"bytes"
	"context"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
)

// keepPictures stores the bytes of the pictures of a document and sets their hashes. It returns the pictures that the document
// had before.
func (n nodes) keepPictures(ctx context.Context, d domain.Document, all []domain.Picture) (before []domain.Picture, err error) {
	for i, p := range all {
		all[i].Hash = domain.Hash(p.Data)
		if err := n.Files.Keep(ctx, d.Workspace, all[i].Hash, bytes.NewReader(p.Data)); err != nil {
			return nil, fmt.Errorf("keep a picture: %w", err)
		}
	}
	if d.Pictures == 0 {
		return nil, nil
	}
	return n.Ledger.Pictures(ctx, d.Workspace, d.ID)
}

// dropPictures removes the bytes of pictures that no document shows any more.
func (n nodes) dropPictures(ctx context.Context, w domain.WorkspaceID, all []domain.Picture) error {
	for _, p := range all {
		if needed, err := n.Ledger.NeedsFile(ctx, w, p.Hash); err != nil {
			return err
		} else if needed {
			continue
		}
		if err := n.Files.Remove(ctx, w, p.Hash); err != nil {
			return err
		}
	}
	return nil
}
