package web

import (
	"context"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// downGraph is a graph store that does not answer.
type downGraph struct{ graphstore.Reader }

func (downGraph) err() error {
	return domain.Errorf(domain.Unavailable, "The graph store does not answer.")
}

func (g downGraph) Stats(context.Context, domain.WorkspaceID) (graphstore.Stats, error) {
	return graphstore.Stats{}, g.err()
}

func (g downGraph) InDocument(context.Context, domain.WorkspaceID, domain.DocumentID) ([]graphstore.Entity, error) {
	return nil, g.err()
}

func (g downGraph) CountIn(context.Context, domain.WorkspaceID, []domain.DocumentID) (map[domain.DocumentID]int, error) {
	return nil, g.err()
}

func (g downGraph) Entities(context.Context, domain.WorkspaceID, graphstore.EntityQuery) ([]domain.Entity, int, error) {
	return nil, 0, g.err()
}

func TestPagesWorkWithoutTheGraph(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) { p.Graph = downGraph{p.Graph} })
	id := b.Read(t, "bridge.txt", "Ilse Marrant designed the bridge.").ID
	for path, want := range map[string]string{
		"/": "", "/ask": "", "/documents": "bridge.txt", "/documents/" + string(id): "Ilse Marrant designed the bridge.",
		"/documents/" + string(id) + "/delete": "bridge.txt", "/runs": "", "/settings": "",
	} {
		p := b.get(t, path)
		if p.status != 200 && p.status != 303 || !strings.Contains(p.main(t), want) {
			t.Errorf("%s: status %d, %q", path, p.status, p.main(t))
		}
		if p.status == 200 && !strings.Contains(p.body, "The graph store does not answer.") {
			t.Errorf("%s does not say what is unavailable", path)
		}
	}
	if p := b.get(t, link.Entities); p.status != 503 || !strings.Contains(p.body, "The graph store does not answer.") {
		t.Errorf("/entities: status %d", p.status)
	}
}
