package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit/race"
)

// TestUsageAndCaps reads with a scripted model that has a price, meets a cap, raises
// it, and counts what was used.
func TestUsageAndCaps(t *testing.T) {
	race.Want(t)
	t.Parallel()
	model := obliging(t)
	sh := connected(t, model)
	foundryFile, _ := letters(t)
	if out := sh.must(t, "usage", "caps", "workspace", "1000000 tokens"); !strings.Contains(out, "1000000 tokens") {
		t.Errorf("a cap: %s", out)
	}
	sh.must(t, "ingest", foundryFile)
	if out := sh.must(t, "usage", "--by", "role"); !strings.Contains(out, "extract") || !strings.Contains(out, "unknown") || !strings.Contains(out, "No price is known for small, tiny") {
		t.Errorf("without prices: %s", out)
	}
	sh.must(t, "prices", "set", "tiny", "--input", "1000", "--output", "1000", "--from", "2020-01-01")
	sh.must(t, "prices", "set", "small", "--embedding", "0", "--from", "2020-01-01")
	out := sh.must(t, "ask", "Who founded the foundry?")
	if !strings.Contains(out, "tokens, $") {
		t.Errorf("an answer does not say what it cost:\n%s", out)
	}
	answer := decoded[questions.Reply](t, sh.must(t, "ask", "--json", "Who founded the Carrow Foundry?"))
	if answer.Tokens == 0 || !strings.Contains(answer.Cost, "tokens, $") {
		t.Errorf("as JSON: %d tokens, %s", answer.Tokens, answer.Cost)
	}
	if out := sh.must(t, "run", "show", answer.Run, "--technical"); !strings.Contains(out, "COST") || !strings.Contains(out, answer.Cost) {
		t.Errorf("its run:\n%s", out)
	}
	lines := decoded[[]map[string]any](t, sh.must(t, "usage", "--by", "document", "--json"))
	if len(lines) != 2 || lines[1]["name"] != "foundry.txt" || lines[0]["calls"].(float64)+lines[1]["calls"].(float64) < 4 || lines[0]["cost"].(float64) <= 0 {
		t.Errorf("by document: %v", lines)
	}
	if out := sh.must(t, "usage", "--by", "model", "--csv"); !strings.HasPrefix(out, "model,calls,input tokens,") || !strings.Contains(out, "\ntiny,") {
		t.Errorf("as CSV:\n%s", out)
	}
	bridgeFile := file(t, t.TempDir(), "late.txt", "Agnes Lovibond taught at the school of Osterby.")
	for _, said := range []string{"", "no\n", "Yes\n"} {
		added := said == "Yes\n"
		sh.stdin = said
		out := sh.must(t, "ingest", "--ask", bridgeFile)
		if !strings.Contains(out, "Read them? [y/N] ") || !strings.Contains(out, "late.txt  1") || strings.Contains(out, "Nothing was added.") == added || strings.Contains(out, "late.txt: ") != added {
			t.Errorf("after %q: %s", said, out)
		}
	}
	sh.must(t, "usage", "caps", "day", "0.000001")
	if _, err := sh.run(t, "ask", "And who cast the bells?"); err == nil || !strings.Contains(err.Error(), "The cap of a day is reached") {
		t.Errorf("a question at a cap: %v", err)
	}
	for _, args := range [][]string{{"caps", "moon", "5"}, {"caps", "day", "much"}, {"caps", "day"}, {"--by", "moon"}, {"--from", "yesterday"}} {
		if _, err := sh.run(t, append([]string{"usage"}, args...)...); err == nil {
			t.Errorf("clew usage %v is taken", args)
		}
	}
}

// TestUsageOfWorkspaces lists what each workspace used, by command and on the page, where only owners see it.
func TestUsageOfWorkspaces(t *testing.T) {
	t.Parallel()
	sh, in := twoWorkspaces(t)
	in("ask", "Who built the Velm Bridge?")
	in("usage", "caps", "month", "5 tokens")
	in("usage", "caps", "question", "5.00")
	a := sh.app(t)
	archive, err := a.workspaces.Find(t.Context(), "archive")
	noError(t, err)
	used := ledger.Usage{Usage: domain.Usage{Model: "tiny", Input: 20, Output: 10}, Day: costs.DayOf(time.Now()), Calls: 3, Role: "write"}
	noError(t, a.ledger.AddUsage(t.Context(), archive.ID, used))
	used.Day = "2020-01-31"
	noError(t, errors.Join(a.ledger.AddUsage(t.Context(), domain.DefaultWorkspace, used), a.Close()))
	list := decoded[[]costs.WorkspaceUsed](t, sh.must(t, "usage", "workspaces", "--json"))
	if len(list) != 2 || list[0].Name != "archive" || list[0].Tokens != 30 || list[0].Calls != 3 || list[0].Runs < 2 || list[0].Documents != 1 || list[0].Bytes != int64(len(bridge)) || list[1].Tokens != 0 || list[1].Runs < 1 {
		t.Errorf("the workspaces: %+v", list)
	}
	if caps := list[0].Caps; len(caps) != 1 || caps[0].Scope != "month" || !caps[0].Reached || len(list[1].Caps) != 0 || !slices.Equal(list[0].Unknown, []string{"tiny"}) {
		t.Errorf("the caps: %+v", list)
	}
	if past := decoded[[]costs.WorkspaceUsed](t, sh.must(t, "usage", "workspaces", "--month", "2020-01", "--json")); past[0].Name != "library" || past[0].Tokens != 30 || past[0].Runs != 0 || past[0].Documents != 1 {
		t.Errorf("in January 2020: %+v", past)
	}
	sh.must(t, "workspace", "archive", "archive")
	if out := sh.must(t, "usage", "workspaces"); !strings.Contains(out, "archived") || !strings.Contains(out, "month 5 tokens (reached)") || !strings.Contains(out, "unknown") {
		t.Errorf("printed: %s", out)
	}
	if _, err := sh.run(t, "usage", "workspaces", "--month", "May"); domain.KindOf(err) != domain.Invalid {
		t.Errorf("a month that is none: %v", err)
	}
	for _, u := range []struct{ name, role string }{{"ada", "owner"}, {"bob", "admin"}} {
		sh.stdin = "correct horse " + u.name + "\n"
		sh.must(t, "user", "add", u.name, "--role", u.role)
	}
	v := sh.serve(t)
	for name, sees := range map[string]bool{"ada": true, "bob": false} {
		p := v.person(t)
		p.signsIn(t, name, "correct horse "+name, 303)
		status, page := p.do(t, library("/usage"), nil)
		if status != 200 || strings.Contains(page, "usage-workspaces") != sees || strings.Contains(page, "/w/archive/usage?month=") != sees {
			t.Errorf("%s sees with status %d: %v", name, status, !sees)
		}
	}
}
