package parse_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

func TestParseLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		limits parse.Limits
		format domain.Format
		data   string
		kind   domain.Kind
		want   string
	}{
		{"empty", parse.Limits{}, domain.FormatPDF, "", domain.Invalid, "This file is empty."},
		{"bytes", parse.Limits{MaxBytes: 2048}, domain.FormatText, strings.Repeat("a", 4096), domain.TooLarge, "This file has 4.0 KB; the limit is 2.0 KB."},
		{"characters", parse.Limits{MaxChars: 10}, domain.FormatText, "More than ten.", domain.TooLarge, "more than 10 characters"},
		{"format", parse.Limits{}, "ods", "x", domain.Unsupported, "Clew reads PDF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refuse(t, tt.limits, tt.format, tt.data, tt.kind); !strings.Contains(got, tt.want) {
				t.Errorf("refused with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseTimeout(t *testing.T) {
	t.Parallel()
	data := strings.Repeat("*a **b [c](d) ", 100_000)
	got := refuse(t, parse.Limits{Timeout: time.Millisecond}, domain.FormatMarkdown, data, domain.TooLarge)
	if !strings.Contains(got, "longer than 1ms") {
		t.Errorf("refused with %q", got)
	}
}

func TestParseCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := parse.New(parse.Limits{}).Parse(ctx, "a.md", domain.FormatMarkdown, []byte(strings.Repeat("*a* ", 100_000)))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
