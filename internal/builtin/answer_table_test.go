package builtin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

const (
	boats = "Boat | Yard | Built | Length (m) | Crew | Still afloat\n" +
		"Heron | Osterby | 1901 | 12.5 | 4 | yes\n" +
		"Curlew | Carrow | 1887 | 9 | 2 | no\n" +
		"Good Intent | Osterby | 1894 | 21 | 11 | yes\n" +
		"Plover | Withen | 1912 | 15.25 | 6 | no"
	tolls = "| Quarter | Tolls (crowns) | Repairs (crowns) |\n| --- | ---: | ---: |\n" +
		"| Q1 | 1,204 | 300 |\n| Q2 | 1,877 | 1,410 |\n| Q3 | 2,450 | 95 |\n| Q4 | 980 | 60 |"
)

// answersOf asks the writer of boats and tolls, and returns what it remarks and quotes, with marked words in braces.
func answersOf(t *testing.T, question string, texts builtin.Texts, passages []domain.Passage) []string {
	t.Helper()
	var n notes
	roles := builtin.Answering(answertest.Of(), nearest.Ranker{}, nil, texts, 0)
	if _, err := roles.Writer.Write(context.Background(), answer.WriteRequest{Asked: asked(question), Passages: passages}, &n, silent); err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(n.pieces)
	for _, q := range n.quoted {
		text := q.Text
		for _, m := range q.Marks {
			said := m.Shift(-q.Passage.Span.Start).Slice(q.Passage.Text)
			text = strings.Replace(text, said, "{"+said+"}", 1)
		}
		if !q.Passage.Span.Contains(q.Span) {
			t.Errorf("%s: %v is not in %v", question, q.Span, q.Passage.Span)
		}
		out = append(out, text)
	}
	return out
}

func TestTablesAnswer(t *testing.T) {
	t.Parallel()
	passages := answertest.Of(boats, tolls).All
	for _, tt := range []struct {
		question string
		want     []string
	}{
		{"How long is the Curlew?", []string{"{9} — Length (m), Curlew"}},
		{"Which boat is the longest?", []string{"The most in “Length (m)”, of 4 rows:", "{Good Intent} — Length (m): {21}"}},
		{"What is the oldest boat?", []string{"The least in “Built”, of 4 rows:", "{Curlew} — Built: {1887}"}},
		{"Which boat from Osterby has the smallest crew?", []string{"The least in “Crew”, of 2 rows:", "{Heron} — Crew: {4}, Osterby"}},
		{"Which boats are still afloat?", []string{"{Heron} — Still afloat: yes", "{Good Intent} — Still afloat: yes"}},
		{"How many boats were built before 1900?", []string{"2 of 4 rows:", "{Curlew} — Built: {1887}", "{Good Intent} — Built: {1894}"}},
		{"Which boat was built in 1912?", []string{"{Plover} — Built: {1912}"}},
		{"Which is longer, the Heron or the Plover?", []string{"{Plover} — Length (m): {15.25}", "{Heron} — Length (m): {12.5}"}},
		{"What were the tolls in Q3?", []string{"{2,450} — Tolls (crowns), Q3"}},
		{"Which quarter was the best for tolls?", []string{"The most in “Tolls (crowns)”, of 4 rows:", "{Q3} — Tolls (crowns): {2,450}"}},
		{"What was the total of repairs?", []string{
			"1865 is the sum of “Repairs (crowns)” in 4 rows:",
			"{300} — Repairs (crowns), Q1", "{1,410} — Repairs (crowns), Q2", "{95} — Repairs (crowns), Q3", "{60} — Repairs (crowns), Q4",
		}},
		{"What was the average of the tolls in Q1 and Q2?", []string{
			"1540.5 is the mean of “Tolls (crowns)” in 2 rows:", "{1,204} — Tolls (crowns), Q1", "{1,877} — Tolls (crowns), Q2",
		}},
	} {
		if got := answersOf(t, tt.question, nil, passages); !slices.Equal(got, tt.want) {
			t.Errorf("%s\n got %q\nwant %q", tt.question, got, tt.want)
		}
	}
}

// TestTablesReckonForAModel returns what the writer by rule quotes.
func TestTablesReckonForAModel(t *testing.T) {
	t.Parallel()
	passages := answertest.Of(boats, tolls).All
	r, ok, err := builtin.Tables(nil).Reckon(t.Context(), asked("Which quarter was the best for tolls?"), passages)
	if err != nil || !ok || r.Says != "The most in “Tolls (crowns)”, of 4 rows:" || len(r.Rows) != 1 || r.Rows[0].Text != "Q3 — Tolls (crowns): 2,450" || r.Rows[0].Passage.ID != passages[1].ID {
		t.Errorf("got %+v, %t, %v", r, ok, err)
	}
	if _, ok, err := builtin.Tables(nil).Reckon(t.Context(), asked("Who sank the Heron?"), passages); ok || err != nil {
		t.Errorf("it answers what no cell says: %t, %v", ok, err)
	}
}

// TestTablesDoNotAnswerWhatTheyDoNotSay asks for what has words of a table, and no cell.
func TestTablesDoNotAnswerWhatTheyDoNotSay(t *testing.T) {
	t.Parallel()
	passages := answertest.Of(boats, tolls).All
	for _, question := range []string{
		"Who sank the Heron?", "How many passengers did the Plover carry?", "Which boat was painted by Maud Ferring?", "What is the longest bridge of Osterby?",
		"Why was the Curlew built?",
	} {
		for _, said := range answersOf(t, question, nil, passages) {
			if strings.HasPrefix(said, "The ") || strings.Contains(said, "} — Length") {
				t.Errorf("%s: %s", question, said)
			}
		}
	}
}

// shelfOf has the passages of one document.
type shelfOf []domain.Passage

func (s shelfOf) PassagesOf(context.Context, domain.WorkspaceID, []domain.DocumentID) ([]domain.Passage, error) {
	return s, nil
}

// TestALongTableIsReadWhole finds the most in a part of a table that the search did not find.
func TestALongTableIsReadWhole(t *testing.T) {
	t.Parallel()
	const head = "Well | Depth (m)"
	var all shelfOf
	at := 0
	for part := range 3 {
		var b strings.Builder
		if part == 0 {
			b.WriteString(head + "\n")
		}
		for row := range 10 {
			fmt.Fprintf(&b, "W%d%d | %d\n", part, row, 100+part*40-row)
		}
		p := domain.Passage{Name: "wells.csv", Title: "Wells", Chunk: domain.Chunk{
			ID: domain.ChunkID(fmt.Sprint("c", part)), Document: "d", Ordinal: part, Text: b.String(),
			Span: domain.Span{Start: at, End: at + domain.Runes(b.String())},
		}}
		if part > 0 {
			p.Headings = []string{head}
		}
		at = p.Span.End
		all = append(all, p)
	}
	want := []string{"The most in “Depth (m)”, of 30 rows:", "{W20} — Depth (m): {180}"}
	if got := answersOf(t, "Which well is the deepest?", all, all[:1]); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
