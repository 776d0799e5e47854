package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// noted appends a row to the trail.
func (b Bench) noted(t *testing.T, w domain.WorkspaceID, person, action, thing string) {
	t.Helper()
	must(t, b.Ledger.AddAudit(t.Context(), ledger.Audit{Workspace: w, Person: person, Address: "192.0.2.7", Action: action, Thing: thing, Result: "done"}))
}

// sound fails unless a check of the trail says want.
func (b Bench) sound(t *testing.T, want string) {
	t.Helper()
	got, err := b.Ledger.CheckAudit(t.Context())
	if err != nil || got != want {
		t.Errorf("the check says %q, error %v; want %q", got, err, want)
	}
}

// things returns the things of the rows that a filter selects.
func (b Bench) things(t *testing.T, f ledger.AuditFilter) string {
	t.Helper()
	rows, err := b.Ledger.AuditRows(t.Context(), f, 100)
	must(t, err)
	n, err := b.Ledger.CountAudit(t.Context(), f)
	must(t, err)
	if f.Before == 0 && n != len(rows) {
		t.Errorf("%d rows are counted, %d listed", n, len(rows))
	}
	var things []string
	for _, r := range rows {
		things = append(things, r.Thing)
	}
	return strings.Join(things, " ")
}

func trail(t *testing.T, b Bench) {
	b.sound(t, "")
	b.noted(t, ws, "ada", "documents delete", "d1")
	b.Clock.Advance(time.Hour)
	b.noted(t, ws, "ada", "documents", "d2")
	b.noted(t, "w2", "bob", "documents_delete", "d3")
	b.noted(t, "", "bob", "sign-in", "50%")
	b.sound(t, "")
	later := b.Clock.Now()
	for _, tt := range []struct {
		filter ledger.AuditFilter
		want   string
	}{
		{ledger.AuditFilter{}, "50% d3 d2 d1"},
		{ledger.AuditFilter{Workspace: ws}, "d2 d1"},
		{ledger.AuditFilter{Person: "bob"}, "50% d3"},
		{ledger.AuditFilter{Action: "documents"}, "d2 d1"},
		{ledger.AuditFilter{Action: "documents delete"}, "d1"},
		{ledger.AuditFilter{Action: "documents_"}, ""},
		{ledger.AuditFilter{Thing: "D"}, "d3 d2 d1"},
		{ledger.AuditFilter{Thing: "%"}, "50%"},
		{ledger.AuditFilter{Text: "SIGN"}, "50%"},
		{ledger.AuditFilter{Address: "192.0.2.7", Result: "done"}, "50% d3 d2 d1"},
		{ledger.AuditFilter{Result: "refused"}, ""},
		{ledger.AuditFilter{Since: later}, "50% d3 d2"},
		{ledger.AuditFilter{Until: later}, "d1"},
		{ledger.AuditFilter{Before: 3}, "d2 d1"},
	} {
		if got := b.things(t, tt.filter); got != tt.want {
			t.Errorf("%+v selects %q, want %q", tt.filter, got, tt.want)
		}
	}
	people, err := b.Ledger.AuditPeople(t.Context(), ws)
	if diff := cmp.Diff([]string{"ada"}, people); err != nil || diff != "" {
		t.Errorf("error %v; -want +got\n%s", err, diff)
	}
	actions, err := b.Ledger.AuditActions(t.Context(), "")
	if err != nil || actions["sign-in"] != 1 || len(actions) != 4 {
		t.Errorf("actions %v, error %v", actions, err)
	}
	oldest := int64(0)
	for row, err := range b.Ledger.EachAudit(t.Context(), ledger.AuditFilter{}) {
		must(t, err)
		if row.Seq != oldest+1 {
			t.Errorf("row %d follows %d", row.Seq, oldest)
		}
		oldest = row.Seq
	}
	if oldest != 4 {
		t.Errorf("the last row is %d", oldest)
	}
}

// trailAtOnce appends rows from several ledgers over one database, as processes do.
func trailAtOnce(t *testing.T, b Bench) {
	const writers, each = 4, 10
	atOnce(writers, func(i int) {
		for n := range each {
			if err := b.Ledger.AddAudit(t.Context(), ledger.Audit{Person: fmt.Sprint(i), Action: "sign-in", Thing: fmt.Sprint(n)}); err != nil {
				t.Error(err)
			}
		}
	})
	b.sound(t, "")
	if n, err := b.Ledger.CountAudit(t.Context(), ledger.AuditFilter{}); err != nil || n != writers*each {
		t.Errorf("%d rows, error %v", n, err)
	}
}

