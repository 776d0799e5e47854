package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// fieldTable holds the fields of a workspace.
func fieldTable(ws domain.WorkspaceID) sqlio.Table[domain.Field] {
	return sqlio.Table[domain.Field]{Name: "fields", Row: func(f *domain.Field) sqlio.Row {
		return sqlio.Row{
			"workspace_id key written", ws, "id key", &f.ID, "name", &f.Name, "kind", &f.Kind, "choices", &f.Choices, "property", &f.Property,
			"from_text", &f.FromText, "in_list", &f.InList, "gone", &f.Gone,
		}
	}}
}

// Fields lists the fields of a workspace's documents by name.
func (l DocumentStore) Fields(ctx context.Context, ws domain.WorkspaceID) ([]domain.Field, error) {
	fields, err := fieldsIn(ctx, l.reader, ws)
	return fields, l.wrap("list fields", err)
}

func fieldsIn(ctx context.Context, q querier, ws domain.WorkspaceID) ([]domain.Field, error) {
	t := fieldTable(ws)
	return sqlio.Collect(ctx, q, t.Scan, t.Select()+`WHERE workspace_id = ? AND gone = 0 ORDER BY LOWER(name), id`, ws)
}

// A FieldChange is the effect of a curation log entry on fields: it defines, alters or deletes one, or changes values.
type FieldChange struct {
	Was    domain.Field `json:"was,omitzero"`    // the zero field if it is new
	Is     domain.Field `json:"is,omitzero"`     // the zero field if it is deleted
	Names  []string     `json:"names,omitempty"` // of the fields whose values changed
	Value  string       `json:"value,omitempty"` // that a person gave to all documents
	Origin string       `json:"origin,omitempty"`
}

// ChangeField defines a field, which has no id then, alters one, or deletes one that is marked as gone, and returns the entry of
// the curation log by which that can be undone: the zero one if nothing changes. The error is Conflict if another field has the
// name, TooLarge for one field too many, and NotFound for an unknown id.
func (l DocumentStore) ChangeField(ctx context.Context, ws domain.WorkspaceID, who string, f domain.Field) (c Curation, _ domain.Field, err error) {
	c, err = l.curate(ctx, "change a field", ws, Curation{Who: who, Kind: CurationField}, func(tx *sql.Tx, now time.Time, c *Curation) error {
		return changeField(ctx, tx, ws, now, c, &f)
	})
	return c, f, err
}

// changeField is ChangeField in a transaction. It fills in the entry of the log.
func changeField(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, now time.Time, c *Curation, f *domain.Field) (err error) {
	if err := ensureWorkspace(ctx, tx, ws); err != nil {
		return err
	}
	if c.Seq, err = appendChange(ctx, tx, ws, Change{}, now); err != nil {
		return err
	}
	was, err := fieldsIn(ctx, tx, ws)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(was, func(one domain.Field) bool { return one.ID == f.ID })
	switch {
	case f.ID == "":
		f.ID = domain.NewFieldID(ws, c.Seq)
	case at < 0:
		return domain.Errorf(domain.NotFound, "There is no such field. It may have been deleted.")
	default:
		c.Fields.Was = was[at]
	}
	if sameField(c.Fields.Was, *f) {
		return errAsBefore
	}
	if !f.Gone {
		c.Fields.Is = *f
	}
	return putField(ctx, tx, ws, *f)
}

// defineFields defines fields in a transaction, each with its entry in the curation log.
func defineFields(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, now time.Time, who string, fields []domain.Field) error {
	for _, f := range fields {
		c := Curation{Who: who, Kind: CurationField, At: now}
		if err := changeField(ctx, tx, ws, now, &c, &f); err != nil {
			return err
		}
		if err := curationTable(ws).InsertAll(ctx, tx, []Curation{c}, ""); err != nil {
			return err
		}
	}
	return nil
}

func sameField(a, b domain.Field) bool {
	same := slices.Equal(a.Choices, b.Choices)
	a.Choices, b.Choices = nil, nil // to compare the rest; no choices may be nil or empty
	return same && reflect.DeepEqual(a, b)
}

