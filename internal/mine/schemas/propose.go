package schemas

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose"
)

// A Proposal is a schema drawn from a sample of the library. It is a draft that is not saved.
type Proposal struct {
	Guide     extract.Guide
	Documents int    // read for it
	By        string // name of the model; "" if it was counted by rule
}

// sampleDocuments is the maximum number of documents that a proposal looks at.
const sampleDocuments = 100

// Propose drafts a schema from a sample of the documents that were read: by the
// model, or else by counting the labels and types that were mined. The error is
// Invalid when there is nothing to go by.
func (s *Service) Propose(ctx context.Context, w domain.WorkspaceID) (Proposal, error) {
	docs, err := s.sample(ctx, w)
	if err != nil {
		return Proposal{}, err
	}
	if s.Model != nil {
		return s.proposeByModel(ctx, w, docs)
	}
	var mined census
	for _, d := range docs {
		contributions, err := s.Ledger.Contributions(ctx, w, d.ID)
		if err != nil {
			return Proposal{}, err
		}
		mined.add(contributions)
	}
	g := mined.guide()
	if g.Schema.Empty() {
		return Proposal{}, domain.Errorf(domain.Invalid, "The library names too few things to propose a schema. Start from a template.")
	}
	return Proposal{Guide: g, Documents: len(docs)}, nil
}

// sample returns documents that were read, evenly spread over the library.
func (s *Service) sample(ctx context.Context, w domain.WorkspaceID) ([]domain.Document, error) {
	all, _, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{Status: []domain.DocumentStatus{domain.DocumentReady}})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, domain.Errorf(domain.Invalid, "No documents have been read yet. Add some, or start from a template.")
	}
	return spread(all, sampleDocuments), nil
}

// spread returns n items of a list at equal distances, all if it has no more.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range n {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// census counts what was mined.
type census struct {
	names  map[string]map[string]int // by label: how often a name is mentioned
	labels map[string]map[string]int // by key of a name: how often it has a label
	facts  []fact
}

// fact is a relation between two keys.
type fact struct{ source, kind, raw, target string }

func (c *census) add(contributions []ledger.Contribution) {
	if c.names == nil {
		c.names, c.labels = map[string]map[string]int{}, map[string]map[string]int{}
	}
	for _, of := range contributions {
		keys := make([]string, len(of.Graph.Nodes))
		for i, n := range of.Graph.Nodes {
			keys[i] = prose.Key(n.Name)
			if n.Label != domain.UnknownLabel {
				count(c.names, n.Label, n.Name, max(1, len(n.Spans)))
				count(c.labels, keys[i], n.Label, 1)
			}
		}
		for _, r := range of.Graph.Relationships {
			c.facts = append(c.facts, fact{keys[r.Source], r.Type, strings.ToLower(domain.OneLine(r.Raw)), keys[r.Target]})
		}
	}
}

func count(of map[string]map[string]int, group, key string, n int) {
	if of[group] == nil {
		of[group] = map[string]int{}
	}
	of[group][key] += n
}

// What a proposal has at most, so that a person can look it over.
const (
	mostLabels   = 12
	mostTypes    = 20
	mostTriples  = 40
	mostSynonyms = 5
	fewest       = 2 // occurrences that make something worth proposing
)

// guide returns the schema of the frequent labels, types and properties.
func (c *census) guide() extract.Guide {
	entities := map[string]int{}
	for label, names := range c.names {
		entities[label] = len(names)
	}
	var g extract.Guide
	chosen := map[string]bool{}
	for _, label := range frequent(entities, mostLabels) {
		chosen[label] = true
		g.Schema.Labels = append(g.Schema.Labels, extract.LabelRule{Name: label, Description: suchAs(c.names[label])})
	}
	types, triples, raws := map[string]int{}, map[extract.Triple]int{}, map[string]map[string]int{}
	for _, f := range c.facts {
		source, target := c.labelOf(f.source), c.labelOf(f.target)
		if !chosen[source] || !chosen[target] {
			continue
		}
		types[f.kind]++
		triples[extract.Triple{Source: source, Type: f.kind, Target: target}]++
		if f.raw != "" && extract.Type(f.raw) != f.kind {
			count(raws, f.kind, f.raw, 1)
		}
	}
	for _, kind := range frequent(types, mostTypes) {
		g.Schema.Types = append(g.Schema.Types, extract.TypeRule{Name: kind, Synonyms: top(raws[kind], mostSynonyms)})
	}
	g.Schema.Triples = commonTriples(triples, g.Schema.Types)
	return g
}

// commonTriples returns the triples that occur most, with at least the most
// frequent one of each type.
func commonTriples(triples map[extract.Triple]int, types []extract.TypeRule) []extract.Triple {
	var all []extract.Triple
	for _, t := range types {
		of := slices.SortedFunc(maps.Keys(triples), func(a, b extract.Triple) int {
			return cmp.Or(cmp.Compare(triples[b], triples[a]), cmp.Compare(a.String(), b.String()))
		})
		first := true
		for _, triple := range of {
			if triple.Type == t.Name && (first || triples[triple] >= fewest && len(all) < mostTriples) {
				all, first = append(all, triple), false
			}
		}
	}
	return all
}

// labelOf returns the label that a name has most often, or "" if there is none.
func (c *census) labelOf(key string) string {
	if best := top(c.labels[key], 1); len(best) > 0 {
		return best[0]
	}
	return ""
}

// frequent returns the keys that occur often enough, the most frequent first.
func frequent(counts map[string]int, most int) []string {
	return slices.DeleteFunc(top(counts, most), func(k string) bool { return counts[k] < fewest })
}

// top returns the most frequent keys.
func top(counts map[string]int, most int) []string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), most)]
}

// suchAs describes a label by the names that have it most often.
func suchAs(names map[string]int) string {
	return domain.Cut("such as "+strings.Join(top(names, 3), ", "), 120)
}
