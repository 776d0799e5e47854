package present

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/page"
)

// Limits of one side of a comparison.
const (
	maxSideLinks    = 200
	maxSidePassages = 6
	maxSideEdges    = 400
)

// Sides returns two entities with their relations and sentences, to be compared.
// One that is not in the graph has no name. It takes the same few reads however
// much there is about them.
func (p *Entities) Sides(ctx context.Context, w domain.WorkspaceID, a, b domain.EntityID) (x, y page.EntityProps, err error) {
	found, err := p.Graph.Named(ctx, w, []domain.EntityID{a, b})
	if err != nil {
		return x, y, err
	}
	x.Entity.ID, y.Entity.ID = a, b
	for _, e := range found {
		if e.ID == a {
			x.Entity = e
		} else {
			y.Entity = e
		}
	}
	edges, err := p.Graph.Around(ctx, w, []domain.EntityID{a, b}, maxSideEdges)
	if err != nil {
		return x, y, err
	}
	for _, side := range []*page.EntityProps{&x, &y} {
		for _, e := range edges {
			switch side.Entity.ID {
			case e.Source:
				side.Out = append(side.Out, RelationRow(e, e.Source, e.To))
			case e.Target:
				side.In = append(side.In, RelationRow(e, e.Target, e.From))
			}
		}
	}
	return x, y, p.sentences(ctx, w, &x, &y)
}

// sentences fills in the sentences that name two entities, from as many
// documents as possible.
func (p *Entities) sentences(ctx context.Context, w domain.WorkspaceID, sides ...*page.EntityProps) error {
	var ids []domain.ChunkID
	chosen := make([][]graphstore.Link, len(sides))
	for i, side := range sides {
		links, err := p.Graph.Links(ctx, w, side.Entity.ID, maxSideLinks)
		if err != nil {
			return err
		}
		links = slices.DeleteFunc(links, func(l graphstore.Link) bool { return len(l.Spans) == 0 })
		chosen[i] = spread(links)
		for _, l := range chosen[i] {
			ids = append(ids, l.Chunk)
		}
		side.More = max(0, len(links)-len(chosen[i]))
	}
	found, err := p.Ledger.Passages(ctx, w, ids)
	if err != nil {
		return err
	}
	text := make(map[domain.ChunkID]domain.Passage, len(found))
	for _, f := range found {
		text[f.ID] = f
	}
	for i, side := range sides {
		for _, l := range chosen[i] {
			if f, there := text[l.Chunk]; there {
				side.Passages = append(side.Passages, ToSentence(passageItem(f, l.Spans)))
			}
		}
	}
	return nil
}

// spread chooses links from as many documents as possible, in their order.
func spread(links []graphstore.Link) []graphstore.Link {
	round := map[domain.DocumentID]int{}
	order := make([]int, len(links)) // how many of its document come before each link
	for i, l := range links {
		order[i] = round[l.Document]
		round[l.Document]++
	}
	at := make([]int, len(links))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(order[i], order[j]) })
	var out []graphstore.Link
	for _, i := range at[:min(len(at), maxSidePassages)] {
		out = append(out, links[i])
	}
	return out
}

// ToSentence cuts a passage to the sentence with its first mark.
func ToSentence(p page.PassageItem) page.PassageItem {
	if len(p.Marks) == 0 {
		return p
	}
	for _, s := range prose.Sentences(p.Text) {
		if s.End > p.Marks[0].Start {
			return cut(p, s)
		}
	}
	return p
}

// cut cuts a passage to a span of its text.
func cut(p page.PassageItem, s domain.Span) page.PassageItem {
	p.Text = s.Slice(p.Text)
	var marks []domain.Span
	for _, m := range p.Marks {
		if m.Start >= s.Start && m.End <= s.End {
			marks = append(marks, m.Shift(-s.Start))
		}
	}
	p.Marks = marks
	return p
}

// Sentence returns the first of spans of a passage, or without spans the sentence
// that names the first entity, with the names of the entities marked.
func Sentence(f domain.Passage, spans []domain.Span, entities ...domain.Entity) page.PassageItem {
	p := page.PassageItem{Chunk: f.ID, Document: f.Document, Name: f.Name, Text: f.Text}
	for _, e := range entities {
		p.Marks = append(p.Marks, occurrences(f.Text, append([]string{e.Name}, e.Aliases...))...)
	}
	slices.SortFunc(p.Marks, func(a, b domain.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	at := f.Span // of what is linked
	switch {
	case len(spans) > 0:
		at = spans[0]
		p = cut(p, at.Shift(-f.Span.Start))
	case len(p.Marks) > 0:
		at = p.Marks[0].Shift(f.Span.Start)
		p = ToSentence(p)
	default:
		if first := prose.Sentences(p.Text); len(first) > 0 {
			at = first[0].Shift(f.Span.Start)
			p = cut(p, first[0])
		}
	}
	p.Page, p.Place, p.URL = f.PageOf(at), f.Place(at), link.Passage(f.Document, at)
	return p
}

// occurrences returns where names stand in a text as whole words, in code points.
func occurrences(text string, names []string) []domain.Span {
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

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
