package partial

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/worddiff"
)

// MissProps holds the passages of a search that did not answer the question.
type MissProps struct {
	Closest    []NearProps
	Rest       int            // passages graded besides
	RestUnread bool           // not all of these are graded
	Asked      []WordingProps // in order
	Nearby     []string       // questions about the same that the library answers
	BuiltIn    bool           // no model took part
}

// NearProps is a passage that is close to the question.
type NearProps struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Name     string // of the document's file
	Page     int
	Place    string // where the number of a page does not say it
	URL      string
	Verdict  domain.Verdict
	Reason   string  // why it does not answer; "" if unknown
	Score    float64 // in the first search that found it; 0 if unknown
	Pieces   []PieceProps
}

func (p NearProps) where() string { return domain.Where(p.Name, p.Page, p.Place) }

func (p NearProps) graded() string {
	return map[bool]string{true: "relevant", false: "not relevant"}[p.Verdict == domain.Relevant]
}

// PieceProps is a piece of a text.
type PieceProps struct {
	Text   string
	Marked bool
}

// WordingProps is a wording that was searched for.
type WordingProps struct {
	Text             string
	Graded, Relevant int // passages
}

// letter marks the nth of the closest passages.
func letter(n int) string { return string(rune('a' + n)) }

func (p MissProps) rest() string {
	said := format.Count(p.Rest, "more passage", "more passages")
	switch {
	case p.RestUnread:
		return said + ", none of them relevant"
	case p.Rest == 1:
		return said + ", not relevant"
	}
	return said + ", none relevant"
}

// score writes the score of a passage: all of them with as many places as give the
// highest two digits, and at least two.
func (p MissProps) score(n NearProps) string {
	highest, places := 0.0, 2
	for _, c := range p.Closest {
		highest = max(highest, c.Score)
	}
	for least := 0.1; highest < least && places < 5; least /= 10 {
		places++
	}
	return strconv.FormatFloat(n.Score, 'f', places, 64)
}

// came leaves out what went. What follows it then stands behind a word that stayed.
func came(parts []worddiff.Part) []worddiff.Part {
	return slices.DeleteFunc(parts, func(p worddiff.Part) bool { return p.Kind == worddiff.Gone })
}

func (w WordingProps) graded() string { return fmt.Sprintf("%d of %d", w.Relevant, w.Graded) }
