package measure

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/resolve"
	"github.com/clewhq/clew/internal/prose"
)

// Labelled is a passage with the entities and relations that a careful reader
// takes from it. Its text is its own, or that of a passage of a set.
type Labelled struct {
	Set  string `json:"set"` // folder of passages.jsonl.gz, "" for a text of its own
	ID   string `json:"id"`  // of the set's passage
	Hash string `json:"sha256"`

	Title     string          `json:"title"`
	Text      string          `json:"text"`
	Drawn     bool            `json:"drawn"` // the entities are a sample of the passage's, so that others are not judged
	Entities  []GoldEntity    `json:"entities"`
	Relations *[]GoldRelation `json:"relations"` // nil: relations are not labelled
}

// GoldEntity is an entity that should be found.
type GoldEntity struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"` // other names under which it counts as found
	Labels   []string `json:"labels"`  // the accepted ones, the best first
	Optional bool     `json:"optional"`
}

// GoldRelation is a relation that should be found.
type GoldRelation struct {
	Source   string   `json:"source"` // name of an entity
	Target   string   `json:"target"`
	Types    []string `json:"types"`    // accepted from source to target
	Inverse  []string `json:"inverse"`  // accepted from target to source
	Evidence [][2]int `json:"evidence"` // spans of the text; the relation's sentence contains one
	Optional bool     `json:"optional"`
}

// LoadLabelled reads labels.jsonl of a folder, and from the folder sets the
// texts of the passages that have none. An Invalid error says what is wrong.
func LoadLabelled(dir, sets string) ([]Labelled, error) {
	path := filepath.Join(dir, "labels.jsonl")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, domain.Errorf(domain.Invalid, "The folder has no labels.jsonl: %w", err)
	}
	if err != nil {
		return nil, err
	}
	texts := setTexts{folder: sets, read: map[string]map[string]Passage{}}
	var list []Labelled
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l Labelled
		strict := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&l); err != nil {
			return nil, domain.Errorf(domain.Invalid, "%s, line %d, is not a labelled passage: %w", path, n, err)
		}
		if err := errors.Join(texts.fill(&l), l.check()); err != nil {
			return nil, domain.Errorf(domain.Invalid, "%s, line %d: %w", path, n, err)
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, domain.Errorf(domain.Invalid, "%s has no labelled passage.", path)
	}
	return list, lines.Err()
}

// setTexts reads each set of passages once.
type setTexts struct {
	folder string
	read   map[string]map[string]Passage // by id
}

// fill adds the title and text of a set's passage.
func (s setTexts) fill(l *Labelled) error {
	if l.Set == "" {
		return nil
	}
	if s.read[l.Set] == nil {
		passages, err := readLines[Passage](filepath.Join(s.folder, l.Set, "passages.jsonl.gz"))
		if err != nil {
			return fmt.Errorf("its text is in the set %s, which %s doesn't hold: give the folder of the sets with --passages: %w", l.Set, s.folder, err)
		}
		s.read[l.Set] = map[string]Passage{}
		for _, p := range passages {
			s.read[l.Set][p.ID] = p
		}
	}
	p := s.read[l.Set][l.ID]
	if sum := sha256.Sum256([]byte(p.Text)); !strings.HasPrefix(hex.EncodeToString(sum[:]), l.Hash) || l.Hash == "" {
		return fmt.Errorf("the set %s has no passage %s with the hash %s", l.Set, l.ID, l.Hash)
	}
	l.Title, l.Text = p.Title, p.Text
	return nil
}

// check reports the first error in the labels.
func (l *Labelled) check() error {
	if l.Text == "" {
		return errors.New("it has neither text nor set")
	}
	names := map[string]bool{}
	for _, e := range l.Entities {
		if e.Name == "" || len(e.Labels) == 0 {
			return fmt.Errorf("the entity %q needs a name and labels", e.Name)
		}
		names[e.Name] = true
	}
	if l.Relations == nil {
		return nil
	}
	for _, r := range *l.Relations {
		if !names[r.Source] || !names[r.Target] {
			return fmt.Errorf("the relation from %q to %q has an end that is not among the entities", r.Source, r.Target)
		}
		if len(r.Types) == 0 || len(r.Evidence) == 0 {
			return fmt.Errorf("the relation from %q to %q needs types and evidence", r.Source, r.Target)
		}
	}
	return nil
}

// Extraction extracts the graph of every passage and compares it with the
// labels.
func Extraction(ctx context.Context, x extract.Extractor, passages []Labelled) (ExtractionScore, error) {
	s := newExtractionScore(len(passages))
	for i, p := range passages {
		d := domain.Document{Workspace: workspace, ID: domain.NewDocumentID(workspace, domain.Hash([]byte(p.Text))), Name: p.Title, Title: p.Title}
		c := domain.Chunk{
			ID: domain.NewChunkID(d.ID, domain.Hash([]byte(p.Text)), 0), Document: d.ID,
			Span: domain.Span{Start: 0, End: domain.Runes(p.Text)}, Text: p.Text,
		}
		found, err := extract.One(ctx, x, extract.Request{Document: d, Title: p.Title, Chunks: []domain.Chunk{c}})
		if err != nil {
			return s, fmt.Errorf("extract passage %d (%s): %w", i+1, p.Title, err)
		}
		graphs, _ := resolve.WithinDocument([]domain.GraphDocument{found.Graph}, prose.Key)
		s.compare(p, graphs[0])
	}
	s.finish()
	return s, nil
}

// named reports whether an entity is in the passage under a name.
func (e GoldEntity) named(key string) bool {
	return prose.Key(e.Name) == key || slices.ContainsFunc(e.Aliases, func(a string) bool { return prose.Key(a) == key })
}
