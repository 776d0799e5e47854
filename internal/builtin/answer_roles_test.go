package builtin_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/answertest"
	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/race"
)

// known is a graph of a few entities.
type known []domain.Entity

func (k known) ByKey(_ context.Context, _ domain.WorkspaceID, keys []string) ([]domain.Entity, error) {
	var out []domain.Entity
	for _, e := range k {
		if slices.Contains(keys, e.Key) {
			out = append(out, e)
		}
	}
	return out, nil
}

func silent(string, any) {}

func asked(question string) answer.Asked {
	return answer.Asked{Workspace: domain.DefaultWorkspace, Question: question}
}

func TestGradesSayWhy(t *testing.T) {
	t.Parallel()
	shelf := answertest.Of("Ann Lee designed Weir Bridge.", "Tom Rook paid for the repair of Weir Bridge.", "The swans are hungry.", "Weir Bridge was repaired late.")
	question := "Who paid for the repair of the bridge that Ann Lee designed?"
	want := []domain.Grade{
		{Verdict: domain.Relevant, Reason: "has “bridge”, “Ann Lee” and “designed”, tied by Weir Bridge", Nearest: &domain.Nearest{Span: domain.Span{End: 29}}},
		{Verdict: domain.Relevant, Reason: "has “paid”, “repair”, “bridge” and a name, tied by Weir Bridge", Nearest: &domain.Nearest{Span: domain.Span{End: 44}}},
		{Verdict: domain.Irrelevant, Reason: "has no word of the question", Nearest: &domain.Nearest{Span: domain.Span{End: 21}}},
		{Verdict: domain.Irrelevant, Reason: "has “repair”, “bridge” and a name", Nearest: &domain.Nearest{Span: domain.Span{End: 30}}},
	}
	grader := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0).Grader
	for i, p := range shelf.All {
		got, err := grader.Grade(context.Background(), answer.GradeRequest{Asked: asked(question), Passage: p, Candidates: shelf.All}, silent)
		if diff := cmp.Diff(want[i], got, cmpopts.IgnoreFields(domain.Nearest{}, "Score")); err != nil || diff != "" {
			t.Errorf("passage %d: %v (-want +got)\n%s", i, err, diff)
		}
	}
}

// counted tells in how many documents words are, 0 for the others.
type counted map[string]int

func (c counted) Words(_ context.Context, _ domain.WorkspaceID, question string, _ []domain.DocumentID) (found domain.Words, err error) {
	for w := range strings.FieldsSeq(strings.Trim(question, "?")) {
		n, small := c[w]
		if !small {
			found.Words = append(found.Words, domain.AskedWord{Text: w, Documents: n})
		}
	}
	return found, nil
}

// TestAnUnknownNameRaisesTheBar asks with words that no document has: a sentence that is
// near in spite of others is far if one of them is a name.
func TestAnUnknownNameRaisesTheBar(t *testing.T) {
	t.Parallel()
	shelf := answertest.Of("Tom Rook paid for the repair of Weir Bridge.", "The swans are hungry.")
	words := counted{"Who": 9, "paid": 1, "for": 9, "the": 9, "repair": 1, "of": 9, "Weir": 1, "Bridge": 1, "on": 9, "Tuesday": 1}
	grader := builtin.Answering(shelf, nearest.Ranker{}, words, nil, 0).Grader
	for question, want := range map[string]domain.Verdict{
		"Who shouldered the repair of Weir Bridge?": domain.Relevant,
		"Who shouldered the repair in Zanzibar?":    domain.Irrelevant,
	} {
		got, err := grader.Grade(context.Background(), answer.GradeRequest{Asked: asked(question), Passage: shelf.All[0], Candidates: shelf.All}, silent)
		if err != nil || got.Verdict != want {
			t.Errorf("%s: %v, %v (%.2f), want %v", question, err, got.Verdict, got.Nearest.Score, want)
		}
	}
}

// TestTheLadderHasThreeRungs rewrites every question of the sample three times.
func TestTheLadderHasThreeRungs(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	shelf := answertest.Sample(t)
	rewriter := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0).Rewriter
	for _, q := range sample.Questions() {
		before := []answer.Rewrite{{Text: q.Question}}
		for range 3 {
			last := before[len(before)-1]
			found, _ := shelf.Retrieve(context.Background(), "", retrieve.Query{Text: last.Text, Limit: 8})
			var ids []domain.ChunkID
			for _, p := range found.Passages {
				ids = append(ids, p.Chunk)
			}
			passages, _ := shelf.Passages(context.Background(), domain.DefaultWorkspace, ids)
			next, err := rewriter.Rewrite(context.Background(), answer.RewriteRequest{Asked: asked(q.Question), Before: before, Found: rejects(passages)}, silent)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Repeats(next, before) || next.Text == "" {
				t.Errorf("%s\n  repeats %+v after %+v", q.Question, next, before)
			}
			if next.Wide == 0 && slices.ContainsFunc(before, func(b answer.Rewrite) bool { return b.How == next.How }) {
				t.Errorf("%s\n  stays on the rung %q: %+v", q.Question, next.How, before)
			}
			before = append(before, next)
		}
		if before[3].Wide == 0 {
			t.Errorf("%s\n  the last search is not wider: %+v", q.Question, before[3])
		}
	}
}

