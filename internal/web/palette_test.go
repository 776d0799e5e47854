package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// found returns what the palette finds, each as its group, name and address.
func (b *bench) found(t *testing.T, typed string) string {
	t.Helper()
	p := b.get(t, link.With(link.Find, "q", typed))
	if p.status != 200 {
		t.Fatalf("the palette answers %d: %s", p.status, p.body)
	}
	var list []string
	for _, n := range nodes(t, p.body, func(n *html.Node) bool { return attr(n, "role") == "option" }) {
		list = append(list, domain.OneLine(text(n))+" → "+attr(n, "href")+attr(n, "data-act"))
	}
	return strings.Join(list, "\n")
}

func TestThePaletteFindsWhatHasAName(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	foundry := b.entity(t, "Carrow Foundry")
	for typed, want := range map[string]string{
		"heal":         "Health → /health",
		"light dark":   "Switch between light and dark → theme",
		"relat":        "Add a relation by hand → /relations/new",
		f.doc.Name[:5]: f.doc.Name + " → " + link.Document(f.doc.ID),
		"carrow":       "→ " + link.Entity(foundry.ID),
		"cast":         "What did the foundry cast? → " + link.Conversation(f.message.Conversation),
		"":             "What did the foundry cast? → " + link.Conversation(f.message.Conversation),
	} {
		if got := b.found(t, typed); !strings.Contains(got, want) {
			t.Errorf("%q finds\n%s\nwithout %q", typed, got, want)
		}
	}
	if got := b.get(t, link.With(link.Find, "q", "zzz unheard")).body; !strings.Contains(got, "Nothing has that name") {
		t.Errorf("what has no name finds %s", got)
	}
	if p := b.get(t, link.With(link.Find, "q", strings.Repeat("a ", 1_000))); p.status != 200 {
		t.Errorf("a long text answers %d", p.status)
	}
}

func TestThePaletteOfAMemberHasNoPagesOfOwners(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", domain.Owner))
	testkit.Must(t, b.Auth.Add(here(t), "", "bob", "correct horse", domain.Reader))
	bob := b.as(b.another(t, "bob", "correct horse", "a browser"))
	got := bob.found(t, "")
	for _, path := range []string{link.Settings, link.Health, link.Usage, link.Accounts} {
		if strings.Contains(got, "→ "+path) {
			t.Errorf("a member is led to %s", path)
		}
	}
	if !strings.Contains(got, "→ "+link.Documents) {
		t.Errorf("a member is led to\n%s", got)
	}
}

// TestThePaletteDoesWithoutTheGraph finds the rest while the graph is away, and says so.
func TestThePaletteDoesWithoutTheGraph(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{}, func(p *Params) { p.Graph = downGraph{p.Graph} })
	f := b.fill(t)
	p := b.get(t, link.With(link.Find, "q", "foundry"))
	if p.status != 200 || !strings.Contains(p.body, f.doc.Name) || !strings.Contains(p.body, "does not answer") {
		t.Errorf("without the graph the palette answers %d: %s", p.status, p.body)
	}
}
