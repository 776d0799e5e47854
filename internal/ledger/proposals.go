package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// Rule is who decided an entry of the curation log that the program made by
// rule. No account has this name: theirs are in lower case.
const Rule = "Rule"

// ProposalStatus describes what became of a proposal.
type ProposalStatus string

// The statuses of proposals. The first two wait for a decision.
const (
	ProposalOpen   ProposalStatus = "open"
	ProposalLater  ProposalStatus = "later"  // put off to the end
	ProposalMerged ProposalStatus = "merged" // by a person
	ProposalAuto   ProposalStatus = "auto"   // merged by rule
	ProposalApart  ProposalStatus = "apart"  // kept apart; proposed again if much more evidence appears
	ProposalNever  ProposalStatus = "never"  // kept apart for good
	ProposalGone   ProposalStatus = "gone"   // an entity is gone or became part of another, or too little evidence is left
)

// A Proposal is a pair of entities that may be the same.
//
// Its status follows the curation log: an entry that merges the two or keeps
// them apart decides it, whoever made the entry, and undoing the entry opens it
// again. It holds no words of documents, so that nothing of it has to be deleted
// with one: what the entities are called is looked up in the graph.
type Proposal struct {
	ID       domain.ProposalID  `json:"id"`
	A        domain.EntityID    `json:"a"` // the better known: a merge keeps its name
	B        domain.EntityID    `json:"b"`
	Score    float64            `json:"score"`   // from 0 to 1, in thousandths
	Pattern  string             `json:"pattern"` // how the names differ, such as "initials"
	Evidence []ProposalEvidence `json:"evidence"`
	Status   ProposalStatus     `json:"status"`
	At       time.Time          `json:"at"`                 // when it was proposed or last decided
	Who      string             `json:"who,omitempty"`      // who decided; Rule for the program
	Curation int64              `json:"curation,omitempty"` // the entry of the curation log that decided, or 0
}

// ProposalEvidence is one reason for or against a merge.
type ProposalEvidence struct {
	Kind    string  `json:"kind"`
	Words   string  `json:"words"` // a sentence of the program, with numbers but no names
	Against bool    `json:"against,omitempty"`
	Weight  float64 `json:"weight"` // of the reason, as bits of evidence; never negative
}

// Waits reports whether the proposal waits for a decision.
func (p Proposal) Waits() bool { return p.Status == ProposalOpen || p.Status == ProposalLater }

// A ProposalQuery selects proposals. Empty fields select all.
type ProposalQuery struct {
	Decided bool // those decided or gone, newest first; if false, those waiting, best first, and those put off last
	Pattern string
	Limit   int // 0 means all
	Offset  int
}

func (q ProposalQuery) where(ws domain.WorkspaceID) (string, []any) {
	cond, args := `workspace_id = ? AND status IN ('open', 'later')`, []any{ws}
	if q.Decided {
		cond = `workspace_id = ? AND status NOT IN ('open', 'later')`
	}
	if q.Pattern != "" {
		cond, args = cond+` AND pattern = ?`, append(args, q.Pattern)
	}
	return cond, args
}

// thousandths is a score as it is stored.
type thousandths float64

// Scan implements sql.Scanner.
func (t *thousandths) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a score is stored as %T", src)
	}
	*t = thousandths(n) / 1000
	return nil
}

// Value implements driver.Valuer.
func (t thousandths) Value() (driver.Value, error) { return int64(math.Round(float64(t) * 1000)), nil }

var proposalTable = sqlio.Table[Proposal]{Name: "proposals", Row: func(p *Proposal) sqlio.Row {
	return sqlio.Row{
		"id key", &p.ID, "a", &p.A, "b", &p.B, "score", (*thousandths)(&p.Score), "pattern", &p.Pattern, "evidence", &p.Evidence, "status", &p.Status,
		"at", &p.At, "who", &p.Who, "curation", &p.Curation,
	}
}}

