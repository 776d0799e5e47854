package answer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
)

type surveyor struct {
	survey Survey
	err    error
	asked  []domain.DocumentID
	of     string            // entities that were asked for
	named  []domain.Document // by any words
}

func (s *surveyor) Entities(_ context.Context, _ domain.WorkspaceID, documents []domain.DocumentID, of string, _ int) (Survey, error) {
	s.asked, s.of = documents, of
	return s.survey, s.err
}

func (s *surveyor) Count(_ context.Context, _ domain.WorkspaceID, documents []domain.DocumentID, _ intent.Ask) (Survey, error) {
	s.asked = documents
	return s.survey, s.err
}

func (s *surveyor) Named(context.Context, domain.WorkspaceID, string, []domain.DocumentID, int) ([]domain.Document, error) {
	return s.named, s.err
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

// TestTheRoutesOfOtherAsks expects a way of its own for each kind of question.
func TestTheRoutesOfOtherAsks(t *testing.T) {
	t.Parallel()
	survey := Survey{Way: ByEntities, Parts: []Part{{Names: []string{"Ada Moss"}, Lines: []Line{{Chunk: "c0"}}}}}
	read := []string{NodeRoute, NodeGenerate, NodeSupport}
	searched := []string{NodeRoute, NodeRetrieve, NodeGrade, NodeGenerate, NodeSupport}
	two := []domain.Document{{ID: "d0", Name: "may.md"}, {ID: "d1", Name: "june.md"}}
	for question, tt := range map[string]struct {
		surveyor surveyor
		path     []string
		answer   string // that is in it
	}{
		"Hello!":                       {surveyor{survey: survey}, []string{NodeGreet}, "What do the documents say about Ada Moss?"},
		"Vielen Dank!":                 {surveyor{survey: survey}, []string{NodeGreet}, "Gern geschehen! "},
		"Hi":                           {surveyor{err: domain.Errorf(domain.Unavailable, "Neo4j does not answer.")}, []string{NodeGreet}, saysTopics},
		"List all people":              {surveyor{survey: survey}, read, ""},
		"List all people in the lease": {surveyor{survey: survey}, searched, ""},
		"Compare the boat and the tug": {surveyor{survey: survey}, read, ""},
		"Summarise the lease":          {surveyor{survey: survey}, searched, ""},
		"Summarise minutes.docx":       {surveyor{survey: survey}, []string{NodeRoute}, "No document that has been read is called “minutes.docx”."},
		"Summarise the report":         {surveyor{named: two}, []string{NodeRoute}, saysWhich + "\n\nSummarise may.md\n\nSummarise june.md"},
		"Summarise report.md":          {surveyor{named: two}, []string{NodeRoute}, saysWhich},
		"Fasse den Bericht zusammen":   {surveyor{named: two}, []string{NodeRoute}, "Fasse may.md zusammen"},
		"Summarise everything":         {surveyor{survey: survey, named: make([]domain.Document, mostNamed+1)}, read, ""},
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"The boat is a red one of wood.", "The tug has an engine of steel."}, searches: [][]int{{0, 1}}, relevant: always, surveyor: &tt.surveyor}
			o, err := s.run(t, Begin{Question: question})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.path, tt.path) || !strings.Contains(o.Generation, tt.answer) {
				t.Errorf("went %v, answered %q", o.path, o.Generation)
			}
		})
	}
}

// understanding is a model that tells what questions ask for.
type understanding struct {
	ModelOnly

	ask   *intent.Ask
	err   error
	calls int
}

func (u *understanding) Understand(_ context.Context, asked Asked, history []Exchange, _ Emit) (string, *intent.Ask, error) {
	u.calls++
	if len(history) == 0 {
		return "In other words?", u.ask, u.err
	}
	return asked.Question + " (the lease)", u.ask, u.err
}

