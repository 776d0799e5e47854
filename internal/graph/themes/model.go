package themes

import (
	"context"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

// Kind names the runs in which a model sums up themes. Their subject is a workspace.
const Kind = "themes"

// Limits on what a model sums up.
const maxSays = 4 // sentences about each theme

// settle is how long such a run waits for more documents to come, and for their
// entities to be compared.
const settle = 30 * time.Second

// State is the state of a run. It holds no text.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Run       domain.RunID       `json:"run"`
	Prompts   int                `json:"prompts,omitempty"` // pin of the prompt's text
	Changed   []domain.EntityID  `json:"changed"`           // leads of the themes to sum up
}

type (
	nodeContext = stategraph.Context
	update      = state.Update[State]
)

// summer has the nodes of a run.
type summer struct {
	*Service
	changed state.ReplaceField[State, []domain.EntityID]
}

// sumUpGraph returns start → choose → sum_up → end.
func sumUpGraph(s *Service) (stategraph.Runnable[State], error) {
	schema := state.NewSchema[State](1)
	m := summer{s, state.Replace(schema, "changed", func(s *State) *[]domain.EntityID { return &s.Changed })}
	b := stategraph.New(Kind, schema)
	b.Node("choose", m.choose, stategraph.Reads(), stategraph.Writes(m.changed))
	b.Node("sum_up", m.sumUpChanged, stategraph.Reads(m.changed), stategraph.Writes())
	b.Edge(stategraph.Start, "choose")
	b.Edge("choose", "sum_up")
	b.Edge("sum_up", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(s.Threads), stategraph.WithCodec(s.Codec))
}

// Kind describes the runs in which themes are summed up.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Themes summed up", Topology: s.graph.Topology(), Concurrency: 1, About: "workspace",
		Subjects: run.OfWorkspace, WaitsForServers: true, PausesAtCap: true,
		Work: func(ctx context.Context, a *run.Attempt) error {
			ctx = domain.WithReader(ctx, domain.Anyone) // every member reads what is said about themes
			pin, err := s.pin(ctx, a.Workspace)
			if err == nil {
				_, err = run.Graph(ctx, a, s.graph, State{Workspace: a.Workspace, Run: a.ID, Prompts: pin})
			}
			return err
		},
	}
}

// SumsUp reports whether a model sums up themes.
func (s *Service) SumsUp() bool { return s.Model != nil }

// After returns a kind of run like k, after whose runs changed themes are summed up.
func (s *Service) After(k run.Kind) run.Kind {
	if !s.SumsUp() {
		return k
	}
	return s.Background.After(k)
}

// Changed orders that changed themes are summed up.
func (s *Service) Changed(ctx context.Context, w domain.WorkspaceID) {
	if s.SumsUp() {
		s.Background.Changed(ctx, w)
	}
}

// pin returns the pin of the current prompt.
func (s *Service) pin(ctx context.Context, w domain.WorkspaceID) (int, error) {
	if s.Model == nil {
		return 0, nil
	}
	return s.Prompts.Pin(ctx, w)
}

// choose finds the themes that the model has not summed up in their present form; its summaries of unchanged themes are
// recorded.
func (m summer) choose(ctx *nodeContext, s State) (update, error) {
	changed := []domain.EntityID{}
	var found domain.Found
	all, err := m.graphs().Communities(domain.WithWorkspace(ctx, s.Workspace), nil, Most, maxRead)
	if err != nil {
		return update{}, err
	}
	for _, c := range all {
		passages, err := m.Texts.Passages(ctx, s.Workspace, c.Passages)
		if err != nil {
			return update{}, err
		}
		_, err = m.sumUp(llm.OnlyRecorded(ctx), s, c, passages, ignore)
		if err != nil && !llm.Unrecorded(err) {
			return update{}, err
		}
		if err == nil {
			continue
		}
		changed = append(changed, c.Lead)
		for _, p := range passages { // record that the run has read their documents
			found.Passages = append(found.Passages, domain.FoundPassage{Chunk: p.ID})
		}
	}
	if len(changed) > 0 {
		ctx.Emit(domain.EventFound, found)
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(changed), "theme has", "themes have") + " changed, of " + domain.Counted(len(all), "theme", "themes")})
	return m.changed.Set(changed), nil
}

// sumUpChanged asks the model about one theme after the other. Its answers are recorded
// with the run, and deleted with it or with a document that it has read.
func (m summer) sumUpChanged(ctx *nodeContext, s State) (update, error) {
	all, err := m.graphs().Communities(domain.WithWorkspace(ctx, s.Workspace), nil, Most, maxRead)
	if err != nil {
		return update{}, err
	}
	for i, lead := range s.Changed {
		at := slices.IndexFunc(all, func(c explore.Community) bool { return c.Lead == lead })
		if at < 0 {
			continue // changed again: the next run will find it
		}
		passages, err := m.Texts.Passages(ctx, s.Workspace, all[at].Passages)
		if err != nil {
			return update{}, err
		}
		if _, err := m.sumUp(ctx, s, all[at], passages, ctx.Emit); err != nil {
			return update{}, err
		}
		ctx.Emit(domain.EventProgress, domain.Progress{Done: i + 1, Total: len(s.Changed)})
	}
	return update{}, nil
}

func ignore(string, any) {}

// sumUp has the model sum up the sentences that TextRank chooses of a theme's passages.
// The request depends on nothing else, so an unchanged theme is asked about once.
func (s *Service) sumUp(ctx context.Context, of State, c explore.Community, passages []domain.Passage, emit summarize.Emit) ([]Sentence, error) {
	request, err := s.choices(ctx, passages, nil, c.Names)
	if err != nil || len(sources(request)) == 0 {
		return nil, err
	}
	request.Workspace, request.Run, request.Prompts = of.Workspace, of.Run, of.Prompts
	lines, err := s.Model.Reduce(ctx, request, emit)
	if err != nil {
		return nil, err
	}
	var said []Sentence
	for _, l := range lines {
		if len(l.Parts) == 0 || len(said) == maxSays {
			continue
		}
		part := request.Summaries[l.Parts[0]-1].Sentences
		said = append(said, Sentence{l.Text, passages[l.Parts[0]-1], *part[0].Span})
	}
	return said, nil
}

// sources returns all sentences of a request.
func sources(r summarize.ReduceRequest) (all []summarize.Sentence) {
	return lists.Flat(r.Summaries, func(s summarize.Summary) []summarize.Sentence { return s.Sentences })
}

// summed returns the recorded summary of a theme in its present form, or nil if there is none. It calls no model.
func (s *Service) summed(ctx context.Context, w domain.WorkspaceID, c explore.Community, passages []domain.Passage, pin int) ([]Sentence, error) {
	if s.Model == nil {
		return nil, nil
	}
	said, err := s.sumUp(llm.OnlyRecorded(ctx), State{Workspace: w, Prompts: pin}, c, passages, ignore)
	if llm.Unrecorded(err) {
		return nil, nil
	}
	return said, err
}
