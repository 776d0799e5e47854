package report

import (
	"context"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/views/link"
)

// The most pictures that are shown beside an answer, and beside one of its citations.
const (
	maxCited      = 6
	maxOfCitation = 2
)

// A CitedPicture is a picture beside a cited passage.
type CitedPicture struct {
	N          int               `json:"n"`        // number of the citation
	Document   string            `json:"document"` // its name
	DocumentID domain.DocumentID `json:"document_id"`
	domain.Picture
	Address string `json:"address"` // of the image in the pages
}

// PicturesOf returns for each list of citations the pictures beside the cited text: those whose caption is cited, or
// else those of the passage. Documents that were deleted, changed or withheld have none.
func PicturesOf(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID, lists ...[]domain.Citation) ([][]CitedPicture, error) {
	var chunks []domain.ChunkID
	for _, c := range slices.Concat(lists...) {
		if c.Text != "" && !slices.Contains(chunks, c.Chunk) {
			chunks = append(chunks, c.Chunk)
		}
	}
	out := make([][]CitedPicture, len(lists))
	if len(chunks) == 0 {
		return out, nil
	}
	found, err := l.PicturesBeside(ctx, w, chunks)
	for i, list := range lists {
		for _, c := range list {
			out[i] = append(out[i], besides(ctx, found, c, out[i])...)
		}
	}
	return out, err
}

// besides returns the pictures beside a citation that are not shown yet.
func besides(ctx context.Context, found []ledger.PictureBeside, c domain.Citation, shown []CitedPicture) (all []CitedPicture) {
	near := slices.DeleteFunc(slices.Clone(found), func(p ledger.PictureBeside) bool { return p.Chunk != c.Chunk || c.Text == "" })
	if named := slices.DeleteFunc(slices.Clone(near), func(p ledger.PictureBeside) bool { return !p.At.Overlaps(c.Span) }); len(named) > 0 {
		near = named
	}
	for _, p := range near[:min(len(near), maxOfCitation)] {
		again := func(o CitedPicture) bool { return o.DocumentID == p.Document && o.Number == p.Number }
		if len(shown)+len(all) < maxCited && !slices.ContainsFunc(shown, again) {
			all = append(all, CitedPicture{c.N, p.Name, p.Document, p.Picture, link.At(ctx, link.PictureFile(p.Document, p.Number))})
		}
	}
	return all
}
