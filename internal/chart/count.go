package chart

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// GraphReader reads the entity graph.
type GraphReader interface {
	Labels(ctx context.Context, w domain.WorkspaceID) ([]graphstore.LabelCount, error)
	Adjacency(ctx context.Context, w domain.WorkspaceID) (*graphstore.Adjacency, error)
	InDocument(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error)
}

// Documents lists the documents of the ledger.
type Documents interface {
	Documents(ctx context.Context, w domain.WorkspaceID, q ledger.DocumentQuery) ([]domain.Document, int, error)
}

// maxDocuments bounds the documents whose mentions are counted, because each is
// read.
const maxDocuments = 500

// GraphCounts counts in a graph and the documents it was made from.
func GraphCounts(g GraphReader, d Documents) Counts { return graphCounts{g, d} }

type graphCounts struct {
	graph     GraphReader
	documents Documents
}

// Counts returns the highest counts first, ties by name, and years in order.
func (c graphCounts) Counts(ctx context.Context, w domain.WorkspaceID, task string) ([]GraphCount, error) {
	q, ok := parseCountQuery(task)
	if !ok {
		return nil, nil
	}
	var all []GraphCount
	var err error
	switch q.of {
	case domain.CountEntities:
		all, err = c.labels(ctx, w)
	case domain.CountRelations:
		all, err = c.types(ctx, w)
	default:
		all, err = c.mentions(ctx, w, q.byYear)
	}
	slices.SortFunc(all, func(a, b GraphCount) int {
		if q.of == domain.CountMentions && q.byYear {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Document, b.Document))
	})
	for i := range all {
		all[i].Among = len(all)
	}
	return all[:min(len(all), q.limit)], err
}

func (c graphCounts) labels(ctx context.Context, w domain.WorkspaceID) ([]GraphCount, error) {
	labels, err := c.graph.Labels(ctx, w)
	var out []GraphCount
	for _, l := range labels {
		out = append(out, GraphCount{Count: domain.Count{Of: domain.CountEntities, Key: l.Label}, Value: l.Count})
	}
	return out, err
}

func (c graphCounts) types(ctx context.Context, w domain.WorkspaceID) ([]GraphCount, error) {
	a, err := c.graph.Adjacency(ctx, w)
	if err != nil {
		return nil, err
	}
	by := map[string]int{}
	for _, r := range a.Relations {
		by[r.Type]++
	}
	var out []GraphCount
	for kind, n := range by {
		out = append(out, GraphCount{Count: domain.Count{Of: domain.CountRelations, Key: kind}, Value: n})
	}
	return out, nil
}

// mentions counts the spans that name an entity, by document or by the year in
// which the documents were added.
func (c graphCounts) mentions(ctx context.Context, w domain.WorkspaceID, byYear bool) ([]GraphCount, error) {
	documents, total, err := c.documents.Documents(ctx, w, ledger.DocumentQuery{Limit: maxDocuments})
	if err != nil {
		return nil, err
	}
	if total > maxDocuments {
		return nil, domain.Errorf(domain.TooLarge, "The library has %d documents: mentions are counted for %d at most. Ask for entities by label or relations by type.", total, maxDocuments)
	}
	years := map[string]int{}
	var out []GraphCount
	for _, d := range documents {
		n, err := c.mentionsIn(ctx, w, d.ID)
		if err != nil {
			return nil, err
		}
		years[strconv.Itoa(d.CreatedAt.UTC().Year())] += n
		if n > 0 && !byYear {
			out = append(out, GraphCount{Count: domain.Count{Of: domain.CountMentions, Key: d.Name, Document: d.ID}, Value: n})
		}
	}
	for year, n := range years {
		if byYear && n > 0 {
			out = append(out, GraphCount{Count: domain.Count{Of: domain.CountMentions, Key: year}, Value: n})
		}
	}
	return out, nil
}

func (c graphCounts) mentionsIn(ctx context.Context, w domain.WorkspaceID, id domain.DocumentID) (int, error) {
	entities, err := c.graph.InDocument(ctx, w, id)
	n := 0
	for _, e := range entities {
		for _, l := range e.Links {
			if l.Kind&graphstore.LinkMention != 0 {
				n += len(l.Spans)
			}
		}
	}
	return n, err
}
