package schemas

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose/stated"
)

// SampleSize is how many chunks a dry run reads unless some are chosen.
const SampleSize = 5

// MaxChunks is the maximum number of chunks that can be chosen for a dry run.
const MaxChunks = 20

// TrialParams configures Trials.
type TrialParams struct {
	Ledger    *ledger.Ledger
	Schemas   *Service
	Extractor extract.Extractor
	Window    int // see ingest.Params
	Prompts   *prompts.Book
	Read      func(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) error // queues a run that reads a document again
	Now       domain.Clock

	// Price returns the minimum and maximum cost of reading with the extractor's model. If it is nil,
	// bills have no costs.
	Price func(ctx context.Context, least, most domain.Usage) (costs.MoneyRange, error)
}

// Trials shows what a schema would change before it does: on a few chunks, with
// graph, dropped items and cost, and for the whole library as a bill. It then has
// read again what the schema changes, and nothing else.
type Trials struct{ TrialParams }

// NewTrials returns Trials.
func NewTrials(p TrialParams) *Trials { return &Trials{p} }

// A Trial is the result of a dry run.
type Trial struct {
	Chunks []Tried           `json:"chunks"`
	Of     int               `json:"of"` // chunks that the draft would guide
	Fields []TriedField      `json:"fields,omitempty"`
	Looked int               `json:"looked,omitempty"` // documents whose lines were read for fields
	Cost   extract.Cost      `json:"cost"`
	Money  *costs.MoneyRange `json:"money,omitempty"` // nil if there are no calls
	Took   time.Duration     `json:"took"`
}

// Tried holds a draft's reading of a chunk, beside what the graph has of it.
type Tried struct {
	Document domain.DocumentID `json:"document"`
	Name     string            `json:"name"` // of the document
	Chunk    domain.Chunk      `json:"chunk"`
	Now      Side              `json:"now"`
	Draft    Side              `json:"draft"`
	Need     extract.Again     `json:"need"` // why the chunk was selected
	Cost     extract.Cost      `json:"cost"`
	Problem  string            `json:"problem,omitempty"` // why the draft could not be tried
}

// Side is one of two results.
type Side struct {
	Schema  int64                `json:"schema"` // number of the schema; 0 for none and for a draft
	Graph   domain.GraphDocument `json:"graph"`
	Dropped []domain.Dropped     `json:"dropped"`
}

// Run reads chunks by a draft and changes nothing. Without chunks it takes a
// sample, always the same: spread over the documents, and over the chunks of
// each. The answers of a model are recorded, so that reading the chunks for good
// costs nothing. The error is Invalid for a draft that can't be kept or for too
// many chunks, and NotFound for a chunk that the draft would not guide.
func (s *Trials) Run(ctx context.Context, w domain.WorkspaceID, d Draft, chosen []domain.ChunkID) (Trial, error) {
	if err := d.Guide.Validate(); err != nil {
		return Trial{}, err
	}
	if len(chosen) > MaxChunks {
		return Trial{}, domain.Errorf(domain.Invalid, "A dry run reads at most %d chunks: choose fewer.", MaxChunks)
	}
	began := s.Now()
	governed, err := s.governed(ctx, w, d)
	if err != nil {
		return Trial{}, err
	}
	if d.Guide.Prompt, err = s.prompt(ctx, w); err != nil {
		return Trial{}, err
	}
	var t Trial
	t.Of = lists.Sum(governed, func(doc domain.Document) int { return doc.Chunks })
	if len(chosen) == 0 {
		if chosen, err = s.sample(ctx, governed); err != nil {
			return Trial{}, err
		}
	}
	if t.Chunks, err = s.tryAll(ctx, governed, d, chosen); err != nil {
		return Trial{}, err
	}
	if t.Fields, t.Looked, err = s.tryFields(ctx, w, governed, d.Guide); err != nil {
		return Trial{}, err
	}
	for _, c := range t.Chunks {
		t.Cost.Calls += c.Cost.Calls
		t.Cost.Model = cmp.Or(t.Cost.Model, c.Cost.Model)
		t.Cost.Tokens.Cached += c.Cost.Tokens.Cached
		t.Cost.Tokens.Input += c.Cost.Tokens.Input
		t.Cost.Tokens.Output += c.Cost.Tokens.Output
	}
	if s.Price != nil && t.Cost.Calls > 0 {
		paid, err := s.Price(ctx, t.Cost.Usage(), t.Cost.Usage())
		if err != nil {
			return Trial{}, err
		}
		t.Money = &paid
	}
	t.Took = s.Now().Sub(began)
	return t, nil
}

