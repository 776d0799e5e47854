package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/internal/web/mcp"
)

// resultIn returns the result that the trail has of a request, if it has one.
func resultIn(e api.Example, row operation.Row[*app]) (result string, kept bool) {
	if !row.Trailed() || row.Trail.Named && strings.HasPrefix(e.Route, http.MethodGet) {
		return "", false
	}
	switch {
	case e.Status < http.StatusMultipleChoices:
		return audit.Done, true
	case slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}, e.Status):
		return audit.Refused, true
	}
	return audit.Failed, e.Status >= http.StatusInternalServerError // otherwise nothing was attempted
}

// programsAreTrailed compares the trail with what a program has sent with a token: each change is there once, in order, as done
// by the token, from its address, in its workspace.
func programsAreTrailed(t *testing.T, sh shell, prefix string, sent []api.Example) {
	t.Helper()
	var want []string
	for _, e := range sent {
		for _, row := range allRows() {
			if result, kept := resultIn(e, row); kept && slices.Contains(row.Routes, e.Route) {
				workspace := domain.DefaultWorkspace
				if row.Scope == operation.Install {
					workspace = ""
				}
				want = append(want, fmt.Sprintf("%s %s in %q", row.Name, result, workspace))
			}
		}
	}
	var got []string
	for _, r := range sh.trail(t) {
		if r.Token != "" {
			got = append(got, fmt.Sprintf("%s %s in %q", r.Action, r.Result, r.Workspace))
			if r.Token != prefix || r.Address != "127.0.0.1" || r.Person == "" {
				t.Errorf("an entry is %+v", r)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 70 {
		t.Errorf("the trail (-want of %d, +got):\n%s", len(want), diff)
	}
}

// trail returns the trail, the oldest row first.
func (sh shell) trail(t *testing.T) []audit.Row {
	t.Helper()
	var rows []audit.Row
	noError(t, json.Unmarshal([]byte(sh.must(t, "audit", "list", "--everywhere", "--json", "--limit", "1000")), &rows))
	slices.Reverse(rows)
	return rows
}

// TestToolsAreTrailed has a model add and ask by MCP: the trail says what it added, by which token, from where and in which
// workspace, and nothing of its question.
func TestToolsAreTrailed(t *testing.T) {
	t.Parallel()
	sh, _ := twoWorkspaces(t)
	secret, _, _ := strings.Cut(sh.must(t, "--workspace", "archive", "token", "create", "assistant", "--preset", "everything"), "\n")
	before := len(sh.trail(t))
	s := sh.serve(t)
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: s.url + mcp.Path, HTTPClient: &http.Client{Transport: withToken{secret}}, DisableStandaloneSSE: true})
	for name, fields := range map[string]any{"add_document": map[string]any{"name": canary + ".txt", "text": "Ida " + canary + " rang the bells."}, "ask": map[string]any{"question": "Who is " + canary + "?"}} {
		if out, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: fields}); err != nil || out.IsError {
			t.Fatalf("%s: %v, %s", name, err, asText(out))
		}
	}
	rows := sh.trail(t)[before:]
	archive := value(t, sh.must(t, "audit", "list", "--json", "--workspace", "archive"), 0, "workspace")
	if len(rows) != 1 {
		t.Fatalf("the trail has %+v", rows)
	}
	if r := rows[0]; r.Action != "ingest" || r.Result != audit.Done || !strings.HasPrefix(secret, "clew_") || r.Token == "" || r.Address != "127.0.0.1" || string(r.Workspace) != archive || r.Workspace == domain.DefaultWorkspace || !operation.IsID(strings.Split(r.Thing, ",")[0]) || strings.Contains(r.Thing+r.How, canary) {
		t.Errorf("the entry is %+v", r)
	}
}

// TestProcessesShareOneTrail has several processes write to the trail of a library at once: it stays one unbroken chain.
func TestProcessesShareOneTrail(t *testing.T) {
	race.Want(t)
	t.Parallel()
	sh := newShell(t)
	const writers, each = 2, 4
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				if out, err := sh.process(t, "usage", "caps", "day", fmt.Sprint(1+i*each+n)).CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			}
		})
	}
	wg.Wait()
	caps := map[string]bool{}
	rows := sh.trail(t)
	for i, r := range rows {
		caps[r.How] = true
		if r.ID != fmt.Sprint(i+1) || r.Action != "usage caps" || r.Result != audit.Done {
			t.Errorf("row %d is %+v", i+1, r)
		}
	}
	if len(rows) != writers*each || len(caps) != len(rows) {
		t.Errorf("the trail has %+v", rows)
	}
	a := sh.app(t)
	wrong, err := a.ledger.CheckAudit(t.Context())
	noError(t, errors.Join(err, a.Close()))
	if wrong != "" {
		t.Errorf("the check says %q", wrong)
	}
}
