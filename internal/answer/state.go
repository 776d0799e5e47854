package answer

import (
	"cmp"
	"slices"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// State is the state of the graph.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run,omitempty"`
	Salt      string             `json:"salt,omitempty"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompts' texts, see prompts.Book
	Method    domain.MethodName  `json:"method,omitempty"`  // how to search

	Question        string              `json:"question"` // as asked; never overwritten
	UserContext     UserContext         `json:"user_context"`
	Asks            *intent.Ask         `json:"asks,omitempty"`    // what a model says the question asks for
	Survey          *Survey             `json:"survey,omitempty"`  // for a question about the whole
	Summing         []domain.DocumentID `json:"summing,omitempty"` // documents to sum up
	Which           []string            `json:"which,omitempty"`   // sentences that ask which document is meant
	Documents       []Document          `json:"documents"`         // every passage found, by first appearance
	Sources         []Source            `json:"sources"`
	Generation      string              `json:"generation"`
	LoopCount       int                 `json:"loop_count"` // rewrites so far
	MaxLoops        int                 `json:"max_loops"`
	MinRelevant     int                 `json:"min_relevant"`
	Passages        int                 `json:"passages,omitempty"`     // maximum that a search finds; 0 means the graph's default
	Rerank          *bool               `json:"rerank,omitempty"`       // whether a model ranks the results; nil means the graph's default
	ContextOnly     bool                `json:"context_only,omitempty"` // nothing is written
	Review          bool                `json:"review,omitempty"`       // a person is asked before the answer is written
	Hint            bool                `json:"hint,omitempty"`         // a person is asked if nothing relevant was found
	QueryRewrites   []Rewrite           `json:"query_rewrites"`
	Wording         string              `json:"wording,omitempty"` // of the next rewrite, by a person
	Retrieval       []Search            `json:"retrieval"`
	RetrievalScores []Scores            `json:"retrieval_scores"`
	TimingMetrics   []Timing            `json:"timing_metrics"`
	Citations       []domain.Citation   `json:"citations"`
	Sentences       []domain.Sentence   `json:"sentences"`
	Answered        bool                `json:"answered"` // from the library
	Figures         []domain.Figure     `json:"figures"`  // its charts; each is at most chart.MaxBytes long
	Steps           []Step              `json:"steps,omitempty"`
	Draft           *Draft              `json:"draft,omitempty"` // the answer before it was rewritten
	Budget          Budget              `json:"budget,omitzero"`
	Spent           int64               `json:"spent,omitempty"` // of the budget
	Web             bool                `json:"web,omitempty"`   // web pages are searched in place of the library
	Pages           []WebPage           `json:"pages,omitempty"` // found on the web
}

// UserContext is the context of a question.
type UserContext struct {
	History    []Exchange          `json:"history,omitempty"`    // oldest first
	Standalone string              `json:"standalone,omitempty"` // the question reworded to be understood without the history
	Scope      *domain.Scope       `json:"scope,omitempty"`      // within which to ask; nil for the whole library
	Within     []domain.DocumentID `json:"within,omitempty"`     // the documents of the scope, the only ones searched
}

// nowhere reports whether the question is asked within a scope without documents.
func (c UserContext) nowhere() bool {
	return c.Scope != nil && !c.Scope.Everywhere() && len(c.Within) == 0
}

// asOf returns the time that the question is about, or the zero Day.
func (c UserContext) asOf() domain.Day {
	if c.Scope == nil {
		return domain.Day{}
	}
	return c.Scope.AsOf
}

// Exchange is an earlier question with its answer.
type Exchange struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Document is a passage found by a search.
type Document struct {
	Chunk       domain.ChunkID    `json:"chunk"`
	Document    domain.DocumentID `json:"document_id,omitempty"`
	Page        int               `json:"page,omitempty"`
	Place       string            `json:"place,omitempty"` // see domain.Chunk
	Appearances []Appearance      `json:"appearances"`
	Decided     domain.Verdict    `json:"decided,omitempty"` // by a person; overrides the grades
}

// Appearance is how one search found a passage, and its grade.
type Appearance struct {
	Loop    int               `json:"loop"`
	Method  domain.MethodName `json:"method,omitempty"`
	Score   float64           `json:"score"`
	Verdict domain.Verdict    `json:"grade,omitempty"` // "" until it is graded
	Reason  string            `json:"reason,omitempty"`
	Nearest *domain.Nearest   `json:"nearest,omitempty"`            // that the grade rests on, unless a model gave it
	Path    []domain.Hop      `json:"path,omitempty"`               // names only; empty if unchanged since the last appearance
	MS      int64             `json:"ms,omitempty" volatile:"true"` // of the grading
}

// Relevant reports whether the passage was ever graded relevant, unless a person decided otherwise.
func (d Document) Relevant() bool {
	if d.Decided != "" {
		return d.Decided == domain.Relevant
	}
	return slices.ContainsFunc(d.Appearances, func(a Appearance) bool { return a.Verdict == domain.Relevant })
}

// Source is a document with passages among those found.
type Source struct {
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"` // of the file
}

