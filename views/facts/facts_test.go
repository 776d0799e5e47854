package facts_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/facts"
)

func TestFactsInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d    domain.Document
		want string
	}{
		{domain.Document{Source: domain.SourceUpload}, ""},
		{domain.Document{Source: domain.SourceWeb, Facts: domain.Facts{Author: "Ann", Published: "2024-05-03", Language: "de", Link: "https://a.example"}}, "By Ann, 3 May 2024, German, from the web"},
		{domain.Document{Source: domain.SourceArchive, Index: 1200, Facts: domain.Facts{Published: "2024-05", Language: "xx"}}, "May 2024, xx, from an archive, file 1,200"},
		{domain.Document{Source: domain.SourceMail, Facts: domain.Facts{Published: "2024"}}, "2024, attached to a mail"},
	} {
		if got := strings.Join(facts.Of(t.Context(), tt.d), ", "); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	for want, f := range map[string]domain.Facts{"": {}, "Ann": {Author: "Ann"}, "3 May 2024": {Published: "2024-05-03"}, "Ann, 2024": {Author: "Ann", Published: "2024"}} {
		if got := facts.Origin(t.Context(), f); got != want {
			t.Errorf("origin %q, want %q", got, want)
		}
	}
	if got := facts.Address("https://example.org/a?b=c#d"); got != "example.org/a?b=c" {
		t.Errorf("address %q", got)
	}
}
