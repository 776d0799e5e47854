package documents_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/testkit"
)

// TestEntitiesAreNotNamedAfterFiles reads files whose names look like names, with texts
// that do not say them. Neither the graph nor what extracts is told the names.
func TestEntitiesAreNotNamedAfterFiles(t *testing.T) {
	t.Parallel()
	files := []string{
		"readme.txt", "README.md", "Report_2021-final(2).txt", "IMG_0042.txt", "Scan.txt", "Invoice-17.html", "Harbour (copy).txt", "Ada Moen.txt",
		"minutes/2021/May.md", "Minutes/Old Letters/Letter 3.eml", "Notes, part 02.txt", "Zürich.rtf",
	}
	bodies := map[string]string{
		"html": "<html><head><title>Invoice-17</title></head><body><p>Gerda Lund paid the rent of the quay on time.</p></body></html>",
		"eml":  "From: <g@a.example>\nContent-Type: text/plain\n\nGerda Lund paid the rent of the quay on time.\n",
		"rtf":  `{\rtf1\ansi Gerda Lund paid the rent of the quay on time.}`,
	}
	var mu sync.Mutex
	var told []string
	mine := extract.Local(new(builtin.Miner).Mine, builtin.Reader)
	a := testkit.Open(t, testkit.Options{Extractor: listening{mine, func(r extract.Request) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.Title)
	}}})
	for i, name := range files {
		body := bodies[name[strings.LastIndexByte(name, '.')+1:]]
		if body == "" {
			body = "gerda signed. Then Gerda Lund paid the rent of the quay on time."
		}
		added, err := a.Documents.Add(t.Context(), testkit.Workspace, name, documents.How{}, strings.NewReader(body+strings.Repeat("\n", i))).One()
		testkit.Must(t, err)
		if doc := a.Settle(t, added.Document); doc.Problem != "" {
			t.Fatalf("%s: %s", name, doc.Problem)
		}
	}
	stated := "# Orsen Quay\n\nIt was built for the ferry."
	added, err := a.Documents.Add(t.Context(), testkit.Workspace, "Orsen Quay.md", documents.How{}, strings.NewReader(stated)).One()
	testkit.Must(t, err)
	a.Settle(t, added.Document)
	entities, _, err := a.Graph.Entities(t.Context(), testkit.Workspace, graphstore.EntityQuery{Limit: 100})
	testkit.Must(t, err)
	var names []string
	for _, e := range entities {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, "; "); got != "Gerda Lund; Orsen Quay" && got != "Orsen Quay; Gerda Lund" {
		t.Errorf("the graph holds %s", got)
	}
	for _, title := range told {
		if title != "" && title != "Orsen Quay" {
			t.Errorf("the extractor was told the title %q", title)
		}
	}
}

// listening tells of each request.
type listening struct {
	extract.Extractor
	heard func(extract.Request)
}

func (l listening) Extract(ctx context.Context, r extract.Request) ([]extract.Result, error) {
	l.heard(r)
	return l.Extractor.Extract(ctx, r)
}
