package titles

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

func TestTitles(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		title string
		want  []string
	}{
		{"Oslo", []string{"Oslo"}},
		{" Mercury (planet) ", []string{"Mercury (planet)", "Mercury"}},
		{"(planet)", []string{"(planet)"}},
		{"Mercury (planet) facts", []string{"Mercury (planet) facts"}},
		{"", nil},
	} {
		var forms []string
		for _, title := range Of(ledger.TitleRow{Title: c.title, Stated: c.title}, strings.ToLower) {
			forms = append(forms, title.Form)
		}
		same(t, c.title, forms, c.want)
	}
}

func TestSearchable(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"Oslo": true, "the Alps": true, "Élan": true, "iPhone": false, "notes": false, "Rio": false, "U.S.": true, "2001": false, "東京都庁": false, "": false,
	} {
		same(t, title, searchable(title), want)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, text string
		want        []string // texts of the spans
	}{
		{"Oslo", "From Oslo to Oslo.", []string{"Oslo", "Oslo"}},
		{"Oslo", "Oslos and oslo", nil},
		{"Oslo", "in OSLO", []string{"OSLO"}},
		{"New York", "is new. York; New  York, New\nYork", []string{"New  York", "New\nYork"}},
		{"New York", "A New. York", nil},
		{"Battle of Hastings", "the battle of Hastings, the Battle of Hastings", []string{"Battle of Hastings"}},
		{"Schindler's List", "He saw Schindler’s List.", []string{"Schindler’s List"}},
		{"Élan Vital", "🎻 L'Élan vital, Élan Vital", []string{"Élan Vital"}},
		{"Mercury (planet)", "Mercury (planet) and Mercury", []string{"Mercury (planet"}},
		{"Who?", "Who? Who!", []string{"Who", "Who"}},
		{"Rio", "in Rio", nil},
	} {
		m := NewMatcher([]Title{{"key", c.title, "d1"}})
		const from = 100
		chunk := domain.Chunk{Document: "d2", Text: c.text, Span: domain.Span{Start: from}}
		var got []string
		for _, span := range m.Find(chunk)["key"] {
			got = append(got, span.Shift(-from).Slice(c.text))
		}
		same(t, c.title+" in "+c.text, got, c.want)
	}
}

// TestFindSkipsADocumentsOwnTitle also has two documents with the same title,
// which is found in both.
func TestFindSkipsADocumentsOwnTitle(t *testing.T) {
	t.Parallel()
	chunk := func(d domain.DocumentID) domain.Chunk {
		return domain.Chunk{Document: d, Text: "Oslo, Oslo Fjord"}
	}
	one := NewMatcher([]Title{{"oslo", "Oslo", "d1"}, {"oslo fjord", "Oslo Fjord", "d1"}})
	same(t, "its own titles", len(one.Find(chunk("d1"))), 0)
	same(t, "titles within titles", one.Find(chunk("d2")), map[string][]domain.Span{
		"oslo": {{Start: 0, End: 4}, {Start: 6, End: 10}}, "oslo fjord": {{Start: 6, End: 16}},
	})
	two := NewMatcher([]Title{{"oslo", "Oslo", "d1"}, {"oslo", "OSLO", "d2"}})
	for _, d := range []domain.DocumentID{"d1", "d2", "d3"} {
		same(t, "spans of a title that two documents have", len(two.Find(chunk(d))["oslo"]), 2)
	}
}

