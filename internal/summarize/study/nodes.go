package study

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/stategraph/state"
	"github.com/clewhq/clew/internal/summarize"
)

type update = state.Update[State]

// cut cuts the texts into parts. Of a large library it leaves later parts of documents out.
func (n *nodes) cut(ctx *stategraph.Context, s State) (update, error) {
	all, read, warnings, err := summarize.Cut(ctx, n.Texts, n.Counter, s.Workspace, s.Documents)
	if err != nil {
		return update{}, err
	}
	parts := firstParts(all, partsPerItem*s.Most)
	if len(parts) < len(all) {
		warnings = append(warnings, fmt.Sprintf("Only %s of %s parts of the documents were read: the first of each. Choose a tag or a document for more.", domain.Thousands(len(parts)), domain.Thousands(len(all))))
	}
	ctx.Emit(domain.EventNote, domain.Note{Text: domain.Counted(len(parts), "part", "parts") + " of at most 1,000 tokens"})
	return state.Merge(n.read.Set(read), n.contents.Set(parts), n.warnings.Add(warnings...)), nil
}

// firstParts returns up to most parts in order: the first of each document, then the second of each, and so on.
func firstParts(parts []summarize.Part, most int) []summarize.Part {
	if len(parts) <= most {
		return parts
	}
	turns, of := make(map[int]int, len(parts)), map[domain.DocumentID]int{}
	for _, p := range parts {
		turns[p.N] = of[p.Document]
		of[p.Document]++
	}
	first := slices.Clone(parts)
	slices.SortStableFunc(first, func(a, b summarize.Part) int { return cmp.Compare(turns[a.N], turns[b.N]) })
	first = first[:most]
	slices.SortFunc(first, func(a, b summarize.Part) int { return cmp.Compare(a.N, b.N) })
	return first
}

type task struct {
	Request
	Of int `json:"of"`
}

// fanOut sends every part to find items in.
func (n *nodes) fanOut(ctx *stategraph.Context, s State) (stategraph.Route[State], error) {
	var sends []stategraph.Send[State]
	err := summarize.EachPart(ctx, n.Texts, s.Workspace, s.Contents, func(p summarize.Part, text string) {
		sends = append(sends, n.part.Send(task{Request: Request{Wanted: s.Wanted, Part: p, Text: text}, Of: len(s.Contents)}))
	})
	return stategraph.Fan(sends...), err
}

// find finds items in one part. A failure that concerns only this part is recorded; the others continue.
func (n *nodes) find(ctx *stategraph.Context, t task) (u update, err error) {
	n.pauses.Begin(string(t.Run))
	defer func() { n.pauses.End(ctx, string(t.Run), err) }()
	ctx.Emit(domain.EventProgress, domain.Progress{Total: t.Of})
	found := Found{Part: t.Part.N, Items: []Item{}}
	items, err := n.Maker.Make(ctx, t.Request, func(sentence string) { found.Cut = sentence }, ctx.Emit)
	switch {
	case err == nil:
		for _, item := range items {
			item.Part = t.Part.N
			found.Items = append(found.Items, item)
		}
	case ctx.Err() != nil || domain.Temporary(err) || summarize.ConcernsAll(err):
		return update{}, err
	default:
		found.Problem = domain.InWords(err)
	}
	return n.found.Add(found), nil
}

// choose joins equal items, keeps the best, and ties each to its sentence.
func (n *nodes) choose(ctx *stategraph.Context, s State) (update, error) {
	var warnings []string
	var all []Item
	for _, f := range s.Found {
		switch {
		case f.Problem != "":
			warnings = append(warnings, fmt.Sprintf("Part %d of %d was left out: %s", f.Part, len(s.Contents), f.Problem))
		case f.Cut != "":
			warnings = append(warnings, fmt.Sprintf("Part %d of %d: %s", f.Part, len(s.Contents), f.Cut))
		}
		all = append(all, f.Items...)
	}
	if len(warnings) == len(s.Found) && len(all) == 0 && len(warnings) > 0 {
		return update{}, domain.Errorf(domain.Invalid, "No part could be read. %s", warnings[0]) // waiting would not help
	}
	of := func(i Item) domain.DocumentID { return s.documentOf(i.Part) }
	chosen := best(distinct(all), of, s.Most)
	if s.Kind == domain.Glossary {
		slices.SortStableFunc(chosen, func(a, b Item) int { return cmp.Compare(prose.Key(a.Front), prose.Key(b.Front)) })
	}
	citations, err := n.cite(ctx, s, chosen)
	if err != nil {
		return update{}, err
	}
	items := make([]domain.StudyItem, len(chosen))
	for i, item := range chosen {
		items[i] = domain.StudyItem{N: i + 1, Front: item.Front, Back: item.Back, Source: i + 1}
	}
	return state.Merge(n.items.Set(items), n.citations.Set(citations), n.warnings.Add(warnings...)), nil
}

func (s State) documentOf(part int) domain.DocumentID {
	i := slices.IndexFunc(s.Contents, func(p summarize.Part) bool { return p.N == part })
	if i < 0 {
		return ""
	}
	return s.Contents[i].Document
}

// distinct returns the items in order, of those with the same front only the one of most worth, the first of equals.
func distinct(items []Item) []Item {
	at := map[string]int{}
	var out []Item
	for _, item := range items {
		key := prose.Key(item.Front)
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(out)
			out = append(out, item)
		case item.Worth > out[i].Worth:
			out[i] = item
		}
	}
	slices.SortStableFunc(out, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	return out
}

// best returns up to most of the best items in order: the best of each document, then the second of each, and so on.
func best(items []Item, of func(Item) domain.DocumentID, most int) []Item {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(items[b].Worth, items[a].Worth) })
	turns, taken := make([]int, len(items)), map[domain.DocumentID]int{}
	for _, i := range order {
		turns[i] = taken[of(items[i])]
		taken[of(items[i])]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turns[a], turns[b]) })
	order = order[:min(most, len(order))]
	slices.Sort(order)
	return lists.Map(order, func(at int) Item { return items[at] })
}

// cite returns the citations of items, one for each.
func (n *nodes) cite(ctx *stategraph.Context, s State, items []Item) ([]domain.Citation, error) {
	type read struct {
		text domain.Text
		doc  domain.Document
	}
	known := map[domain.DocumentID]read{}
	citations := make([]domain.Citation, len(items))
	for i, item := range items {
		id := s.documentOf(item.Part)
		r, ok := known[id]
		if !ok {
			var err error
			if r.text, err = n.Texts.Text(ctx, s.Workspace, id); err != nil {
				return nil, err
			}
			if r.doc, err = n.Texts.Document(ctx, s.Workspace, id); err != nil {
				return nil, err
			}
			known[id] = r
		}
		citations[i] = domain.Citation{
			N: i + 1, Document: r.doc.Name, DocumentID: id, Version: r.doc.Version, Page: r.text.PageOf(item.Span), Place: r.text.Place(item.Span), Span: item.Span, Text: item.Span.Slice(r.text.Content),
		}
	}
	return citations, nil
}
