package ledger

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
)

// Listing returns the statement that lists documents, and its arguments.
func (dq DocumentQuery) Listing(ws domain.WorkspaceID) (string, []any) {
	return dq.list(context.Background(), ws)
}

// UnreadTitles returns the statement that finds the titles that are not indexed,
// given a workspace.
func UnreadTitles() string { return `SELECT ` + titleColumns + ` ` + unreadTitles }

// UnreadChunks returns the statement that finds the chunks that are not indexed,
// given a workspace.
func UnreadChunks() string { return `SELECT c.id` + unreadChunks }
