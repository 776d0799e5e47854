package proposals

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// Kind names the runs that compare entities. Their subject is a workspace.
const Kind = "resolve"

// State is the state of a comparison.
type State struct {
	Workspace domain.WorkspaceID `json:"workspace"`
	Found     Found              `json:"found"`
}

// Found is the result of a comparison.
type Found struct {
	Entities  int               `json:"entities"` // that were compared
	Merges    []Merge           `json:"merges"`   // all certain ones
	Proposals []ledger.Proposal `json:"proposals"`
	Terms     int               `json:"terms,omitempty"` // pairs of terms, which are not proposed
}

// A Merge is an entity that becomes part of another by rule.
type Merge struct {
	Into    domain.EntityID `json:"into"`
	From    domain.EntityID `json:"from"`
	IntoKey string          `json:"into_key"`
	FromKey string          `json:"from_key"`
	Why     ledger.Proposal `json:"why"`
}

// maxProposals is the maximum number of proposals that wait; the likeliest are kept.
const maxProposals = 2000

type (
	nodeContext = stategraph.Context
	update      = state.Update[State]
)

// comparer has the nodes of a comparison.
type comparer struct {
	*Service
	found state.ReplaceField[State, Found]
}

// compareGraph returns start → compare → merge → propose → end.
func compareGraph(s *Service) (stategraph.Runnable[State], error) {
	schema := state.NewSchema[State](1)
	c := comparer{Service: s, found: state.Replace(schema, "found", func(s *State) *Found { return &s.Found })}
	reads, writes := stategraph.Reads, stategraph.Writes
	b := stategraph.New("resolve", schema)
	b.Node("compare", c.compare, reads(), writes(c.found))
	b.Node("merge", c.merge, reads(c.found), writes())
	b.Node("propose", c.propose, reads(c.found), writes())
	b.Edge(stategraph.Start, "compare")
	b.Edge("compare", "merge")
	b.Edge("merge", "propose")
	b.Edge("propose", stategraph.End)
	return b.Compile(stategraph.WithCheckpointer(s.Threads), stategraph.WithCodec(s.Codec))
}

// Kind describes the runs that compare entities.
func (s *Service) Kind() run.Kind {
	return run.Kind{
		Name: Kind, Title: "Entities compared", Topology: s.graph.Topology(), Concurrency: 1, About: "workspace",
		Subjects: run.OfWorkspace,
		Work: func(ctx context.Context, a *run.Attempt) error {
			ctx = domain.WithReader(ctx, domain.Anyone) // every member sees proposals
			_, err := run.Graph(ctx, a, s.graph, State{Workspace: a.Workspace})
			return err
		},
	}
}

// settle is how long a comparison waits for more documents to come.
const settle = 10 * time.Second

// Compare compares the entities of a workspace without changing anything, and
// without asking a model about pairs.
func (s *Service) Compare(ctx context.Context, w domain.WorkspaceID) (Found, error) {
	ctx = domain.WithReader(ctx, domain.Anyone)
	return s.found(ctx, w, func(library, []resolve.Pair) error { return nil })
}

// found compares the entities. hear may add evidence for and against pairs.
func (s *Service) found(ctx context.Context, w domain.WorkspaceID, hear func(library, []resolve.Pair) error) (Found, error) {
	if err := s.Projector.Apply(ctx, w); err != nil {
		return Found{}, err
	}
	log, err := s.Ledger.Curations(ctx, w, math.MaxInt64)
	if err != nil {
		return Found{}, err
	}
	d := readLog(log)
	l, err := s.read(ctx, w, d)
	if err != nil {
		return Found{}, err
	}
	if err := s.embed(ctx, l); err != nil {
		return Found{}, err
	}
	known, _, err := s.Ledger.Proposals(ctx, w, ledger.ProposalQuery{Decided: true})
	if err != nil {
		return Found{}, err
	}
	apart := d.apart
	pairs := resolve.Match(l.entities)
	if err := hear(l, pairs); err != nil {
		return Found{}, err
	}
	merges := resolve.Merges(l.entities, pairs, s.Bars.Merge, func(a, b resolve.Entity) bool { return apart[pairOf(a.ID, b.ID)] })
	slices.SortFunc(merges, func(x, y resolve.Merge) int {
		return strings.Compare(string(l.entities[x.From].ID), string(l.entities[y.From].ID))
	})
	f := l.found(w, pairs, merges, s.Bars.Propose, d.mayPropose(known))
	all := len(f.Proposals)
	f.Proposals, err = s.withoutTerms(ctx, w, l, f.Proposals)
	f.Terms = all - len(f.Proposals)
	return f, err
}

