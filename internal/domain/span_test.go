package domain_test

import (
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"日本語です", 4, "日本語…"}, {"ab", 1, "…"},
	} {
		if got := domain.Cut(tt.text, tt.most); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}
