package webhooks

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
)

// A Wanted webhook is to be added.
type Wanted struct {
	URL    string   `json:"url" arg:"URL" doc:"address that is called"`
	Events []string `json:"event" doc:"what it is told of: document.ready, document.failed, run.finished, review.waiting, cap.reached; may be given again (default all)"`
}

// A Shown webhook is one as it is listed.
type Shown struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Events  []string  `json:"events"`
	Person  string    `json:"person,omitempty"` // who added it
	Created time.Time `json:"created"`
}

// Added is a webhook that was added. Its secret is shown here and never again.
type Added struct {
	Shown
	Secret string `json:"secret"`
}

func (a Added) String() string {
	return a.Secret + "\nThe receiver checks the signatures of " + a.ID + " with this secret. It is shown only now."
}

// A ShownDelivery is a delivery as it is listed.
type ShownDelivery struct {
	ID       string    `json:"id"`
	Event    string    `json:"event"`
	Created  time.Time `json:"created"`
	State    string    `json:"state"` // delivered, waiting or failed
	Attempts int       `json:"attempts"`
	Status   int       `json:"status,omitempty"` // of the last answer
	Problem  string    `json:"problem,omitempty"`
	Webhook  string    `json:"webhook"`
	Next     time.Time `json:"next,omitzero"` // when the next attempt is due
	Body     string    `json:"body"`
}

func shown(h ledger.Webhook) Shown {
	return Shown{h.ID, h.URL, h.Events, ledger.NameOf(h.Person), h.CreatedAt}
}

func shownDelivery(d ledger.Delivery) ShownDelivery {
	state := "delivered"
	switch {
	case !d.NextTry.IsZero():
		state = "waiting"
	case d.Problem != "":
		state = "failed"
	}
	return ShownDelivery{d.ID, d.Event, d.CreatedAt, state, d.Attempts, d.Status, d.Problem, d.Webhook, d.NextTry, d.Body}
}

type (
	one struct {
		ID string `json:"id" arg:"ID" doc:"id of a webhook"`
	}
	listed struct {
		ID    string `json:"id" arg:"ID" doc:"id of a webhook"`
		Limit int    `json:"limit" default:"50" doc:"the most deliveries, newest first"`
	}
	oneDelivery struct {
		Delivery string `json:"delivery" arg:"DELIVERY" doc:"id of a delivery"`
	}
)

// What can be done with webhooks.
var (
	Add = operation.Op[*Service, Wanted, Added]{
		Name: "webhook add", Short: "Call an address when something happens", Scope: operation.Admin, Routes: []string{"POST /webhooks"},
		Long: `Call an address with a JSON object when a document is ready or has failed, a run has
finished, pairs wait for review, or a cap is reached. Calls are signed as
Standard Webhooks describes, with the secret that is printed once. What fails is
tried again for a day. Of documents that are limited the address is told only what
whoever adds it may read.`,
		Example: `  clew webhook add https://example.org/clew
  clew webhook add https://example.org/clew --event document.ready --event document.failed`,
		Do: (*Service).add,
	}
	List = operation.Op[*Service, struct{}, []Shown]{
		Name: "webhook list", Short: "List webhooks", Scope: operation.Admin, Routes: []string{"GET /webhooks"},
		Do: func(s *Service, ctx context.Context, _ struct{}) ([]Shown, error) {
			all, err := s.Ledger.Webhooks(ctx, domain.WorkspaceOf(ctx))
			list := make([]Shown, len(all))
			for i, h := range all {
				list[i] = shown(h)
			}
			return list, err
		},
		Text: operation.Table("ID\tURL\tEVENTS", "There is no webhook.", func(h Shown) []any { return []any{h.ID, h.URL, strings.Join(h.Events, " ")} }),
	}
	Remove = operation.Op[*Service, one, operation.Nothing]{
		Name: "webhook remove", Short: "Remove a webhook with its deliveries", Scope: operation.Admin, Routes: []string{"DELETE /webhooks/{id}"}, Example: "  clew webhook remove w0123456789abcdef0123",
		Do: func(s *Service, ctx context.Context, in one) (none operation.Nothing, err error) {
			err = s.Ledger.RemoveWebhook(ctx, domain.WorkspaceOf(ctx), in.ID)
			if err == nil {
				s.Log.InfoContext(ctx, "webhook removed", "id", in.ID, "by", domain.PersonOf(ctx))
			}
			return none, err
		},
	}
	Deliveries = operation.Op[*Service, listed, []ShownDelivery]{
		Name: "webhook deliveries", Short: "List the deliveries of a webhook, newest first", Scope: operation.Admin, Routes: []string{"GET /webhooks/{id}/deliveries"}, Example: "  clew webhook deliveries w0123456789abcdef0123 --limit 5",
		Do: func(s *Service, ctx context.Context, in listed) ([]ShownDelivery, error) {
			list, err := s.List(ctx, domain.WorkspaceOf(ctx), in.ID)
			return list[:min(len(list), max(in.Limit, 1))], err
		},
		Text: operation.Table("ID\tEVENT\tCREATED\tSTATE\tATTEMPTS\tPROBLEM", "There is no delivery.", func(d ShownDelivery) []any {
			return []any{d.ID, d.Event, d.Created.Format(time.DateTime), d.State, d.Attempts, d.Problem}
		}),
	}
	Again = operation.Op[*Service, oneDelivery, ShownDelivery]{
		Name: "webhook again", Short: "Send a delivery again", Scope: operation.Admin, Routes: []string{"POST /webhooks/deliveries/{delivery}/again"}, Example: "  clew webhook again d0123456789abcdef0123",
		Long: `Send a delivery again, with its id, so that a receiver knows it. A running
clew serve or clew work sends it within seconds.`,
		Do: func(s *Service, ctx context.Context, in oneDelivery) (ShownDelivery, error) {
			d, err := s.Ledger.Delivery(ctx, domain.WorkspaceOf(ctx), in.Delivery)
			if err != nil {
				return ShownDelivery{}, err
			}
			d.Attempts, d.NextTry = 0, s.Now()
			return shownDelivery(d), s.Ledger.SetDelivery(ctx, d)
		},
		Text: operation.Line(func(d ShownDelivery) string { return d.ID + " is sent again." }),
	}
	Try = operation.Op[*Service, one, Shown]{
		Name: "webhook test", Short: "Send a test event to a webhook", Scope: operation.Admin, Routes: []string{"POST /webhooks/{id}/test"}, Example: "  clew webhook test w0123456789abcdef0123",
		Do: func(s *Service, ctx context.Context, in one) (Shown, error) {
			h, err := s.Ledger.Webhook(ctx, domain.WorkspaceOf(ctx), in.ID)
			if err != nil {
				return Shown{}, err
			}
			return shown(h), s.send(ctx, []ledger.Webhook{h}, Test, s.Now().Format(time.RFC3339Nano), "", map[string]any{})
		},
		Text: operation.Line(func(h Shown) string { return "A test is sent to " + h.URL + "." }),
	}
)

