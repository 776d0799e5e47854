package settings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/settings"
	"github.com/clewhq/clew/internal/testkit"
)

// book returns a book of a new ledger, in an environment.
func book(t *testing.T, environ ...string) *settings.Book {
	t.Helper()
	a := testkit.Open(t, testkit.Options{Idle: true})
	given, err := config.Load(environ)
	testkit.Must(t, err)
	return &settings.Book{Ledger: a.Ledger, Given: given, Now: a.Clock.Now, Process: testkit.Once{}}
}

// used returns the value of a setting with what the book keeps, and where it is set.
func used(t *testing.T, b *settings.Book, key string) string {
	t.Helper()
	values, err := b.Values(t.Context())
	testkit.Must(t, err)
	cfg, problems := values.Apply(b.Given)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, s := range cfg.Settings() {
		if s.Key == key {
			return s.Value + " " + string(s.Place)
		}
	}
	return ""
}

// TestAValueIsSetAndPutBack sets values, sets one again, and takes that back.
func TestAValueIsSetAndPutBack(t *testing.T) {
	t.Parallel()
	b := book(t, "PASSAGES=9")
	ctx := domain.WithPerson(t.Context(), "marta")
	for _, tt := range []struct {
		set  map[string]string
		want []string
	}{
		{map[string]string{"MAX_LOOPS": " 2 ", "OCR_LANGUAGES": "eng+deu"}, []string{"MAX_LOOPS", "OCR_LANGUAGES"}},
		{map[string]string{"MAX_LOOPS": "2"}, nil},
		{map[string]string{"MAX_LOOPS": "4"}, []string{"MAX_LOOPS"}},
	} {
		changed, err := b.Set(ctx, tt.set)
		testkit.Must(t, err)
		if diff := cmp.Diff(tt.want, changed); diff != "" {
			t.Errorf("setting %v (-want +got):\n%s", tt.set, diff)
		}
	}
	if got := used(t, b, "MAX_LOOPS"); got != "4 page" {
		t.Errorf("MAX_LOOPS is %s", got)
	}
	if _, err := b.Undo(ctx, "MAX_LOOPS"); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"MAX_LOOPS": "2 page", "OCR_LANGUAGES": "eng+deu page", "PASSAGES": "9 environment", "RERANK": "0 default"} {
		if got := used(t, b, key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if values, err := b.Values(ctx); err != nil || values["OCR_LANGUAGES"].Who != "marta" || values["OCR_LANGUAGES"].At.IsZero() {
		t.Errorf("who and when: %+v, %v", values, err)
	}
	if _, err := b.Set(ctx, map[string]string{"MAX_LOOPS": ""}); err != nil {
		t.Fatal(err)
	}
	if got := used(t, b, "MAX_LOOPS"); got != "3 default" {
		t.Errorf("reset, MAX_LOOPS is %s", got)
	}
}

// TestNothingIsHalfSaved refuses forms with a value that is wrong or fixed.
func TestNothingIsHalfSaved(t *testing.T) {
	t.Parallel()
	b := book(t, "PASSAGES=9", "RESOLVE_PROPOSE=0.5")
	for name, tt := range map[string]struct {
		set map[string]string
		at  map[string]string // setting and a part of the sentence that stands there
	}{
		"no number":          {map[string]string{"MAX_LOOPS": "many", "RERANK": "5"}, map[string]string{"MAX_LOOPS": "a whole number"}},
		"out of bounds":      {map[string]string{"OCR_PAGES": "0", "CHUNK_TOKENS": "1", "RERANK": "5"}, map[string]string{"OCR_PAGES": "at least 1", "CHUNK_TOKENS": "between 32"}},
		"against each other": {map[string]string{"RESOLVE_MERGE": "0.4"}, map[string]string{"RESOLVE_MERGE": "at least RESOLVE_PROPOSE"}},
		"of the environment": {map[string]string{"PASSAGES": "5", "RERANK": "5"}, map[string]string{"PASSAGES": "takes precedence"}},
		"not for the page":   {map[string]string{"LISTEN": "0.0.0.0:80", "RERANK": "5"}, map[string]string{"LISTEN": "only be set in the environment"}},
		"a secret":           {map[string]string{"LLM_API_KEY": "sk-1"}, map[string]string{"LLM_API_KEY": "only be set in the environment"}},
	} {
		_, err := b.Set(t.Context(), tt.set)
		if !settings.Wrong(err) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		keys := []string{"MAX_LOOPS", "RERANK", "OCR_PAGES", "CHUNK_TOKENS", "RESOLVE_MERGE", "PASSAGES", "LISTEN", "LLM_API_KEY"}
		problems := settings.Problems(err, keys)
		for key, part := range tt.at {
			if !strings.Contains(problems[key], part) {
				t.Errorf("%s: %s says %q of %v, want a part %q", name, key, problems[key], problems, part)
			}
		}
	}
	if values, err := b.Values(t.Context()); err != nil || len(values) > 0 {
		t.Errorf("kept %v, %v", values, err)
	}
	if _, err := b.Undo(t.Context(), "MAX_LOOPS"); domain.KindOf(err) != domain.NotFound {
		t.Errorf("undoing what was not set: %v", err)
	}
}

// TestAnUnknownSettingIsNamed sets and undoes settings that there are not: one that looks like another, and one that does not.
func TestAnUnknownSettingIsNamed(t *testing.T) {
	t.Parallel()
	b := book(t)
	for key, says := range map[string]string{
		"MAX_LOPS": "Unknown setting MAX_LOPS. Did you mean MAX_LOOPS?",
		"X":        "Unknown setting X. clew settings lists all settings.",
	} {
		_, err := b.Set(t.Context(), map[string]string{key: "1", "RERANK": "5"})
		if domain.KindOf(err) != domain.NotFound || domain.InWords(err) != says {
			t.Errorf("setting %s: %v", key, err)
		}
		if _, err := b.Undo(t.Context(), key); domain.KindOf(err) != domain.NotFound || domain.InWords(err) != says {
			t.Errorf("undoing %s: %v", key, err)
		}
	}
	if values, err := b.Values(t.Context()); err != nil || len(values) > 0 {
		t.Errorf("kept %v, %v", values, err)
	}
}

// TestAValueThatNoLongerFitsIsLeftOut starts with an environment that a value contradicts.
func TestAValueThatNoLongerFitsIsLeftOut(t *testing.T) {
	t.Parallel()
	b := book(t)
	_, err := b.Set(t.Context(), map[string]string{"RESOLVE_MERGE": "0.6", "MAX_LOOPS": "1"})
	testkit.Must(t, err)
	values, err := b.Values(t.Context())
	testkit.Must(t, err)
	given, err := config.Load([]string{"RESOLVE_PROPOSE=0.8"})
	testkit.Must(t, err)
	cfg, problems := values.Apply(given)
	if cfg.MaxLoops != 1 || cfg.MergeBar != 0.95 || len(problems) != 1 || problems["RESOLVE_MERGE"] == nil {
		t.Errorf("loops %d, merge from %g, problems %v", cfg.MaxLoops, cfg.MergeBar, problems)
	}
}
