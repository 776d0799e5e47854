package ledger

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Webhook is an address that is notified of events.
type Webhook struct {
	ID        string
	Workspace domain.WorkspaceID
	URL       string
	Events    []string
	Secret    string // signs the deliveries
	Person    string // who added it
	CreatedAt time.Time
}

// A Delivery notifies a webhook of an event.
type Delivery struct {
	ID        string // a function of webhook and event: nothing is delivered twice
	Workspace domain.WorkspaceID
	Webhook   string
	Event     string
	Document  domain.DocumentID // named in it, if any
	Body      string            // as sent
	CreatedAt time.Time
	Attempts  int
	NextTry   time.Time // zero once it was delivered or given up
	Status    int       // of the last answer; 0 if there was none
	Problem   string    // why the last attempt failed
	TriedAt   time.Time
}

var webhookTable = sqlio.Table[Webhook]{Name: "webhooks", Row: func(h *Webhook) sqlio.Row {
	return sqlio.Row{"id key", &h.ID, "workspace_id fixed", &h.Workspace, "url fixed", &h.URL, "events fixed", &h.Events, "secret fixed", &h.Secret, "person fixed", &h.Person, "created_at fixed", &h.CreatedAt}
}}

var deliveryTable = sqlio.Table[Delivery]{Name: "webhook_deliveries", Row: func(d *Delivery) sqlio.Row {
	return sqlio.Row{
		"id key", &d.ID, "workspace_id fixed", &d.Workspace, "webhook_id fixed", &d.Webhook, "event fixed", &d.Event, "document_id fixed", &d.Document, "body fixed", &d.Body, "created_at fixed", &d.CreatedAt,
		"attempts", &d.Attempts, "next_try", &d.NextTry, "status", &d.Status, "problem", &d.Problem, "tried_at", &d.TriedAt,
	}
}}

// AddWebhook stores a new webhook. It fails with kind Conflict if the workspace has as many as it may.
func (l SettingStore) AddWebhook(ctx context.Context, h Webhook, most int) error {
	return l.tx(ctx, "add webhook", func(tx *sql.Tx, _ time.Time) error {
		all, err := webhookTable.List(ctx, tx, `WHERE workspace_id = ?`, h.Workspace)
		if err == nil && len(all) >= most {
			err = domain.Errorf(domain.Conflict, "There are %d webhooks already. Remove one first.", most)
		}
		if err == nil {
			_, err = webhookTable.Insert(ctx, tx, &h)
		}
		return err
	})
}

// Webhooks lists the webhooks of a workspace, the oldest first.
func (l SettingStore) Webhooks(ctx context.Context, ws domain.WorkspaceID) ([]Webhook, error) {
	return list(ctx, l, "list webhooks", webhookTable.Scan, webhookTable.Select()+`WHERE workspace_id = ? ORDER BY created_at, id`, ws)
}

// Webhook returns a webhook, or an error of kind NotFound.
func (l SettingStore) Webhook(ctx context.Context, ws domain.WorkspaceID, id string) (Webhook, error) {
	h, err := read(ctx, l.reader, webhookTable, domain.Errorf(domain.NotFound, "There is no webhook %s. clew webhook list lists them.", id), `WHERE workspace_id = ? AND id = ?`, ws, id)
	return h, l.wrap("read webhook", err)
}

// RemoveWebhook removes a webhook with its deliveries, or returns an error of kind NotFound.
func (l SettingStore) RemoveWebhook(ctx context.Context, ws domain.WorkspaceID, id string) error {
	return l.tx(ctx, "remove webhook", func(tx *sql.Tx, _ time.Time) error {
		found, err := sqlio.Changed(tx.ExecContext(ctx, `DELETE FROM webhooks WHERE workspace_id = ? AND id = ?`, ws, id))
		if err != nil {
			return err
		}
		if !found {
			return domain.Errorf(domain.NotFound, "There is no webhook %s. clew webhook list lists them.", id)
		}
		return sqlio.Exec(ctx, tx, `DELETE FROM webhook_deliveries WHERE workspace_id = ? AND webhook_id = ?`, ws, id)
	})
}

