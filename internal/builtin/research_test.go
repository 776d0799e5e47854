package builtin

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
)

// relations is a graph of a director, the film he directed, and one whom nothing joins to it.
type relations struct{ err error }

func (r relations) ByKey(_ context.Context, _ domain.WorkspaceID, keys []string) (found []domain.Entity, err error) {
	for _, key := range keys {
		switch key {
		case "copper bridge":
			found = append(found, domain.Entity{ID: "film", Key: key, Name: "Copper Bridge", Label: "Work"})
		case "ada quill":
			found = append(found, domain.Entity{ID: "ada", Key: key, Name: "Ada Quill", Label: "Person"})
		case "osterby":
			found = append(found, domain.Entity{ID: "town", Key: key, Name: "Osterby", Label: "Place"})
		}
	}
	return found, r.err
}

func (r relations) Around(context.Context, domain.WorkspaceID, []domain.EntityID, int) ([]graphstore.Edge, error) {
	film := domain.Entity{ID: "film", Name: "Copper Bridge"}
	return []graphstore.Edge{
		{Relation: domain.Relation{Type: "FILMED_IN"}, From: film, To: domain.Entity{ID: "town", Name: "Osterby"}},
		{Relation: domain.Relation{Type: "DIRECTED"}, From: domain.Entity{ID: "ada", Name: "Ada Quill"}, To: film},
	}, r.err
}