// Saying returns chunks that contain some words, at most as many as a sample has, for Run; none for no words. The error
// is NotFound when no chunk that the draft would guide contains them.
func (s *Trials) Saying(ctx context.Context, w domain.WorkspaceID, d Draft, words string) ([]domain.ChunkID, error) {
	words = strings.ToLower(domain.OneLine(words))
	if words == "" {
		return nil, nil
	}
	governed, err := s.governed(ctx, w, d)
	if err != nil {
		return nil, err
	}
	var found []domain.ChunkID
	enough := errors.New("enough")
	err = s.Ledger.EachChunk(ctx, w, func(p domain.Passage) error {
		guided := slices.ContainsFunc(governed, func(d domain.Document) bool { return d.ID == p.Document })
		if guided && strings.Contains(strings.ToLower(domain.OneLine(p.Text)), words) {
			found = append(found, p.ID)
		}
		if len(found) == SampleSize {
			return enough
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, enough):
		return nil, err
	case len(found) == 0:
		return nil, domain.Errorf(domain.NotFound, "No chunk contains %q. Try other words, or leave the field empty for a sample.", words)
	}
	return found, nil
}

// tryAll tries the chunks at once: a model is limited elsewhere.
func (s *Trials) tryAll(ctx context.Context, governed []domain.Document, d Draft, chosen []domain.ChunkID) ([]Tried, error) {
	tried := make([]Tried, len(chosen))
	failed := make([]error, len(chosen))
	var work sync.WaitGroup
	for i, id := range chosen {
		work.Go(func() { tried[i], failed[i] = s.try(ctx, governed, d, id) })
	}
	work.Wait()
	return tried, errors.Join(failed...)
}

// try reads one chunk by a draft.
func (s *Trials) try(ctx context.Context, governed []domain.Document, d Draft, id domain.ChunkID) (Tried, error) {
	doc, chunks, at, err := s.find(ctx, governed, id)
	if err != nil {
		return Tried{}, err
	}
	t := Tried{Document: doc.ID, Name: doc.Name, Chunk: chunks[at], Now: Side{Schema: doc.Schema}}
	kept, err := s.kept(ctx, doc)
	if err != nil {
		return t, err
	}
	k, ok := kept[id]
	if ok {
		if t.Now, err = s.present(ctx, doc, k); err != nil {
			return t, err
		}
	}
	if t.Need = s.needs(doc, d.Guide, k.Kept, t.Chunk.Text); t.Need.Need == extract.NoNeed {
		r := d.Guide.Conform(k.Mined)
		t.Draft.Graph, t.Draft.Dropped = r.Graph, r.Dropped
		return t, nil
	}
	title, err := s.Ledger.StatedTitle(ctx, doc.Workspace, doc.ID)
	if err != nil {
		return t, err
	}
	q := extract.Request{Document: doc, Title: title, Chunks: []domain.Chunk{t.Chunk}, Guide: d.Guide}
	if at > 0 {
		q.Before = extract.Context(chunks[at-1].Text)
	}
	r, err := extract.One(ctx, s.Extractor, q)
	if err != nil {
		if ctx.Err() != nil {
			return t, err
		}
		t.Problem = domain.InWords(err)
		return t, nil
	}
	t.Draft.Graph, t.Draft.Dropped, t.Cost = r.Graph, r.Dropped, r.Cost
	return t, nil
}

// prompt returns the extractor's prompt in force, "" for the built-in one.
func (s *Trials) prompt(ctx context.Context, w domain.WorkspaceID) (string, error) {
	return s.Prompts.EditedNow(ctx, w, extract.PromptRole)
}

// needs returns the work needed to read a chunk of a document by a guide. A graph is read without a model.
func (s *Trials) needs(d domain.Document, g extract.Guide, k extract.Kept, text string) extract.Again {
	if d.Format == domain.FormatGraph && k.Reader != "" {
		return extract.Again{}
	}
	return extract.Needs(s.Extractor, g, k, text)
}

// find returns the document of a chunk, the chunks of the document, and which of
// them it is.
func (s *Trials) find(ctx context.Context, governed []domain.Document, id domain.ChunkID) (domain.Document, []domain.Chunk, int, error) {
	gone := domain.Errorf(domain.NotFound, "The chunk %s is not guided by this schema. Its document may have been deleted or read again.", id)
	if len(governed) == 0 {
		return domain.Document{}, nil, 0, gone
	}
	found, err := s.Ledger.Passages(ctx, governed[0].Workspace, []domain.ChunkID{id})
	if err != nil {
		return domain.Document{}, nil, 0, err
	}
	if len(found) == 0 {
		return domain.Document{}, nil, 0, gone
	}
	of := slices.IndexFunc(governed, func(d domain.Document) bool { return d.ID == found[0].Document })
	if of < 0 {
		return domain.Document{}, nil, 0, gone
	}
	chunks, err := s.Ledger.Chunks(ctx, governed[of].Workspace, governed[of].ID)
	at := slices.IndexFunc(chunks, func(c domain.Chunk) bool { return c.ID == id })
	if err == nil && at < 0 {
		err = gone
	}
	return governed[of], chunks, at, err
}

// sample returns chunks of the governed documents: the middle one of each, of
// the documents spread over the list by id, then more of each where there are
// fewer documents.
func (s *Trials) sample(ctx context.Context, governed []domain.Document) ([]domain.ChunkID, error) {
	docs := slices.DeleteFunc(slices.Clone(governed), func(d domain.Document) bool { return d.Chunks == 0 })
	slices.SortFunc(docs, func(a, b domain.Document) int { return cmp.Compare(a.ID, b.ID) })
	docs = middles(docs, SampleSize)
	var chosen []domain.ChunkID
	for i, d := range docs {
		chunks, err := s.Ledger.Chunks(ctx, d.Workspace, d.ID)
		if err != nil {
			return nil, err
		}
		share := (SampleSize + len(docs) - 1 - i) / len(docs)
		for _, c := range middles(chunks, share) {
			chosen = append(chosen, c.ID)
		}
	}
	return chosen, nil
}

// middles returns the items in the middle of n equal parts of a list, all if it has no more.
func middles[T any](items []T, n int) []T {
	if len(items) <= n {
		return items
	}
	var out []T
	for i := range n {
		out = append(out, items[(2*i+1)*len(items)/(2*n)])
	}
	return out
}

// keptChunk is the result of an earlier reading of a chunk.
type keptChunk struct {
	extract.Kept
	chunk domain.ChunkID
}

// kept returns the stored results for a document's chunks.
func (s *Trials) kept(ctx context.Context, d domain.Document) (map[domain.ChunkID]keptChunk, error) {
	mined, err := s.Ledger.Mined(ctx, d.Workspace, d.ID)
	if err != nil {
		return nil, err
	}
	guides := map[int64]extract.Guide{}
	kept := make(map[domain.ChunkID]keptChunk, len(mined))
	for _, m := range mined {
		k := keptChunk{extract.Kept{Reader: m.Reader}, m.Chunk}
		if err := json.Unmarshal([]byte(m.Mined), &k.Mined); err != nil {
			return nil, fmt.Errorf("decode what was mined: %w", err)
		}
		if _, ok := guides[m.Schema]; !ok {
			v, err := s.Schemas.At(ctx, d.Workspace, m.Schema)
			if err != nil {
				return nil, err
			}
			guides[m.Schema] = v.Guide
		}
		k.Guide = guides[m.Schema]
		kept[m.Chunk] = k
	}
	return kept, nil
}

// present returns the stored graph of a chunk, before names are unified within the document.
func (s *Trials) present(ctx context.Context, d domain.Document, k keptChunk) (Side, error) {
	v, err := s.Schemas.At(ctx, d.Workspace, d.Schema)
	r := v.Guide.Conform(k.Mined)
	return Side{Schema: d.Schema, Graph: r.Graph, Dropped: r.Dropped}, err
}

// governed lists the documents that a draft would guide, by id.
func (s *Trials) governed(ctx context.Context, w domain.WorkspaceID, d Draft) ([]domain.Document, error) {
	q := ledger.DocumentQuery{Tag: d.Scope.Tag, Chosen: d.Scope.Name, Status: []domain.DocumentStatus{domain.DocumentReady, domain.DocumentEmpty}}
	if d.Scope.Document != "" {
		q.IDs = []domain.DocumentID{d.Scope.Document}
	}
	docs, _, err := s.Ledger.Documents(ctx, w, q)
	if err != nil {
		return nil, err
	}
	narrower, err := s.Schemas.Scopes(ctx, w)
	if err != nil || !slices.ContainsFunc(narrower, func(v Version) bool { return overrides(v.Scope, d.Scope) }) {
		return byID(docs), err
	}
	var out []domain.Document
	for _, doc := range docs {
		v, err := s.Schemas.For(ctx, w, doc.ID)
		if err != nil {
			return nil, err
		}
		if v.Number == 0 || !overrides(v.Scope, d.Scope) {
			out = append(out, doc)
		}
	}
	return byID(out), nil
}

// overrides reports whether the schema of one scope guides documents that another
// would.
func overrides(one, other Scope) bool {
	switch {
	case one.Document != "":
		return other.Document == ""
	case one.Name != "":
		return other.Document == "" && other.Name == ""
	case one.Tag != "":
		return other.Document == "" && other.Name == "" && (other.Tag == "" || strings.Compare(one.Tag, other.Tag) < 0)
	}
	return false
}

func byID(docs []domain.Document) []domain.Document {
	slices.SortFunc(docs, func(a, b domain.Document) int { return cmp.Compare(a.ID, b.ID) })
	return docs
}

// The bounds of trying fields.
const (
	fieldSample = 20  // documents whose lines are read
	shownValues = 5   // values of a field that are listed
	shownLine   = 300 // code points of a line
)

// TriedField holds the statements of some documents about a field that a draft asks for.
type TriedField struct {
	Name    string       `json:"name"`
	Found   int          `json:"found"` // documents with a line that states it
	Values  []TriedValue `json:"values"`
	Problem string       `json:"problem,omitempty"` // why the draft can't be saved
}

// A TriedValue is a statement in a line of a document.
type TriedValue struct {
	Document domain.DocumentID `json:"document"`
	Name     string            `json:"name"` // of the document
	Values   []string          `json:"values"`
	Span     domain.Span       `json:"span"`
	Line     string            `json:"line"`
}

// tryFields reads what lines of a sample of documents, always the same, state of the fields that a guide asks for. It also returns how
// many documents it read.
func (s *Trials) tryFields(ctx context.Context, w domain.WorkspaceID, governed []domain.Document, g extract.Guide) ([]TriedField, int, error) {
	if len(g.Fields) == 0 {
		return nil, 0, nil
	}
	fields, err := s.Ledger.Fields(ctx, w)
	if err != nil {
		return nil, 0, err
	}
	tried, asked := make([]TriedField, len(g.Fields)), make([]domain.Field, len(g.Fields))
	for i, r := range g.Fields {
		f, _, err := r.Of(fields)
		tried[i], asked[i] = TriedField{Name: f.Name, Values: []TriedValue{}}, f
		if err != nil {
			tried[i].Problem = domain.InWords(err)
		}
	}
	docs := middles(slices.DeleteFunc(slices.Clone(governed), func(d domain.Document) bool { return d.Chunks == 0 }), fieldSample)
	for _, d := range docs {
		text, err := s.Ledger.Text(ctx, w, d.ID)
		if err != nil {
			return nil, 0, err
		}
		lines := stated.Read(text.Content)
		for i, r := range g.Fields {
			values, at := r.In(lines, asked[i])
			if len(values) == 0 || tried[i].Problem != "" {
				continue
			}
			if tried[i].Found++; len(tried[i].Values) < shownValues {
				line := domain.Cut(domain.OneLine(at.Slice(text.Content)), shownLine)
				tried[i].Values = append(tried[i].Values, TriedValue{Document: d.ID, Name: d.Name, Values: values, Span: at, Line: line})
			}
		}
	}
	return tried, len(docs), nil
}
