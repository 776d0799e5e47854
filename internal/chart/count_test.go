package chart

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// smallGraph is a graph of two documents.
type smallGraph struct{ documents int }

func (smallGraph) Labels(context.Context, domain.WorkspaceID) ([]graphstore.LabelCount, error) {
	return []graphstore.LabelCount{{Label: "Person", Count: 7}, {Label: "Place", Count: 3}, {Label: "Bridge", Count: 3}, {Label: domain.UnknownLabel, Count: 2}}, nil
}

func (smallGraph) Types(context.Context, domain.WorkspaceID) ([]graphstore.TypeCount, error) {
	return []graphstore.TypeCount{{Type: "MET", Count: 2}, {Type: "BUILT", Count: 1}}, nil
}

func (smallGraph) InDocument(_ context.Context, _ domain.WorkspaceID, id domain.DocumentID) ([]graphstore.Entity, error) {
	spans := []domain.Span{{Start: 0, End: 3}, {Start: 5, End: 8}}
	if id == "d2" {
		spans = append(spans, domain.Span{Start: 9, End: 12})
	}
	return []graphstore.Entity{{Links: []graphstore.Link{{Kind: graphstore.LinkMention, Spans: spans}, {Kind: graphstore.LinkTitle, Spans: spans}}}}, nil
}

func (s smallGraph) Documents(context.Context, domain.WorkspaceID, ledger.DocumentQuery) ([]domain.Document, int, error) {
	return []domain.Document{
		{ID: "d1", Name: "letters.txt", CreatedAt: time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "d2", Name: "letters.txt", CreatedAt: time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)},
	}, max(2, s.documents), nil
}

// drawCounts returns the title and the rows of the chart of a task.
func drawCounts(t *testing.T, task string) (string, []string) {
	t.Helper()
	counts, err := GraphCounts(smallGraph{}, smallGraph{}).Counts(t.Context(), "w", task)
	if err != nil {
		t.Fatal(err)
	}
	c, mistakes := Validate(SpecifyCounts(task, counts), Evidence{Counts: counts})
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	rows := []string{string(c.Type)}
	for _, p := range c.Series[0].Points {
		rows = append(rows, c.Categories[p.Category]+" "+formatNumber(p.Value)+" "+p.Count.Of+" "+p.Count.Key+" "+string(p.Count.Document))
	}
	return c.Title, rows
}

func TestSpecifyCounts(t *testing.T) {
	t.Parallel()
	labelled := []string{"bar", "Person 7 entities Person ", "Bridge 3 entities Bridge ", "Place 3 entities Place "}
	unlabelled := func(name string) []string { return append(slices.Clone(labelled), name+" 2 entities Entity ") }
	for _, tt := range []struct {
		task, title string
		rows        []string
	}{
		{"Draw a chart of the entities by label", "Entities by label", unlabelled("Without a label")},
		{"Zeichne ein Diagramm der Entitäten nach Art", "Entitäten nach Art", unlabelled("Ohne Art")},
		{"Dessine un graphique des entités par étiquette", "Entités par étiquette", unlabelled("Sans étiquette")},
		{"Dibuja un gráfico de las entidades por etiqueta", "Entidades por etiqueta", unlabelled("Sin etiqueta")},
		{"Disegna un grafico delle entità per etichetta", "Entità per etichetta", unlabelled("Senza etichetta")},
		{"pie chart of the top 2 entities", "Entities by label (the 2 most frequent of 4)", []string{"pie", "Person 7 entities Person ", "Bridge 3 entities Bridge "}},
		{"chart relations by type", "Relations by type", []string{"bar", "MET 2 relations MET ", "BUILT 1 relations BUILT "}},
		{"plot mentions by document", "Mentions of all entities by document", []string{"bar", "letters.txt 3 mentions letters.txt d2", "letters.txt (2) 2 mentions letters.txt d1"}},
		{"chart how many bridges each document mentions", "Mentions of all entities by document", []string{"bar", "letters.txt 3 mentions letters.txt d2", "letters.txt (2) 2 mentions letters.txt d1"}},
		{"line chart of the mentions by year", "Mentions of all entities by year in which the document was added", []string{"line", "2024 3 mentions 2024 ", "2025 2 mentions 2025 "}},
	} {
		title, rows := drawCounts(t, tt.task)
		if diff := cmp.Diff(tt.rows, rows); diff != "" || title != tt.title {
			t.Errorf("%s: title %q, rows (-want +got):\n%s", tt.task, title, diff)
		}
		if !CountsRequested(tt.task) {
			t.Errorf("%s is not drawn", tt.task)
		}
	}
}

func TestCountsNotRequested(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"Draw a chart of the reams by year", "Which entities met?", "Who bought the plot of land?", "Wer zeichnet die Karte?", ""} {
		if CountsRequested(question) {
			t.Errorf("%q is drawn from counts", question)
		}
	}
	counts, err := GraphCounts(smallGraph{}, smallGraph{}).Counts(t.Context(), "w", "reams by year")
	if err != nil || len(counts) != 0 {
		t.Errorf("%v, %v", counts, err)
	}
}

func TestCountsOfTooManyDocuments(t *testing.T) {
	t.Parallel()
	_, err := GraphCounts(smallGraph{}, smallGraph{documents: 501}).Counts(t.Context(), "w", "chart mentions by document")
	if domain.KindOf(err) != domain.TooLarge || !strings.Contains(err.Error(), "501 documents") {
		t.Errorf("got %v", err)
	}
}

func TestRequested(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"Chart the reams by year": true, "Plot the output": true, "Zeige ein Balkendiagramm der Ernte": true, "Fais un graphique des ventes": true,
		"Haz un gráfico de ventas": true, "Crea un grafico delle vendite": true, "Show a barchart": true,
		"Who bought the plot?": false, "When was the bridge built?": false, "": false,
	} {
		if Requested(question) != want {
			t.Errorf("Requested(%q) = %t", question, !want)
		}
	}
}