// mayPropose reports whether a pair may be proposed. A pair that a person keeps apart may not, unless it was proposed
// before: then the ledger can tell whether there is more evidence than at that time.
func (d decisions) mayPropose(known []ledger.Proposal) func(a, b domain.EntityID) bool {
	proposed := lists.SetOf(known, func(p ledger.Proposal) pair { return pairOf(p.A, p.B) })
	return func(a, b domain.EntityID) bool { return !d.apart[pairOf(a, b)] || proposed[pairOf(a, b)] }
}

// found returns the merges by rule and the proposals. A proposal joins two entities
// that remain after the merges.
func (l library) found(w domain.WorkspaceID, pairs []resolve.Pair, merges []resolve.Merge, bar float64, may func(a, b domain.EntityID) bool) Found {
	f := Found{Entities: len(l.entities), Merges: []Merge{}, Proposals: []ledger.Proposal{}}
	part := map[int]int{}
	for _, m := range merges {
		part[m.From] = m.Into
		into, from := l.entities[m.Into].ID, l.entities[m.From].ID
		why := l.proposal(w, m.Pair, m.Into, m.From)
		why.Status = ledger.ProposalAuto
		f.Merges = append(f.Merges, Merge{Into: into, From: from, IntoKey: l.keys[m.Into], FromKey: l.keys[m.From], Why: why})
	}
	of := func(i int) int {
		if into, ok := part[i]; ok {
			return into
		}
		return i
	}
	seen := map[pair]bool{}
	for _, p := range pairs {
		a, b := of(p.A), of(p.B)
		at := pairOf(l.entities[a].ID, l.entities[b].ID)
		if a == b || p.Score < bar || len(f.Proposals) == maxProposals || seen[at] || !may(at[0], at[1]) {
			continue
		}
		seen[at] = true
		f.Proposals = append(f.Proposals, l.proposal(w, p, a, b))
	}
	return f
}

// proposal returns the proposal of a pair of entities a and b.
func (l library) proposal(w domain.WorkspaceID, p resolve.Pair, a, b int) ledger.Proposal {
	of := ledger.Proposal{A: l.entities[a].ID, B: l.entities[b].ID, Score: p.Score, Pattern: p.Pattern, Status: ledger.ProposalOpen}
	of.ID = domain.NewProposalID(w, of.A, of.B)
	for _, e := range p.Evidence {
		of.Evidence = append(of.Evidence, ledger.ProposalEvidence{Kind: e.Kind, Words: e.Words, Against: e.Bits < 0, Weight: math.Abs(e.Bits)})
	}
	return of
}

func (c comparer) compare(ctx *nodeContext, s State) (update, error) {
	found, err := c.Service.found(ctx, s.Workspace, func(l library, pairs []resolve.Pair) error {
		if c.Judge == nil {
			return nil
		}
		return c.judge(ctx, s.Workspace, l, pairs, ctx.Emit)
	})
	if err != nil {
		return update{}, err
	}
	note(ctx, "Compared %d entities.", found.Entities)
	return c.found.Set(found), nil
}

func note(ctx *nodeContext, format string, args ...any) {
	ctx.Emit(domain.EventNote, domain.Note{Text: fmt.Sprintf(format, args...)})
}

