//go:build faults

package main

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/servers"
)

// TestFaultKilledWhileAsking kills processes while they accept questions and
// summaries, on both databases. What remains is whole: every question and
// summary has its run, every conversation a question.
func TestFaultKilledWhileAsking(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{"SQLite": "", "Postgres": servers.PostgresURL(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, database)
			a := f.app(t)
			stop, _ := f.work(t)
			addSample(t, a, 1)
			ready(t, a, 1)
			stop()
			for n := range long.Or(4, 12) {
				m := f.member(t, doesAsk)
				m.says(t, "ready")
				time.Sleep(time.Duration(20+7*n) * time.Millisecond)
				if err := m.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = m.cmd.Wait() // it says that it was killed
			}
			for what, query := range map[string]string{
				"questions without a run":          `SELECT count(*) FROM answers a WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.subject = a.message_id AND r.id = a.run_id)`,
				"summaries without a run":          `SELECT count(*) FROM summaries s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.subject = s.id AND r.id = s.run_id)`,
				"conversations without a question": `SELECT count(*) FROM conversations c WHERE NOT EXISTS (SELECT 1 FROM answers a WHERE a.conversation_id = c.id)`,
				"runs that are about nothing":      `SELECT count(*) FROM runs r WHERE kind NOT IN ('ingest', 'resolve') AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.run_id = r.id) AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.run_id = r.id)`,
				"kinds of which there are too few": `SELECT 2 - count(DISTINCT kind) FROM runs WHERE kind NOT IN ('ingest', 'resolve')`,
			} {
				var found int
				if err := a.db.Reader.QueryRowContext(t.Context(), query).Scan(&found); err != nil || found != 0 {
					t.Errorf("%d %s, %v", found, what, err)
				}
			}
		})
	}
}