// TestAModelTellsWhatIsAskedFor expects the route that the model says, one call where no form decides and the question may
// ask for something else than a passage, and the words where the model can't be asked or read.
func TestAModelTellsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	survey := Survey{Way: ByEntities, Parts: []Part{{Names: []string{"Ada Moss"}, Lines: []Line{{Chunk: "c0"}}}}}
	read := []string{NodeCondense, NodeRoute, NodeGenerate, NodeSupport}
	searched := []string{NodeRetrieve, NodeGrade, NodeGenerate, NodeSupport}
	const open, closed = "Which people matter to all that was going on here?", "What is the rent?"
	list := &intent.Ask{Kind: intent.List, Of: intent.Person}
	before := []Exchange{{Question: "Who owns it?", Answer: "Ada."}}
	for name, tt := range map[string]struct {
		question string
		history  []Exchange
		model    understanding
		path     []string
		calls    int
		alone    string // the wording without the history
	}{
		"list":                    {open, nil, understanding{ask: list}, read, 1, ""},
		"greeting":                {open, nil, understanding{ask: &intent.Ask{Kind: intent.Greeting}}, []string{NodeCondense, NodeGreet}, 1, ""},
		"passage":                 {open, nil, understanding{ask: &intent.Ask{Kind: intent.Question}}, append([]string{NodeCondense}, searched...), 1, ""},
		"away":                    {open, nil, understanding{err: domain.Errorf(domain.Unavailable, "The model does not answer.")}, append([]string{NodeCondense}, searched...), 1, ""},
		"unreadable":              {open, nil, understanding{}, append([]string{NodeCondense}, searched...), 1, ""},
		"ordinary":                {closed, nil, understanding{ask: list}, searched, 0, ""},
		"by form":                 {"List all people", nil, understanding{}, read[1:], 0, ""},
		"follow-up":               {"Who else?", before, understanding{ask: list}, read, 1, "Who else? (the lease)"},
		"ordinary follow-up":      {"And the rent?", before, understanding{ask: &intent.Ask{Kind: intent.Question}}, append([]string{NodeCondense}, searched...), 1, "And the rent? (the lease)"},
		"unreadable in follow-up": {"And the rent?", before, understanding{}, append([]string{NodeCondense}, searched...), 1, "And the rent? (the lease)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{texts: []string{"The boat is red.", "The tug is of steel."}, searches: [][]int{{0, 1}}, relevant: always, surveyor: &surveyor{survey: survey}, understander: &tt.model}
			o, err := s.run(t, Begin{Question: tt.question, History: tt.history})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(o.path, tt.path) || tt.model.calls != tt.calls || o.UserContext.Standalone != tt.alone {
				t.Errorf("went %v with %d calls, understood %q", o.path, tt.model.calls, o.UserContext.Standalone)
			}
		})
	}
}

// TestAnAskThatFindsNothingIsSearchedFor asks for a list of a graph without names.
func TestAnAskThatFindsNothingIsSearchedFor(t *testing.T) {
	t.Parallel()
	model := &understanding{ask: &intent.Ask{Kind: intent.List, Of: intent.Person}}
	s := &script{texts: []string{"The boat is red."}, searches: [][]int{{0}}, relevant: always, surveyor: &surveyor{}, understander: model}
	o, err := s.run(t, Begin{Question: "Who else?", History: []Exchange{{Question: "Who owns it?", Answer: "Ada."}}})
	if want := []string{NodeCondense, NodeRoute, NodeRetrieve, NodeGrade, NodeGenerate, NodeSupport}; err != nil || !slices.Equal(o.path, want) || model.calls != 1 {
		t.Errorf("went %v with %d calls, %v", o.path, model.calls, err)
	}
}

// TestTheSidesOfAComparison expects the sentences that name each side.
func TestTheSidesOfAComparison(t *testing.T) {
	t.Parallel()
	s := &script{texts: []string{"Boat. The boat is a red one of wood.", "It rains.", "The tug has an engine of steel."}, searches: [][]int{{0, 1, 2}}, relevant: always, surveyor: &surveyor{}}
	o, err := s.run(t, Begin{Question: "Compare the boat with the tug"})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, p := range o.Survey.Parts {
		for _, l := range p.Lines {
			said = append(said, p.Names[0]+": "+l.Span.Shift(-100).Slice(s.texts[l.Chunk[1]-'0']))
		}
	}
	if want := []string{"the boat: The boat is a red one of wood.", "the tug: The tug has an engine of steel."}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	o, err = s.run(t, Begin{Question: "Compare the boat with the pear"})
	if err != nil || o.Survey != nil || !slices.Contains(o.path, NodeRetrieve) {
		t.Errorf("%v: a side that nothing is about: went %v", err, o.path)
	}
}
