package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestPagesOfferOnlyWhatTheirReadersMay looks at all links and forms of all pages that each role may see: none leads to a
// refusal.
func TestPagesOfferOnlyWhatTheirReadersMay(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	b.keep(t, "What did the foundry cast?", "bells", "")
	testkit.Must(t, b.Auth.Add(t.Context(), "", "ada", "correct horse", domain.Owner))
	for _, role := range domain.Roles() {
		name := string(role)
		testkit.Must(t, b.Auth.Add(t.Context(), "ada", name, "correct horse", role))
		one := b.as(b.another(t, name, "correct horse", "a browser"))
		wrong, seen := map[string]string{}, 0
		for _, path := range append(f.pages(), link.Evaluation, link.KeptQuestions, link.Summaries) {
			p := one.get(t, path)
			if p.status == http.StatusForbidden {
				continue
			}
			seen++
			for _, to := range offers(t, p.body) {
				if operation.CheckRole(role, least(one.server.pages.Load(), Pages(), to[0], to[1])) != nil {
					wrong[strings.Join(to[:], " ")] = path
				}
			}
		}
		for _, to := range slices.Sorted(maps.Keys(wrong)) {
			t.Errorf("%s is shown %s on %s", role, to, wrong[to])
		}
		if seen < 30 {
			t.Errorf("%s saw %d pages", role, seen)
		}
	}
}

// offers returns the methods and addresses of the links and forms of a page.
func offers(t *testing.T, body string) (all [][2]string) {
	t.Helper()
	for _, n := range nodes(t, body, func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		for _, to := range [][2]string{
			{http.MethodGet, attr(n, "href")}, {http.MethodGet, attr(n, "hx-get")}, {http.MethodPost, attr(n, "hx-post")}, {http.MethodGet, attr(n, "data-live")},
			{strings.ToUpper(attr(n, "method")), attr(n, "action")}, {strings.ToUpper(attr(n, "formmethod")), attr(n, "formaction")},
		} {
			if strings.HasPrefix(to[1], "/") && to[0] != "" {
				all = append(all, to)
			}
		}
	}
	return all
}