// putField stores a definition, and the values that files have for it.
func putField(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, f domain.Field) error {
	if !f.Gone {
		others, err := fieldsIn(ctx, tx, ws)
		if err != nil {
			return err
		}
		others = slices.DeleteFunc(others, func(o domain.Field) bool { return o.ID == f.ID })
		if slices.ContainsFunc(others, func(o domain.Field) bool { return strings.EqualFold(o.Name, f.Name) }) {
			return domain.Errorf(domain.Conflict, "There is already a field called %s. Choose another name, or rename that one.", f.Name)
		}
		if len(others) >= domain.MaxFields {
			return domain.Errorf(domain.TooLarge, "A workspace can have at most %d fields. Delete one that is not needed.", domain.MaxFields)
		}
	}
	if err := fieldTable(ws).Put(ctx, tx, &f); err != nil {
		return err
	}
	if err := putStated(ctx, tx, ws, f); err != nil {
		return err
	}
	var rows [][]any
	err := sqlio.Each(ctx, tx, func(r *sql.Rows) error {
		s, list := FieldSet{Field: f, Origin: domain.FieldOfFile}, ""
		if err := r.Scan(&s.Document, &list); err != nil {
			return err
		}
		var items []string
		if json.Unmarshal([]byte(list), &items) == nil {
			s.Values = stated(f, items)
		}
		rows = append(rows, fieldRows(ws, s)...)
		return nil
	}, `SELECT document_id, value FROM document_properties WHERE workspace_id = ? AND name = ?`, ws, f.FromProperty())
	if err != nil {
		return err
	}
	if err := sqlio.Exec(ctx, tx, `DELETE FROM field_values WHERE workspace_id = ? AND field_id = ? AND origin = ?`, ws, f.ID, domain.FieldOfFile); err != nil {
		return err
	}
	return insertFieldRows(ctx, tx, rows)
}

// putStated stores the values that texts state for a field, if they were read.
func putStated(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, f domain.Field) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM field_values WHERE workspace_id = ? AND field_id = ? AND origin = ?`, ws, f.ID, domain.FieldOfText); err != nil || !f.FromText || f.Gone {
		return err
	}
	name := strings.ToLower(f.Name)
	if len(name) > domain.Runes(name) {
		name = "" // LOWER in SQLite changes ASCII letters only
	}
	var rows [][]any
	err := sqlio.Each(ctx, tx, func(r *sql.Rows) error {
		s, text := FieldSet{Field: f, Origin: domain.FieldOfText}, ""
		if err := r.Scan(&s.Document, &text); err != nil {
			return err
		}
		s.Values, s.Span = f.In(domain.ReadLines(text))
		rows = append(rows, fieldRows(ws, s)...)
		return nil
	}, `SELECT document_id, content FROM texts WHERE workspace_id = ? AND LOWER(content) LIKE ? ESCAPE '!'`, ws, "%"+likeEscaper.Replace(name)+"%")
	if err != nil {
		return err
	}
	return insertFieldRows(ctx, tx, rows)
}

// stated returns the values that a field has of a property with some items, none if these don't fit its kind.
func stated(f domain.Field, items []string) []string {
	if f.Kind != domain.FieldList && f.Kind != domain.FieldText {
		items = items[:min(len(items), 1)]
	}
	text := strings.Join(items, ", ")
	if f.Kind == domain.FieldDate && len(text) > len(time.DateOnly) {
		text = text[:len(time.DateOnly)] // the time of day is left out
	}
	values, err := f.Parse(text)
	if err != nil {
		return nil
	}
	return values
}

// A FieldSet holds the values that an origin gives a field of a document.
type FieldSet struct {
	Document domain.DocumentID
	Field    domain.Field
	Origin   domain.FieldOrigin
	Values   []string    // empty if the field has no value
	Forget   bool        // the origin no longer says anything about it
	Span     domain.Span // of the text that states it
}

// layer returns the values in stored form; nil means none are known.
func (s FieldSet) layer() []string {
	switch {
	case s.Forget:
		return nil
	case len(s.Values) == 0:
		return []string{""}
	}
	return s.Values
}

// fieldRows returns the rows of a set. A file or a text without a value has no row.
func fieldRows(ws domain.WorkspaceID, s FieldSet) (rows [][]any) {
	layer := s.layer()
	if s.Origin < domain.FieldOfList && len(s.Values) == 0 {
		layer = nil
	}
	for i, value := range layer {
		rows = append(rows, []any{ws, s.Document, s.Field.ID, s.Origin, i, value, s.Field.Kind.SortKey(value), s.Span.Start, s.Span.End})
	}
	return rows
}

func insertFieldRows(ctx context.Context, tx *sql.Tx, rows [][]any) error {
	return sqlio.InsertRows(ctx, tx, `INSERT INTO field_values (workspace_id, document_id, field_id, origin, position, value, sort_key, span_start, span_end)`, rows, "")
}

// SaveStated stores what the file of a document states of itself, and the values that its fields have from there and from lines of its
// text, in the transaction of UpdateDocument.
func (l DocumentStore) SaveStated(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, text string, properties map[string][]string) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM document_properties WHERE workspace_id = ? AND document_id = ?`, ws, id); err != nil {
		return err
	}
	fields, err := fieldsIn(ctx, tx, ws)
	if err != nil {
		return err
	}
	var rows [][]any
	for name, values := range properties {
		rows = append(rows, []any{ws, id, name, sqlio.JSON(values)})
	}
	if err := sqlio.InsertRows(ctx, tx, `INSERT INTO document_properties (workspace_id, document_id, name, value)`, rows, ""); err != nil {
		return err
	}
	var ofFile, ofText []FieldSet
	lines := domain.ReadLines(text)
	for _, f := range fields {
		ofFile = append(ofFile, FieldSet{Field: f, Values: stated(f, properties[f.FromProperty()])})
		if f.FromText {
			values, span := f.In(lines)
			ofText = append(ofText, FieldSet{Field: f, Values: values, Span: span})
		}
	}
	if err := fillFields(ctx, tx, ws, id, domain.FieldOfText, ofText); err != nil {
		return err
	}
	return fillFields(ctx, tx, ws, id, domain.FieldOfFile, ofFile)
}

