package present

import (
	"context"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/page"
)

const (
	suggested    = 3               // entities that questions are about
	looked       = 12              // entities from which they are chosen
	suggestAfter = 2 * time.Second // how long a page waits for them
)

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
		text := "What is said about " + e.Name + "?"
		if strings.EqualFold(e.Label, "person") {
			text = "Who is " + e.Name + "?"
		}
		list = append(list, page.SampleQuestion{Text: text, Note: format.Count(e.Mentions, "mention", "mentions")})
	}
	related, err := g.Relations(ctx, w, found[0].ID, 1)
	if err == nil && len(related) > 0 && related[0].From.ID != related[0].To.ID {
		list = append(list, page.SampleQuestion{Text: "How are " + related[0].From.Name + " and " + related[0].To.Name + " connected?", Note: "related in the graph"})
	}
	return append(list, page.SampleQuestion{Text: "What are the main themes?", Note: "of the whole library"})
}
