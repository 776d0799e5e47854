package maintenance

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A pagedStore keeps a file that can contradict itself.
type pagedStore interface {
	Damage(ctx context.Context) ([]string, error)
}

// findInPages finds what contradicts itself in the file of a store, if it has one.
func findInPages(ctx context.Context, store any, p Problem) (Found, error) {
	paged, ok := store.(pagedStore)
	if !ok {
		return Found{}, nil
	}
	damage, err := paged.Damage(ctx)
	if err != nil || len(damage) == 0 {
		return Found{}, err
	}
	return Found{p: damage}, nil
}

// findInFiles checks that every document has the files of its versions and pictures, that the file's content
// matches its checksum, and that every file has a document. It reports its progress
// to progress after each document, unless that is nil.
func findInFiles(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, files Files, now time.Time, progress func(done, total int)) (Found, error) {
	type owner struct{ hash, id string }
	owners, err := sqlio.Collect(ctx, q, func(rows *sql.Rows) (o owner, err error) {
		return o, rows.Scan(&o.hash, &o.id)
	}, `SELECT hash, id FROM documents WHERE workspace_id = ?
		UNION SELECT hash, document_id FROM document_versions WHERE workspace_id = ?
		UNION SELECT hash, document_id FROM pictures WHERE workspace_id = ? ORDER BY 2, 1`, ws, ws, ws)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	found, owned := Found{}, map[string]bool{}
	for i, o := range owners {
		owned[o.hash] = true
		problem, err := checkFile(ctx, ws, files, o.hash)
		if err != nil {
			return nil, err
		}
		if problem != "" && owns(ctx, q, ws, o.id, o.hash) {
			found.add(problem, o.id)
		}
		if progress != nil {
			progress(i+1, len(owners))
		}
	}
	err = files.Each(ctx, ws, func(hash string, stored time.Time) error {
		if !owned[hash] && now.Sub(stored) > settling && !referenced(ctx, q, ws, hash) {
			found.add(FileWithoutOwner, hash)
		}
		return nil
	})
	return found, err
}

// checkFile returns the problem of a file, or "".
func checkFile(ctx context.Context, ws domain.WorkspaceID, files Files, hash string) (Problem, error) {
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

// owns reports whether a document with a file was not deleted meanwhile.
func owns(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, id, hash string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND id = ? AND hash = ?
		UNION SELECT document_id FROM document_versions WHERE workspace_id = ? AND document_id = ? AND hash = ?
		UNION SELECT document_id FROM pictures WHERE workspace_id = ? AND document_id = ? AND hash = ?`, ws, id, hash, ws, id, hash, ws, id, hash)
	return err == nil && len(ids) > 0
}

// referenced reports whether a document with a hash was added meanwhile, or may
// have been.
func referenced(ctx context.Context, q sqlio.Querier, ws domain.WorkspaceID, hash string) bool {
	ids, err := sqlio.Collect(ctx, q, sqlio.Column[string], `SELECT id FROM documents WHERE workspace_id = ? AND hash = ?
		UNION SELECT document_id FROM document_versions WHERE workspace_id = ? AND hash = ?
		UNION SELECT document_id FROM pictures WHERE workspace_id = ? AND hash = ?`, ws, hash, ws, hash, ws, hash)
	return err != nil || len(ids) > 0
}
