package page

import (
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/webhooks"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
)

// WebhooksProps fill the list of webhooks.
type WebhooksProps struct {
	App      layout.Props
	Webhooks []webhooks.Shown
	Added    *webhooks.Added // shown this once; nil if none was added now
	Wanted   webhooks.Wanted // what the form holds
	Problem  string          // why none was added
}

// ticked reports whether the form shows an event as chosen: all are before one is.
func (p WebhooksProps) ticked(event string) bool {
	return len(p.Wanted.Events) == 0 || slices.Contains(p.Wanted.Events, event)
}

func (p WebhooksProps) events(h webhooks.Shown) string {
	if len(h.Events) == len(webhooks.Events()) {
		return "all events"
	}
	return strings.Join(h.Events, ", ")
}

// aboutEvent says when an event happens.
func aboutEvent(event string) string {
	return map[string]string{
		webhooks.DocumentReady: "a document was read", webhooks.DocumentFailed: "a document could not be read", webhooks.RunFinished: "a run of any kind has ended",
		webhooks.ReviewWaiting: "new pairs wait for a decision", webhooks.CapReached: "a cap of the library is reached",
	}[event]
}

// WebhookProps fill the page of what a webhook was told.
type WebhookProps struct {
	App        layout.Props
	ID, URL    string
	Deliveries []webhooks.ShownDelivery
	Now        time.Time
}

// went says how a delivery went.
func (p WebhookProps) went(d webhooks.ShownDelivery) string {
	after := ""
	if d.Attempts > 1 {
		after = " after " + format.Count(d.Attempts, "attempt", "attempts")
	}
	switch {
	case d.State == "delivered":
		return "Delivered" + after
	case d.State == "failed":
		return "Given up" + after + ". " + d.Problem
	case d.Attempts == 0:
		return "Sent within seconds"
	}
	return d.Problem + " Tried again in " + format.Duration(max(0, d.Next.Sub(p.Now)).Round(time.Second)) + "."
}