// TestProbesMissNothing compares searching with and without probes, for any
// text.
func TestProbesMissNothing(t *testing.T) {
	t.Parallel()
	titles := []Title{{"a", "Old OSLO Harbour", "d1"}, {"b", "Ann's Boat", "d1"}, {"c", "Oslo 2", "d1"}}
	if probed := NewMatcher(titles); len(probed.probes) != len(titles) {
		t.Fatalf("got probes %q: the test proves nothing", probed.probes)
	}
	if other := NewMatcher([]Title{{"d", "Élan Oslo Å", "d1"}, {"e", "Élan", "d1"}}); other.probes != nil {
		t.Errorf("got probes %q for a title whose letters change size with case", other.probes)
	}
	words := rapid.SampledFrom([]string{"Old", "old", "Oslo", "OSLO", "oSLO", "Harbour", "harbour", "HARBOUR", "Ann", "'", "s", "Boat", "boat", "2", " ", " ", " "})
	rapid.Check(t, func(rt *rapid.T) {
		chunk := domain.Chunk{Document: "d2", Text: strings.Join(rapid.SliceOfN(words, 0, 20).Draw(rt, "words"), "")}
		probed, plain := NewMatcher(titles), NewMatcher(titles)
		plain.probes = nil
		same(t, chunk.Text, probed.Find(chunk), plain.Find(chunk))
	})
}

// TestWordsMissNothing checks that the titles found in a text are among those
// that its words look up, for any text.
func TestWordsMissNothing(t *testing.T) {
	t.Parallel()
	parts := rapid.SampledFrom([]string{
		"Oslo", "OSLO", "oslo", "Fjord", "fjord", "FJORD", "The", "the", "Ann", "Élan", "élan", "ÉLAN", "Ǆ", "ǅ", "İ", "s", "2", "東京", "U.S.",
		"\u0301", " ", " ", " ", "  ", "\n", "'", "’", "-", "–", ".", " (", ")",
	})
	found := false
	rapid.Check(t, func(rt *rapid.T) {
		form := strings.Join(rapid.SliceOfN(parts, 1, 8).Draw(rt, "title"), "")
		text := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(rt, "before"), "") + rapid.SampledFrom([]string{" " + form + " ", strings.ToUpper(form), ""}).Draw(rt, "in it") +
			strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(rt, "after"), "")
		spans := NewMatcher([]Title{{"k", form, "d1"}}).Find(domain.Chunk{Document: "d2", Text: text})["k"]
		words, of := TextWords(text), FormWords(form)
		if (of != 0) != searchable(form) {
			rt.Fatalf("form %q: got words %d and searchable %t", form, of, searchable(form))
		}
		if len(spans) > 0 && !slices.ContainsFunc(words, func(w ledger.Words) bool { return w == of || w.First() == of }) {
			rt.Fatalf("title %q is in %q, but its words are not", form, text)
		}
		found = found || len(spans) > 0
	})
	if !found && !testing.Short() { // a short run draws too few
		t.Error("got no titles: the test proves nothing")
	}
}

// TestWordsRuleOut searches texts that contain the words of a title, but not
// the title.
func TestWordsRuleOut(t *testing.T) {
	t.Parallel()
	for title, text := range map[string]string{
		"Battle of Hastings": "The battle of words. A Battle of words, Battle, hastings", "Oslo Fjord": "Fjord Oslo. Oslo, Fjord", "the Alps": "the alps",
	} {
		of := FormWords(title)
		if slices.ContainsFunc(TextWords(text), func(w ledger.Words) bool { return w == of || w.First() == of }) {
			t.Errorf("title %q would be searched for in %q", title, text)
		}
	}
}

// TestTokensMatchTheText checks that each token is the text at its position,
// for any text.
func TestTokensMatchTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		end := 0
		for _, w := range tokenize(text) {
			if w.start < end || w.end <= w.start {
				rt.Fatalf("token %+v overlaps the previous one, which ends at %d", w, end)
			}
			if got := foldWord(domain.Span{Start: w.start, End: w.end}.Slice(text)); got != w.word {
				rt.Fatalf("token %q: got %q at its position", w.word, got)
			}
			end = w.end
		}
	})
}

func BenchmarkFind(b *testing.B) {
	m := NewMatcher([]Title{{"k", "Oslo Fjord", "d1"}, {"k", "The Harbour of Oslo", "d1"}})
	chunk := domain.Chunk{Document: "d2", Text: strings.Repeat("The old harbour of Oslo lies at the head of the Oslo Fjord, where ships wait. ", 10)}
	b.SetBytes(int64(len(chunk.Text)))
	for b.Loop() {
		m.Find(chunk)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
