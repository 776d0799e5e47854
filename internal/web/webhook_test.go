package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/webhooks"
)

func TestAWebhookIsAddedTriedAndRemovedOnItsPage(t *testing.T) {
	t.Parallel()
	var hooks *webhooks.Service
	b := open(t, testkit.Options{Idle: true}, func(p *Params) { hooks = p.Webhooks })
	answers := make(chan int, 3)
	answers <- http.StatusTeapot
	answers <- http.StatusOK
	answers <- http.StatusOK
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(<-answers) }))
	t.Cleanup(r.Close)

	p := b.post(t, "/webhooks", url.Values{"url": {"http://10.0.0.1/inner"}})
	if p.status != 422 || !strings.Contains(p.main(t), "not on the public internet") || !strings.Contains(p.body, "http://10.0.0.1/inner") {
		t.Errorf("an inner address: %d %s", p.status, p.main(t))
	}
	p = b.post(t, "/webhooks", url.Values{"url": {r.URL + "/clew"}, "event": {"document.ready"}})
	secret := secretOf(t, p)
	if p.status != 200 || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("status %d, secret %q", p.status, secret)
	}
	p = b.get(t, "/webhooks")
	page := ""
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return n.Data == "a" && text(n) == r.URL+"/clew" }) {
		page = attr(n, "href")
	}
	if strings.Contains(p.body, secret) || page == "" || !strings.Contains(p.main(t), "document.ready") {
		t.Fatalf("the list says %s", p.main(t))
	}
	if p := b.post(t, page+"/test", nil); p.status != 303 || p.header.Get("Location") != page+"?done=told" {
		t.Errorf("test: %d to %q", p.status, p.header.Get("Location"))
	}
	b.Clock.Stop()
	testkit.Must(t, hooks.Send(t.Context()))
	p = b.get(t, page)
	if said := p.main(t); !strings.Contains(said, "The receiver answered 418 I'm a teapot. Tried again in ") {
		t.Errorf("the page says %s", said)
	}
	again := ""
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return strings.HasSuffix(attr(n, "action"), "/again") }) {
		again = attr(n, "action")
	}
	if p := b.post(t, again, nil); p.status != 303 || p.header.Get("Location") != page+"?done=told" {
		t.Errorf("again: %d to %q", p.status, p.header.Get("Location"))
	}
	testkit.Must(t, hooks.Send(t.Context()))
	if said := b.get(t, page).main(t); !strings.Contains(said, "Delivered") {
		t.Errorf("after it was sent again the page says %s", said)
	}
	if p := b.post(t, page+"/delete", nil); p.status != 303 || b.get(t, page).status != 404 {
		t.Errorf("remove: %d", p.status)
	}
}
