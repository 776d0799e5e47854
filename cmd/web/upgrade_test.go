package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/database/sqlite"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// earlier fills an empty database with the library of testdata/upgrade, as the
// program stored it with migration 83. On Postgres the tables are those of
// pg_dump --schema-only, and identities go on at 1000.
func earlier(t *testing.T, db *sql.DB, dialect string) {
	t.Helper()
	for _, name := range []string{dialect, "rows"} {
		script, err := os.ReadFile(filepath.Join("testdata", "upgrade", name+".sql"))
		noError(t, err)
		if dialect == "postgres" {
			script = regexp.MustCompile(`\bX'([0-9a-f]*)'`).ReplaceAll(script, []byte(`'\x$1'`))
		}
		_, err = db.ExecContext(t.Context(), string(script))
		noError(t, err)
	}
}

// An upgraded library is what the program says of it.
type upgraded struct {
	Documents []string
	Reading   [3]int // documents that are not read, are paused, wait at a cap
	Answers   []string
	Quoted    []string
	Changes   []string
	Accounts  []string
	Connected []string
}

// earlierLibrary is what the program of that time said of the library.
var earlierLibrary = upgraded{
	Documents: []string{
		"schools-of-the-upper-valley.md waiting", "inscriptions.txt waiting", "ferries-of-the-velm.txt waiting", "carrow-foundry.md ready",
	},
	Reading: [3]int{3, 1, 1},
	Answers: []string{"Who founded the Carrow foundry? done", "Who made the chains of the Withen Chain Bridge? asking"},
	Quoted: []string{
		"carrow-foundry.md 216-317: Josias Thorne founded the Carrow Foundry in 1831 with two furnaces and a loan from his mother-in-law.",
		"carrow-foundry.md 666-749: The Carrow Foundry made the chains of the Withen Chain Bridge over a single winter.",
		"carrow-foundry.md 1813-1868: In the war the foundry made stoves for hospital trains.",
	},
	Changes:   []string{"2 rename Josias Thorne the Elder"},
	Accounts:  []string{"ada owner"},
	Connected: []string{"answer tiny"},
}

func upgradedIn(t *testing.T, a *app) (u upgraded) {
	t.Helper()
	ctx, ws := t.Context(), domain.DefaultWorkspace
	docs, _, err := a.ledger.Documents(ctx, ws, ledger.DocumentQuery{})
	noError(t, err)
	for _, d := range docs {
		u.Documents = append(u.Documents, d.Name+" "+string(d.Status))
	}
	r, err := a.ledger.Reading(ctx, ws, time.Now())
	noError(t, err)
	u.Reading = [3]int{r.Documents, r.Paused, r.AtCap}
	conversations, _, err := a.ledger.Conversations(ctx, ws, 0, 0)
	noError(t, err)
	for _, c := range slices.Backward(conversations) {
		messages, err := a.ledger.Messages(ctx, ws, c.ID)
		noError(t, err)
		for _, m := range messages {
			u.Answers = append(u.Answers, m.Question+" "+string(m.Status))
			for _, c := range m.Citations {
				u.Quoted = append(u.Quoted, fmt.Sprintf("%s %d-%d: %s", c.Document, c.Span.Start, c.Span.End, c.Text))
			}
		}
	}
	log, err := a.ledger.Curations(ctx, ws, 100)
	noError(t, err)
	for _, c := range log {
		u.Changes = append(u.Changes, fmt.Sprintf("%d %s %s", c.Seq, c.Kind, c.Name))
	}
	users, err := a.ledger.Accounts(ctx, domain.DefaultWorkspace)
	noError(t, err)
	for _, user := range users {
		u.Accounts = append(u.Accounts, user.Name+" "+string(user.Role))
	}
	connected, err := a.ledger.Connections(ctx)
	noError(t, err)
	for _, c := range connected {
		u.Connected = append(u.Connected, c.Role+" "+c.Model)
	}
	return u
}

// TestADataFolderOfAnEarlierVersion opens a folder of an earlier version, goes on
// with what waits in it, and undoes a change.
func TestADataFolderOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	sh := newShellWithoutData(t)
	noError(t, os.Mkdir(sh.data, 0o700))
	db, err := sqlite.Open(t.Context(), filepath.Join(sh.data, "clew.db"), sqlite.Options{})
	noError(t, err)
	earlier(t, db.Writer, "sqlite")
	noError(t, db.Close())
	files := filepath.Join(sh.data, "files", fmt.Sprintf("%x", domain.DefaultWorkspace))
	for _, f := range sample.Files() {
		hash := domain.Hash(f.Data)
		noError(t, os.MkdirAll(filepath.Join(files, hash[:2]), 0o700))
		file(t, filepath.Join(files, hash[:2]), hash, string(f.Data))
	}
	a := sh.app(t)
	if diff := cmp.Diff(earlierLibrary, upgradedIn(t, a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	noError(t, a.Close())
	sh.must(t, "model", "forget", "answer")
	if out := sh.must(t, "run", "list", "--state", "asks"); !strings.Contains(out, "Who made the chains") || strings.Contains(out, "Who founded") {
		t.Errorf("waits for a person:\n%s", out)
	}
	if got := decoded[questions.Reply](t, sh.must(t, "run", "continue", "run2910f0318acea78fe630", "--json")); !strings.Contains(got.Answer, "over a single winter") {
		t.Errorf("answered %+v", got)
	}
	if runs := decoded[[]run.Listed](t, sh.must(t, "run", "list", "--state", "capped", "--json")); len(runs) != 1 || runs[0].Because != "capped" {
		t.Errorf("at a cap: %+v", runs)
	}
	sh.must(t, "documents", "go-on", "--state", "paused")
	sh.must(t, "changes", "undo", "2")
	if out := sh.must(t, "documents", "reading"); !strings.Contains(out, "0 paused, 1 at a cap") {
		t.Errorf("after going on with what was paused: %s", out)
	}
	if out := sh.must(t, "changes", "list"); !strings.Contains(out, "undone") {
		t.Errorf("the change is not undone:\n%s", out)
	}
}

// TestAPostgresOfAnEarlierVersion opens the same library on Postgres.
func TestAPostgresOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	address := servers.EmptyPostgresURL(t)
	earlier(t, servers.OpenPostgres(t, address).Writer, "postgres")
	if diff := cmp.Diff(earlierLibrary, upgradedIn(t, newFleet(t, address).app(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