// Proposals lists the selected proposals, and counts all that the query selects
// regardless of its limit.
func (l DecisionStore) Proposals(ctx context.Context, ws domain.WorkspaceID, q ProposalQuery) ([]Proposal, int, error) {
	cond, args := q.where(ws)
	order := `later, score DESC, id`
	if q.Decided {
		order = `at DESC, id`
	}
	var total int
	if err := l.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM proposals WHERE `+cond, args...).Scan(&total); err != nil {
		return nil, 0, l.wrap("count proposals", err)
	}
	list, err := sqlio.Collect(ctx, l.reader, proposalTable.Scan, proposalTable.Select()+`WHERE `+cond+
		` ORDER BY `+order+` LIMIT ? OFFSET ?`, append(args, limit(q.Limit), q.Offset)...)
	return list, total, l.wrap("list proposals", err)
}

// CountProposals counts the proposals that wait for a decision, by pattern.
func (l DecisionStore) CountProposals(ctx context.Context, ws domain.WorkspaceID) (map[string]int, error) {
	return pairs[string, int](ctx, l, "count proposals", `SELECT pattern, COUNT(*) FROM proposals WHERE workspace_id = ? AND status IN ('open', 'later') GROUP BY pattern`, ws)
}

// CountDecided counts the proposals that people have decided since a time.
func (l DecisionStore) CountDecided(ctx context.Context, ws domain.WorkspaceID, since time.Time) (int, error) {
	return one[int](ctx, l, "count decisions", `SELECT COUNT(*) FROM proposals WHERE workspace_id = ? AND status IN ('merged', 'apart', 'never') AND at >= ?`,
		ws, sqlio.Millis(since))
}

// Proposal returns a proposal, or an error of kind NotFound.
func (l DecisionStore) Proposal(ctx context.Context, ws domain.WorkspaceID, id domain.ProposalID) (Proposal, error) {
	p, err := read(ctx, l.reader, proposalTable, domain.Errorf(domain.NotFound, "There is no proposal %s.", id), `WHERE workspace_id = ? AND id = ?`, ws, id)
	return p, l.wrap("read a proposal", err)
}

// PutOff puts proposals that wait for a decision behind all others.
func (l DecisionStore) PutOff(ctx context.Context, ws domain.WorkspaceID, who string, ids ...domain.ProposalID) error {
	return l.tx(ctx, "put off proposals", func(tx *sql.Tx, now time.Time) error {
		return execIn(ctx, tx, `UPDATE proposals SET status = 'later', later = ?, at = ?, who = ?
			WHERE workspace_id = ? AND status IN ('open', 'later') AND id IN (%s)`, []any{sqlio.Millis(now), sqlio.Millis(now), who, ws}, ids)
	})
}

// TakeUp puts proposals that were put off back into the order of their scores.
func (l DecisionStore) TakeUp(ctx context.Context, ws domain.WorkspaceID, who string, ids ...domain.ProposalID) error {
	return l.tx(ctx, "take up proposals", func(tx *sql.Tx, now time.Time) error {
		return execIn(ctx, tx, `UPDATE proposals SET status = 'open', later = 0, at = ?, who = ?
			WHERE workspace_id = ? AND status = 'later' AND id IN (%s)`, []any{sqlio.Millis(now), who, ws}, ids)
	})
}

// RuleOut makes the decision to keep two entities apart, entry seq of the curation log, final: new evidence does not
// reopen it.
func (l DecisionStore) RuleOut(ctx context.Context, ws domain.WorkspaceID, seq int64) error {
	return l.exec(ctx, "rule out a proposal", `UPDATE proposals SET status = 'never', decided = 'never' WHERE workspace_id = ? AND curation = ? AND status = 'apart'`, ws, seq)
}

// moreForIt is by how much the score of a pair that was kept apart has to grow
// before it is proposed again.
const moreForIt = 0.1

// Propose stores the pairs that a comparison of the whole graph found. Of each it
// takes the pair, score, pattern and evidence, and of one that is merged by rule
// (ProposalAuto) the entry that merges it. Proposals that waited and are not
// among them are removed; decided ones stay as they are.
func (l DecisionStore) Propose(ctx context.Context, ws domain.WorkspaceID, proposals []Proposal) error {
	return l.tx(ctx, "store proposals", func(tx *sql.Tx, now time.Time) error {
		if _, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM workspaces WHERE id = ?`+l.lock.Changing, ws); err != nil {
			return err // so that nothing is decided meanwhile
		}
		all, err := sqlio.Collect(ctx, tx, proposalTable.Scan, proposalTable.Select()+`WHERE workspace_id = ?`, ws)
		if err != nil {
			return err
		}
		stored := lists.By(all, func(p Proposal) domain.ProposalID { return p.ID })
		rows := make([][]any, 0, len(proposals))
		for _, p := range proposals {
			p.ID = domain.NewProposalID(ws, p.A, p.B)
			old, known := stored[p.ID]
			delete(stored, p.ID)
			if !known || old.yieldsTo(p) {
				rows = append(rows, p.row(ws, old, now))
			}
		}
		var left []domain.ProposalID
		for id, p := range stored {
			if p.Waits() {
				left = append(left, id)
			}
		}
		if err := execIn(ctx, tx, `DELETE FROM proposals WHERE workspace_id = ? AND id IN (%s)`, []any{ws}, left); err != nil {
			return err
		}
		return sqlio.InsertRows(ctx, tx, `INSERT INTO proposals (workspace_id, id, a, b, score, pattern, evidence, status, at, who, curation, decided, later)`, rows,
			`ON CONFLICT (workspace_id, id) DO UPDATE SET a = excluded.a, b = excluded.b, score = excluded.score, pattern = excluded.pattern,
			evidence = excluded.evidence, status = excluded.status, at = excluded.at, who = excluded.who,
			curation = CASE excluded.curation WHEN 0 THEN proposals.curation ELSE excluded.curation END,
			decided = CASE excluded.decided WHEN '' THEN proposals.decided ELSE excluded.decided END,
			later = CASE excluded.status WHEN 'later' THEN proposals.later ELSE 0 END`)
	})
}