// Operations are the operations on webhooks.
func Operations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{Add, List, Remove, Deliveries, Again, Try}
}

// List returns the deliveries of a webhook, the newest first.
func (s *Service) List(ctx context.Context, w domain.WorkspaceID, id string) ([]ShownDelivery, error) {
	if _, err := s.Ledger.Webhook(ctx, w, id); err != nil {
		return nil, err
	}
	all, err := s.Ledger.Deliveries(ctx, w, id, keptDeliveries)
	return lists.Map(all, shownDelivery), err
}

// maxURL is the most bytes of an address.
const maxURL = 2000

func (s *Service) add(ctx context.Context, in Wanted) (Added, error) {
	u, err := url.Parse(strings.TrimSpace(in.URL))
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || len(in.URL) > maxURL:
		return Added{}, domain.Errorf(domain.Invalid, "A webhook needs a complete address, such as https://example.org/clew.")
	case u.User != nil:
		return Added{}, domain.Errorf(domain.Invalid, "The address may have no name and password in it: they would be shown. Receivers check the signature instead.")
	}
	u.Fragment = ""
	for _, e := range in.Events {
		if !slices.Contains(Events(), e) {
			return Added{}, domain.Errorf(domain.Invalid, "There is no event %q: take some of %s.", e, strings.Join(Events(), ", "))
		}
	}
	events := slices.DeleteFunc(Events(), func(e string) bool { return len(in.Events) > 0 && !slices.Contains(in.Events, e) })
	if err := s.Network.Reach(ctx, u.Hostname()); err != nil {
		return Added{}, domain.Because(domain.Invalid, err, "%s", domain.InWords(err))
	}
	key := make([]byte, 24)
	if _, err := io.ReadFull(s.Random, key); err != nil {
		return Added{}, fmt.Errorf("draw a secret: %w", err)
	}
	secret := secretPrefix + base64.StdEncoding.EncodeToString(key)
	sum := sha256.Sum256([]byte(secret))
	h := ledger.Webhook{ID: "w" + hex.EncodeToString(sum[:6]), Workspace: domain.WorkspaceOf(ctx), URL: u.String(), Events: events, Secret: secret, Person: domain.PersonOf(ctx), CreatedAt: s.Now()}
	if err := s.Ledger.AddWebhook(ctx, h, maxWebhooks); err != nil {
		return Added{}, err
	}
	s.Log.InfoContext(ctx, "webhook added", "id", h.ID, "host", u.Host, "by", h.Person)
	return Added{shown(h), secret}, nil
}
