package answer

import (
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
)

// retrieve searches for the latest wording.
func (n *nodes) retrieve(ctx *stategraph.Context, s State) (state.Update[State], error) {
	wording := s.search()
	found, err := n.Retriever.Retrieve(ctx, Query{
		Workspace: s.Workspace, Text: wording.Text, Limit: n.Limit, Wide: wording.Wide, Documents: s.UserContext.Within,
	})
	if err != nil {
		return state.Update[State]{}, err
	}
	for _, m := range found.Methods {
		ctx.Emit(domain.EventMethod, m)
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(found.Passages), "passage", "passages")})
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
	return state.Merge(n.documents.Put(documents...), n.retrieval.Add(search), n.scores.Add(scores)), nil
}

// document is what is known of a passage so far.
func (s State) document(id domain.ChunkID) Document {
	i := slices.IndexFunc(s.Documents, func(d Document) bool { return d.Chunk == id })
	if i < 0 {
		return Document{Chunk: id}
	}
	return s.Documents[i]
}

// appears is d with one more appearance.
func (d Document) appears(loop int, p Scored) Document {
	a := Appearance{Loop: loop, Method: p.Method, Score: rounded(p.Score)}
	if path := brieflyOf(p.Path); !slices.Equal(path, d.path()) {
		a.Path = path
	}
	d.Appearances = append(slices.Clip(d.Appearances), a)
	return d
}

// longestPath bounds the hops that the state keeps of a path.
const longestPath = 2

// brieflyOf keeps of a path the names of its last hops.
func brieflyOf(path []domain.Hop) []domain.Hop {
	var out []domain.Hop
	for _, h := range path[max(0, len(path)-longestPath):] {
		out = append(out, domain.Hop{Name: h.Name})
	}
	return out
}

// path is what brought the passage the last time.
func (d Document) path() []domain.Hop {
	for _, a := range slices.Backward(d.Appearances) {
		if len(a.Path) > 0 {
			return a.Path
		}
	}
	return nil
}

// rounded keeps four digits, which is all that a score tells.
func rounded(score float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(score, 'g', 4, 64), 64)
	return r
}