// merge adds the missing merges to the curation log and undoes those that were not found again.
func (c comparer) merge(ctx *nodeContext, s State) (update, error) {
	log, err := c.Ledger.Curations(ctx, s.Workspace, math.MaxInt64)
	if err != nil {
		return update{}, err
	}
	d := readLog(log)
	undo, add := d.change(s.Found.Merges)
	total := len(undo) + len(add)
	for i, seq := range undo {
		entry := ledger.Curation{Who: ledger.Rule, Kind: ledger.CurationUndo, Undoes: seq}
		if _, err := c.Ledger.Curate(ctx, s.Workspace, entry, nil); err != nil && domain.KindOf(err) != domain.Conflict {
			return update{}, err // a Conflict: a person was faster
		}
		ctx.Emit(domain.EventProgress, domain.Progress{Done: i + 1, Total: total})
	}
	for i, m := range add {
		if d.apart[pairOf(m.Into, m.From)] {
			continue // decided in the meantime
		}
		entry := ledger.Curation{Who: ledger.Rule, Kind: ledger.CurationMerge, Operation: ledger.Operation{Entity: m.Into, Others: []domain.EntityID{m.From}}}
		if _, err := c.Ledger.Curate(ctx, s.Workspace, entry, map[domain.EntityID]string{m.Into: m.IntoKey, m.From: m.FromKey}); err != nil {
			return update{}, err
		}
		ctx.Emit(domain.EventProgress, domain.Progress{Done: len(undo) + i + 1, Total: total})
	}
	if total > 0 {
		note(ctx, "Merged %d by rule, undid %d merges.", len(add), len(undo))
	}
	return update{}, c.Projector.Apply(ctx, s.Workspace)
}

// propose stores the proposals, and why entities are merged by rule.
func (c comparer) propose(ctx *nodeContext, s State) (update, error) {
	log, err := c.Ledger.Curations(ctx, s.Workspace, math.MaxInt64)
	if err != nil {
		return update{}, err
	}
	entry := map[[2]domain.EntityID]int64{}
	for seq, e := range readLog(log).rule {
		entry[[2]domain.EntityID{e.Entity, e.Others[0]}] = seq
	}
	all := slices.Clone(s.Found.Proposals)
	for _, m := range s.Found.Merges {
		if seq := entry[[2]domain.EntityID{m.Into, m.From}]; seq != 0 {
			m.Why.Curation = seq
			all = append(all, m.Why)
		}
	}
	note(ctx, "%d pairs are proposed.", len(s.Found.Proposals))
	if s.Found.Terms > 0 {
		note(ctx, "%d pairs of terms that their texts also write in lower case are not proposed.", s.Found.Terms)
	}
	return update{}, c.Ledger.Propose(ctx, s.Workspace, all)
}

// pair names two entities, the lower id first.
type pair [2]domain.EntityID

func pairOf(a, b domain.EntityID) pair { return pair{min(a, b), max(a, b)} }

// decisions holds the decisions of the curation log about merges.
type decisions struct {
	rule  map[int64]ledger.Curation // merges by rule that are not undone and have no decision by a person
	apart map[pair]bool             // kept apart by a person
}

// readLog returns the decisions in a log. A merge by rule that a person took back
// keeps its entities apart; one that a person brought back is that person's
// decision.
func readLog(log []ledger.Curation) decisions {
	d := decisions{rule: map[int64]ledger.Curation{}, apart: map[pair]bool{}}
	undone, bySeq, touched := ledger.Undone(log), map[int64]ledger.Curation{}, map[int64]bool{}
	for _, c := range log {
		bySeq[c.Seq] = c
		origin := c
		for origin.Kind == ledger.CurationUndo {
			origin = bySeq[origin.Undoes]
		}
		if c.Who != ledger.Rule {
			touched[origin.Seq] = true
		}
	}
	for _, c := range log {
		byRule := c.Kind == ledger.CurationMerge && c.Who == ledger.Rule
		switch {
		case byRule && !touched[c.Seq] && !undone[c.Seq]:
			d.rule[c.Seq] = c
		case byRule && touched[c.Seq] && undone[c.Seq], c.Kind == ledger.CurationApart && !undone[c.Seq]:
			for _, other := range c.Others {
				d.apart[pairOf(c.Entity, other)] = true
			}
		}
	}
	return d
}

// change returns the entries to undo and the merges to add so that exactly the wanted merges
// by rule apply.
func (d decisions) change(wanted []Merge) (undo []int64, add []Merge) {
	missing := lists.By(wanted, func(m Merge) [2]domain.EntityID { return [2]domain.EntityID{m.Into, m.From} })
	for seq, c := range d.rule {
		found := false
		if len(c.Others) == 1 {
			at := [2]domain.EntityID{c.Entity, c.Others[0]}
			_, found = missing[at]
			delete(missing, at)
		}
		if !found {
			undo = append(undo, seq)
		}
	}
	slices.Sort(undo)
	for _, m := range wanted {
		if _, ok := missing[[2]domain.EntityID{m.Into, m.From}]; ok {
			add = append(add, m)
		}
	}
	return undo, add
}