// SaveAsked stores the values found in a document's text for the fields that a schema asks for, replacing all earlier
// ones, in the transaction of UpdateDocument.
func (l DocumentStore) SaveAsked(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, sets []FieldSet) error {
	return fillFields(ctx, tx, ws, id, domain.FieldOfSchema, sets)
}

// fillFields replaces the values that an origin gives the fields of a document.
func fillFields(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, origin domain.FieldOrigin, sets []FieldSet) error {
	if err := sqlio.Exec(ctx, tx, `DELETE FROM field_values WHERE workspace_id = ? AND document_id = ? AND origin = ?`, ws, id, origin); err != nil {
		return err
	}
	var rows [][]any
	for _, s := range sets {
		s.Document, s.Origin = id, origin
		rows = append(rows, fieldRows(ws, s)...)
	}
	return insertFieldRows(ctx, tx, rows)
}

// moveFields gives a document what the file and the text of its next version say of fields, and drops its text.
func moveFields(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, of, id domain.DocumentID) error {
	err := sqlio.ExecAll(ctx, tx, []any{ws, of}, `DELETE FROM field_values WHERE workspace_id = ? AND document_id = ? AND origin < 3`,
		`DELETE FROM document_properties WHERE workspace_id = ? AND document_id = ?`, `DELETE FROM texts WHERE workspace_id = ? AND document_id = ?`)
	if err != nil {
		return err
	}
	return sqlio.ExecAll(ctx, tx, []any{of, ws, id}, `UPDATE field_values SET document_id = ? WHERE workspace_id = ? AND document_id = ? AND origin < 3`,
		`UPDATE document_properties SET document_id = ? WHERE workspace_id = ? AND document_id = ?`)
}