func trailTampered(t *testing.T, b Bench) {
	for i := range 5 {
		b.noted(t, ws, "ada", "documents delete", fmt.Sprint("d", i+1))
	}
	exec := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			_, err := b.Writer.ExecContext(t.Context(), s)
			must(t, err)
		}
	}
	changed := func(seq int) string {
		return fmt.Sprintf("row %d of 2026-03-01 12:00:00 was changed, or one before it", seq)
	}
	for _, tt := range []struct{ name, do, undo, want string }{
		{"a row is changed", `UPDATE audit SET person = 'bob' WHERE seq = 3`, `UPDATE audit SET person = 'ada' WHERE seq = 3`, changed(3)},
		{"words move to the next column", `UPDATE audit SET action = 'documents', thing = ' deleted3' WHERE seq = 3`, `UPDATE audit SET action = 'documents delete', thing = 'd3' WHERE seq = 3`, changed(3)},
		{"a workspace is changed", `UPDATE audit SET workspace = '' WHERE seq = 1`, `UPDATE audit SET workspace = 'w1' WHERE seq = 1`, changed(1)},
		{"rows change places", `UPDATE audit SET seq = CASE seq WHEN 2 THEN 103 ELSE 102 END WHERE seq IN (2, 3)`, `UPDATE audit SET seq = CASE seq WHEN 103 THEN 2 ELSE 3 END WHERE seq > 100`, "row 2 is missing"},
		{"a row is added", `INSERT INTO audit SELECT 6, at, workspace, person, token, address, action, thing, how, result, hash FROM audit WHERE seq = 5`, `DELETE FROM audit WHERE seq = 6`, "row 6 was not added by Clew"},
		{"the head is forged", `UPDATE audit_ends SET head_hash = 'x'`, `UPDATE audit_ends SET head_hash = (SELECT hash FROM audit WHERE seq = 5)`, "row 5 is another than the one that was added last"},
		{"the beginning is cut", `UPDATE audit_ends SET cut = 2`, `UPDATE audit_ends SET cut = 0`, "row 3 is missing"},
		{"the last row goes", `UPDATE audit SET seq = 100 WHERE seq = 5`, `UPDATE audit SET seq = 5 WHERE seq = 100`, "row 5 is missing"},
		{"a row in the middle goes", `DELETE FROM audit WHERE seq = 3`, ``, "row 3 is missing"},
	} {
		exec(tt.do)
		if got, err := b.Ledger.CheckAudit(t.Context()); err != nil || !strings.HasPrefix(got, tt.want) || got == "" {
			t.Errorf("%s: the check says %q, error %v; want %q", tt.name, got, err, tt.want)
		}
		if tt.undo != "" {
			exec(tt.undo)
			b.sound(t, "")
		}
	}
	exec(`DELETE FROM audit`)
	b.sound(t, "row 1 is missing, the last was 5")
}

func trailPruned(t *testing.T, b Bench) {
	for i := range 4 {
		b.noted(t, ws, "ada", "documents delete", fmt.Sprint("d", i+1))
		b.Clock.Advance(24 * time.Hour)
	}
	prune := func(before time.Time, want int64) {
		t.Helper()
		if n, err := b.Ledger.PruneAudit(t.Context(), before); err != nil || n != want {
			t.Errorf("%d rows were removed, error %v; want %d", n, err, want)
		}
		b.sound(t, "")
	}
	begin := b.Clock.Now().AddDate(0, 0, -4)
	prune(begin, 0)
	prune(begin.Add(36*time.Hour), 2)
	prune(begin.Add(36*time.Hour), 0)
	if got := b.things(t, ledger.AuditFilter{}); got != "d4 d3" {
		t.Errorf("what is left: %q", got)
	}
	b.noted(t, ws, "ada", "documents delete", "d5")
	b.sound(t, "")
	_, err := b.Writer.ExecContext(t.Context(), `UPDATE audit_ends SET cut_hash = 'x'`)
	must(t, err)
	if got, _ := b.Ledger.CheckAudit(t.Context()); !strings.HasPrefix(got, "row 3 of") {
		t.Errorf("a forged cut: %q", got)
	}
	_, err = b.Writer.ExecContext(t.Context(), `UPDATE audit_ends SET cut_hash = ''`)
	must(t, err)
}
