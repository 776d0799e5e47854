package present

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/page"
	"github.com/clewhq/clew/views/partial"
)

const (
	suggested    = 3               // entities that questions are about
	looked       = 12              // entities from which they are chosen
	suggestAfter = 2 * time.Second // how long a page waits for them
)

// asks returns a question about an entity.
func asks(e domain.Entity) string {
	if strings.EqualFold(e.Label, "person") && !strings.HasPrefix(e.Name, "The ") { // no person's name begins so, whatever the label says
		return "Who is " + e.Name + "?"
	}
	return "What is known about " + e.Name + "?"
}

// nearby is how many questions a miss suggests.
const nearby = 2

// Nearby adds to a question without an answer questions that the library answers: about what the closest passages name,
// most mentioned first, or, where nothing came near, about what it holds most of. It adds none while the graph is unavailable.
func Nearby(ctx context.Context, g graphstore.Reader, w domain.WorkspaceID, p *partial.FoundProps) {
	if p == nil {
		return
	}
	if len(p.Words) > 0 {
		for _, q := range Suggested(ctx, g, w) {
			if len(p.Try) < suggested {
				p.Try = append(p.Try, partial.TryProps{Text: q.Text, Note: q.Note})
			}
		}
	}
	if p.Quoted {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, suggestAfter)
	defer cancel()
	for i, n := range p.Closest {
		if slices.ContainsFunc(p.Closest[:i], func(o partial.NearProps) bool { return o.Document == n.Document }) {
			continue
		}
		found, err := g.InDocument(ctx, w, n.Document)
		if err != nil {
			return
		}
		found = slices.DeleteFunc(found, func(e graphstore.Entity) bool { return !namedIn(e, p.Closest) })
		slices.SortStableFunc(found, func(a, b graphstore.Entity) int { return b.Mentions - a.Mentions })
		for _, e := range found {
			if q := asks(e.Entity); len(p.Nearby) < nearby && !slices.Contains(p.Nearby, q) {
				p.Nearby = append(p.Nearby, q)
			}
		}
		if len(p.Nearby) == nearby {
			return
		}
	}
}

// namedIn reports whether one of the passages names an entity.
func namedIn(e graphstore.Entity, passages []partial.NearProps) bool {
	return slices.ContainsFunc(e.Links, func(l graphstore.Link) bool {
		return len(l.Spans) > 0 && slices.ContainsFunc(passages, func(n partial.NearProps) bool { return n.Chunk == l.Chunk })
	})
}

// Suggested returns questions about what the graph of a workspace holds most of: one
// about an entity of each label, one about two that are related, and one about the
// whole. There are none while the graph is empty or unavailable.
func Suggested(ctx context.Context, g graphstore.Reader, w domain.WorkspaceID) []page.SampleQuestion {
	ctx, cancel := context.WithTimeout(ctx, suggestAfter)
	defer cancel()
	found, _, err := g.Entities(ctx, w, graphstore.EntityQuery{Limit: looked})
	if err != nil || len(found) == 0 {
		return nil
	}
	var list []page.SampleQuestion
	labels := map[string]bool{}
	for _, e := range found {
		if len(list) == suggested || labels[e.Label] {
			continue
		}
		labels[e.Label] = true
		list = append(list, page.SampleQuestion{Text: asks(e), Note: format.Count(e.Mentions, "mention", "mentions")})
	}
	related, err := g.Relations(ctx, w, found[0].ID, 1)
	if err == nil && len(related) > 0 && related[0].From.ID != related[0].To.ID {
		list = append(list, page.SampleQuestion{Text: "How are " + related[0].From.Name + " and " + related[0].To.Name + " connected?", Note: "related in the graph"})
	}
	return append(list, page.SampleQuestion{Text: "What are the main themes?", Note: "of the whole library"})
}
