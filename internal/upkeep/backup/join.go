package backup

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Joining names the workspace of a database beside the library that becomes one of its workspaces. Both databases
// have the program's schema.
type Joining struct {
	Beside string // schema of that database
	From   One
	As     domain.WorkspaceID
	Name   string   // of the new workspace
	Marks  []string // settings that it gets, with value 1
	Now    time.Time
}

// Joined is the outcome of Join.
type Joined struct {
	Strangers []string // members without an account here, who were left out
}

// numbered are the columns with numbers that a database gives out, and where each of them is given out.
var numbered = map[string]string{
	"threads.number": "threads.number", "checkpoints.thread": "threads.number", "checkpoints.seq": "checkpoints.seq",
}

// asleep are the values of a source that comes with a workspace. It stays paused until a person resumes it: an archive
// must not cause requests.
var asleep = map[string]string{"sealed": `''`, "paused_by": `''`, "next_at": `0`, "looking": `''`, "failures": `0`, "failing_at": `0`}

const cameWithBackup = "It came with a backup, which holds no password. Let it go on, and give the password again if it needs one."

// Join adds a workspace to the library. It is all done when tx is committed. The error is Conflict if the library has a
// workspace of the name, or has this one already.
func Join(ctx context.Context, db *sql.DB, tx *sql.Tx, j Joining) (Joined, error) {
	if err := j.free(ctx, tx); err != nil {
		return Joined{}, err
	}
	all, err := Tables(ctx, db, tx)
	if err != nil {
		return Joined{}, err
	}
	tables, _, err := j.From.of(all)
	if err != nil {
		return Joined{}, err
	}
	joined := Joined{}
	joined.Strangers, err = sqlio.Collect(ctx, tx, sqlio.Column[string],
		`SELECT account FROM `+j.Beside+`.members WHERE workspace_id = ? AND account NOT IN (SELECT name FROM users) ORDER BY account`, j.From.ID)
	if err != nil {
		return Joined{}, fmt.Errorf("members: %w", err)
	}
	if sqlio.DialectOf(db).Postgres { // other processes assign numbers meanwhile
		if err := sqlio.Exec(ctx, tx, `LOCK TABLE threads, checkpoints IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return Joined{}, err
		}
	}
	last := map[string]int64{}
	for _, of := range numbered {
		table, column, _ := strings.Cut(of, ".")
		if last[of], err = sqlio.Value[int64](ctx, tx, `SELECT COALESCE(MAX(`+quoted(column)+`), 0) FROM `+quoted(table)); err != nil {
			return Joined{}, err
		}
	}
	for _, t := range tables {
		if err := j.table(ctx, tx, t, last); err != nil {
			return Joined{}, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	for _, name := range j.Marks {
		if err := sqlio.Exec(ctx, tx, `INSERT INTO settings (workspace_id, name, value) VALUES (?, ?, '1')`, j.As, name); err != nil {
			return Joined{}, err
		}
	}
	return joined, advance(ctx, db, tx, tables)
}

// Home returns the id that an archive's workspace gets in the library: its own where that is free, and otherwise one that
// depends on the archive alone, so that a restore which was cut off can be repeated.
func Home(ctx context.Context, q sqlio.Querier, s Summary) (domain.WorkspaceID, error) {
	taken, err := sqlio.Value[int](ctx, q, `SELECT COUNT(*) FROM workspaces WHERE id = ?`, s.Workspace.ID)
	if err != nil || taken == 0 {
		return s.Workspace.ID, err
	}
	return s.Workspace.ID.Moved(s.Sum[:20]), nil
}

// free returns an error of kind Conflict unless the library has room for the workspace.
func (j Joining) free(ctx context.Context, tx *sql.Tx) error {
	named, err := sqlio.Value[int](ctx, tx, `SELECT COUNT(*) FROM workspaces WHERE name = ?`, j.Name)
	if err != nil {
		return err
	}
	here, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT COALESCE(w.name, r.workspace_id) FROM runs r LEFT JOIN workspaces w ON w.id = r.workspace_id
		WHERE r.id IN (SELECT id FROM `+j.Beside+`.runs WHERE workspace_id = ?) ORDER BY 1 LIMIT 1`, j.From.ID)
	if err != nil {
		return err
	}
	switch {
	case len(here) > 0:
		return domain.Errorf(domain.Conflict, "What the backup holds is in this installation already, in the workspace %s: a backup of one workspace moves it to another installation.", here[0])
	case named > 0:
		return domain.Errorf(domain.Conflict, "There is already a workspace named %s. Choose another name with --as.", j.Name)
	}
	return nil
}

// table copies the workspace's rows of a table. Numbers go on behind the last ones of the library.
func (j Joining) table(ctx context.Context, tx *sql.Tx, t Table, last map[string]int64) error {
	rows, _ := j.From.rows(t, j.Beside+".")
	var values []string
	var args []any
	for _, c := range t.Columns {
		value := quoted(c.Name)
		switch {
		case t.Name == "workspaces" && c.Name == "id", c.Name == "workspace_id":
			value, args = `CAST(? AS TEXT)`, append(args, j.As)
		case t.Name == "workspaces" && c.Name == "name":
			value, args = `CAST(? AS TEXT)`, append(args, j.Name)
		case t.Name == "workspaces" && c.Name == "delete_at", t.Name == "runs" && c.Name == "lap":
			value = `0` // the queue's turns belong to the library
		case t.Name == "sources" && asleep[c.Name] != "":
			value = asleep[c.Name]
		case t.Name == "sources" && c.Name == "paused_at":
			value, args = `CAST(? AS BIGINT)`, append(args, sqlio.Millis(j.Now))
		case t.Name == "sources" && c.Name == "problem":
			value, args = `CAST(? AS TEXT)`, append(args, cameWithBackup)
		case numbered[t.Name+"."+c.Name] != "":
			value, args = value+` + CAST(? AS BIGINT)`, append(args, last[numbered[t.Name+"."+c.Name]])
		}
		values = append(values, value)
	}
	if t.Name == "members" {
		rows.condition += ` AND account IN (SELECT name FROM users)`
	}
	end := ""
	if t.Name == "model_calls" { // the same call has the same answer
		end = ` ON CONFLICT DO NOTHING`
	}
	return sqlio.Exec(ctx, tx, `INSERT INTO `+quoted(t.Name)+` (`+t.list()+`) SELECT `+strings.Join(values, ", ")+
		` FROM `+j.Beside+`.`+quoted(t.Name)+rows.where()+end, slices.Concat(args, rows.args)...)
}
