package domain_test

import (
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestParseChunking(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by, tokens, field string
		want              string // in words
		problem           string
	}{
		{},
		{" headings ", "128", "", "by headings, at most 128 tokens each", ""},
		{"parts", "", " body.text ", "by parts, text in body.text", ""},
		{"pages", "", "", "", "no chunking by"},
		{"tokens", "31", "", "", "between 32 and 4096"},
		{"tokens", "5000", "", "", "between 32 and 4096"},
		{"", "many", "", "", "between 32 and 4096"},
		{"", "", strings.Repeat("x", 201), "", "longer than 200"},
	} {
		c, err := domain.ParseChunking(tt.by, tt.tokens, tt.field)
		if tt.problem != "" {
			if domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%+v: error %v", tt, err)
			}
			continue
		}
		if err != nil || c.String() != tt.want {
			t.Errorf("%+v: %q, error %v", tt, c, err)
		}
	}
}
