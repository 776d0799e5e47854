package ledger

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// A Research is a question that is researched. What is asked, how far it is, and the report are in the Answer of its run: the paragraph
// of a sentence is the number of its question in the plan, or 0 in the overview.
type Research struct {
	Workspace domain.WorkspaceID
	ID        domain.ResearchID
	Run       domain.RunID
	Rounds    int                      // maximum
	Questions int                      // maximum in total
	Budget    int                      // tokens; 0 means no limit
	Review    bool                     // a person edits the plan
	Plan      []domain.PlannedQuestion // nil until it is made, or if it is withheld
	Edits     []string                 // the plan as edited by a person, until the run uses it, or nil
	Notes     []string                 // what the report lacks
	CreatedAt time.Time
	Maker     string // the account that ordered it; Nobody if that was removed, "" if it belongs to everybody in the workspace

	Answer Answer // not stored with the research
}

var researchTable = sqlio.Table[Research]{Name: "researches", Row: func(r *Research) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &r.Workspace, "id key", &r.ID, "run_id fixed", &r.Run, "rounds fixed", &r.Rounds, "questions fixed", &r.Questions, "budget fixed", &r.Budget,
		"review fixed", &r.Review, "plan", &r.Plan, "edits", &r.Edits, "notes", &r.Notes, "created_at fixed", &r.CreatedAt, "maker fixed", &r.Maker,
	}
}}

// AddResearchTx stores a new research with its answer, which waits, and calls more in the same transaction, as AddDocument does. The
// error is Conflict when the id is taken.
func (l ResearchStore) AddResearchTx(ctx context.Context, r Research, more func(*sql.Tx) error) error {
	return l.tx(ctx, "add research", func(tx *sql.Tx, now time.Time) error {
		if r.CreatedAt.IsZero() {
			r.CreatedAt = now
		}
		r.Maker = makerOf(ctx)
		fresh, err := researchTable.Insert(ctx, tx, &r)
		if err != nil {
			return err
		}
		if !fresh {
			return domain.Errorf(domain.Conflict, "There is already a research %s.", r.ID)
		}
		a := r.Answer
		a.Workspace, a.Run, a.Status, a.CreatedAt, a.Person = r.Workspace, r.Run, MessageWaiting, r.CreatedAt, domain.PersonOf(ctx)
		if err := l.insertAnswer(ctx, tx, a); err != nil {
			return err
		}
		return more(tx)
	})
}

