package maintenance

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/vectorstore"
)

// Contents is implemented by an index that can list its points completely. Of
// other indexes only the ids are compared.
type Contents interface {
	Contents(ctx context.Context, w domain.WorkspaceID, c vectorstore.Collection, f func(vectorstore.Point) error) error
}

// CompareVectors compares the search index of a workspace, got, with a fresh one. While more is being embedded, words alone
// are compared.
func CompareVectors(ctx context.Context, ws domain.WorkspaceID, want, got vectorstore.Reader, embedding bool) (Found, error) {
	_, completeWant := want.(Contents)
	_, completeGot := got.(Contents)
	found := Found{}
	for _, c := range vectorstore.Collections() {
		var pair [2]map[string]string
		for i, r := range []vectorstore.Reader{want, got} {
			var err error
			if pair[i], err = points(ctx, ws, r, c, completeWant && completeGot, embedding); err != nil {
				return nil, fmt.Errorf("read the %s of an index: %w", c, err)
			}
		}
		compare(found, pair[0], pair[1], PointMissing, PointExtra, PointDiffers)
	}
	return found, nil
}

// points returns descriptions of points by id: a checksum of the words and whether
// there is a vector unless more is being embedded, or "" if the index can't list its points completely.
func points(ctx context.Context, ws domain.WorkspaceID, r vectorstore.Reader, c vectorstore.Collection, complete, embedding bool) (map[string]string, error) {
	all := map[string]string{}
	if !complete {
		ids, err := r.IDs(ctx, ws, c)
		for _, id := range ids {
			all[id] = ""
		}
		return all, err
	}
	err := r.(Contents).Contents(ctx, ws, c, func(p vectorstore.Point) error {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q %q %q %t", p.Document, p.Title, p.Text, p.Vector != nil || embedding)
		all[p.ID] = string(sum.Sum(nil)[:16])
		return nil
	})
	return all, err
}
