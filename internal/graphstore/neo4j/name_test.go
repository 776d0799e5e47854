package neo4j

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"Person", "Person"},
		{"Straße", "Straße"},
		{"人物", "人物"},
		{"देश", "देश"},
		{"3rdParty", "3rdParty"},
		{"Research Group", "Research_Group"},
		{"A`) DETACH DELETE (n", "A___DETACH_DELETE__n"},
		{"x\x00y\u2028z", "x_y_z"},
		{`\u0060`, `_u0060`},
		{"", "Other"},
		{"`", "Other"},
		{"____", "Other"},
		{"__Entity__", "Entity__"},
		{"Document", "Document_"},
		{"__Document", "Document_"},
		{"document", "document"},
		{strings.Repeat("é", 200), strings.Repeat("é", maxToken)},
	} {
		if got := token(c.text, "Other", ownLabels); got != c.want {
			t.Errorf("token(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	if got := typeToken("FROM_CHUNK"); got != "FROM_CHUNK_" {
		t.Errorf("got relation type %q, the same as a link's", got)
	}
}

func FuzzToken(f *testing.F) {
	for _, seed := range []string{"Person", "a`b", "__Chunk", "\x00", "\xff", "FROM_CHUNK", "Ⅷ", "e\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := token(text, "Other", ownLabels)
		if got == "" || utf8.RuneCountInString(got) > maxToken+1 || strings.HasPrefix(got, "__") {
			t.Errorf("token(%q) = %q", text, got)
		}
		for _, r := range got {
			if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				t.Errorf("token(%q) = %q holds %q", text, got, r)
			}
		}
		for _, own := range ownLabels {
			if got == own {
				t.Errorf("token(%q) is our reserved %s", text, own)
			}
		}
		if again := token(got, "Other", ownLabels); again != got && again != "Other" {
			t.Errorf("token(%q) = %q, whose token is %q", text, got, again)
		}
	})
}

func TestShown(t *testing.T) {
	t.Parallel()
	got := shown(domain.Properties{{Key: "born", Value: "1815"}, {Key: "id", Value: "x"}, {Key: "born", Value: "1816"}, {Key: "a`b", Value: "y"}})
	want := fields{"born": []string{"1815", "1816"}, "id_": "x", "a_b": "y"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	var many domain.Properties
	for i := range 200 {
		many = append(many, domain.Property{Key: "k" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Value: "v"})
	}
	if got := len(shown(many)); got != maxShown {
		t.Errorf("got %d properties, want %d", got, maxShown)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"École de Zürich":        {"ecole", "de", "zurich"},
		"O'Neill-Smith (AND)":    {"o", "neill", "smith", "and"},
		"ΑΘΉΝΑΣ Йод":             {"αθηνασ", "иод"},
		"東京都 Tower":              {"東京都", "tower"},
		"각 하":                    {"각", "하"},
		"_w _kabc":               {"w", "kabc"},
		"+-&|!(){}[]^\"~*?:\\/":  nil,
		strings.Repeat("x", 300): {strings.Repeat("x", maxWord)},
	} {
		if d := cmp.Diff(want, words(text)); d != "" && len(want)+len(words(text)) > 0 {
			t.Errorf("words of %q: -want +got\n%s", text, d)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Ann Lee")
	f.Add("+a -b _w")
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range words(text) {
			if word == "" || strings.ContainsAny(word, " \t\n_+-&|!(){}[]^\"~*?:\\/<>=") || word == "AND" || word == "OR" || word == "NOT" {
				t.Errorf("%q gives the word %q, which is special in a query", text, word)
			}
		}
	})
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]bool{
		"Neo4j/5.26.30": false, "Neo4j/5.27-aura": false, "Neo4j/2026.01.0": false, "Neo4j/5.9.0": true, "Neo4j/4.4.40": true, "Neo4j/dev": false,
	} {
		if got := tooOld(agent); got != want {
			t.Errorf("%s: got %t, want %t", agent, got, want)
		}
	}
}
