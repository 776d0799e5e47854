package ledger

import "github.com/clewhq/clew/internal/domain"

// Listing returns the statement that lists documents, and its arguments.
func (dq DocumentQuery) Listing(ws domain.WorkspaceID) (string, []any) { return dq.list(ws) }
