package questions_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/testkit"
)

// mills opens a library in which most documents fit a question better than the ten
// that are tagged.
func mills(t *testing.T) (*testkit.App, []domain.DocumentID) {
	t.Helper()
	a := testkit.Open(t, testkit.Options{Walk: true})
	var tagged []domain.DocumentID
	for i := range 30 {
		text := fmt.Sprintf("The mill of Osterby bought a bell. The bell of the mill of Osterby rang %d times.\n", i)
		if i%3 == 0 {
			text = fmt.Sprintf("Somebody heard a bell in Highmoor on day %d, far from everything else that was written of it.\n", i)
		}
		d := a.Read(t, fmt.Sprintf("page-%d.txt", i), text)
		if i%3 == 0 {
			a.Tag(t, d.ID, "minutes")
			tagged = append(tagged, d.ID)
		}
	}
	slices.Sort(tagged)
	return a, tagged
}

// TestASearchWithinAScopeFindsAsManyPassages expects the usual number of passages
// from the scope, where filtering what a search of everything found would leave none.
func TestASearchWithinAScopeFindsAsManyPassages(t *testing.T) {
	t.Parallel()
	a, tagged := mills(t)
	for _, method := range []domain.MethodName{domain.MethodDefault, domain.MethodWords, domain.MethodHybrid, domain.MethodWalk} {
		q := retrieve.Query{Text: "Where did the bell of the mill of Osterby ring?", Method: method, Limit: answer.DefaultLimit}
		documents := func() (ids []domain.DocumentID) {
			found, err := a.Searcher().Retrieve(t.Context(), testkit.Workspace, q)
			testkit.Must(t, err)
			var chunks []domain.ChunkID
			for _, p := range found.Passages {
				chunks = append(chunks, p.Chunk)
			}
			passages, err := a.Ledger.Passages(t.Context(), testkit.Workspace, chunks)
			testkit.Must(t, err)
			for _, p := range passages {
				ids = append(ids, p.Document)
			}
			return ids
		}
		outside := func(id domain.DocumentID) bool { return !slices.Contains(tagged, id) }
		if all := documents(); len(all) != answer.DefaultLimit || slices.ContainsFunc(all, func(id domain.DocumentID) bool { return !outside(id) }) {
			t.Fatalf("%q over all documents: %v should be the others", method, all)
		}
		q.Documents = tagged
		if got := documents(); len(got) != answer.DefaultLimit || slices.ContainsFunc(got, outside) {
			t.Errorf("%q within the scope: %d passages, %v", method, len(got), got)
		}
	}
}

func TestAskWithinATag(t *testing.T) {
	t.Parallel()
	a, tagged := mills(t)
	scope, err := a.Questions.Scope(t.Context(), testkit.Workspace, []string{"tag:Minutes"})
	testkit.Must(t, err)
	m, err := a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Who heard a bell in Highmoor?", Scope: scope})
	testkit.Must(t, err)
	a.Watch(t, m.Run)
	m = message(t, a, m.Message)
	if !slices.Equal(m.Scope.Terms(), []string{"tag:minutes"}) || len(m.Citations) == 0 {
		t.Fatalf("the message keeps %v, with %d citations", m.Scope.Terms(), len(m.Citations))
	}
	for _, c := range m.Citations {
		if !slices.Contains(tagged, c.DocumentID) {
			t.Errorf("cites %s, which is not tagged", c.Document)
		}
	}
	encoded, err := a.Answer.EncodedAt(t.Context(), string(m.Run), nil, 1)
	testkit.Must(t, err)
	var s answer.State
	testkit.Must(t, json.Unmarshal(encoded, &s))
	if !slices.Equal(s.UserContext.Within, tagged) || s.UserContext.Scope == nil {
		t.Errorf("the run keeps %v of scope %v, want the ids of the tagged documents", s.UserContext.Within, s.UserContext.Scope)
	}
}

func TestAScopeThatHasNoDocument(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	d := a.Add(t, "school.txt", school).Document
	ask := func(s domain.Scope) (ledger.Answer, error) {
		return a.Questions.Start(t.Context(), questions.Question{Workspace: testkit.Workspace, Text: "Who taught arithmetic?", Scope: s})
	}
	minutes := domain.Scope{Tags: []string{"minutes"}}
	if _, err := ask(minutes); domain.KindOf(err) != domain.Invalid || !strings.Contains(err.Error(), "No document matches #minutes") {
		t.Errorf("a tag that nothing has: %v", err)
	}
	// The tag is taken away between the question and its answer.
	a.Tag(t, d.ID, "minutes")
	m, err := ask(minutes)
	testkit.Must(t, err)
	a.Untag(t, d.ID, "minutes")
	a.Start(t)
	a.Settle(t, d)
	a.Watch(t, m.Run)
	if m, err = a.Ledger.Answer(t.Context(), testkit.Workspace, m.Run); err != nil || m.Text != answer.SaysNowhere {
		t.Errorf("within nothing: %q, error %v", m.Text, err)
	}
}

func TestDocumentsAreNamedInAScope(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	one, two := a.Read(t, "school.txt", school), a.Read(t, "school-rules.txt", foundry)
	for term, want := range map[string]domain.DocumentID{
		"doc:school.txt": one.ID, "doc:SCHOOL.TXT": one.ID, "doc:rules": two.ID, "doc:" + string(two.ID): two.ID,
	} {
		s, err := a.Questions.Scope(t.Context(), testkit.Workspace, []string{term})
		if err != nil || len(s.Documents) != 1 || s.Documents[0] != want {
			t.Errorf("%s: got %v, %v", term, s.Documents, err)
		}
	}
	for term, kind := range map[string]domain.Kind{"doc:sch": domain.Invalid, "doc:mill": domain.NotFound, "school": domain.Invalid} {
		if _, err := a.Questions.Scope(t.Context(), testkit.Workspace, []string{term}); domain.KindOf(err) != kind {
			t.Errorf("%s: got %v", term, err)
		}
	}
}