func plans(t *testing.T, question string, passages ...domain.Passage) (texts []string) {
	t.Helper()
	task := research.Task{Passages: passages, Most: 4}
	task.Question = question
	plan, err := Researching(relations{}).Plan(t.Context(), task, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range plan {
		texts = append(texts, q.Text)
	}
	return texts
}

func TestAPlanAsksAboutThePartsOfAQuestion(t *testing.T) {
	t.Parallel()
	for question, parts := range map[string][]string{
		"Where was the director of film Copper Bridge born?":                           {"Who is the director of film Copper Bridge?"},
		"Who founded the company that made the Osterby Lamp?":                          {"Which company made the Osterby Lamp?"},
		"Who was in charge of the country Osterby is located in?":                      {"What is the country Osterby is located in?"},
		"What is the best hotel in Quennell's city of birth?":                          {"What is Quennell's city of birth?"},
		"Who founded Carrow Foundry and when did it close?":                            {"Who founded Carrow Foundry?", "When did Carrow Foundry close?"},
		"Which film was released first, Copper Bridge or The Quay?":                    {"When was Copper Bridge released?", "When was The Quay released?"},
		"Which film has the director who was born earlier, Copper Bridge or The Quay?": {"When was the director of Copper Bridge born?", "When was the director of The Quay born?"},
		"Which film whose director was born first, Copper Bridge or The Quay?":         {"When was the director of Copper Bridge born?", "When was the director of The Quay born?"},
		"Which film has the director born later, Copper Bridge or The Quay?":           {"When was the director of Copper Bridge born?", "When was the director of The Quay born?"},
		"Are Osterby and Carrow both located in the same county?":                      {"Which county is Osterby located in?", "Which county is Carrow located in?"},
		"Where was Maud Ferring's father born?":                                        {"Who is Maud Ferring's father?"},
		"Are Osterby and Carrow in the same county?":                                   {"Which county is Osterby in?", "Which county is Carrow in?"},
		"Do Ada Quill and Maud Ferring have the same nationality?":                     {"What is the nationality of Ada Quill?", "What is the nationality of Maud Ferring?"},
		"Which bridge has the longer span, Osterby Bridge or Weir Bridge?":             {"As for Osterby Bridge, which bridge has the longer span?", "As for Weir Bridge, which bridge has the longer span?"},
		"Did Osterby or Carrow pay for the new quay?":                                  {"Did Osterby pay for the new quay?", "Did Carrow pay for the new quay?"},
		"Were Ada Quill and Maud Ferring both directors?":                              {"Was Ada Quill a director?", "Was Maud Ferring a director?"},
		"Are Carrow Foundry and the Osterby Lamp in the same town?":                    {"Which town is Carrow Foundry in?", "Which town is Osterby Lamp in?"},
		"What became of the company that made the lamps of Osterby Bridge?":            {"What are the lamps of Osterby Bridge?"},
		"Compare Osterby and Carrow":                                                   {"What about Osterby?", "What about Carrow?"},
		"What was signed between Osterby and Carrow?":                                  nil,
		"How did it come to that?":                                                     nil,
		"":                                                                             nil,
		"What?":                                                                        nil,
		"Osterby":                                                                      nil,
		"Tobias Quennell played for a team that won its first cup in what year?":       {"Tobias Quennell played for a team"},
	} {
		got := plans(t, question)
		if diff := cmp.Diff(append([]string{question}, parts...), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestAPlanOfAWholeQuestionAsksUnderHeadingsThatSayHalfOfIt(t *testing.T) {
	t.Parallel()
	near := domain.Passage{Chunk: domain.Chunk{Text: "The bridge was rebuilt after the flood."}, Title: "Rebuilding"}
	numbered := domain.Passage{Chunk: domain.Chunk{Text: "The bridge was rebuilt in iron.", Headings: []string{"7. Summary: the works"}}}
	far := domain.Passage{Chunk: domain.Chunk{Text: "A list of hotels."}, Title: "Hotels"}
	want := []string{"How was the bridge rebuilt?", "As for rebuilding, how was the bridge rebuilt?", "As for summary – the works, how was the bridge rebuilt?"}
	if diff := cmp.Diff(want, plans(t, "How was the bridge rebuilt?", near, numbered, far)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGapsPutWhatAPartStandsForInItsPlace(t *testing.T) {
	t.Parallel()
	task := research.Task{Most: 4, Planned: []research.Question{{N: 1, Text: "Where was the director of film Copper Bridge born?"}, {N: 2, Text: "Who is the director of film Copper Bridge?"}}}
	task.Question = task.Planned[0].Text
	want := []research.Question{{Text: "Where was Ada Quill born?", Topic: "Ada Quill"}}
	got, err := Researching(relations{}).Gaps(t.Context(), task, nil)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("by the graph: %v (-want +got):\n%s", err, diff)
	}
	task.Findings = []research.Finding{{N: 2, Sentences: []domain.Sentence{{Text: "Copper Bridge, shot in Osterby, was directed by Maud Ferring."}}}}
	gone := Researching(relations{err: domain.Errorf(domain.Unavailable, "gone")})
	got, err = gone.Gaps(t.Context(), task, nil)
	if err != nil || len(got) == 0 || got[0] != (research.Question{Text: "Where was Maud Ferring born?", Topic: "Maud Ferring"}) {
		t.Errorf("by a sentence: %v, %v", got, err)
	}
	if _, err := Researching(relations{err: context.Canceled}).Gaps(t.Context(), task, nil); err == nil {
		t.Error("a graph that fails is taken for an empty one")
	}
}

func TestNoGapIsLeftWhereASentenceSaysAllOfAQuestion(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]research.Question{
		"In 1891 the Guildhall lent its hall, and Carrow Foundry built the Osterby Bridge.": nil,
		"The keys of the Osterby Bridge hang in the Guildhall.":                             {{Text: "As for Guildhall, who built the Osterby Bridge?", Topic: "Guildhall"}},
	} {
		task := research.Task{Most: 4, Planned: []research.Question{{N: 1, Text: "Who built the Osterby Bridge?"}}}
		task.Question = task.Planned[0].Text
		task.Findings = []research.Finding{{N: 1, Sentences: []domain.Sentence{{Text: said}}}}
		got, err := Researching(relations{}).Gaps(t.Context(), task, nil)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", said, err, diff)
		}
	}
}

func TestSentencesThatBearOnAQuestion(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Copper Bridge is a film directed by Ada Quill.",
		"She was born in Osterby.", // of her own document
		"Ada Quill taught in Carrow.",
		"The Quay is a film directed by Maud Ferring.",
		"It is a film of 1921.", // of the document about Copper Bridge
	}
	documents := []string{"films.md", "ada-quill.md", "carrow.md", "films.md", "copper_bridge.txt"}
	var sentences []domain.Sentence
	var cited []domain.Citation
	for i, text := range texts {
		sentences = append(sentences, domain.Sentence{Text: text, Citations: []int{i + 1}})
		cited = append(cited, domain.Citation{N: i + 1, Document: documents[i]})
	}
	for question, want := range map[string][]bool{
		"Where was the director of film Copper Bridge born?":    {true, true, false, false, true},
		"The director of film Copper Bridge":                    {true, false, false, false, true},
		"Who is the director of film Copper Bridge?":            {true, false, false, false, true},
		"Ada Quill: Where was the director born?":               {true, true, false, false, false},
		"As for Ada Quill, where was the director born?":        {true, true, false, false, false},
		"What were films in those days?":                        {true, false, false, true, true},
		"Who led the Osterby Bridge Trust when it was founded?": {false, false, false, false, false},
	} {
		if diff := cmp.Diff(want, Researching(relations{}).Bearing(question, sentences, cited)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
	if got := Researching(relations{}).Bearing("Who?", nil, nil); len(got) != 0 {
		t.Errorf("of no sentences, %v bear", got)
	}
}