// SetFields changes the values that a list, or a person, gives fields of documents, and returns the entry of the
// curation log that undoes it, or the zero one if nothing changes. All sets have the same origin, and none names a
// field of a document twice.
func (l DocumentStore) SetFields(ctx context.Context, ws domain.WorkspaceID, who string, origin domain.FieldOrigin, value string, sets []FieldSet) (Curation, error) {
	return l.curate(ctx, "set fields", ws, Curation{Who: who, Kind: CurationField}, func(tx *sql.Tx, now time.Time, c *Curation) (err error) {
		ids := documentsOf(sets)
		if len(ids) == 0 {
			return errAsBefore
		}
		if err := l.holdDocuments(ctx, tx, ws, ids); err != nil {
			return err
		}
		c.Fields.Value, c.Fields.Origin = value, origin.String()
		if c.Seq, err = appendChange(ctx, tx, ws, Change{}, now); err != nil {
			return err
		}
		changed, before, err := changedSets(ctx, tx, ws, origin, ids, sets)
		if err != nil {
			return err
		}
		if len(changed) == 0 {
			return errAsBefore
		}
		rows := make([][]any, len(changed))
		for i, s := range changed {
			c.Fields.Names = lists.AppendOnce(c.Fields.Names, s.Field.Name)
			rows[i] = []any{ws, c.Seq, s.Document, s.Field.ID, origin, sqlio.JSON(before[fieldOf{s.Document, s.Field.ID}]), sqlio.JSON(s.layer())}
		}
		c.Documents = len(documentsOf(changed))
		if err := sqlio.InsertRows(ctx, tx, `INSERT INTO refielded (workspace_id, seq, document_id, field_id, origin, was, becomes)`, rows, ""); err != nil {
			return err
		}
		return refield(ctx, tx, ws, c.Seq, true)
	})
}

// A fieldOf is a field of a document.
type fieldOf struct {
	Document domain.DocumentID
	Field    domain.FieldID
}

