package testkit

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Tag gives a document tags.
func (a *App) Tag(t testing.TB, id domain.DocumentID, tags ...string) {
	t.Helper()
	_, err := a.Ledger.TagDocuments(t.Context(), Workspace, "", ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, tags, nil)
	Must(t, err)
}

// Untag takes tags off a document.
func (a *App) Untag(t testing.TB, id domain.DocumentID, tags ...string) {
	t.Helper()
	_, err := a.Ledger.TagDocuments(t.Context(), Workspace, "", ledger.DocumentQuery{IDs: []domain.DocumentID{id}}, nil, tags)
	Must(t, err)
}