// yieldsTo reports whether a new comparison of a pair replaces its stored proposal.
func (p Proposal) yieldsTo(found Proposal) bool {
	switch {
	case p.Waits(), p.Status == ProposalGone, found.Status == ProposalAuto:
		return true
	case p.Status == ProposalApart:
		return found.Score >= p.Score+moreForIt
	}
	return false
}

// row returns the columns of a proposal that replaces old, which is zero for a
// new one.
func (p Proposal) row(ws domain.WorkspaceID, old Proposal, now time.Time) []any {
	stored := Proposal{Status: ProposalOpen, At: now}
	decided := ProposalStatus("")
	switch {
	case p.Status == ProposalAuto:
		stored = Proposal{Status: ProposalAuto, At: now, Who: Rule, Curation: p.Curation}
		decided = ProposalAuto
		if old.Curation == p.Curation {
			stored.At = old.At
		}
	case old.Waits():
		stored = Proposal{Status: old.Status, At: old.At, Who: old.Who}
	}
	return []any{
		ws, p.ID, p.A, p.B, thousandths(p.Score), p.Pattern, sqlio.JSON(p.Evidence),
		stored.Status, sqlio.Millis(stored.At), stored.Who, stored.Curation, decided, 0,
	}
}

// followCuration decides the proposals about the entities of an entry of the
// curation log, or undoes what an entry did in the ledger, in the entry's transaction.
func followCuration(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	switch c.Kind {
	case CurationMerge:
		status := ProposalMerged
		if c.Who == Rule {
			status = ProposalAuto
		}
		if err := decideProposals(ctx, tx, ws, c, status, `status NOT IN ('merged', 'auto') AND id IN (%s)`, pairIDs(ws, append([]domain.EntityID{c.Entity}, c.Others...))); err != nil {
			return err
		}
		return loseProposals(ctx, tx, ws, c, c.Others)
	case CurationApart:
		ids := lists.Map(c.Others, func(other domain.EntityID) domain.ProposalID { return domain.NewProposalID(ws, c.Entity, other) })
		return decideProposals(ctx, tx, ws, c, ProposalApart, `id IN (%s)`, ids)
	case CurationHide:
		return loseProposals(ctx, tx, ws, c, []domain.EntityID{c.Entity})
	case CurationUndo:
		return followUndo(ctx, tx, ws, c)
	}
	return nil
}

// pairIDs returns the proposals of all pairs of some entities.
func pairIDs(ws domain.WorkspaceID, entities []domain.EntityID) (ids []domain.ProposalID) {
	for i, a := range entities {
		for _, b := range entities[:i] {
			ids = append(ids, domain.NewProposalID(ws, a, b))
		}
	}
	return ids
}

// loseProposals records that the proposals about entities wait no longer, because an entry took the entities out of the
// graph.
func loseProposals(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation, entities []domain.EntityID) error {
	for _, side := range []string{"a", "b"} {
		if err := decideProposals(ctx, tx, ws, c, ProposalGone, `status IN ('open', 'later') AND `+side+` IN (%s)`, entities); err != nil {
			return err
		}
	}
	return nil
}

func decideProposals[V ~string](ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation, status ProposalStatus, which string, values []V) error {
	return execIn(ctx, tx, `UPDATE proposals SET status = ?, decided = ?, curation = ?, at = ?, who = ? WHERE workspace_id = ? AND `+which,
		[]any{status, status, c.Seq, sqlio.Millis(c.At), c.Who, ws}, values)
}

// followUndo opens the proposals that an undone entry decided and takes back its tags and fields, or does
// both again where the undo restores the entry. What the program merged by rule
// and a person took apart stays apart.
func followUndo(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	undos, err := sqlio.Collect(ctx, tx, into(func(u *Curation) []any { return []any{&u.Seq, &u.Undoes} }), `SELECT seq, undoes FROM curations WHERE workspace_id = ? AND undoes > 0 ORDER BY seq`, ws)
	if err != nil {
		return err
	}
	of := lists.Pairs(undos, func(u Curation) (int64, int64) { return u.Seq, u.Undoes })
	origin := c.Undoes
	for of[origin] != 0 {
		origin = of[origin]
	}
	restored := !Undone(undos)[origin]
	if err := retag(ctx, tx, ws, origin, restored); err != nil {
		return err
	}
	if err := followFields(ctx, tx, ws, origin, restored); err != nil {
		return err
	}
	undone := ProposalOpen
	if c.Who != Rule {
		undone = ProposalApart
	}
	return sqlio.Exec(ctx, tx, `UPDATE proposals SET status = CASE WHEN ? = 0 THEN decided WHEN decided = 'auto' THEN ? ELSE 'open' END, at = ?, who = ?, later = 0
		WHERE workspace_id = ? AND curation = ?`, sqlio.Flag(!restored), undone, sqlio.Millis(c.At), c.Who, ws, origin)
}