// documentsOf lists the documents of sets, each once and sorted.
func documentsOf(sets []FieldSet) []domain.DocumentID {
	ids := lists.Map(sets, func(s FieldSet) domain.DocumentID { return s.Document })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// changedSets returns the sets that differ from the stored values of an origin, and those values.
func changedSets(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, origin domain.FieldOrigin, ids []domain.DocumentID, sets []FieldSet) ([]FieldSet, map[fieldOf][]string, error) {
	before := map[fieldOf][]string{}
	err := eachIn(ctx, tx, func(rows *sql.Rows) error {
		var of fieldOf
		var value string
		err := rows.Scan(&of.Document, &of.Field, &value)
		before[of] = append(before[of], value)
		return err
	}, `SELECT document_id, field_id, value FROM field_values WHERE workspace_id = ? AND origin = ? AND document_id IN (%s) ORDER BY document_id, field_id, position`, []any{ws, origin}, ids)
	changed := slices.DeleteFunc(slices.Clone(sets), func(s FieldSet) bool {
		return slices.Equal(before[fieldOf{s.Document, s.Field.ID}], s.layer())
	})
	return changed, before, err
}

// refield carries out what an entry does to the values of fields, or takes it back.
func refield(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, seq int64, forth bool) error {
	var rows [][]any
	err := sqlio.Each(ctx, tx, func(r *sql.Rows) error {
		s, was, becomes := FieldSet{}, "", ""
		if err := r.Scan(&s.Document, &s.Field.ID, &s.Field.Kind, &s.Origin, &was, &becomes); err != nil {
			return err
		}
		if !forth {
			becomes = was
		}
		if err := json.Unmarshal([]byte(becomes), &s.Values); err != nil {
			return err
		}
		s.Forget = s.Values == nil
		rows = append(rows, fieldRows(ws, s)...)
		return nil
	}, `SELECT r.document_id, r.field_id, f.kind, r.origin, r.was, r.becomes FROM refielded r JOIN fields f ON f.workspace_id = r.workspace_id AND f.id = r.field_id
		WHERE r.workspace_id = ? AND r.seq = ?`, ws, seq)
	if err != nil {
		return err
	}
	err = sqlio.Exec(ctx, tx, `DELETE FROM field_values WHERE workspace_id = ? AND EXISTS (SELECT 1 FROM refielded r WHERE r.workspace_id = field_values.workspace_id AND r.seq = ?
		AND r.document_id = field_values.document_id AND r.field_id = field_values.field_id AND r.origin = field_values.origin)`, ws, seq)
	if err != nil {
		return err
	}
	return insertFieldRows(ctx, tx, rows)
}

// followFields takes back what an entry does to fields, or does it again.
func followFields(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, seq int64, restored bool) error {
	found, err := curations(ctx, tx, ws, `seq = ? AND kind = ?`, seq, CurationField)
	if err != nil || len(found) == 0 {
		return err
	}
	was, is := found[0].Fields.Was, found[0].Fields.Is
	if was.ID+is.ID == "" {
		return refield(ctx, tx, ws, seq, restored)
	}
	if !restored {
		was, is = is, was
	}
	if is.ID == "" {
		is, is.Gone = was, true
	}
	return putField(ctx, tx, ws, is)
}

// topValue is the condition that no other origin takes precedence over that of a value v.
const topValue = ` AND NOT EXISTS (SELECT 1 FROM field_values o WHERE o.workspace_id = v.workspace_id AND o.document_id = v.document_id
	AND o.field_id = v.field_id AND o.origin > v.origin)`

// fields adds the conditions of terms: those of one field that equal a value widen the choice, all others narrow it.
func (f *filter) fields(ws domain.WorkspaceID, terms []domain.FieldTerm) {
	var equal []domain.FieldID
	for _, t := range terms {
		var conds []string
		args := []any{ws, t.Field}
		for _, one := range terms {
			if one.Field != t.Field || one.Op != t.Op || one.Op != "=" && one != t {
				continue
			}
			var bounds []string
			for _, b := range one.Bounds() {
				bounds, args = append(bounds, "v.sort_key "+b.Op+" ?"), append(args, b.Key)
			}
			if len(bounds) > 0 {
				conds = append(conds, "("+strings.Join(bounds, " AND ")+")")
			}
		}
		if t.Op == "=" {
			if slices.Contains(equal, t.Field) {
				continue
			}
			equal = append(equal, t.Field)
		}
		cond := ""
		if len(conds) > 0 {
			cond = " AND (" + strings.Join(conds, " OR ") + ")"
		}
		f.add("id IN (SELECT v.document_id FROM field_values v JOIN fields s ON s.workspace_id = v.workspace_id AND s.id = v.field_id AND s.gone = 0 WHERE v.workspace_id = ? AND v.field_id = ? AND v.value <> ''"+cond+topValue+")", args...)
	}
}

// sortKeyOf is the sort key of a field, its first argument, of a document, and its second for one without a value.
const sortKeyOf = `COALESCE((SELECT MIN(v.sort_key) FROM field_values v WHERE v.workspace_id = documents.workspace_id AND v.document_id = documents.id AND v.field_id = ? AND v.value <> ''` + topValue + `), ?)`

// addSortKeys adds the sort keys of the field that a query sorts by to documents.
func (l DocumentStore) addSortKeys(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, docs []domain.Document) error {
	ids := lists.Map(docs, func(d domain.Document) domain.DocumentID { return d.ID })
	keys, err := pairsIn[domain.DocumentID, string](ctx, l, "read sort keys", `SELECT id, `+sortKeyOf+` FROM documents WHERE workspace_id = ? AND id IN (%s)`,
		[]any{dq.SortField, "", ws}, ids)
	for i, d := range docs {
		docs[i].SortKey = keys[d.ID]
	}
	return err
}

// A FieldValue is the value of a document's field.
type FieldValue struct {
	Field  domain.FieldID     `json:"field"`
	Name   string             `json:"name"`
	Values []string           `json:"values"`
	Origin domain.FieldOrigin `json:"origin"`
	Span   domain.Span        `json:"span,omitzero"` // of the text that states it
	Chunk  domain.ChunkID     `json:"chunk,omitempty"`
}

// FieldsOf returns the values that fields of documents have, in the order of their names.
func (l DocumentStore) FieldsOf(ctx context.Context, ws domain.WorkspaceID, ids []domain.DocumentID) (map[domain.DocumentID][]FieldValue, error) {
	all := map[domain.DocumentID][]FieldValue{}
	err := eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.DocumentID
		var value string
		v := FieldValue{}
		if err := rows.Scan(&id, &v.Field, &v.Name, &v.Origin, &value, &v.Span.Start, &v.Span.End, &v.Chunk); err != nil {
			return err
		}
		if n := len(all[id]); n > 0 && all[id][n-1].Field == v.Field {
			all[id][n-1].Values = append(all[id][n-1].Values, value)
			return nil
		}
		v.Values = []string{value}
		all[id] = append(all[id], v)
		return nil
	}, `SELECT v.document_id, v.field_id, f.name, v.origin, v.value, v.span_start, v.span_end, CASE WHEN v.span_end = 0 THEN '' ELSE
			COALESCE((SELECT c.id FROM chunks c WHERE c.workspace_id = v.workspace_id AND c.document_id = v.document_id AND c.span_start <= v.span_start AND c.span_end >= v.span_end ORDER BY c.ordinal LIMIT 1), '') END
		FROM field_values v JOIN fields f ON f.workspace_id = v.workspace_id AND f.id = v.field_id AND f.gone = 0
		WHERE v.workspace_id = ? AND v.value <> ''`+topValue+` AND v.document_id IN (%s) ORDER BY v.document_id, LOWER(f.name), f.id, v.position`, []any{ws}, ids)
	return all, l.wrap("read fields of documents", err)
}

