package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// CurationKind names a curator's decision.
type CurationKind string

// The kinds of decision.
const (
	CurationMerge        CurationKind = "merge"         // Others become part of Entity
	CurationSplit        CurationKind = "split"         // the mentions of Entity in Chunks or written as Forms become a separate entity: domain.NewSplitID
	CurationRename       CurationKind = "rename"        // Entity is shown under Name or Form
	CurationRelabel      CurationKind = "relabel"       // Entity has Label
	CurationHide         CurationKind = "hide"          // Entity is left out of the graph
	CurationHideRelation CurationKind = "hide_relation" // Relation, from Entity to Target, is left out
	CurationRetype       CurationKind = "retype"        // Relation, from Entity to Target, is of Type
	CurationApart        CurationKind = "apart"         // Entity and Others are not the same, however alike
	CurationCreate       CurationKind = "create"        // Entity is added: the words of Stretch, called Name unless that is ""; or Name alone
	CurationRelate       CurationKind = "relate"        // a relation of Type is added from Entity to Target; Stretch states it, if there is one
	CurationSet          CurationKind = "set"           // Property of Entity, or of Relation, has Value in place of Was or of all others
	CurationUnset        CurationKind = "unset"         // Property of Entity, or of Relation, is removed, or only Value of it
	CurationTag          CurationKind = "tag"           // so many Documents get Tags, and lose Untags
	CurationUndo         CurationKind = "undo"          // takes the entry Undoes back
)

// A Curation is an entry of a workspace's curation log.
type Curation struct {
	Seq    int64 // the number of its change
	At     time.Time
	Who    string // who decided; "" where there are no accounts
	Kind   CurationKind
	Undoes int64 // 0 for all kinds but CurationUndo
	Seen   int64 // the last change that whoever decides knows of, 0 for any; only for Curate, which doesn't store it
	Operation
}

// An Operation holds the arguments of a decision. Fields that its kind doesn't
// use are zero. It names things by ids and hashes; its only words are those that
// a curator typed.
type Operation struct {
	Entity   domain.EntityID   `json:"entity,omitempty"`
	Others   []domain.EntityID `json:"others,omitempty"`
	Relation domain.RelationID `json:"relation,omitempty"`
	Target   domain.EntityID   `json:"target,omitempty"`
	Chunks   []domain.ChunkID  `json:"chunks,omitempty"`
	Forms    []string          `json:"forms,omitempty"` // domain.Hash of names as written
	Form     string            `json:"form,omitempty"`  // domain.Hash of a name as written
	Name     string            `json:"name,omitempty"`  // typed by the curator
	Label    string            `json:"label,omitempty"`
	Type     string            `json:"type,omitempty"`
	Stretch  Stretch           `json:"stretch,omitzero"`
	Property Word              `json:"property,omitzero"`
	Value    Word              `json:"value,omitzero"`
	Was      Word              `json:"was,omitzero"` // the value that Value replaces, all if zero

	Tags      []string `json:"tags,omitempty"`
	Untags    []string `json:"untags,omitempty"`
	Documents int      `json:"documents,omitempty"` // whose tags changed
}

// A Word is a key or a value of a property: as a curator typed it, or, if a
// document says it, as its domain.Hash.
type Word struct {
	Text string `json:"text,omitempty"`
	Hash string `json:"hash,omitempty"`
}

// Is reports whether the word is s.
func (w Word) Is(s string) bool {
	return w.Text == s && s != "" || w.Hash != "" && w.Hash == domain.Hash([]byte(s))
}

// A Stretch is a part of a document that a curator marked.
type Stretch struct {
	Document domain.DocumentID `json:"document"`
	Chunk    domain.ChunkID    `json:"chunk"`
	Span     domain.Span       `json:"span"`
	Hash     string            `json:"hash"` // domain.Hash of its words
}

// In returns the words of the stretch in its chunk, or false if the chunk has
// other words there.
func (s Stretch) In(c domain.Chunk) (string, bool) {
	if c.ID != s.Chunk || !c.Span.Contains(s.Span) {
		return "", false
	}
	words := s.Span.Shift(-c.Span.Start).Slice(c.Text)
	return words, domain.Hash([]byte(words)) == s.Hash
}

// Entities lists the entities that the operation names.
func (o Operation) Entities() []domain.EntityID {
	ids := append([]domain.EntityID{o.Entity, o.Target}, o.Others...)
	return slices.DeleteFunc(ids, func(id domain.EntityID) bool { return id == "" })
}

