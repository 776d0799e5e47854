package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// TestPagesSpeakTheLanguageOfTheBrowser shows pages in what the browser asks for, until one is chosen in it.
func TestPagesSpeakTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for _, tt := range []struct{ chosen, accepted, lang, heading string }{
		{"", "", "en", "Your account"},
		{"", "de-AT,de;q=0.9,en;q=0.8", "de", "Ihr Konto"},
		{"", "fr", "en", "Your account"},
		{"en", "de", "en", "Your account"},
		{"de", "en", "de", "Ihr Konto"},
		{"browser", "en", "en", "Your account"},
	} {
		if tt.chosen != "" {
			if p := b.post(t, link.Language, url.Values{"language": {tt.chosen}}); p.status != 303 {
				t.Fatalf("%s: %d %q", tt.chosen, p.status, p.main(t))
			}
		}
		p := b.get(t, link.Account, "Accept-Language", tt.accepted)
		if !strings.Contains(p.body, `<html lang="`+tt.lang+`"`) || !strings.Contains(p.body, "<h1>"+tt.heading+"</h1>") {
			t.Errorf("%v: the page begins %.300s", tt, p.main(t))
		}
		if vary := strings.Join(p.header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
			t.Errorf("it varies by %s", vary)
		}
	}
	if p := b.post(t, link.Language, url.Values{"language": {"xx"}}, "Accept-Language", "de"); p.status != 422 || !strings.Contains(p.main(t), "„xx“") {
		t.Errorf("a language that there is not: %d %q", p.status, p.main(t))
	}
	if p := b.get(t, "/no-such-page", "Accept-Language", "de"); p.status != 404 || !strings.Contains(p.main(t), "Diese Seite gibt es nicht.") {
		t.Errorf("an address without a page: %d %q", p.status, p.main(t))
	}
}

// TestAnAccountKeepsItsLanguage shows an account its pages in the language that it chose, in every browser.
func TestAnAccountKeepsItsLanguage(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.post(t, "/login", credentials("correct horse"))
	if p := b.post(t, link.Language, url.Values{"language": {"de"}}); p.status != 303 {
		t.Fatalf("%d %q", p.status, p.main(t))
	}
	other := b.stranger()
	other.post(t, "/login", credentials("correct horse"))
	if p := other.get(t, link.Account, "Accept-Language", "en"); !strings.Contains(p.body, `<html lang="de"`) {
		t.Errorf("elsewhere the page begins %.200s", p.body)
	}
	if p := b.stranger().get(t, link.Login, "Accept-Language", "en"); !strings.Contains(p.body, `<html lang="en"`) {
		t.Errorf("to others the page begins %.200s", p.body)
	}
	if err := b.Auth.SetLanguage(here(t), "ada", "xx"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a language that there is not: %v", err)
	}
}
