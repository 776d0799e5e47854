package domain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

func TestErrorValue(t *testing.T) {
	t.Parallel()
	inner := fmt.Errorf("write page 3: %w", errors.New("ENOSPC"))
	full := domain.Because(domain.Exhausted, inner, "The disk is full.")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"without a kind", errors.New("boom"), `err.kind=internal err.message=boom`},
		{"with a cause", full, `err.kind=exhausted err.message="The disk is full." err.cause="write page 3: ENOSPC"`},
		{"a cause that the message quotes", domain.Errorf(domain.Invalid, "The page is wrong: %w.", inner), `err.kind=invalid err.message="The page is wrong: write page 3: ENOSPC."`},
		{"wrapped", fmt.Errorf("store: %w", full), `err.kind=exhausted err.message="store: The disk is full." err.cause="write page 3: ENOSPC"`},
		{"a cause behind a cause", domain.Because(domain.Unavailable, full, "Later."), `err.kind=unavailable err.message=Later. err.cause="The disk is full.: write page 3: ENOSPC"`},
		{"joined", errors.Join(full, domain.Because(domain.Invalid, errors.New("no rows"), "No.")),
			`err.kind=exhausted err.message="The disk is full.\nNo." err.cause="write page 3: ENOSPC: no rows"`},
		{"no cause", domain.Because(domain.NotFound, nil, "Nothing."), `err.kind="not found" err.message=Nothing.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := logged(slog.Any("err", domain.ErrorValue(tt.err))); got != tt.want {
				t.Errorf("logged\n%s, want\n%s", got, tt.want)
			}
		})
	}
	if got, want := logged(slog.Any("err", full)), logged(slog.Any("err", domain.ErrorValue(full))); got != want {
		t.Errorf("by itself an Error is logged as\n%s, want\n%s", got, want)
	}
}

func logged(a slog.Attr) string {
	var out bytes.Buffer
	h := slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 {
			return slog.Attr{}
		}
		return a
	}})
	slog.New(h).LogAttrs(context.Background(), slog.LevelError, "", a)
	return string(bytes.TrimSpace(out.Bytes()))
}

func TestRetry(t *testing.T) {
	t.Parallel()
	busy := &domain.Error{Kind: domain.Unavailable, Message: "Busy.", Retry: domain.Retry{After: time.Minute, Reachable: true}}
	for _, tt := range []struct {
		name            string
		err             error
		temporary, away bool
		after           time.Duration
	}{
		{"nil", nil, false, false, 0},
		{"without a kind", errors.New("boom"), false, false, 0},
		{"invalid", domain.Errorf(domain.Invalid, "No."), false, false, 0},
		{"unavailable", domain.Errorf(domain.Unavailable, "Away."), true, true, 0},
		{"full disk", domain.Errorf(domain.Exhausted, "Full."), true, true, 0},
		{"too many", domain.TooManyf(time.Second, "Later."), false, false, time.Second},
		{"reachable", busy, true, false, time.Minute},
		{"wrapped", fmt.Errorf("call: %w", busy), true, false, time.Minute},
		{"behind another sentence", domain.Because(domain.Unavailable, busy, "Later."), true, false, time.Minute},
		{"within another sentence", domain.Errorf(domain.Unavailable, "Later: %w", busy), true, false, time.Minute},
		{"of another kind", domain.Because(domain.Invalid, busy, "Given up."), false, false, time.Minute},
	} {
		if got := domain.Temporary(tt.err); got != tt.temporary {
			t.Errorf("%s: Temporary = %t", tt.name, got)
		}
		if got := domain.Away(tt.err); got != tt.away {
			t.Errorf("%s: Away = %t", tt.name, got)
		}
		if got := domain.RetryAfter(tt.err); got != tt.after {
			t.Errorf("%s: RetryAfter = %s, want %s", tt.name, got, tt.after)
		}
	}
}