// A FieldCount counts the documents with a value in a field; dates are counted by year.
type FieldCount struct {
	Field domain.FieldID
	Value string
	Count int
}

// CountFields counts the documents that a query selects by the values of their fields: for each field, up to most of its most
// frequent values. With a field it counts only that one.
func (l DocumentStore) CountFields(ctx context.Context, ws domain.WorkspaceID, dq DocumentQuery, only domain.FieldID, most int) ([]FieldCount, error) {
	cond, args := dq.where(ctx, ws)
	args = append([]any{ws}, args...)
	one := ""
	if only != "" {
		one, args = " AND f.id = ?", append(args, only)
	}
	return list(ctx, l, "count fields", into(func(c *FieldCount) []any { return []any{&c.Field, &c.Value, &c.Count} }), `SELECT id, value, n FROM (
			SELECT id, value, n, ROW_NUMBER() OVER (PARTITION BY id ORDER BY n DESC, value) AS place FROM (
				SELECT f.id AS id, CASE f.kind WHEN 'date' THEN SUBSTR(v.value, 1, 4) ELSE v.value END AS value, COUNT(DISTINCT v.document_id) AS n
				FROM field_values v JOIN fields f ON f.workspace_id = v.workspace_id AND f.id = v.field_id AND f.gone = 0
				WHERE v.workspace_id = ? AND v.value <> ''`+topValue+` AND v.document_id IN (SELECT id FROM documents WHERE `+cond+`)`+one+`
				GROUP BY f.id, CASE f.kind WHEN 'date' THEN SUBSTR(v.value, 1, 4) ELSE v.value END) counted) placed
		WHERE place <= ? ORDER BY id, place`, append(args, most)...)
}

// A PropertyCount is a property that files state, with the number of its documents.
type PropertyCount struct {
	Name  string `json:"name"`
	Count int    `json:"documents"`
}

// CountProperties lists the properties stated by the most files of a workspace, up to most of them.
func (l DocumentStore) CountProperties(ctx context.Context, ws domain.WorkspaceID, most int) ([]PropertyCount, error) {
	seen, args := Seen(ctx, "d")
	return list(ctx, l, "count properties", into(func(p *PropertyCount) []any { return []any{&p.Name, &p.Count} }), `SELECT p.name, COUNT(*) AS n FROM document_properties p
		JOIN documents d ON d.workspace_id = p.workspace_id AND d.id = p.document_id WHERE p.workspace_id = ? AND d.delete_at = 0`+seen+`
		GROUP BY p.name ORDER BY n DESC, p.name LIMIT ?`, append(append([]any{ws}, args...), most)...)
}
