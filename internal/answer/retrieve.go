package answer

import (
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/retrieve"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// retrieve searches for the latest wording of the question.
func (n *nodes) retrieve(ctx *stategraph.Context, s State) (state.Update[State], error) {
	m := n.meter(ctx, s.Budget, ctx.Emit)
	found, err := n.find(ctx, s, m.emit)
	if err != nil {
		return state.Update[State]{}, err
	}
	ctx.Emit(domain.EventFound, reported(found))
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(found.Passages), "passage", "passages") + s.UserContext.note()})
	search, scores := Search{Loop: s.LoopCount, Found: []domain.ChunkID{}}, Scores{Loop: s.LoopCount, Scores: []float64{}}
	documents := make([]Document, 0, len(found.Passages))
	for _, p := range found.Passages {
		search.Found = append(search.Found, p.Chunk)
		scores.Scores = append(scores.Scores, rounded(p.Score))
		documents = append(documents, s.document(p.Chunk).appears(s.LoopCount, p))
	}
	for _, m := range found.Methods {
		search.Methods = append(search.Methods, Method{m.Name, m.Candidates, m.Took.Milliseconds(), m.Reason, m.Missing})
	}
	return state.Merge(n.documents.Put(documents...), n.retrieval.Add(search), n.scores.Add(scores), n.spend(m)), nil
}

// find searches, and has a model put what it finds in order if the settings say so.
func (n *nodes) find(ctx *stategraph.Context, s State, emit Emit) (retrieve.Result, error) {
	wording := s.wording()
	q := retrieve.Query{
		Text: wording.Text, Asked: s.wordings()[0].Text, Method: s.Method, Limit: n.Limit, Wider: wording.Wide > 0, Documents: s.UserContext.Within,
		Report: func(m domain.Method) { ctx.Emit(domain.EventMethod, m) },
	}
	if !n.reranks(s) {
		return n.Retriever.Retrieve(ctx, s.Workspace, q)
	}
	limit := n.Limit
	if q.Wider { // such a search finds twice as many
		limit *= 2
	}
	q.Limit = max(n.Limit, n.Rerank)
	found, err := n.Retriever.Retrieve(ctx, s.Workspace, q)
	if err != nil {
		return found, err
	}
	return n.rerank(ctx, s, found, limit, emit)
}

// note says in how many documents was searched; "" for all.
func (c UserContext) note() string {
	if c.Scope == nil {
		return ""
	}
	return " of " + domain.Counted(len(c.Within), "document", "documents")
}

// reported returns the passages for the trace.
func reported(found retrieve.Result) domain.Found {
	passages := slices.Clone(found.Passages)
	for i, p := range passages {
		passages[i].Score = rounded(p.Score)
	}
	return domain.Found{Passages: passages}
}

// document returns what the state holds on a passage.
func (s State) document(id domain.ChunkID) Document {
	i := slices.IndexFunc(s.Documents, func(d Document) bool { return d.Chunk == id })
	if i < 0 {
		return Document{Chunk: id}
	}
	return s.Documents[i]
}

// appears returns d with one more appearance.
func (d Document) appears(loop int, p domain.FoundPassage) Document {
	a := Appearance{Loop: loop, Score: rounded(p.Score)}
	if len(p.Methods) > 0 {
		a.Method = p.Methods[0]
	}
	if path := shortPath(p.Path); !slices.Equal(path, d.path()) {
		a.Path = path
	}
	d.Appearances = append(slices.Clip(d.Appearances), a)
	return d
}

// maxHops bounds the hops that the state keeps of a path.
const maxHops = 2

// shortPath returns the names of a path's last hops.
func shortPath(path []domain.Hop) []domain.Hop {
	var out []domain.Hop
	for _, h := range path[max(0, len(path)-maxHops):] {
		out = append(out, domain.Hop{Name: h.Name})
	}
	return out
}

// path returns the latest path that led to the passage.
func (d Document) path() []domain.Hop {
	for _, a := range slices.Backward(d.Appearances) {
		if len(a.Path) > 0 {
			return a.Path
		}
	}
	return nil
}

// rounded rounds a score to four significant digits.
func rounded(score float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(score, 'g', 4, 64), 64)
	return r
}