// Curate appends an entry to the curation log and to the outbox, and returns it
// with its number and time. keys are the normalised names of the entities that
// it names. The error is Conflict when the entry to undo is undone already or the
// decision is overtaken by one after c.Seen, and NotFound when there is no such
// entry or, unless something is created, no document in the workspace.
func (l *Ledger) Curate(ctx context.Context, ws domain.WorkspaceID, c Curation, keys map[domain.EntityID]string) (Curation, error) {
	err := l.tx(ctx, "curate", func(tx *sql.Tx, now time.Time) (err error) {
		c.At = now
		if c.Kind == CurationCreate {
			if err := ensureWorkspace(ctx, tx, ws); err != nil {
				return err
			}
		}
		c.Seq, err = appendChange(ctx, tx, ws, Change{}, now)
		if errors.Is(err, sql.ErrNoRows) {
			return domain.Errorf(domain.NotFound, "There is nothing to curate: the library holds no document yet.")
		}
		if err != nil {
			return err
		}
		if err := mayUndo(ctx, tx, ws, c); err != nil {
			return err
		}
		if err := overtaken(ctx, tx, ws, c); err != nil {
			return err
		}
		if err := insertCuration(ctx, tx, ws, c); err != nil {
			return err
		}
		if err := followCuration(ctx, tx, ws, c); err != nil {
			return err
		}
		if err := saveKeys(ctx, tx, ws, keys); err != nil {
			return err
		}
		return recallCreated(ctx, tx, ws, c, keys)
	})
	return c, err
}

func insertCuration(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO curations (workspace_id, seq, at, who, kind, undoes, operation) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		ws, c.Seq, sqlio.Millis(c.At), c.Who, c.Kind, c.Undoes, column{c.Operation})
	return err
}

// mayUndo checks that the entry to undo exists and is in force.
func mayUndo(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	if c.Kind != CurationUndo {
		return nil
	}
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM curations WHERE workspace_id = ? AND seq = ?`, ws, c.Undoes).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return domain.Errorf(domain.NotFound, "The list of changes has no entry %d.", c.Undoes)
	}
	if err != nil {
		return err
	}
	undos, err := sqlio.Collect(ctx, tx, func(rows *sql.Rows) (u Curation, err error) {
		return u, rows.Scan(&u.Seq, &u.Undoes)
	}, `SELECT seq, undoes FROM curations WHERE workspace_id = ? AND undoes > 0 ORDER BY seq`, ws)
	if err != nil {
		return err
	}
	if Undone(undos)[c.Undoes] {
		return domain.Errorf(domain.Conflict, "That change has been taken back already.")
	}
	return nil
}

// Undone returns the numbers of the undone entries of a log, which is in order.
// An undo that is undone itself doesn't count.
func Undone(log []Curation) map[int64]bool {
	undone := map[int64]bool{}
	for _, c := range slices.Backward(log) {
		if c.Undoes != 0 && !undone[c.Seq] {
			undone[c.Undoes] = true
		}
	}
	return undone
}

const curationColumns = `seq, at, who, kind, undoes, operation`

func scanCuration(rows *sql.Rows) (c Curation, err error) {
	return c, rows.Scan(&c.Seq, instant{&c.At}, &c.Who, &c.Kind, &c.Undoes, column{&c.Operation})
}

// Curations lists the curation log in order, up to and including entry last.
func (l *Ledger) Curations(ctx context.Context, ws domain.WorkspaceID, last int64) ([]Curation, error) {
	log, err := sqlio.Collect(ctx, l.reader, scanCuration,
		`SELECT `+curationColumns+` FROM curations WHERE workspace_id = ? AND seq <= ? ORDER BY seq`, ws, last)
	return log, l.wrap("read the curation log", err)
}

// ChangedBefore returns the documents that have a change numbered last or lower,
// sorted by id.
func (l *Ledger) ChangedBefore(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID, last int64) ([]domain.DocumentID, error) {
	found, err := collectIn(ctx, l.reader, sqlio.Column[domain.DocumentID],
		`SELECT DISTINCT document_id FROM changes WHERE workspace_id = ? AND seq <= ? AND document_id IN (%s)`, []any{ws, last}, documents)
	slices.Sort(found)
	return found, l.wrap("read changes", err)
}