// Rewrite is a rewording of the question.
type Rewrite struct {
	Text string `json:"text"`
	How  string `json:"how"`
	Wide int    `json:"wide,omitempty"` // how much wider than usual to search
}

// Search is the outcome of one retrieval.
type Search struct {
	Loop    int              `json:"loop"`
	Found   []domain.ChunkID `json:"found"` // best first
	Methods []Method         `json:"methods,omitempty"`
}

// Method is the share of one search method in a retrieval.
type Method struct {
	Name       domain.MethodName `json:"name"`
	Candidates int               `json:"candidates"`
	MS         int64             `json:"ms" volatile:"true"`
	Reason     string            `json:"reason,omitempty"`
	Missing    string            `json:"missing,omitempty"` // a sentence if its store is unavailable
}

// Scores are the scores of one retrieval, best first.
type Scores struct {
	Loop   int       `json:"loop"`
	Scores []float64 `json:"scores"`
}

// Timing is how long a node took.
type Timing struct {
	Node string `json:"node"`
	Loop int    `json:"loop"`
	MS   int64  `json:"ms" volatile:"true"`
}

// fields holds the handles for writing the state.
type fields struct {
	standalone  state.ReplaceField[State, string]
	asks        state.ReplaceField[State, *intent.Ask]
	survey      state.ReplaceField[State, *Survey]
	summing     state.ReplaceField[State, []domain.DocumentID]
	which       state.ReplaceField[State, []string]
	documents   state.UpsertField[State, Document]
	sources     state.UpsertField[State, Source]
	generation  state.ReplaceField[State, string]
	loopCount   state.SumField[State, int]
	rewrites    state.AppendField[State, Rewrite]
	wording     state.ReplaceField[State, string]
	retrieval   state.AppendField[State, Search]
	scores      state.AppendField[State, Scores]
	timings     state.AppendField[State, Timing]
	citations   state.ReplaceField[State, []domain.Citation]
	sentences   state.ReplaceField[State, []domain.Sentence]
	answered    state.ReplaceField[State, bool]
	figures     state.ReplaceField[State, []domain.Figure]
	steps       state.UpsertField[State, Step]
	draft       state.ReplaceField[State, *Draft]
	spent       state.SumField[State, int64]
	pages       state.UpsertField[State, WebPage]
	stateSchema *state.Schema[State]
}

// schemaVersion must change when a field changes its name or meaning.
const schemaVersion = 1

func newFields() fields {
	sc := state.NewSchema[State](schemaVersion)
	return fields{
		standalone: state.Replace(sc, "standalone", func(s *State) *string { return &s.UserContext.Standalone }),
		asks:       state.Replace(sc, "asks", func(s *State) **intent.Ask { return &s.Asks }),
		survey:     state.Replace(sc, "survey", func(s *State) **Survey { return &s.Survey }),
		summing:    state.Replace(sc, "summing", func(s *State) *[]domain.DocumentID { return &s.Summing }),
		which:      state.Replace(sc, "which", func(s *State) *[]string { return &s.Which }),
		documents: state.Upsert(sc, "documents", func(s *State) *[]Document { return &s.Documents },
			func(d Document) domain.ChunkID { return d.Chunk }),
		sources: state.Upsert(sc, "sources", func(s *State) *[]Source { return &s.Sources },
			func(x Source) domain.DocumentID { return x.Document }),
		generation:  state.Replace(sc, "generation", func(s *State) *string { return &s.Generation }),
		loopCount:   state.Sum(sc, "loop_count", func(s *State) *int { return &s.LoopCount }),
		rewrites:    state.Append(sc, "query_rewrites", func(s *State) *[]Rewrite { return &s.QueryRewrites }),
		wording:     state.Replace(sc, "wording", func(s *State) *string { return &s.Wording }),
		retrieval:   state.Append(sc, "retrieval", func(s *State) *[]Search { return &s.Retrieval }),
		scores:      state.Append(sc, "retrieval_scores", func(s *State) *[]Scores { return &s.RetrievalScores }),
		timings:     state.Append(sc, "timing_metrics", func(s *State) *[]Timing { return &s.TimingMetrics }),
		citations:   state.Replace(sc, "citations", func(s *State) *[]domain.Citation { return &s.Citations }),
		sentences:   state.Replace(sc, "sentences", func(s *State) *[]domain.Sentence { return &s.Sentences }),
		answered:    state.Replace(sc, "answered", func(s *State) *bool { return &s.Answered }),
		figures:     state.Replace(sc, "figures", func(s *State) *[]domain.Figure { return &s.Figures }),
		steps:       state.Upsert(sc, "steps", func(s *State) *[]Step { return &s.Steps }, func(x Step) int { return x.N }),
		draft:       state.Replace(sc, "draft", func(s *State) **Draft { return &s.Draft }),
		spent:       state.Sum(sc, "spent", func(s *State) *int64 { return &s.Spent }),
		pages:       state.Upsert(sc, "pages", func(s *State) *[]WebPage { return &s.Pages }, func(p WebPage) domain.DocumentID { return p.ID }),
		stateSchema: sc,
	}
}

