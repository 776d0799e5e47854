package ledger_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// define defines a field and returns it with its id.
func define(t *testing.T, b Bench, f domain.Field) domain.Field {
	t.Helper()
	_, f, err := b.Ledger.ChangeField(t.Context(), ws, "eve", f)
	must(t, err)
	return f
}

// undo takes an entry of the curation log back, and returns the entry by which that can be undone.
func undo(t *testing.T, b Bench, seq int64) int64 {
	t.Helper()
	u, err := b.Ledger.Curate(t.Context(), ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: seq}, nil)
	must(t, err)
	return u.Seq
}

// names lists the fields of the workspace.
func fieldNames(t *testing.T, b Bench) string {
	t.Helper()
	all, err := b.Ledger.Fields(t.Context(), ws)
	must(t, err)
	var names []string
	for _, f := range all {
		names = append(names, f.Name+" "+string(f.Kind))
	}
	return strings.Join(names, ", ")
}

func fields(t *testing.T, b Bench) {
	ctx := t.Context()
	wants := func(when, want string) {
		t.Helper()
		if got := fieldNames(t, b); got != want {
			t.Errorf("%s: the fields are %q, want %q", when, got, want)
		}
	}
	year := define(t, b, domain.Field{Name: "year", Kind: domain.FieldNumber}) // before there is any document
	define(t, b, domain.Field{Name: "Status", Kind: domain.FieldChoice, Choices: []string{"draft", "final"}})
	wants("defined", "Status choice, year number")
	if _, _, err := b.Ledger.ChangeField(ctx, ws, "eve", domain.Field{Name: "STATUS", Kind: domain.FieldText}); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a second status: %v", err)
	}
	if c, _, err := b.Ledger.ChangeField(ctx, ws, "eve", year); err != nil || c.Seq != 0 {
		t.Errorf("what changes nothing is the entry %+v, %v", c, err)
	}
	if _, _, err := b.Ledger.ChangeField(ctx, ws, "eve", domain.Field{ID: "f0", Name: "x", Kind: domain.FieldText}); domain.KindOf(err) != domain.NotFound {
		t.Errorf("an unknown field: %v", err)
	}
	year.Name = "year of print"
	renamed, _, err := b.Ledger.ChangeField(ctx, ws, "eve", year)
	must(t, err)
	wants("renamed", "Status choice, year of print number")
	year.Gone = true
	deleted, _, err := b.Ledger.ChangeField(ctx, ws, "eve", year)
	must(t, err)
	wants("deleted", "Status choice")
	again := undo(t, b, deleted.Seq)
	undo(t, b, renamed.Seq)
	wants("taken back", "Status choice, year number")
	undo(t, b, again)
	wants("deleted again", "Status choice")
	define(t, b, domain.Field{Name: "Year of print", Kind: domain.FieldText})
	if _, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationUndo, Undoes: deleted.Seq}, nil); domain.KindOf(err) != domain.Conflict {
		t.Errorf("a field came back under a name that is taken: %v", err)
	}
	for i := 2; i < domain.MaxFields; i++ {
		define(t, b, domain.Field{Name: fmt.Sprint("field ", i), Kind: domain.FieldText})
	}
	if _, _, err := b.Ledger.ChangeField(ctx, ws, "eve", domain.Field{Name: "one more", Kind: domain.FieldText}); domain.KindOf(err) != domain.TooLarge {
		t.Errorf("one field too many: %v", err)
	}
}

