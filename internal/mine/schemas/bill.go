package schemas

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/mine/extract"
)

// A Bill is the cost of reading again by a schema.
type Bill struct {
	Documents int               `json:"documents"`        // to be read again
	Chunks    int               `json:"chunks"`           // their chunks whose result changes or may change
	Of        int               `json:"of"`               // chunks that the schema guides
	Asked     int               `json:"asked"`            // chunks that a model is asked about
	Applied   int               `json:"applied"`          // chunks to which the schema is applied without a call
	Fields    int               `json:"fields,omitempty"` // documents that are asked for other fields
	Calls     int               `json:"calls"`            // at least; an answer that can't be read is requested again
	Tokens    Range             `json:"tokens"`
	Money     *costs.MoneyRange `json:"money,omitempty"` // nil if there are no calls
	Seconds   Range             `json:"seconds"`
	Why       []Reason          `json:"why"`
	Busy      int               `json:"busy"` // documents being read: they keep the schema that they started with

	Queued []domain.DocumentID `json:"queued,omitempty"` // for Apply to read again
}

// A Range is an estimate.
type Range = costs.Range

// A Reason is why some chunks are asked for.
type Reason struct {
	Need   extract.Need `json:"need"`
	Chunks int          `json:"chunks"`
	About  []string     `json:"about,omitempty"` // most frequent first
}

// Bill returns the bill of putting a draft in force.
func (s *Trials) Bill(ctx context.Context, w domain.WorkspaceID, d Draft) (Bill, error) {
	if err := d.Guide.Validate(); err != nil {
		return Bill{}, err
	}
	governed, err := s.governed(ctx, w, d)
	if err != nil {
		return Bill{}, err
	}
	if d.Guide.Prompt, err = s.prompt(ctx, w); err != nil {
		return Bill{}, err
	}
	t := s.newTally()
	for _, doc := range governed {
		if _, err := t.add(ctx, doc, d.Guide); err != nil {
			return Bill{}, err
		}
	}
	return t.bill(ctx, w)
}

// Pending returns the bill for reading again the documents that the schemas in force would change.
func (s *Trials) Pending(ctx context.Context, w domain.WorkspaceID) (Bill, error) {
	_, bill, err := s.pending(ctx, w)
	return bill, err
}

// Apply queues a run for each document that the schemas in force would change, and
// returns the bill. A document that cannot be queued ends it with that error: what
// is queued stays.
func (s *Trials) Apply(ctx context.Context, w domain.WorkspaceID) (Bill, error) {
	affected, bill, err := s.pending(ctx, w)
	if err != nil {
		return bill, err
	}
	for _, id := range affected {
		err := s.Read(ctx, w, id)
		switch kind := domain.KindOf(err); {
		case err == nil:
			bill.Queued = append(bill.Queued, id)
		case kind == domain.Conflict: // somebody is already having it read
		case kind == domain.NotFound: // deleted in the meantime
		default:
			return bill, err
		}
	}
	return bill, nil
}

// pending returns the documents that the schemas in force would change, and the
// bill.
func (s *Trials) pending(ctx context.Context, w domain.WorkspaceID) ([]domain.DocumentID, Bill, error) {
	docs, err := s.governed(ctx, w, Draft{})
	if err != nil {
		return nil, Bill{}, err
	}
	scopes, err := s.Schemas.Scopes(ctx, w)
	if err != nil {
		return nil, Bill{}, err
	}
	for _, v := range scopes {
		more, err := s.governed(ctx, w, Draft{Scope: v.Scope})
		if err != nil {
			return nil, Bill{}, err
		}
		docs = append(docs, more...)
	}
	slices.SortFunc(docs, func(a, b domain.Document) int { return cmp.Compare(a.ID, b.ID) })
	docs = slices.CompactFunc(docs, func(a, b domain.Document) bool { return a.ID == b.ID })
	text, err := s.prompt(ctx, w)
	if err != nil {
		return nil, Bill{}, err
	}
	t := s.newTally()
	var affected []domain.DocumentID
	for _, doc := range docs {
		v, err := s.Schemas.For(ctx, w, doc.ID)
		if err != nil {
			return nil, Bill{}, err
		}
		if v.Number == doc.Schema {
			continue
		}
		v.Guide.Prompt = text
		changes, err := t.add(ctx, doc, v.Guide)
		if err != nil {
			return nil, Bill{}, err
		}
		if changes {
			affected = append(affected, doc.ID)
		}
	}
	bill, err := t.bill(ctx, w)
	return affected, bill, err
}

// tally adds up a bill.
type tally struct {
	*Trials
	Bill
	why map[extract.Need]map[string]int // how often each item is the reason
	of  map[extract.Need]int

	least, most domain.Usage
	took        float64 // seconds spent reading the chunks so far
	chunks      int
}

func (s *Trials) newTally() *tally {
	return &tally{Trials: s, why: map[extract.Need]map[string]int{}, of: map[extract.Need]int{}}
}

