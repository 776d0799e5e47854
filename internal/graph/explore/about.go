package explore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
)

// Limits on the details of an entity.
const (
	maxRelations = 200
	maxPassages  = 30
	maxLinks     = 50_000

	maxSidePassages = 6   // for each side of a comparison
	maxSideLinks    = 200 // from which these are chosen
	maxBrief        = 2   // passages for one of several
	maxTogether     = 8   // passages that mention two entities
	maxStated       = 3   // sentences that state their relations
)

// Texts reads passages, and the names of documents.
type Texts interface {
	Passages(ctx context.Context, w domain.WorkspaceID, ids []domain.ChunkID) ([]domain.Passage, error)
	DocumentsByID(ctx context.Context, w domain.WorkspaceID, ids []domain.DocumentID) ([]domain.Document, error)
}

// A Reader reads entities with their relations and passages.
type Reader struct {
	Graph   graphstore.Reader
	Texts   Texts
	Library *Library
}

// An About is an entity with its relations and passages.
type About struct {
	Entity  domain.Entity
	Out, In []Relation // from it and to it
	Quotes  []Quote    // that name it
	More    int        // passages that are not quoted
	AsOf    domain.Day // the time used for Past, if known
	Past    int        // relations of Out and In that do not hold then
	Sources []Source   // documents that name it, most mentions first
}

// A Relation is one relation of an entity.
type Relation struct {
	ID        domain.RelationID
	Of        domain.EntityID // the entity
	Type      string          // as stored, for example "WORKS_FOR"
	Other     domain.Entity   // at the far end
	Sentences int             // that state it
	First     domain.Evidence // the first of them; zero if there is none
	ByHand    bool            // no document states it
	Periods   []domain.Period // for which it holds; empty if unknown
	Dated     domain.Evidence // the first that gives a period; zero if none does
}

// A Source is a document with how often it mentions an entity.
type Source struct {
	ID    domain.DocumentID
	Name  string
	Count int
}

// A Quote is a passage, or a part of one, with marked characters.
type Quote struct {
	Chunk    domain.ChunkID
	Document domain.DocumentID
	Name     string // of the file
	Page     int
	Place    string // set if the page number does not say it
	Text     string
	Marks    []domain.Span // in code points of Text
	At       domain.Span   // the place in the document to link to
}

// About returns an entity with its relations and passages. It fails with kind NotFound for an unknown one.
func (r Reader) About(ctx context.Context, id domain.EntityID) (About, error) {
	w := domain.WorkspaceOf(ctx)
	e, err := r.Graph.Entity(ctx, w, id)
	if err != nil {
		return About{}, err
	}
	links, a, err := r.about(ctx, e, maxLinks)
	if err != nil {
		return a, err
	}
	shown := links[:min(len(links), maxPassages)]
	a.More = len(links) - len(shown)
	if a.Quotes, err = r.quotes(ctx, shown); err != nil {
		return a, err
	}
	at := map[domain.DocumentID]int{}
	var ids []domain.DocumentID
	for _, l := range links {
		i, known := at[l.Document]
		if !known {
			i = len(ids)
			at[l.Document], ids = i, append(ids, l.Document)
			a.Sources = append(a.Sources, Source{ID: l.Document, Name: string(l.Document)})
		}
		a.Sources[i].Count += len(l.Spans)
	}
	documents, err := r.Texts.DocumentsByID(ctx, w, ids)
	for _, d := range documents {
		a.Sources[at[d.ID]].Name = d.Name
	}
	slices.SortStableFunc(a.Sources, func(x, y Source) int { return y.Count - x.Count })
	return a, err
}

// about returns the passages that name an entity, and its relations.
func (r Reader) about(ctx context.Context, e domain.Entity, most int) ([]graphstore.Link, About, error) {
	a := About{Entity: e}
	edges, err := r.Graph.Relations(ctx, domain.WorkspaceOf(ctx), e.ID, maxRelations)
	for _, edge := range edges {
		if edge.Source == e.ID {
			a.Out = append(a.Out, RelationOf(edge, e.ID))
		} else {
			a.In = append(a.In, RelationOf(edge, e.ID))
		}
	}
	if err != nil {
		return nil, a, err
	}
	links, err := r.Graph.Links(ctx, domain.WorkspaceOf(ctx), e.ID, most)
	return naming(links), a, err
}

// RelationOf returns a relation as one of an entity at one end.
func RelationOf(e graphstore.Edge, of domain.EntityID) Relation {
	r := Relation{ID: e.ID, Of: of, Type: e.Type, Other: e.To, ByHand: len(e.Evidence) == 0, Periods: e.Periods()}
	if e.Source != of {
		r.Other = e.From
	}
	for _, ev := range e.Evidence {
		r.Sentences += len(ev.Spans)
		if r.Dated.Document == "" && len(ev.Periods) > 0 {
			r.Dated = ev
		}
		if r.First.Document == "" && len(ev.Spans) > 0 {
			r.First = ev
		}
	}
	return r
}

// HoldsAt reports whether the relation holds at a time, see domain.Holds.
func (r Relation) HoldsAt(at domain.Day) bool { return domain.Holds(r.Type, r.Periods, at) }