func TestTheFirstRungHasNamesAndAliases(t *testing.T) {
	t.Parallel()
	graph := known{{Key: "ann lee", Name: "Ann Lee", Aliases: []string{"Lady Ann"}}}
	shelf := answertest.Of("Ann Lee designed Weir Bridge.")
	got, err := builtin.Answering(graph, nearest.Ranker{}, nil, nil, 0).Rewriter.Rewrite(context.Background(), answer.RewriteRequest{
		Asked: asked("Who paid for the bridge that Ann Lee designed?"), Before: []answer.Rewrite{{Text: "x"}}, Found: rejects(shelf.All),
	}, silent)
	if err != nil || got.Text != "Ann Lee Lady Ann" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWordingsAreSpelledAsAsked keeps the signs of a question where they stand.
func TestWordingsAreSpelledAsAsked(t *testing.T) {
	t.Parallel()
	shelf := answertest.Of("The flood carried away Mercers' Bridge. St. Mary's Church lost its roof. Dame O'Neill wrote of C++ and of AT&T.")
	for question, want := range map[string]string{
		"What carried away Mercers' Bridge?": "Mercers' Bridge",
		"Who repaired St. Mary's Church?":    "St. Mary's Church",
		"Who built v3.28.0 of Weir Mill?":    "v3.28.0",
	} {
		got, err := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, 0).Rewriter.Rewrite(context.Background(), answer.RewriteRequest{
			Asked: asked(question), Before: []answer.Rewrite{{Text: question}}, Found: rejects(shelf.All),
		}, silent)
		if err != nil || !strings.HasPrefix(got.Text, want) {
			t.Errorf("%s: %+v, %v, want it to begin with %q", question, got, err, want)
		}
	}
}

func TestCondensesPronouns(t *testing.T) {
	t.Parallel()
	graph := known{{Key: "copper bridge", Name: "Copper Bridge", Label: "Place"}, {Key: "henrike aldous", Name: "Henrike Aldous", Label: "Person"}}
	history := []answer.Exchange{{Question: "Who designed Copper Bridge?", Answer: "Henrike Aldous designed Copper Bridge. [1]"}}
	condenser := builtin.Answering(graph, nearest.Ranker{}, nil, nil, 0).Condenser
	for question, want := range map[string]string{
		"When did it open?":             "When did Copper Bridge open?",
		"Who painted her portrait?":     "Who painted Henrike Aldous's portrait?",
		"Who knew her?":                 "Who knew Henrike Aldous?",
		"What is its roof made of?":     "What is Copper Bridge's roof made of?",
		"Who designed Hythe Bridge?":    "Who designed Hythe Bridge?",
		"Did she see it when it opened": "Did Henrike Aldous see Copper Bridge when Copper Bridge opened",
	} {
		got, err := condenser.Condense(context.Background(), asked(question), history, silent)
		if err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", question, got, err, want)
		}
	}
	if got, _ := condenser.Condense(context.Background(), asked("When did it open?"), nil, silent); got != "When did it open?" {
		t.Errorf("without history: %q", got)
	}
}

// notes is a pen that records what is written.
type notes struct {
	pieces []string
	quoted []answer.Quotation
}

func (n *notes) Anew()                            { n.pieces = nil }
func (n *notes) Quote(q answer.Quotation)         { n.quoted = append(n.quoted, q) }
func (n *notes) Remark(sentence string)           { n.pieces = append(n.pieces, sentence) }
func (n *notes) Write(text string)                { n.pieces = append(n.pieces, text) }
func (n *notes) Cite(domain.Passage, domain.Span) {}

func TestAWriterStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	shelf := answertest.Of("Ann Lee designed Weir Bridge.")
	var n notes
	_, err := builtin.Answering(shelf, nearest.Ranker{}, nil, nil, time.Hour).Writer.Write(ctx, answer.WriteRequest{Asked: asked("Who designed Weir Bridge?"), Passages: shelf.All}, &n, silent)
	if err == nil || len(n.quoted) != 0 {
		t.Errorf("wrote %q, %v", n.pieces, err)
	}
}

func TestSupportIsACopy(t *testing.T) {
	t.Parallel()
	quote := []string{"Ann Lee designed\nWeir Bridge in 1812 for 40 crowns."}
	claims := []answer.Claim{
		{Text: "Ann Lee designed Weir Bridge in 1812", Quotes: quote},
		{Text: "Weir Bridge was designed by Ann Lee.", Quotes: quote},
		{Text: "Ann Lee designed Weir Bridge."},
	}
	got, err := builtin.Answering(known{}, nearest.Ranker{}, nil, nil, 0).Supporter.Support(context.Background(), asked("x"), claims, silent)
	if want := []answer.Support{{OK: true}, {}, {}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// rejects returns passages as a rewriter is told of them.
func rejects(passages []domain.Passage) []answer.Rejected {
	out := make([]answer.Rejected, len(passages))
	for i, p := range passages {
		out[i].Passage = p
	}
	return out
}