func fieldValues(t *testing.T, b Bench) {
	ctx := t.Context()
	status := define(t, b, domain.Field{Name: "status", Kind: domain.FieldChoice, Choices: []string{"draft", "final"}})
	price := define(t, b, domain.Field{Name: "price", Kind: domain.FieldNumber, Property: "cost"})
	due := define(t, b, domain.Field{Name: "due", Kind: domain.FieldDate})
	topics := define(t, b, domain.Field{Name: "topics", Kind: domain.FieldList})
	docs := []domain.Document{b.add(t, ws, "one", "Ada met Babbage."), b.add(t, ws, "two", "Babbage built an engine."), b.add(t, ws, "three", "Ada wrote a note.")}
	ids := make([]domain.DocumentID, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	states := func(id domain.DocumentID, properties map[string][]string) {
		t.Helper()
		_, err := b.Ledger.UpdateDocument(ctx, ws, id, func(*domain.Document) {}, func(tx *sql.Tx) error {
			return b.Ledger.SaveStated(ctx, tx, ws, id, "", properties)
		})
		must(t, err)
	}
	states(ids[0], map[string][]string{"status": {"FINAL"}, "cost": {"9"}, "due": {"2024-05-31T12:00:00Z"}, "topics": {"oak", "ash"}, "author": {"Ada"}})
	states(ids[1], map[string][]string{"status": {"unheard of"}, "cost": {"10.5"}, "due": {"2024-06"}})
	by := func(values ...string) (sets []ledger.FieldSet) {
		for i, v := range values {
			if v != "-" {
				sets = append(sets, ledger.FieldSet{Document: ids[i], Field: status, Values: strings.Fields(v)})
			}
		}
		return sets
	}
	wants := func(when string, want ...string) {
		t.Helper()
		all, err := b.Ledger.FieldsOf(ctx, ws, ids)
		must(t, err)
		for i, id := range ids {
			var said []string
			for _, v := range all[id] {
				said = append(said, v.Name+"="+strings.Join(v.Values, "|")+" "+v.Origin.String())
			}
			if got := strings.Join(said, ", "); got != want[i] {
				t.Errorf("%s: document %d has %q, want %q", when, i+1, got, want[i])
			}
		}
	}
	files := []string{"due=2024-05-31 file, price=9 file, status=final file, topics=oak|ash file", "due=2024-06 file, price=10.5 file", ""}
	wants("as the files say", files...)
	set := func(origin domain.FieldOrigin, sets []ledger.FieldSet) ledger.Curation {
		t.Helper()
		c, err := b.Ledger.SetFields(ctx, ws, "eve", origin, "", sets)
		must(t, err)
		return c
	}
	listed := set(domain.FieldOfList, by("draft", "draft", "final"))
	hand := set(domain.FieldByHand, by("", "final", "-"))
	if hand.Documents != 2 || hand.Kind != ledger.CurationField || len(hand.Fields.Names) != 1 {
		t.Errorf("got the entry %+v", hand)
	}
	wants("by hand above a list", "due=2024-05-31 file, price=9 file, topics=oak|ash file", "due=2024-06 file, price=10.5 file, status=final hand", "status=final list")
	if c := set(domain.FieldByHand, by("", "final")); c.Seq != 0 {
		t.Errorf("what changes nothing is the entry %+v", c)
	}
	back := undo(t, b, hand.Seq)
	wants("taken back", "due=2024-05-31 file, price=9 file, status=draft list, topics=oak|ash file", "due=2024-06 file, price=10.5 file, status=draft list", "status=final list")
	undo(t, b, back)
	undo(t, b, listed.Seq)
	wants("without the list", "due=2024-05-31 file, price=9 file, topics=oak|ash file", "due=2024-06 file, price=10.5 file, status=final hand", "")

	all := []domain.Field{status, price, due, topics}
	for term, want := range map[string]string{
		"status=final": "2", "status": "2", "price>=9": "12", "price>9": "2", "price=2..9.5": "1", "due=2024": "12", "due>2024-05": "2", "due<=2024-05": "1",
		"due<2024-05-31": "", "topics=ASH": "1", "topics=elm": "",
	} {
		var s domain.Scope
		must(t, s.Add("field:"+term))
		must(t, s.Resolve(all))
		found, err := b.Ledger.Within(ctx, ws, s)
		must(t, err)
		got := ""
		for i, id := range ids {
			for _, f := range found {
				if f == id {
					got += fmt.Sprint(i + 1)
				}
			}
		}
		if got != want {
			t.Errorf("%s finds %q, want %q", term, got, want)
		}
	}
	for sort, want := range map[string]string{"field:price": "9 10.5 -", "-field:price": "10.5 9 -"} {
		f := domain.DocumentFilter{Sort: domain.DocumentSort(sort)}
		must(t, f.Resolve(all))
		dq := ledger.Filtered(f)
		dq.Limit = 1
		var got []string
		for {
			page, err := b.Ledger.ListDocuments(ctx, ws, dq)
			must(t, err)
			if len(page) == 0 {
				break
			}
			values, err := b.Ledger.FieldsOf(ctx, ws, []domain.DocumentID{page[0].ID})
			must(t, err)
			said := "-"
			for _, v := range values[page[0].ID] {
				if v.Name == "price" {
					said = v.Values[0]
				}
			}
			got, dq.After = append(got, said), dq.Place(page[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %s the prices are %q, want %q", sort, got, want)
		}
	}
	counts, err := b.Ledger.CountFields(ctx, ws, ledger.DocumentQuery{}, "", 1)
	must(t, err)
	want := []ledger.FieldCount{{Field: status.ID, Value: "final", Count: 1}, {Field: price.ID, Value: "10.5", Count: 1}, {Field: due.ID, Value: "2024", Count: 2}, {Field: topics.ID, Value: "ash", Count: 1}}
	if diff := cmp.Diff(want, counts, cmpopts.SortSlices(func(a, b ledger.FieldCount) bool { return a.Field < b.Field })); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	found, err := b.Ledger.CountProperties(ctx, ws, 2)
	must(t, err)
	if diff := cmp.Diff([]ledger.PropertyCount{{Name: "cost", Count: 2}, {Name: "due", Count: 2}}, found); diff != "" {
		t.Errorf("properties: -want +got\n%s", diff)
	}
	if n, err := b.Ledger.CountFields(ctx, "other", ledger.DocumentQuery{}, "", 9); err != nil || len(n) > 0 {
		t.Errorf("another workspace counts %v, %v", n, err)
	}
	define(t, b, domain.Field{Name: "author", Kind: domain.FieldText})
	price.Property = "due"
	_, _, err = b.Ledger.ChangeField(ctx, ws, "eve", price)
	must(t, err)
	wants("defined later, and from another property", "author=Ada file, due=2024-05-31 file, topics=oak|ash file", "due=2024-06 file, status=final hand", "")
}

// fieldsOfVersion checks that a document takes over what the file of its next version states, and keeps what a person says.
func fieldsOfVersion(t *testing.T, b Bench) {
	ctx := t.Context()
	status := define(t, b, domain.Field{Name: "status", Kind: domain.FieldText, FromText: true})
	place := define(t, b, domain.Field{Name: "place", Kind: domain.FieldText})
	one := b.add(t, ws, "one", "Ada met Babbage.")
	next, _, err := b.Ledger.AddDocument(ctx, domain.Document{Workspace: ws, ID: domain.NewVersionID(one.ID, "h2"), Name: one.Name, Hash: "h2", VersionOf: one.ID, Status: domain.DocumentReady})
	must(t, err)
	for id, said := range map[domain.DocumentID]string{one.ID: "old", next.ID: "new"} {
		_, err := b.Ledger.UpdateDocument(ctx, ws, id, func(*domain.Document) {}, func(tx *sql.Tx) error {
			return b.Ledger.SaveStated(ctx, tx, ws, id, "Status: "+said, nil)
		})
		must(t, err)
	}
	_, err = b.Ledger.SetFields(ctx, ws, "eve", domain.FieldByHand, "", []ledger.FieldSet{{Document: one.ID, Field: place, Values: []string{"Bath"}}})
	must(t, err)
	must(t, b.Ledger.AdoptVersion(ctx, ws, next.ID, one.ID))
	got, err := b.Ledger.FieldsOf(ctx, ws, []domain.DocumentID{one.ID})
	must(t, err)
	want := []ledger.FieldValue{{Field: place.ID, Name: "place", Values: []string{"Bath"}, Origin: domain.FieldByHand}, {Field: status.ID, Name: "status", Values: []string{"new"}, Origin: domain.FieldOfText, Span: domain.Span{End: 11}}}
	if diff := cmp.Diff(want, got[one.ID]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
