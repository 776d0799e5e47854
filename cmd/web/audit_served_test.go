package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// canary is in a document, its name, a question, a title, a password and a label, and must not be in the trail.
const canary = "zanzibarium"

// A person uses the pages in a browser.
type person struct {
	client *http.Client
	url    string
}

func (v *served) person(t *testing.T) person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	noError(t, err)
	return person{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, v.url}
}

// do sends a request and returns its status and what it answers. A form is posted, nil gets.
func (p person) do(t *testing.T, path string, form url.Values) (int, string) {
	t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, body)
	noError(t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := p.client.Do(r)
	noError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, string(text)
}

func (p person) signsIn(t *testing.T, name, password string, want int) {
	t.Helper()
	if status, _ := p.do(t, "/login", url.Values{"name": {name}, "password": {password}}); status != want {
		t.Fatalf("%s signs in with status %d, want %d", name, status, want)
	}
}

// TestTheTrailKeepsWhatPagesAndProgramsDo signs in, is refused, and changes things on pages and by the API.
func TestTheTrailKeepsWhatPagesAndProgramsDo(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	sh.stdin = "ada " + canary + "\n"
	sh.must(t, "user", "add", "ada")
	sh.stdin = "bob " + canary + "\n"
	sh.must(t, "user", "add", "bob", "--role", "reader")
	sh.stdin = ""
	dir := t.TempDir()
	sh.must(t, "ingest", file(t, dir, canary+".txt", "Maud "+canary+" founded the Carrow Foundry in Osterby."), file(t, dir, "bridge.txt", bridge))
	sh.must(t, "ask", "Who is "+canary+"?")
	a := sh.app(t)
	docs, err := a.ledger.ListDocuments(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{Limit: 9})
	noError(t, err)
	noError(t, a.Close())
	v := sh.serve(t)
	ada, bob := v.person(t), v.person(t)
	ada.signsIn(t, "ada", canary+canary, 401)
	ada.signsIn(t, canary, "ada "+canary, 401)
	ada.signsIn(t, "ada", "ada "+canary, 303)
	bob.signsIn(t, "bob", "bob "+canary, 303)
	for _, step := range []struct {
		by   person
		path string
		form url.Values
		want int
	}{
		{bob, library("/settings"), nil, 403},
		{bob, library("/accounts/ada/role"), url.Values{"role": {"reader"}}, 403},
		{ada, library("/accounts/bob/role"), url.Values{"role": {"curator"}}, 303},
		{ada, library("/settings/set"), url.Values{"MAX_LOOPS": {"2"}}, 303},
		{ada, library("/usage/caps"), url.Values{"day": {"5.00"}}, 303},
		{ada, library("/documents/" + string(docs[0].ID) + "/rename"), url.Values{"name": {canary + "2.txt"}}, 303},
		{ada, library("/documents/" + string(docs[0].ID) + "/delete"), url.Values{}, 303},
		{ada, library("/graph/export?format=json"), nil, 200},
		{ada, library("/audit/export?everywhere=on"), nil, 200},
		{ada, "/logout", url.Values{}, 303},
	} {
		if status, body := step.by.do(t, step.path, step.form); status != step.want {
			t.Errorf("%s answers with status %d, want %d: %.300s", step.path, status, step.want, body)
		}
	}
	sh.must(t, "token", "create", "app", "--preset", "everything", "--account", "ada")
	var rows []audit.Row
	noError(t, json.Unmarshal([]byte(sh.must(t, "audit", "list", "--everywhere", "--json", "--limit", "200")), &rows))
	slices.Reverse(rows)
	var got []string
	for _, r := range rows {
		line := strings.Join([]string{r.Who(), r.Action, r.Thing, r.How, r.Result}, "|")
		if strings.Contains(strings.ToLower(line), canary) {
			t.Errorf("the trail has a word that it must not have: %s", line)
		}
		if (r.Address == "") != slices.Contains([]string{operator, atTerminal, "-"}, r.Who()) {
			t.Errorf("%s came from %q", line, r.Address)
		}
		got = append(got, line)
	}
	doc := string(docs[0].ID)
	for _, want := range []string{
		"clew user|user add|ada||done", "clew user|user add|bob|role=reader|done",
		"someone|sign-in failed|ada||refused", "someone|sign-in failed|||refused", "ada|sign-in|ada||done", "bob|sign-in|bob||done",
		"bob|settings|||refused", "bob|user role|ada||refused", "ada|user role|bob|role=curator|done", "ada|settings set|MAX_LOOPS||done",
		"ada|usage caps|day||done", "ada|documents rename|" + doc + "||done", "ada|documents delete|" + doc + "||done",
		"ada|entities export||format=json|done", "ada|audit export||everywhere=on|done", "ada|sign-out|ada||done",
	} {
		n := 0
		for _, line := range got {
			if line == want || strings.HasPrefix(line, strings.TrimSuffix(want, "||done")+", x") { // with the deletion, by which it can be undone
				n++
			}
		}
		if n != 1 {
			t.Errorf("%q is in the trail %d times", want, n)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
}
