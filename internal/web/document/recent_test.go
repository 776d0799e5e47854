package document

import (
	"context"
	"testing"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/partial"
)

// TestVerdicts reads what the first page says came of questions that no model answered.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	near := make([]outline.Near, 2)
	for want, found := range map[string]*outline.Found{
		"found, 2 passages": {Quoted: true, Best: near[:1], Closest: near[:1]},
		"found, 3 passages": {Quoted: true, Groups: []outline.Group{{Near: near}, {Near: near[:1]}}},
		"nothing close":     {Quoted: true, Closest: near},
		"answered":          {Quoted: true, Greets: true},
	} {
		if _, got := verdict(context.Background(), partial.TurnProps{Found: found}, ledger.Answer{Status: ledger.MessageDone}); got != want {
			t.Errorf("%+v: got %q, want %q", found, got, want)
		}
	}
}
