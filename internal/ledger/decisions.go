package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
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
	CurationApart        CurationKind = "apart"         // Entity and Others are different, however similar
	CurationCreate       CurationKind = "create"        // Entity is added: the words of Stretch, called Name unless that is ""; or Name alone
	CurationRelate       CurationKind = "relate"        // a relation of Type is added from Entity to Target; Stretch states it, if there is one
	CurationSet          CurationKind = "set"           // Property of Entity or Relation gets Value in place of Was, or of all others
	CurationUnset        CurationKind = "unset"         // Property of Entity or Relation is removed, or only its Value
	CurationTag          CurationKind = "tag"           // Documents get Tags and lose Untags
	CurationField        CurationKind = "field"         // a field is defined, altered or deleted, or Documents get other values
	CurationUndo         CurationKind = "undo"          // takes the entry Undoes back
)

// A Curation is an entry of a workspace's curation log.
type Curation struct {
	Seq    int64 // the number of its change
	At     time.Time
	Who    string // who decided; "" if there are no accounts
	Kind   CurationKind
	Undoes int64 // 0 unless CurationUndo
	Seen   int64 // the last change that the person has seen, or 0 for all; only for Curate, which doesn't store it
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
	Was      Word              `json:"was,omitzero"` // the value that Value replaces; all if zero

	Tags      []string `json:"tags,omitempty"`
	Untags    []string `json:"untags,omitempty"`
	Documents int      `json:"documents,omitempty"` // how many had their tags or fields changed

	Fields FieldChange `json:"fields,omitzero"`
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
func (l DecisionStore) Curate(ctx context.Context, ws domain.WorkspaceID, c Curation, keys map[domain.EntityID]string) (Curation, error) {
	err := l.tx(ctx, "curate", func(tx *sql.Tx, now time.Time) (err error) {
		c.At = now
		if c.Kind == CurationCreate {
			if err := ensureWorkspace(ctx, tx, ws); err != nil {
				return err
			}
		}
		c.Seq, err = appendChange(ctx, tx, ws, Change{}, now)
		if errors.Is(err, sql.ErrNoRows) {
			return domain.Errorf(domain.NotFound, "There is nothing to curate: the library holds no documents yet.")
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
		if err := curationTable(ws).InsertAll(ctx, tx, []Curation{c}, ""); err != nil {
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

// mayUndo checks that the entry to undo exists and is not undone.
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
	undos, err := sqlio.Collect(ctx, tx, into(func(u *Curation) []any { return []any{&u.Seq, &u.Undoes} }), `SELECT seq, undoes FROM curations WHERE workspace_id = ? AND undoes > 0 ORDER BY seq`, ws)
	if err != nil {
		return err
	}
	if Undone(undos)[c.Undoes] {
		return domain.Errorf(domain.Conflict, "That change has already been undone.")
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

// curationTable is the curation log of a workspace.
func curationTable(ws domain.WorkspaceID) sqlio.Table[Curation] {
	return sqlio.Table[Curation]{Name: "curations", Row: func(c *Curation) sqlio.Row {
		return sqlio.Row{
			"workspace_id written", ws, "seq key", &c.Seq, "at fixed", &c.At, "who fixed", &c.Who, "kind fixed", &c.Kind, "undoes fixed", &c.Undoes, "operation", &c.Operation,
		}
	}}
}

// curations lists the entries of the curation log that a condition selects.
func curations(ctx context.Context, q querier, ws domain.WorkspaceID, cond string, args ...any) ([]Curation, error) {
	t := curationTable(ws)
	return sqlio.Collect(ctx, q, t.Scan, t.Select()+`WHERE workspace_id = ? AND `+cond, append([]any{ws}, args...)...)
}

// Curations lists the curation log in order, up to and including entry last.
func (l DecisionStore) Curations(ctx context.Context, ws domain.WorkspaceID, last int64) ([]Curation, error) {
	log, err := curations(ctx, l.reader, ws, `seq <= ? ORDER BY seq`, last)
	return log, l.wrap("read the curation log", err)
}

// ChangedBefore returns the documents that have a change numbered last or lower,
// sorted by id.
func (l DecisionStore) ChangedBefore(ctx context.Context, ws domain.WorkspaceID, documents []domain.DocumentID, last int64) ([]domain.DocumentID, error) {
	found, err := collectIn(ctx, l.reader, sqlio.Column[domain.DocumentID],
		`SELECT DISTINCT document_id FROM changes WHERE workspace_id = ? AND seq <= ? AND document_id IN (%s)`, []any{ws, last}, documents)
	slices.Sort(found)
	return found, l.wrap("read changes", err)
}

// CuratedKeys are the normalised names of the entities in the curation log.
type CuratedKeys struct {
	Held map[domain.EntityID]string // names that a document contains, or that somebody created
	Gone map[domain.EntityID]string // domain.Hash of the other names
}

// CuratedKeys returns the names of the entities in the curation log.
func (l DecisionStore) CuratedKeys(ctx context.Context, ws domain.WorkspaceID) (CuratedKeys, error) {
	keys := CuratedKeys{Held: map[domain.EntityID]string{}, Gone: map[domain.EntityID]string{}}
	err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.EntityID
		var key, hash string
		err := rows.Scan(&id, &key, &hash)
		if key != "" {
			keys.Held[id] = key
		} else {
			keys.Gone[id] = hash
		}
		return err
	}, `SELECT entity_id, entity_key, key_hash FROM curated_entities WHERE workspace_id = ? AND (entity_key <> '' OR key_hash <> '')`, ws)
	return keys, l.wrap("read curated names", err)
}

func curatedKeys(ctx context.Context, q querier, query string, args ...any) (map[domain.EntityID]string, error) {
	keys := map[domain.EntityID]string{}
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var id domain.EntityID
		var key string
		err := rows.Scan(&id, &key)
		keys[id] = key
		return err
	}, query, args...)
	return keys, err
}

// recallCreated restores the forgotten id without a label of an entity that is
// created: earlier entries may know it by that id.
func recallCreated(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation, keys map[domain.EntityID]string) error {
	key := keys[c.Entity]
	if c.Kind != CurationCreate || key == "" {
		return nil
	}
	return setKey(ctx, tx, ws, domain.NewEntityID(ws, domain.UnknownLabel, key), key)
}

func saveKeys(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, keys map[domain.EntityID]string) error {
	var rows [][]any
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if keys[id] != "" {
			rows = append(rows, []any{ws, id, keys[id]})
		}
	}
	return sqlio.InsertRows(ctx, tx, `INSERT INTO curated_entities (workspace_id, entity_id, entity_key)`, rows,
		`ON CONFLICT (workspace_id, entity_id) DO UPDATE SET entity_key = excluded.entity_key`)
}

// forget replaces the names that no document holds any longer by their hashes.
func (l *store) forget(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID) error {
	lost, err := curatedKeys(ctx, tx, `SELECT c.entity_id, c.entity_key FROM curated_entities c
		WHERE c.workspace_id = ? AND c.entity_key <> '' AND NOT EXISTS
		(SELECT 1 FROM mentions m WHERE m.workspace_id = c.workspace_id AND m.entity_key = c.entity_key)`, ws)
	if err != nil || len(lost) == 0 {
		return err
	}
	titles, err := l.titleKeys(ctx, tx, `SELECT title FROM documents WHERE workspace_id = ?`, ws)
	if err != nil {
		return err
	}
	made, err := l.madeKeys(ctx, tx, ws, "")
	if err != nil {
		return err
	}
	held := titles
	for _, key := range made {
		held[key] = true
	}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		if !held[lost[id]] {
			_, err := tx.ExecContext(ctx, `UPDATE curated_entities SET entity_key = '', key_hash = ? WHERE workspace_id = ? AND entity_id = ?`,
				domain.Hash([]byte(lost[id])), ws, id)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// recall restores the forgotten names that a document holds.
func (l *store) recall(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	forgotten, err := curatedKeys(ctx, tx, `SELECT entity_id, entity_key FROM curated_entities WHERE workspace_id = ? AND entity_key = ''`, ws)
	if err != nil || len(forgotten) == 0 {
		return err
	}
	named, err := l.names(ctx, tx, ws, id)
	if err != nil {
		return err
	}
	for _, entity := range slices.Sorted(maps.Keys(named)) {
		if _, ok := forgotten[entity]; ok {
			if err := setKey(ctx, tx, ws, entity, named[entity]); err != nil {
				return err
			}
		}
	}
	return nil
}

// names returns the keys of the entities that a document names, under every id
// they may have.
func (l *store) names(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) (map[domain.EntityID]string, error) {
	named := map[domain.EntityID]string{}
	err := sqlio.Each(ctx, tx, func(rows *sql.Rows) error {
		var label, key string
		err := rows.Scan(&label, &key)
		named[domain.NewEntityID(ws, label, key)] = key
		named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key
		return err
	}, `SELECT DISTINCT m.label, m.entity_key FROM mentions m JOIN chunks c ON c.workspace_id = m.workspace_id AND c.id = m.chunk_id
		WHERE c.workspace_id = ? AND c.document_id = ?`, ws, id)
	if err != nil {
		return nil, err
	}
	titles, err := l.titleKeys(ctx, tx, `SELECT title FROM documents WHERE workspace_id = ? AND id = ?`, ws, id)
	for key := range titles {
		named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key
	}
	if err != nil {
		return nil, err
	}
	made, err := l.madeKeys(ctx, tx, ws, id)
	for entity, key := range made {
		named[entity], named[domain.NewEntityID(ws, domain.UnknownLabel, key)] = key, key
	}
	return named, err
}

// madeKeys returns the keys of the entities that curators created, of one
// document if there is an id: those without a source, and those of stretches
// that documents still have.
func (l *store) madeKeys(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of domain.DocumentID) (map[domain.EntityID]string, error) {
	entries, err := curations(ctx, tx, ws, `kind = ?`, CurationCreate)
	if err != nil {
		return nil, err
	}
	made, stretches := map[domain.EntityID]string{}, map[domain.ChunkID][]Curation{}
	for _, c := range entries {
		at := c.Stretch
		switch {
		case of != "" && at.Document != of:
		case at.Chunk != "":
			stretches[at.Chunk] = append(stretches[at.Chunk], c)
		default:
			made[c.Entity] = l.key(c.Name)
		}
	}
	chunks, err := collectIn(ctx, tx, scanChunk, `SELECT `+chunkColumns+` FROM chunks c WHERE c.workspace_id = ? AND c.id IN (%s)`, []any{ws}, slices.Sorted(maps.Keys(stretches)))
	for _, chunk := range chunks {
		for _, c := range stretches[chunk.ID] {
			if words, ok := c.Stretch.In(chunk); ok {
				made[c.Entity] = l.key(cmp.Or(c.Name, words))
			}
		}
	}
	return made, err
}

// titleKeys returns the normalised names in the titles that query selects.
func (l *store) titleKeys(ctx context.Context, q querier, query string, args ...any) (map[string]bool, error) {
	keys := map[string]bool{}
	err := sqlio.Each(ctx, q, func(rows *sql.Rows) error {
		var title string
		err := rows.Scan(&title)
		for _, form := range domain.TitleForms(title) {
			keys[l.key(form)] = true
		}
		return err
	}, query, args...)
	return keys, err
}

func setKey(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.EntityID, key string) error {
	return sqlio.Exec(ctx, tx, `UPDATE curated_entities SET entity_key = ? WHERE workspace_id = ? AND entity_id = ?`, key, ws, id)
}

// overtaken returns a Conflict error if an entry after c.Seen changed what c is
// about.
func overtaken(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, c Curation) error {
	if c.Seen <= 0 || c.Kind == CurationUndo {
		return nil
	}
	since, err := curations(ctx, tx, ws, `seq > ? ORDER BY seq`, c.Seen)
	if err != nil {
		return err
	}
	for _, e := range since {
		by := cmp.Or(e.Who, "Somebody")
		undone := e.Kind == CurationUndo
		if e, err = origin(ctx, tx, ws, e); err != nil {
			return err
		}
		what := overtakes(e, c)
		switch {
		case what == "":
		case undone:
			return domain.Errorf(domain.Conflict, "%s has since undone a change to this. Look at it again, then decide.", by)
		default:
			return domain.Errorf(domain.Conflict, "%s has since %s. Look at it again, then decide.", by, what)
		}
	}
	return nil
}

// origin follows undos to the entry they undo.
func origin(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, e Curation) (Curation, error) {
	for e.Kind == CurationUndo {
		found, err := curations(ctx, tx, ws, `seq = ?`, e.Undoes)
		if err != nil || len(found) == 0 {
			return e, err
		}
		e = found[0]
	}
	return e, nil
}

// overtakes describes what entry e did to the subject of c, or returns "" if c can follow it.
func overtakes(e, c Curation) string {
	shared := lists.CountFunc(e.Entities(), func(id domain.EntityID) bool { return slices.Contains(c.Entities(), id) })
	same := e.Entity == c.Entity && e.Relation == c.Relation
	value := e.Kind == CurationSet || e.Kind == CurationUnset
	switch {
	case shared == 0:
		return ""
	case e.Kind == CurationMerge:
		return "merged this entity with another one"
	case e.Kind == CurationSplit:
		return "taken a part out of this entity"
	case e.Kind == CurationHide:
		return "deleted this entity"
	case e.Kind == CurationApart && c.Kind == CurationMerge && shared > 1:
		return "decided to keep these apart"
	case e.Kind == CurationRename && c.Kind == CurationRename:
		return "renamed this entity"
	case e.Kind == CurationRelabel && c.Kind == CurationRelabel:
		return "changed the label of this entity"
	case (e.Kind == CurationHideRelation || e.Kind == CurationRetype) && same && c.Relation != "":
		return "changed this relation"
	case value && (c.Kind == CurationSet || c.Kind == CurationUnset) && same && e.Property.meets(c.Property):
		return "changed this property"
	}
	return ""
}

// meets reports whether two words may be the same.
func (w Word) meets(o Word) bool {
	return w.Text != "" && o.Is(w.Text) || o.Text != "" && w.Is(o.Text) || w.Hash != "" && w.Hash == o.Hash
}