// add adds a document, and reports whether the guide would change it. Results of another model or prompt are to be read
// again under any guide, and don't count.
func (t *tally) add(ctx context.Context, d domain.Document, g extract.Guide) (bool, error) {
	chunks, err := t.Ledger.Chunks(ctx, d.Workspace, d.ID)
	if err != nil {
		return false, err
	}
	kept, err := t.kept(ctx, d)
	if err != nil {
		return false, err
	}
	t.Of += len(chunks)
	if d.Format != domain.FormatGraph && d.Reader != t.Extractor.Reader(extract.Guide{Prompt: g.Prompt}) {
		return false, nil
	}
	t.took, t.chunks = t.took+d.Took.Seconds(), t.chunks+len(chunks)
	reader, before := t.Extractor.Reader(g), t.Chunks
	var asked []domain.Chunk
	for _, c := range chunks {
		k, ok := kept[c.ID]
		if !ok || k.Reader == reader {
			continue // left out by an earlier run, or read with this guide
		}
		again := t.needs(d, g, k.Kept, c.Text)
		if again.Need != extract.NoNeed {
			t.ask(again)
			asked = append(asked, c)
			continue
		}
		now, err := t.present(ctx, d, k)
		if err != nil {
			return false, err
		}
		r := g.Conform(k.Mined)
		if !same(now.Graph.Nodes, r.Graph.Nodes) || !same(now.Graph.Relationships, r.Graph.Relationships) || !same(now.Graph.Names, r.Graph.Names) || !same(now.Dropped, r.Dropped) {
			t.Chunks++
			t.Applied++
		}
	}
	t.estimate(asked, g)
	refilled, err := t.refill(ctx, d, g, chunks)
	if err != nil || t.Chunks == before && !refilled {
		return false, err
	}
	t.Documents++
	return true, nil
}

// refill adds the usage of asking a document for its fields, and reports whether the guide asks for other fields than
// the one by which it was read.
func (t *tally) refill(ctx context.Context, d domain.Document, g extract.Guide, chunks []domain.Chunk) (bool, error) {
	before, err := t.Schemas.At(ctx, d.Workspace, d.Schema)
	if err != nil || len(before.Guide.Fields)+len(g.Fields) == 0 || reflect.DeepEqual(before.Guide.Fields, g.Fields) {
		return false, err
	}
	t.Fields++
	if t.Extractor.Asks() {
		t.use(extract.EstimateFields(g.Fields, lists.Sum(chunks, func(c domain.Chunk) int { return c.Tokens })))
	}
	return true, nil
}

// use adds what some calls use.
func (t *tally) use(calls int, least, most domain.Usage) {
	t.Calls, t.least, t.most = t.Calls+calls, t.least.Plus(least), t.most.Plus(most)
}

// same reports whether two lists have equal items.
func same[T any](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool { return reflect.DeepEqual(x, y) })
}

// ask adds a chunk for which the model is asked.
func (t *tally) ask(again extract.Again) {
	t.Chunks++
	t.Asked++
	t.of[again.Need]++
	if t.why[again.Need] == nil {
		t.why[again.Need] = map[string]int{}
	}
	for _, about := range again.About {
		t.why[again.Need][about]++
	}
}

// estimate adds what asking for some chunks of a document uses.
func (t *tally) estimate(asked []domain.Chunk, g extract.Guide) {
	if !t.Extractor.Asks() {
		return
	}
	g.Fields = nil // not part of these calls
	guide, _ := json.Marshal(g)
	for _, w := range extract.Windows(asked, t.Window) {
		t.use(extract.Estimate(w, len(guide)/2, g.Gleaning))
	}
}

// The seconds of a call where nothing has been read yet.
const (
	leastSeconds = 1.0
	mostSeconds  = 10.0
)

// bill finishes the bill.
func (t *tally) bill(ctx context.Context, w domain.WorkspaceID) (Bill, error) {
	for need, n := range t.of {
		r := Reason{Need: need, Chunks: n}
		for about := range t.why[need] {
			r.About = append(r.About, about)
		}
		slices.SortFunc(r.About, func(a, b string) int {
			return cmp.Or(cmp.Compare(t.why[need][b], t.why[need][a]), cmp.Compare(a, b))
		})
		t.Why = append(t.Why, r)
	}
	slices.SortFunc(t.Why, func(a, b Reason) int { return cmp.Or(cmp.Compare(b.Chunks, a.Chunks), cmp.Compare(a.Need, b.Need)) })
	least, most := leastSeconds*float64(t.Calls), mostSeconds*float64(t.Calls)
	if t.chunks > 0 && t.took > 0 && t.Calls > 0 {
		perChunk := t.took / float64(t.chunks)
		least, most = 0.7*perChunk*float64(t.Asked), 1.6*perChunk*float64(t.Asked)
	}
	t.Tokens = Range{From: t.least.Tokens(), To: t.most.Tokens()}
	if t.Calls > 0 && t.Price != nil {
		price, err := t.Price(ctx, t.least, t.most)
		if err != nil {
			return t.Bill, err
		}
		t.Money = &price
	}
	t.Seconds = Range{From: int(least), To: int(most) + 1}
	counts, err := t.Ledger.CountDocuments(ctx, w, "")
	t.Busy = counts.ByStatus[domain.DocumentWaiting] + counts.ByStatus[domain.DocumentWorking]
	return t.Bill, err
}