// At counts the relations that do not hold at a time.
func (a *About) At(at domain.Day) {
	a.AsOf = at
	a.Past = lists.CountFunc(slices.Concat(a.Out, a.In), func(r Relation) bool { return !r.HoldsAt(at) })
}

// naming returns the links with places where the entity is named.
func naming(links []graphstore.Link) []graphstore.Link {
	return slices.DeleteFunc(links, func(l graphstore.Link) bool { return len(l.Spans) == 0 })
}

// Brief returns an entity with some of its sentences alone.
func (r Reader) Brief(ctx context.Context, id domain.EntityID) (About, error) {
	e, err := r.Graph.Entity(ctx, domain.WorkspaceOf(ctx), id)
	if err != nil {
		return About{}, err
	}
	links, err := r.Graph.Links(ctx, domain.WorkspaceOf(ctx), id, 3*maxBrief)
	if err != nil {
		return About{}, err
	}
	links = naming(links)
	quotes, err := r.quotes(ctx, links[:min(len(links), maxBrief)])
	for i := range quotes {
		quotes[i] = quotes[i].Sentences()
	}
	return About{Entity: e, Quotes: quotes}, err
}

// Sides returns two entities with the sentences that name them, from as many documents as possible, to be compared.
// One that is not in the graph has no name.
func (r Reader) Sides(ctx context.Context, a, b domain.EntityID) (sides [2]About, err error) {
	found, err := r.Graph.Named(ctx, domain.WorkspaceOf(ctx), []domain.EntityID{a, b})
	if err != nil {
		return sides, err
	}
	found = graphstore.Listed(found)
	for i, id := range []domain.EntityID{a, b} {
		e := domain.Entity{ID: id}
		if at := slices.IndexFunc(found, func(e domain.Entity) bool { return e.ID == id }); at >= 0 {
			e = found[at]
		}
		links, side, err := r.about(ctx, e, maxSideLinks)
		if err != nil {
			return sides, err
		}
		chosen := spread(links, maxSidePassages)
		if side.Quotes, err = r.quotes(ctx, chosen); err != nil {
			return sides, err
		}
		for k := range side.Quotes {
			side.Quotes[k] = side.Quotes[k].Sentence()
		}
		side.More = len(links) - len(chosen)
		sides[i] = side
	}
	return sides, nil
}

// spread chooses links from as many documents as possible, in their order.
func spread(links []graphstore.Link, most int) []graphstore.Link {
	round := map[domain.DocumentID]int{}
	type turn struct {
		graphstore.Link
		before int // of its document
	}
	turns := make([]turn, len(links))
	for i, l := range links {
		turns[i] = turn{l, round[l.Document]}
		round[l.Document]++
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.before, b.before) })
	var out []graphstore.Link
	for _, t := range turns[:min(len(turns), most)] {
		out = append(out, t.Link)
	}
	return out
}

// A Pair is two entities with the passages about both.
type Pair struct {
	A, B     domain.Entity
	Types    []string // of the relations between them
	Stated   []Quote  // sentences that state these
	Together []Quote  // sentences of the passages that mention both
	Passages int      // that mention both
}

// Pair returns two entities with the passages about both. It is empty if one of them is gone.
func (r Reader) Pair(ctx context.Context, a, b domain.EntityID) (Pair, error) {
	w := domain.WorkspaceOf(ctx)
	var p Pair
	found, err := r.Graph.Named(ctx, w, []domain.EntityID{a, b})
	if err != nil || len(found) < 2 {
		return p, err
	}
	if p.A, p.B = found[0], found[1]; p.A.ID != a {
		p.A, p.B = p.B, p.A
	}
	edges, err := r.Graph.Relations(ctx, w, a, maxLooked)
	if err != nil {
		return p, err
	}
	var states []graphstore.Link
	for _, e := range edges {
		if e.Source != b && e.Target != b {
			continue
		}
		p.Types = append(p.Types, e.Type)
		for _, ev := range e.Evidence {
			known := slices.ContainsFunc(states, func(l graphstore.Link) bool { return l.Chunk == ev.Chunk })
			if !known && len(ev.Spans) > 0 && len(states) < maxStated {
				states = append(states, graphstore.Link{Chunk: ev.Chunk, Spans: ev.Spans[:1]})
			}
		}
	}
	slices.Sort(p.Types)
	p.Types = slices.Compact(p.Types)
	if p.Stated, err = r.quotes(ctx, states); err != nil {
		return p, err
	}
	for i, q := range p.Stated {
		p.Stated[i] = q.cut(q.Marks[0])
		p.Stated[i].Marks = nil
	}
	return p, r.together(ctx, &p)
}

// maxLooked bounds the relations looked through for those with one entity.
const maxLooked = 2_000

