package suggest_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/questions/suggest"
	"github.com/clewhq/clew/internal/testkit"
)

const (
	choir  = "Edda Moen founded the Hollin Choir in 1902 with nine singers. It sang in the mill.\n\nThe organ costs £900, of which half is collected.\n"
	ferry  = "The ferry Patience is moored in the inner harbour because the outer harbour freezes. Dogs travel free.\n"
	copied = "Olaf Brandt bought the Tarn Mill in 1871.\n"
)

func texts(list []suggest.Suggestion) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.Question)
	}
	return out
}

// TestSuggestionsAreAnswered checks that questions are spread over documents, name the
// passage that answers them, are the same the next time, and aren't suggested again
// once they were asked.
func TestSuggestionsAreAnswered(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	ctx, w := t.Context(), testkit.Workspace
	ask := func(n int, documents ...domain.DocumentID) []suggest.Suggestion {
		t.Helper()
		list, err := a.Suggest.Suggest(ctx, w, n, documents...)
		testkit.Must(t, err)
		return list
	}
	if list := ask(4); len(list) != 0 {
		t.Errorf("an empty library suggests %+v", list)
	}
	first, second := a.Read(t, "choir.txt", choir), a.Read(t, "ferry.txt", ferry)
	list := ask(2)
	if len(list) != 2 || list[0].Document == list[1].Document {
		t.Fatalf("suggests %+v, want one of each document", list)
	}
	for _, s := range list {
		if chunks, err := a.Ledger.Chunks(ctx, w, s.Document); err != nil || chunks[0].ID != s.Chunk {
			t.Errorf("%+v is not of a passage of its document: %v", s, err)
		}
	}
	if diff := cmp.Diff(list, ask(2)); diff != "" {
		t.Errorf("the second time (-first +second)\n%s", diff)
	}
	const why = "Why is the ferry Patience moored in the inner harbour?"
	if diff := cmp.Diff([]string{why}, texts(ask(9, second.ID))); diff != "" {
		t.Errorf("of the ferry (-want +got)\n%s", diff)
	}
	if got := texts(ask(9, first.ID)); len(got) != 3 {
		t.Errorf("of the choir %q, want who, when and how much", got)
	}
	if all := ask(9); len(all) != 4 {
		t.Errorf("of all %q", texts(all))
	}

	m, err := a.Questions.Start(ctx, questions.Question{Workspace: w, Text: " why is the ferry Patience moored in the inner harbour "})
	testkit.Must(t, err)
	a.Watch(t, m.Run)
	if got := texts(ask(9, second.ID)); len(got) != 0 {
		t.Errorf("what was asked is suggested again: %q", got)
	}

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := a.Suggest.Suggest(canceled, w, 1); err == nil {
		t.Error("a canceled search is no error")
	}
}

// TestAQuestionOfTwoDocumentsIsOfOne suggests a question once that two documents
// answer in the same words.
func TestAQuestionOfTwoDocumentsIsOfOne(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	a.Read(t, "one.txt", copied)
	a.Read(t, "two.txt", copied+"It has two wheels.\n")
	list, err := a.Suggest.Suggest(t.Context(), testkit.Workspace, 9)
	testkit.Must(t, err)
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s.Question] {
			t.Errorf("%q is suggested twice", s.Question)
		}
		seen[s.Question] = true
	}
	if len(list) == 0 {
		t.Error("suggests nothing")
	}
}

// TestWhoAsksAboutAnotherDocumentDoesNotWait asks about a document while another question of the library is being checked.
func TestWhoAsksAboutAnotherDocumentDoesNotWait(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{})
	ctx, w := t.Context(), testkit.Workspace
	first, second := a.Read(t, "choir.txt", choir), a.Read(t, "ferry.txt", ferry)
	p := a.Suggest.Params
	search, asked, goOn := p.Search, make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.Search = func(ctx context.Context, w domain.WorkspaceID, question string, most int) ([]domain.ChunkID, error) {
		if !strings.Contains(question, "Patience") {
			once.Do(func() { close(asked) })
			<-goOn
		}
		return search(ctx, w, question, most)
	}
	s := suggest.New(p)
	slow := make(chan []suggest.Suggestion, 1)
	go func() {
		list, err := s.Suggest(ctx, w, 1, first.ID)
		if err != nil {
			t.Error(err)
		}
		slow <- list
	}()
	<-asked
	if list, err := s.Suggest(ctx, w, 1, second.ID); err != nil || len(list) != 1 {
		t.Errorf("of another document: %+v, %v", list, err)
	}
	soon, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if list, _ := s.Suggest(soon, w, 1, first.ID); len(list) != 0 {
		t.Errorf("of the same document, in a millisecond: %+v", list)
	}
	close(goOn)
	if list := <-slow; len(list) != 1 {
		t.Errorf("of the document that was asked about first: %+v", list)
	}
}
