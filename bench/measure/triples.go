package measure

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/prose"
)

// Read holds a model's findings in a passage, as it wrote them.
type Read struct {
	Passage  string     `json:"passage"`
	Entities []string   `json:"entities"`
	Triples  [][]string `json:"triples"` // subject, relation, object; others are skipped
}

// WithTriples returns a miner that keeps the names of mine beside what a model found
// in the passages of a folder, as the program does with a model, or that finds the
// model's alone if mine is nil. If the folder
// holds folders, passages of those without such a file have the names alone.
func WithTriples(dir string, mine func(title string, c domain.Chunk) domain.GraphDocument) (func(title string, c domain.Chunk) domain.GraphDocument, error) {
	dirs, err := folders(dir)
	if err != nil {
		return nil, err
	}
	read, byText := map[string]Read{}, map[string]string{}
	for _, d := range dirs {
		lines, err := readLines[Read](filepath.Join(d, "openie.jsonl.gz"))
		if errors.Is(err, fs.ErrNotExist) && len(dirs) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		passages, err := readLines[Passage](filepath.Join(d, corpusFile))
		if err != nil {
			return nil, err
		}
		for _, p := range passages {
			byText[p.Title+"\n"+p.Text] = d + p.ID
		}
		for _, l := range lines {
			read[d+l.Passage] = l
		}
	}
	return func(title string, c domain.Chunk) domain.GraphDocument {
		g := read[byText[title+"\n"+c.Text]].graph(c.Span)
		if mine == nil {
			return g
		}
		return extract.WithNames(g, mine(title, c).Nodes)
	}, nil
}

// graph returns the graph of what was read in a passage.
func (r Read) graph(where domain.Span) domain.GraphDocument {
	var g domain.GraphDocument
	at := map[string]int{}
	node := func(name string) int {
		key := prose.Key(name)
		i, ok := at[key]
		if !ok && key != "" {
			i = len(g.Nodes)
			at[key] = i
			g.Nodes = append(g.Nodes, domain.GraphNode{Name: name, Label: domain.UnknownLabel, Spans: []domain.Span{where}})
		}
		return i
	}
	for _, e := range r.Entities {
		node(e)
	}
	for _, t := range r.Triples {
		if len(t) != 3 || prose.Key(t[0]) == "" || prose.Key(t[2]) == "" {
			continue
		}
		source, target := node(t[0]), node(t[2])
		if kind := strings.ToUpper(strings.ReplaceAll(prose.Key(t[1]), " ", "_")); kind != "" && source != target {
			g.Relationships = append(g.Relationships, domain.GraphRelationship{Source: source, Target: target, Type: kind, Raw: t[1], Spans: []domain.Span{where}})
		}
	}
	return g
}