// together reads the passages that mention both.
func (r Reader) together(ctx context.Context, p *Pair) error {
	w, spans := domain.WorkspaceOf(ctx), map[domain.ChunkID][]domain.Span{}
	of, err := r.Graph.Links(ctx, w, p.A.ID, maxLinks)
	if err != nil {
		return err
	}
	for _, l := range naming(of) {
		spans[l.Chunk] = l.Spans
	}
	if of, err = r.Graph.Links(ctx, w, p.B.ID, maxLinks); err != nil {
		return err
	}
	both := slices.DeleteFunc(naming(of), func(l graphstore.Link) bool { return spans[l.Chunk] == nil })
	p.Passages = len(both)
	both = both[:min(len(both), maxTogether)]
	for i, l := range both {
		both[i].Spans = slices.Concat(spans[l.Chunk], l.Spans)
		slices.SortFunc(both[i].Spans, byPlace)
	}
	p.Together, err = r.quotes(ctx, both)
	for i := range p.Together {
		p.Together[i] = p.Together[i].Sentences()
	}
	return err
}

func byPlace(a, b domain.Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// quotes reads passages, and marks in each the places of its link. Those that are gone are left out.
func (r Reader) quotes(ctx context.Context, links []graphstore.Link) ([]Quote, error) {
	spans, ids := map[domain.ChunkID][]domain.Span{}, make([]domain.ChunkID, len(links))
	for i, l := range links {
		ids[i], spans[l.Chunk] = l.Chunk, l.Spans
	}
	found, err := r.Texts.Passages(ctx, domain.WorkspaceOf(ctx), ids)
	var out []Quote
	for _, f := range found {
		q := QuoteOf(f, spans[f.ID][0])
		for _, s := range spans[f.ID] {
			q.Marks = append(q.Marks, s.Shift(-f.Span.Start))
		}
		out = append(out, q)
	}
	return out, err
}

// QuoteOf quotes a passage with a place of it, without marks.
func QuoteOf(f domain.Passage, at domain.Span) Quote {
	return Quote{Chunk: f.ID, Document: f.Document, Name: f.Name, Page: f.PageOf(at), Place: f.Place(at), Text: f.Text, At: at}
}

// Sentences cuts a quote to the sentences with its marks.
func (q Quote) Sentences() Quote {
	out := q
	out.Text, out.Marks = "", nil
	last := -1
	for i, s := range prose.Sentences(q.Text) {
		var marks []domain.Span
		for _, m := range q.Marks {
			if s.Overlaps(m) {
				marks = append(marks, domain.Span{Start: max(m.Start, s.Start), End: min(m.End, s.End)})
			}
		}
		if len(marks) == 0 {
			continue
		}
		if last >= 0 {
			out.Text = strings.TrimRight(out.Text, " \r\n\t") + " "
		}
		if last >= 0 && i > last+1 {
			out.Text += "… "
		}
		at := domain.Runes(out.Text)
		for _, m := range marks {
			out.Marks = append(out.Marks, m.Shift(at-s.Start))
		}
		out.Text, last = out.Text+s.Slice(q.Text), i
	}
	if last < 0 {
		return q
	}
	return out
}

// Sentence cuts a quote to the sentence with its first mark.
func (q Quote) Sentence() Quote {
	if len(q.Marks) == 0 {
		return q
	}
	for _, s := range prose.Sentences(q.Text) {
		if s.End > q.Marks[0].Start {
			return q.cut(s)
		}
	}
	return q
}

// cut cuts a quote to a span of its text.
func (q Quote) cut(s domain.Span) Quote {
	q.Text = s.Slice(q.Text)
	var marks []domain.Span
	for _, m := range q.Marks {
		if m.Start >= s.Start && m.End <= s.End {
			marks = append(marks, m.Shift(-s.Start))
		}
	}
	q.Marks = marks
	return q
}

// SentenceOf returns the sentence of a passage at a place of the document, or the first that names one of some entities if
// the place is empty, with their names marked.
func SentenceOf(f domain.Passage, at domain.Span, entities ...domain.Entity) Quote {
	q := QuoteOf(f, f.Span)
	for _, e := range entities {
		q.Marks = append(q.Marks, occurrences(f.Text, append([]string{e.Name}, e.Aliases...))...)
	}
	slices.SortFunc(q.Marks, func(a, b domain.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	cut := q
	switch sentences := prose.Sentences(f.Text); {
	case !at.Empty():
		cut = q.cut(at.Shift(-f.Span.Start))
	case len(q.Marks) > 0:
		at, cut = q.Marks[0].Shift(f.Span.Start), q.Sentence()
	case len(sentences) > 0:
		at, cut = sentences[0].Shift(f.Span.Start), q.cut(sentences[0])
	default:
		at = f.Span
	}
	place := QuoteOf(f, at)
	place.Text, place.Marks = cut.Text, cut.Marks
	return place
}

// occurrences returns the positions of names as whole words in a text, in code points.
func occurrences(text string, names []string) []domain.Span {
	wordy := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	var spans []domain.Span
	for _, name := range names {
		for from := 0; name != ""; {
			at := strings.Index(text[from:], name)
			if at < 0 {
				break
			}
			at += from
			from = at + len(name)
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[from:])
			if !wordy(before) && !wordy(after) {
				start := domain.Runes(text[:at])
				spans = append(spans, domain.Span{Start: start, End: start + domain.Runes(name)})
			}
		}
	}
	return spans
}
