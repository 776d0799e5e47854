package fsck

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// FileStore is where uploaded files are kept.
type FileStore interface {
	Open(ctx context.Context, w domain.WorkspaceID, hash string) (io.ReadCloser, int64, error)

	// Each calls f for every file of a workspace with the time it was stored.
	Each(ctx context.Context, w domain.WorkspaceID, f func(hash string, stored time.Time) error) error
}

// CheckFiles compares the uploaded files with the documents they belong to,
// and their content with the checksum they were stored under. seen is told of
// every file, and may be nil.
func CheckFiles(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, files FileStore, now time.Time, seen func(done, total int)) (Found, error) {
	type owner struct{ hash, id string }
	owners, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (o owner, err error) {
		return o, rows.Scan(&o.hash, &o.id)
	}, `SELECT hash, id FROM documents WHERE workspace_id = ? ORDER BY id`, ws)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	found, owned := Found{}, map[string]bool{}
	for i, o := range owners {
		owned[o.hash] = true
		problem, err := sound(ctx, ws, files, o.hash)
		if err != nil {
			return nil, err
		}
		if problem != "" && there(ctx, q, ws, o.id) {
			found.add(problem, o.id)
		}
		if seen != nil {
			seen(i+1, len(owners))
		}
	}
	err = files.Each(ctx, ws, func(hash string, stored time.Time) error {
		if !owned[hash] && now.Sub(stored) > settling && !known(ctx, q, ws, hash) {
			found.add(FileWithoutOwner, hash)
		}
		return nil
	})
	return found, err
}

// sound says what is off with one file, "" when nothing is.
func sound(ctx context.Context, ws domain.WorkspaceID, files FileStore, hash string) (Problem, error) {
	r, _, err := files.Open(ctx, ws, hash)
	if domain.KindOf(err) == domain.NotFound {
		return FileMissing, nil
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", fmt.Errorf("read the file %s: %w", hash, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return FileChanged, nil
	}
	return "", nil
}

// there reports whether a document has not been deleted meanwhile.
func there(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, id string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND id = ?`, ws, id)
	return err == nil && len(ids) > 0
}

// known reports whether a document of that hash has been added meanwhile.
func known(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, hash string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND hash = ?`, ws, hash)
	return err != nil || len(ids) > 0
}
