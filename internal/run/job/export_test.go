package job

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// Candidates is candidates.
func Candidates(kinds []string, now time.Time) (query string, args []any) {
	return candidates(kinds, now)
}

// Claiming returns the statement that finds the next run of a workspace.
func Claiming(kind string, w domain.WorkspaceID, now time.Time) (query string, args []any) {
	return candidate{turn: turn{kind, w}}.claim(now)
}