// AddDeliveries stores new deliveries, and keeps only the newest of each webhook, up to a number.
func (l SettingStore) AddDeliveries(ctx context.Context, deliveries []Delivery, keep int) error {
	return l.tx(ctx, "add deliveries", func(tx *sql.Tx, _ time.Time) error {
		for _, d := range deliveries {
			fresh, err := deliveryTable.Insert(ctx, tx, &d)
			if err == nil && fresh {
				err = sqlio.Exec(ctx, tx, `DELETE FROM webhook_deliveries WHERE workspace_id = ? AND webhook_id = ? AND id NOT IN
	(SELECT id FROM webhook_deliveries WHERE workspace_id = ? AND webhook_id = ? ORDER BY created_at DESC, id LIMIT ?)`, d.Workspace, d.Webhook, d.Workspace, d.Webhook, keep)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Deliveries lists the deliveries of a webhook, the newest first, without those that name a document which the viewer of ctx can't read.
func (l SettingStore) Deliveries(ctx context.Context, ws domain.WorkspaceID, webhook string, limit int) ([]Delivery, error) {
	seen, args := seenIn(ctx, "document_id", ws)
	return list(ctx, l, "list deliveries", deliveryTable.Scan, deliveryTable.Select()+`WHERE workspace_id = ? AND webhook_id = ?`+seen+` ORDER BY created_at DESC, id LIMIT ?`,
		slices.Concat([]any{ws, webhook}, args, []any{limit})...)
}

// Delivery returns a delivery, or an error of kind NotFound, also for one that Deliveries leaves out.
func (l SettingStore) Delivery(ctx context.Context, ws domain.WorkspaceID, id string) (Delivery, error) {
	seen, args := seenIn(ctx, "document_id", ws)
	d, err := read(ctx, l.reader, deliveryTable, domain.Errorf(domain.NotFound, "There is no delivery %s: each is kept for a while only. clew webhook deliveries lists them.", id), `WHERE workspace_id = ? AND id = ?`+seen, append([]any{ws, id}, args...)...)
	return d, l.wrap("read delivery", err)
}

// ClaimDeliveries returns up to most due deliveries of all workspaces and postpones their next try by lease, so that no
// other process sends them meanwhile.
func (l SettingStore) ClaimDeliveries(ctx context.Context, most int, lease time.Duration) (claimed []Delivery, err error) {
	now := l.now()
	due, err := list(ctx, l, "list deliveries", deliveryTable.Scan, deliveryTable.Select()+`WHERE next_try > 0 AND next_try <= ? ORDER BY next_try, id LIMIT ?`, sqlio.Millis(now), most)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = l.tx(ctx, "claim deliveries", func(tx *sql.Tx, _ time.Time) error {
		claimed = nil
		for _, d := range due {
			mine, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE webhook_deliveries SET next_try = ? WHERE workspace_id = ? AND id = ? AND next_try = ?`,
				sqlio.Millis(now.Add(lease)), d.Workspace, d.ID, sqlio.Millis(d.NextTry)))
			if err != nil {
				return err
			}
			if mine {
				claimed = append(claimed, d)
			}
		}
		return nil
	})
	return claimed, err
}

// SetDelivery stores how an attempt went, unless the delivery was removed.
func (l SettingStore) SetDelivery(ctx context.Context, d Delivery) error {
	return l.exec(ctx, "set delivery", `UPDATE webhook_deliveries SET attempts = ?, next_try = ?, status = ?, problem = ?, tried_at = ? WHERE workspace_id = ? AND id = ?`,
		d.Attempts, sqlio.Millis(d.NextTry), d.Status, d.Problem, sqlio.Millis(d.TriedAt), d.Workspace, d.ID)
}
