package page

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
)

// WebhooksProps fill the list of webhooks.
type WebhooksProps struct {
	App      layout.Props
	Webhooks []webhooks.Shown
	Added    *webhooks.Added // shown only once; nil unless one was just added
	Wanted   webhooks.Wanted // contents of the form
	Problem  string          // why none was added
}

// ticked reports whether the form shows an event as chosen: all are before one is.
func (p WebhooksProps) ticked(event string) bool {
	return len(p.Wanted.Events) == 0 || slices.Contains(p.Wanted.Events, event)
}

func (p WebhooksProps) events(ctx context.Context, h webhooks.Shown) string {
	if len(h.Events) == len(webhooks.Events()) {
		return lang.T(ctx, "all events")
	}
	return strings.Join(h.Events, ", ")
}

// aboutEvent says when an event happens.
func aboutEvent(ctx context.Context, event string) string {
	return map[string]string{
		webhooks.DocumentReady: lang.T(ctx, "a document was read"), webhooks.DocumentFailed: lang.T(ctx, "a document could not be read"), webhooks.RunFinished: lang.T(ctx, "a run of any kind has ended"),
		webhooks.ReviewWaiting: lang.T(ctx, "new pairs wait for a decision"), webhooks.CapReached: lang.T(ctx, "a cap of the library is reached"),
	}[event]
}

// WebhookProps is the data for the page with the deliveries of a webhook.
type WebhookProps struct {
	App        layout.Props
	ID, URL    string
	Deliveries []webhooks.ShownDelivery
	Now        time.Time
}

// went says how a delivery went.
func (p WebhookProps) went(ctx context.Context, d webhooks.ShownDelivery) string {
	after := ""
	if d.Attempts > 1 {
		after = lang.F(ctx, " after %s", lang.Count(ctx, d.Attempts, "attempt", "attempts"))
	}
	switch {
	case d.State == "delivered":
		return lang.F(ctx, "Delivered%s", after)
	case d.State == "failed":
		return lang.F(ctx, "Given up%s. %s", after, d.Problem)
	case d.Attempts == 0:
		return lang.T(ctx, "Sent within seconds")
	}
	return lang.F(ctx, "%s Tried again in %s.", d.Problem, lang.Duration(ctx, max(0, d.Next.Sub(p.Now)).Round(time.Second)))
}
