package vectorstoretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/vectorstore"
)

func testWords(t *testing.T, s *bench) {
	s.put(
		chunk("a1", "Lighthouse keepers", "The keeper was counting ships near Zürich."),
		chunk("b1", "Harbours", "Cranes lift what the ships bring. 42 of them."),
		chunk("c1", "", "Nothing of the kind."),
	)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"cranes", []string{"b1"}},
		{"crane lifted", []string{"b1"}}, // by stems
		{"ZURICH", []string{"a1"}},       // ignoring case and accents
		{"lighthouses", []string{"a1"}},  // in the title
		{"ship", []string{"a1", "b1"}},   // in several points
		{"crane zebra", []string{"b1"}},  // a word that is in no point is ignored
		{"42", []string{"b1"}},           // numbers are words
		{"zebra", nil},                   // nothing usable
		{"the of what was", nil},         // stop words only
		{"the crane of them", []string{"b1"}},
		{"", nil},
		{" \n?!", nil},
	} {
		sameSet(s, "found by "+c.text, s.find(c.text), c.want)
	}
	same(s, "a limit of 0", len(s.lexical(vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "ship"})), 0)
}

func testWordOrder(t *testing.T, s *bench) {
	s.put(
		chunk("a1", "", "basalt and gneiss"),
		chunk("a2", "", "basalt and granite"),
		chunk("a3", "", "granite and then a long talk about other things that nobody asked for at all today"),
		chunk("a4", "", "granite"),
		chunk("a5", "", "granite pebbles"),
		chunk("a6", "", "mountain weather"), chunk("a7", "", "river water"), chunk("a8", "", "forest wood"), chunk("a9", "", "desert sand"),
		chunk("aa", "", "ocean waves"), chunk("ab", "", "valley fog"),
	)
	same(s, "both words first", s.find("basalt granite")[0], "a2")
	same(s, "the rare word before the common one", s.find("gneiss granite")[0], "a1")
	same(s, "the short text before the longer one", s.find("granite")[0], "a4")
	same(s, "cut to the limit", s.lexical(vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "basalt granite", Limit: 1}), []string{"a2"})
}

func testWordFilter(t *testing.T, s *bench) {
	var points []vectorstore.Point
	for i := range 40 {
		points = append(points, chunk(fmt.Sprintf("a%02d", i), "", "granite"))
	}
	s.put(append(points, chunk("b1", "", "granite among a good many other words that make it rank last"), chunk("c1", "", "slate"))...)
	same(s, "of one document", s.find("granite", "db"), []string{"b1"})
	sameSet(s, "of two documents", s.find("granite slate", "db", "dc"), []string{"b1", "c1"})
	same(s, "of no such document", s.find("granite", "never was"), nil)
	same(s, "of a document without the word", s.find("granite", "dc"), nil)
}

// testWordTies cuts a run of equal scores at every position.
func testWordTies(t *testing.T, s *bench) {
	var points []vectorstore.Point
	var want []string
	for i := range 60 { // written in a different order from the ids
		points = append(points, chunk(fmt.Sprintf("a%02d", (i*37)%60), "", "granite"))
		want = append(want, fmt.Sprintf("a%02d", i))
	}
	s.put(points...)
	for _, limit := range []int{1, 2, 10, 30, 59, 60, 61} {
		got := s.lexical(vectorstore.LexicalQuery{Collection: vectorstore.Chunks, Text: "granite", Limit: limit})
		same(s, fmt.Sprintf("the first %d", limit), got, want[:min(limit, len(want))])
	}
}

func testHostileWords(t *testing.T, s *bench) {
	s.put(chunk("a1", "", "near and not or granite"), chunk("b1", "", `say "hello" to c++ and the 日本語 reader`))
	for _, text := range []string{
		`granite" OR "x`, `"granite`, `granite*`, `text:granite`, `-granite`, `NEAR(granite, 2)`, `granite AND NOT b`, "granite\x00", `(granite`,
		`^granite`, `granite'; DROP TABLE points; --`, "{title}: granite",
	} {
		same(s, "found by "+text, s.find(text), []string{"a1"})
	}
	same(s, "found by a quoted word", s.find(`"hello"`), []string{"b1"})
	same(s, "found in another script", s.find("日本語"), []string{"b1"})
	same(s, "found by a very long question", s.find(strings.Repeat("what is the granite ", 5000)), []string{"a1"})
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	same(s, "found by very many words", s.find(many.String()+"granite"), []string{"a1"})
}
