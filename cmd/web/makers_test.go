package main

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/web/api"
)

// TestProgramsOfOthersFindNothing sends each request of the API that names something, with the ids of a conversation and of
// a run, and with the token of an admin who did not make them: it is answered as for ids that do not exist.
func TestProgramsOfOthersFindNothing(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	foundryFile, _ := letters(t)
	sh.must(t, "ingest", foundryFile)
	a := sh.app(t)
	ctx := domain.WithWorkspace(t.Context(), domain.DefaultWorkspace)
	noError(t, a.auth.Add(ctx, "", "ada", "correct horse", domain.Owner))
	noError(t, a.auth.Add(ctx, "", "bob", "correct horse", domain.Admin))
	noError(t, a.Close())
	token := func(account string) string {
		args := []string{"token", "create", "of " + account, "--account", account}
		for _, scope := range operation.Scopes() {
			if scope.Check(domain.Admin) == nil {
				args = append(args, "--scope", string(scope))
			}
		}
		secret, _, _ := strings.Cut(sh.must(t, args...), "\n")
		return secret
	}
	ada, bob := token("ada"), token("bob")
	s := sh.serve(t)
	send := func(secret, method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+api.Root+path, strings.NewReader(body))
		noError(t, err)
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		noError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		noError(t, err)
		return answer.StatusCode, string(text)
	}
	_, reply := send(ada, http.MethodPost, "/ask", `{"question": "Who founded the Carrow Foundry?"}`)
	find := func(name string) string {
		found := regexp.MustCompile(`"` + name + `": ?"([a-z0-9]+)"`).FindStringSubmatch(reply)
		if found == nil {
			t.Fatalf("no %s in %s", name, reply)
		}
		return found[1]
	}
	theirs := map[string]string{find("conversation"): "k00000000000000000000", find("run"): "run00000000000000000000"}
	asked := 0
	routesByID(func(row operation.Row[*app], r operation.Route, at func(id string) string) {
		for id, unknown := range theirs {
			asked++
			status, body := send(bob, r.Method, at(id), filledIn(row))
			wantStatus, want := send(bob, r.Method, at(unknown), filledIn(row))
			if status != wantStatus || strings.ReplaceAll(body, id, "ID") != strings.ReplaceAll(want, unknown, "ID") {
				t.Errorf("%s %s of %s: status %d, %.300s\nof what does not exist: %d, %.300s", r.Method, r.Path, id, status, body, wantStatus, want)
			}
		}
	})
	if asked < 60 {
		t.Errorf("only %d requests were sent", asked)
	}
	for _, path := range []string{"/conversations", "/conversations?find=foundry", "/runs", "/feedback", "/shared", "/usage/runs"} {
		if _, text := send(bob, http.MethodGet, path, ""); strings.Contains(text, "Who founded") || slices.ContainsFunc([]string{find("conversation"), find("run")}, func(id string) bool { return strings.Contains(text, id) }) {
			t.Errorf("%s shows what ada asked: %.300s", path, text)
		}
	}
	if status, text := send(ada, http.MethodGet, "/conversations", ""); status != 200 || !strings.Contains(text, "Who founded") {
		t.Errorf("ada sees %d %.300s", status, text)
	}
	if text := sh.must(t, "conversations", "list"); !strings.Contains(text, "Who founded") {
		t.Errorf("who runs commands on the machine sees %s", text)
	}
}
