package domain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestScopeOfTerms(t *testing.T) {
	t.Parallel()
	var s domain.Scope
	for _, term := range []string{"tag:  Town  Minutes ", "doc:d1", "from:2024-01-31", "to:2024-12-31", "tag:town minutes",
		"lang:DE", "source:Web", "author: Ada Lovelace", "lang:de", "published:2024-05..2025"} {
		if err := s.Add(term); err != nil {
			t.Fatalf("%q: %v", term, err)
		}
	}
	if want := []string{"tag:town minutes", "doc:d1", "from:2024-01-31", "to:2024-12-31",
		"lang:de", "source:web", "author:Ada Lovelace", "published:2024-05..2025"}; !slices.Equal(s.Terms(), want) {
		t.Errorf("got %q, want %q", s.Terms(), want)
	}
	if s.All() || !(domain.Scope{}).All() {
		t.Error("only the empty scope is the whole library")
	}
	for term, says := range map[string]string{
		"": "does not select documents", " ": "tag:NAME", "minutes": "does not select documents", "tag:": "does not select documents", "doc: ": "does not select documents",
		"from:January": "is not a day", "to:2024-02-31": "to:2024-01-31", "colour:red": "tag:NAME",
		"source:moon": "is not a source", "published:May": "is not a year", "published:2024-13": "is not a year", "published:..": "does not select documents", "lang:": "does not select documents",
	} {
		if err := s.Add(term); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %q", term, err, says)
		}
	}
	var many domain.Scope
	var err error
	for i := range domain.MaxWithin + 1 {
		err = many.Add(fmt.Sprintf("tag:t%d", i))
	}
	if domain.KindOf(err) != domain.TooLarge {
		t.Errorf("one tag too many: got %v", err)
	}
}
