package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/mine/extract"
)

// quarry is a labelled passage of two sentences.
const quarry = `{"title": "Weir Bridge", "text": "Jonah Brandreth built Weir Bridge. He was born in Tarnwick and met Anna.",
 "entities": [
  {"name": "Jonah Brandreth", "aliases": ["Brandreth"], "labels": ["Person"]},
  {"name": "Weir Bridge", "labels": ["Place", "Work"]},
  {"name": "Tarnwick", "labels": ["Place"]},
  {"name": "Anna", "labels": ["Person"], "optional": true}],
 "relations": [
  {"source": "Jonah Brandreth", "target": "Weir Bridge", "types": ["BUILT"], "inverse": ["BUILT_BY"], "evidence": [[16, 21]]},
  {"source": "Jonah Brandreth", "target": "Tarnwick", "types": ["*_IN"], "evidence": [[42, 46]]},
  {"source": "Jonah Brandreth", "target": "Anna", "types": ["MET"], "evidence": [[63, 66]], "optional": true}]}`

func labels(t *testing.T, lines string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "labels.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// extracting returns the score of a graph that is extracted from quarry.
func extracting(t *testing.T, g domain.GraphDocument) ExtractionScore {
	t.Helper()
	passages, err := LoadLabelled(labels(t, strings.ReplaceAll(quarry, "\n", "")), "")
	if err != nil {
		t.Fatal(err)
	}
	score, err := Extraction(t.Context(), extract.Local(func(string, domain.Chunk) domain.GraphDocument { return g }, "fixed"), passages)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestExtractionIsCompared(t *testing.T) {
	t.Parallel()
	first, second := []domain.Span{{Start: 0, End: 34}}, []domain.Span{{Start: 35, End: 72}}
	got := extracting(t, domain.GraphDocument{
		Nodes: []domain.GraphNode{
			{Name: "Brandreth", Label: "Person"}, {Name: "The Weir Bridge", Label: "Event"}, {Name: "He", Label: domain.UnknownLabel},
			{Name: "Anna", Label: "Place"}, {Name: "stone", Label: "Material"},
		},
		Relationships: []domain.GraphRelationship{
			{Source: 1, Target: 0, Type: "WAS_BUILT_BY", Spans: first},
			{Source: 0, Target: 1, Type: "BUILT_UP", Spans: first},  // the same again
			{Source: 0, Target: 1, Type: "BUILT_OF", Spans: second}, // in the wrong sentence
			{Source: 0, Target: 3, Type: "MET", Spans: second},      // optional
			{Source: 1, Target: 0, Type: "BUILT", Spans: first},     // the wrong way round
			{Source: 0, Target: 4, Type: "LIKED", Spans: second},    // not between names
		},
	})
	want := ExtractionScore{
		Passages: 1, Names: Rates{2, 1, 1, 2.0 / 3, 2.0 / 3, 2.0 / 3}, Entities: Rates{1, 2, 2, 1.0 / 3, 1.0 / 3, 1.0 / 3},
		Relations: Rates{1, 2, 1, 1.0 / 3, 0.5, 0.4}, Unlabelled: 0.25, LabelPrecision: 1.0 / 3, Sentences: 0.75,
		Missed: []string{"Weir Bridge: Weir Bridge is labelled Event instead of Place", "Weir Bridge: Tarnwick (Place)", "Weir Bridge: Jonah Brandreth *_IN Tarnwick"},
		False: []string{
			"Weir Bridge: The Weir Bridge (Event)", "Weir Bridge: He (Entity)",
			"Weir Bridge: Brandreth BUILT_OF The Weir Bridge", "Weir Bridge: The Weir Bridge BUILT Brandreth",
		},
	}
	byType := got.ByType["BUILT"]
	got.ByLabel, got.ByType = nil, nil
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(ExtractionScore{})); diff != "" {
		t.Errorf("score (-want +got)\n%s", diff)
	}
	if byType == nil || byType.Right != 1 || byType.False != 1 {
		t.Errorf("BUILT has the rates %+v", byType)
	}
}

func TestTypesAreCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, kind string
		want          bool
	}{
		{"WROTE", "WROTE_COLUMN_FOR", true},
		{"DIRECTED", "directs", true},
		{"DIRECTED", "DIRECTED_BY", false},
		{"DIRECTED_BY", "WAS_DIRECTED_BY", true},
		{"*_IN", "VILLAGE_IN", true},
		{"*_IN", "IN_VILLAGE", false},
		{"*", "ANYTHING", true},
		{"FOUNDED", "LEFT", false},
	} {
		if got := accepts(tt.pattern, tt.kind); got != tt.want {
			t.Errorf("%s accepts %s: %v", tt.pattern, tt.kind, got)
		}
	}
}

func TestLabelsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lines, want string }{
		{"", "has no labelled passage"},
		{"[]", "line 1, is not a labelled passage"},
		{`{"txet": "Anna"}`, "txet"},
		{`{"title": "Anna"}`, "neither text nor set"},
		{`{"text": "Anna", "entities": [{"name": "Anna"}]}`, `"Anna" needs a name and labels`},
		{`{"text": "Anna", "entities": [], "relations": [{"source": "Anna", "target": "Bert"}]}`, `from "Anna" to "Bert" has an end`},
		{`{"text": "Anna", "entities": [{"name": "Anna", "labels": ["Person"]}], "relations": [{"source": "Anna", "target": "Anna"}]}`, "needs types and evidence"},
		{`{"set": "hotpotqa", "id": "p1", "sha256": "00"}`, "give the folder of the sets with --passages"},
	} {
		if _, err := LoadLabelled(labels(t, tt.lines), t.TempDir()); err == nil || !strings.Contains(domain.InWords(err), tt.want) {
			t.Errorf("%s: %v, want %q", tt.lines, err, tt.want)
		}
	}
	if _, err := LoadLabelled(t.TempDir(), ""); err == nil || !strings.Contains(domain.InWords(err), "no labels.jsonl") {
		t.Errorf("a folder without labels: %v", err)
	}
	dir := small().writeWithoutVectors(t)
	line := `{"set": "` + filepath.Base(dir) + `", "id": "p1", "sha256": "00"}`
	if _, err := LoadLabelled(labels(t, line), filepath.Dir(dir)); err == nil || !strings.Contains(domain.InWords(err), "no passage p1 with the hash 00") {
		t.Errorf("a passage that changed: %v", err)
	}
}

// TestLabelsOfDrawnNames holds the built-in mode to the aims for the 300 names
// that were drawn by rule: nine in ten labels right, three in twenty without one.
func TestLabelsOfDrawnNames(t *testing.T) {
	t.Parallel()
	sets := filepath.Join("..", "..", "..", "shared", "data", "multihop")
	if _, err := os.Stat(sets); err != nil {
		t.Skipf("left out: there is no %s with the texts of the labelled passages", sets)
	}
	var all []Labelled
	for _, half := range []string{"labels-tuned", "labels-held"} {
		passages, err := LoadLabelled(filepath.Join("testdata", "extraction", half), sets)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, passages...)
	}
	s, err := Extraction(t.Context(), extract.Local(new(builtin.Miner).Mine, builtin.Reader), all)
	if err != nil {
		t.Fatal(err)
	}
	if s.Passages != 300 || s.LabelPrecision < 0.9 || s.Unlabelled > 0.15 {
		t.Errorf("of %d names %.3f have no label and %.3f of the labels are right, want 300, at most 0.15, at least 0.90", s.Passages, s.Unlabelled, s.LabelPrecision)
	}
}

// TestExtractionOnRealProse holds the built-in mode to what it reaches on the
// labelled samples.
func TestExtractionOnRealProse(t *testing.T) {
	t.Parallel()
	sets := filepath.Join("..", "..", "..", "shared", "data", "multihop")
	for _, tt := range []struct {
		folder                           string
		names, entities, label, relation float64 // least F1 of the entities without and with labels, precision of labels and relations
		recall, unlabelled               float64 // least recall of relations, largest share of entities without a label
	}{
		{"names-tuned", 0.95, 0.85, 0.95, 0, 0, 0.12},
		{"names-held", 0.94, 0.85, 0.95, 0, 0, 0.13},
		{"passages-tuned", 0.96, 0.91, 0.94, 0.95, 0.47, 0.18},
		{"passages-held", 0.94, 0.86, 0.92, 0.95, 0.46, 0.15},
		{"passages-held-2", 0.93, 0.84, 0.92, 0.86, 0.32, 0.21},
		{"labels-tuned", 0.9, 0.8, 0.9, 0, 0, 0.1},
		{"labels-held", 0.88, 0.77, 0.88, 0, 0, 0.18},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(sets); err != nil && !strings.HasPrefix(tt.folder, "names") {
				t.Skipf("left out: there is no %s with the texts of the labelled passages", sets)
			}
			passages, err := LoadLabelled(filepath.Join("testdata", "extraction", tt.folder), sets)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Extraction(t.Context(), extract.Local(new(builtin.Miner).Mine, builtin.Reader), passages)
			if err != nil {
				t.Fatal(err)
			}
			if s.Names.F1 < tt.names || s.Entities.F1 < tt.entities || s.LabelPrecision < tt.label || s.Unlabelled > tt.unlabelled {
				t.Errorf("names %.3f, entities %.3f, right labels %.2f, without a label %.2f", s.Names.F1, s.Entities.F1, s.LabelPrecision, s.Unlabelled)
			}
			if s.Relations.Precision < tt.relation || s.Relations.Recall < tt.recall {
				t.Errorf("relations: precision %.2f, recall %.2f", s.Relations.Precision, s.Relations.Recall)
			}
		})
	}
}
