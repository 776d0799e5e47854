package answer

import (
	"context"
	"slices"
	"testing"

	"github.com/clewhq/clew/internal/domain"
)

// TestQuestionsAboutTheWhole tells questions about all that is there from those for
// something in it.
func TestQuestionsAboutTheWhole(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"What are the main themes?", "What are these documents about?", "What's this about?", "what is it all about",
		"What are the main themes of these documents?", "Summarise the library.", "Compare these two.",
		"Compare these two documents with each other", "Give me an overview of the documents", "How do these two differ?", "What is this library about?",
		"What do these two letters have in common?", "List the main topics in my notes.", "Please summarize everything!",
	} {
		if !aboutTheWhole(q) {
			t.Errorf("%q asks about the whole", q)
		}
	}
	for _, q := range []string{
		"Who designed Copper Bridge?", "What is the treaty about?", "What are the main points of the treaty?", "What is Copper Bridge?",
		"Compare Copper Bridge with Weir Bridge", "What are the main causes of the flood?", "Summarise the chapter on rivets", "What did the letters say about the flood of 1824?",
		"Which documents mention the foundry?", "", "?",
	} {
		if aboutTheWhole(q) {
			t.Errorf("%q asks for something in it", q)
		}
	}
}

type surveyor struct {
	survey Survey
	err    error
	asked  []domain.DocumentID
}

func (s *surveyor) Survey(_ context.Context, _ domain.WorkspaceID, documents []domain.DocumentID) (Survey, error) {
	s.asked = documents
	return s.survey, s.err
}

// TestTheRouteOfAQuestionAboutTheWhole expects a survey in place of a search, and a
// search where there is nothing to survey.
func TestTheRouteOfAQuestionAboutTheWhole(t *testing.T) {
	t.Parallel()
	survey := Survey{Way: ByCommunities, Why: "2 communities", Parts: []Part{{Names: []string{"Copper Bridge"}, Lines: []Line{{Chunk: "c0"}}}, {Lines: []Line{{Chunk: "c1"}}}}}
	for name, tt := range map[string]struct {
		surveyor *surveyor
		question string
		first    string
	}{
		"surveyed":         {&surveyor{survey: survey}, "What are the main themes?", NodeRoute},
		"look-up":          {&surveyor{survey: survey}, "Who designed Copper Bridge?", NodeRetrieve},
		"nothing to read":  {&surveyor{}, "What are the main themes?", NodeRoute},
		"graph is away":    {&surveyor{err: domain.Errorf(domain.Unavailable, "Neo4j does not answer.")}, "What are the main themes?", NodeRoute},
		"without surveyor": {nil, "What are the main themes?", NodeRetrieve},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"a", "b"}, searches: [][]int{{0}}, relevant: always}
			if tt.surveyor != nil {
				s.surveyor = tt.surveyor
			}
			o, err := s.run(t, Begin{Question: tt.question, Scope: domain.Scope{Tags: []string{"minutes"}}, Within: []domain.DocumentID{"d0", "d1"}})
			if err != nil {
				t.Fatal(err)
			}
			if o.path[0] != tt.first || !o.Answered {
				t.Errorf("went %v, answered %v", o.path, o.Answered)
			}
			if surveyed := name == "surveyed"; surveyed != (len(s.queries) == 0) || surveyed && (o.path[1] != NodeGenerate || len(o.Documents) != 2 || o.Survey.Way != ByCommunities) {
				t.Errorf("went %v with %d searches and %d passages", o.path, len(s.queries), len(o.Documents))
			}
			if tt.first == NodeRoute && !slices.Equal(tt.surveyor.asked, []domain.DocumentID{"d0", "d1"}) {
				t.Errorf("surveyed %v, want the scope", tt.surveyor.asked)
			}
		})
	}
}