// UpdateResearch lets f change the plan, the edits and the notes of a research, and calls also in the same transaction.
func (l ResearchStore) UpdateResearch(ctx context.Context, ws domain.WorkspaceID, id domain.ResearchID, f func(*Research), also ...func(*sql.Tx) error) error {
	return l.tx(ctx, "update research", func(tx *sql.Tx, _ time.Time) error {
		stored, err := research(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		r := stored
		f(&r)
		if err := researchTable.Update(ctx, tx, &stored, &r); err != nil {
			return err
		}
		return callAll(tx, also)
	})
}

// Research returns a research that the viewer of ctx may see, with its answer, or an error of kind NotFound.
func (l ResearchStore) Research(ctx context.Context, ws domain.WorkspaceID, id domain.ResearchID) (Research, error) {
	r, err := research(ctx, l.reader, ws, id, "")
	if err != nil {
		return r, l.wrap("read research", err)
	}
	one := []Research{r}
	err = l.addAnswers(ctx, ws, one)
	return one[0], err
}

func research(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.ResearchID, lock string) (Research, error) {
	seen, who := researches(ctx, "researches")
	return read(ctx, q, researchTable, domain.Errorf(domain.NotFound, "There is no research %s here. It may have been deleted.", id),
		`WHERE workspace_id = ? AND id = ? AND `+seen+lock, append([]any{ws, id}, who...)...)
}

// Researches lists researches that the viewer of ctx may see, newest first and then by id, and counts all; all are listed when n is 0.
func (l ResearchStore) Researches(ctx context.Context, ws domain.WorkspaceID, n, offset int) ([]Research, int, error) {
	seen, who := researches(ctx, "researches")
	args := append([]any{ws}, who...)
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM researches WHERE workspace_id = ? AND `+seen, args...).Scan(&total); err != nil {
		return nil, 0, l.wrap("count researches", err)
	}
	found, err := sqlio.Collect(ctx, l.reader, researchTable.Scan, researchTable.Select()+`WHERE workspace_id = ? AND `+seen+` ORDER BY created_at DESC, id LIMIT ? OFFSET ?`,
		append(args, limit(n), offset)...)
	if err != nil {
		return nil, 0, l.wrap("list researches", err)
	}
	return found, total, l.addAnswers(ctx, ws, found)
}

// ResearchesNamed returns researches by their ids, without their reports. It leaves out unknown ids.
func (l ResearchStore) ResearchesNamed(ctx context.Context, ws domain.WorkspaceID, ids []domain.ResearchID) ([]Research, error) {
	seen, who := researches(ctx, "researches")
	found, err := collectIn(ctx, l.reader, researchTable.Scan, researchTable.Select()+`WHERE workspace_id = ? AND `+seen+` AND id IN (%s)`, append([]any{ws}, who...), ids)
	if err != nil {
		return nil, l.wrap("read researches", err)
	}
	return found, l.addAnswers(ctx, ws, found)
}

// addAnswers fills in the answers of researches. Where one is withheld, so is the plan.
func (l ResearchStore) addAnswers(ctx context.Context, ws domain.WorkspaceID, all []Research) error {
	runs := lists.Map(all, func(r Research) domain.RunID { return r.Run })
	answers, err := answersIn(ctx, AnswerStore(l), ws, `run_id IN (%s)`, runs)
	for i := range all {
		at := slices.IndexFunc(answers, func(a Answer) bool { return a.Run == all[i].Run })
		if at < 0 {
			continue
		}
		if all[i].Answer = answers[at]; answers[at].Withheld {
			all[i].Plan, all[i].Edits, all[i].Notes = nil, nil, nil
		}
	}
	return err
}

// DeleteResearch removes a research with its report and with the events, the thread and the recorded calls of its run, or returns
// an error of kind NotFound.
func (l ResearchStore) DeleteResearch(ctx context.Context, ws domain.WorkspaceID, id domain.ResearchID) error {
	return l.erase(ctx, "delete research", func(tx *sql.Tx, _ time.Time) error {
		r, err := research(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		if err := sqlio.ExecAll(ctx, tx, []any{ws, r.Run},
			`DELETE FROM researches WHERE workspace_id = ? AND run_id = ?`,
			`DELETE FROM answers WHERE workspace_id = ? AND run_id = ?`, // its citations go with it
			`UPDATE runs SET title = '' WHERE workspace_id = ? AND id = ?`); err != nil {
			return err
		}
		return deleteSteps(ctx, tx, ws, r.Run)
	})
}

// stubPlan removes the topics that occur in lost text from the questions of a plan.
func (l *store) stubPlan(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, run domain.RunID, lost loss) error {
	found, err := sqlio.Collect(ctx, tx, researchTable.Scan, researchTable.Select()+`WHERE workspace_id = ? AND run_id = ?`+l.lock.Changing, ws, run)
	if err != nil || len(found) == 0 {
		return err
	}
	r := found[0]
	r.Plan = slices.Clone(r.Plan)
	for i, q := range r.Plan {
		if q.Topic != "" && strings.Contains(lost.gone, plain(q.Topic)) {
			r.Plan[i].Topic, r.Plan[i].Text = "", strings.ReplaceAll(strings.TrimPrefix(q.Text, q.Topic+": "), q.Topic, "…")
		}
	}
	return researchTable.Update(ctx, tx, &found[0], &r)
}