// standalone returns the question as it is understood without the history.
func (s State) standalone() string {
	return cmp.Or(s.UserContext.Standalone, s.Question)
}

func (s State) asked() Asked {
	return Asked{Workspace: s.Workspace, Run: s.Run, Salt: s.Salt, Prompts: s.Prompts, Question: s.standalone(), AsOf: s.UserContext.asOf(), Web: s.Web}
}

// wording returns the latest wording of the question, to search for.
func (s State) wording() Rewrite {
	if n := len(s.QueryRewrites); n > 0 {
		return s.QueryRewrites[n-1]
	}
	return Rewrite{Text: prose.Question(s.searching().Question)}
}

// last returns the latest retrieval.
func (s State) last() Search {
	if n := len(s.Retrieval); n > 0 {
		return s.Retrieval[n-1]
	}
	return Search{}
}

// missing returns the sentences about unavailable stores, each once.
func (s State) missing() []string {
	var out []string
	for _, search := range s.Retrieval {
		for _, m := range search.Methods {
			if m.Missing != "" && !slices.Contains(out, m.Missing) {
				out = append(out, m.Missing)
			}
		}
	}
	return append(out, s.unread()...)
}

// relevant returns the relevant passages of all searches.
func (s State) relevant() []Document {
	return slices.DeleteFunc(slices.Clone(s.Documents), func(d Document) bool { return !d.Relevant() })
}

// The longest question and the longest hint of a person, in code points.
const (
	MaxQuestion = 4000
	MaxHint     = 400
)

// MostLoops is the maximum number of rewrites that a question may be allowed.
const MostLoops = 20

// An Edit holds a person's changes to a state before a run continues from it. The zero value changes nothing.
type Edit struct {
	Question string                            `json:"question,omitempty"` // understood without the history
	Rewrite  string                            `json:"rewrite,omitempty"`  // the wording of the next search
	MaxLoops *int                              `json:"max_loops,omitempty"`
	Grades   map[domain.ChunkID]domain.Verdict `json:"grades,omitempty"`
	Method   *domain.MethodName                `json:"method,omitempty"`
}

// Origins of a wording given by a person or a model.
const (
	byHand  = "by hand"
	ByModel = "the model's rewording"
)

// Current returns the editable values of the state. The rewrite is the one the next search uses, or "" if none is known.
func (s State) Current() Edit {
	e := Edit{Question: s.standalone(), Rewrite: s.Wording, MaxLoops: &s.MaxLoops, Method: &s.Method, Grades: map[domain.ChunkID]domain.Verdict{}}
	if s.rewritten() {
		e.Rewrite = s.wording().Text
	}
	for _, d := range s.Documents {
		if v := d.grading().Verdict; v != "" {
			e.Grades[d.Chunk] = v
		}
	}
	return e
}

// rewritten reports whether there is a rewrite that no search has used.
func (s State) rewritten() bool {
	return len(s.QueryRewrites) > 0 && len(s.QueryRewrites) == len(s.Retrieval)
}

// Apply changes the state. Passages that it does not hold are left out.
func (e Edit) Apply(s *State) {
	if e.Question != "" {
		s.Question, s.UserContext.Standalone, s.Steps = e.Question, "", nil
	}
	if e.Rewrite != "" {
		s.reword(e.Rewrite)
	}
	if e.MaxLoops != nil {
		s.MaxLoops = *e.MaxLoops
	}
	if e.Method != nil {
		s.Method = *e.Method
	}
	s.Documents = slices.Clone(s.Documents)
	for i, d := range s.Documents {
		if verdict, ok := e.Grades[d.Chunk]; ok {
			s.Documents[i].Decided = verdict
		}
	}
}

// reword replaces an unused rewrite, or else sets the next one.
func (s *State) reword(text string) {
	if !s.rewritten() {
		s.Wording = text
		return
	}
	s.QueryRewrites = slices.Clone(s.QueryRewrites)
	s.QueryRewrites[len(s.QueryRewrites)-1] = Rewrite{Text: text, How: byHand}
}
