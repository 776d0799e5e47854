package curate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
)

// named returns the only entity with a name.
func (l *library) named(name string) domain.Entity {
	l.Helper()
	e, err := l.curator.One(l.Context(), l.ws, name)
	testkit.Must(l, err)
	return e
}

func (l *library) mark(n, version int, words string) curate.Marking {
	return curate.Marking{Document: id(l.ws, n, version), Words: words}
}

func one(e domain.EntityID) curate.One { return curate.One{Name: string(e)} }

func (l *library) fails(kind domain.Kind, says string, err error) {
	l.Helper()
	if domain.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
		l.Errorf("got %v, want %q", err, says)
	}
}

// TestWhatADocumentSaysGoesWithIt relates two entities without a source by a
// sentence that names neither, and deletes its document.
func TestWhatADocumentSaysGoesWithIt(t *testing.T) {
	t.Parallel()
	l := onFiles(t)
	ctx := domain.WithPerson(domain.WithWorkspace(t.Context(), l.ws), "eve")
	l.publish(4, 0, parts(0))
	guild, err := l.curator.Make(ctx, curate.Creating{Name: "The Guild", Label: "Company"})
	testkit.Must(t, err)
	hall, err := l.curator.Make(ctx, curate.Creating{Name: "Guild Hall", Label: "Place"})
	testkit.Must(t, err)
	ida, err := l.curator.Make(ctx, curate.Creating{Label: "Person", Marking: l.mark(4, 0, "Ida Quennell")})
	testkit.Must(t, err)
	_, err = l.curator.Make(ctx, curate.Relating{One: one(guild.Entity), Type: "owns", Target: string(hall.Entity), Marking: l.mark(4, 0, "met Ida")})
	testkit.Must(t, err)
	if e := l.named("Ida Quennell"); e.ID != ida.Entity || e.Mentions != 2 || e.Documents != 1 { // a rule names her in both chunks
		t.Errorf("got %+v, want it with its mention", e)
	}
	edges, err := l.graph.Relations(ctx, l.ws, guild.Entity, 0)
	testkit.Must(t, err)
	if len(edges) != 1 || edges[0].Type != "OWNS" || len(edges[0].Evidence) != 1 {
		t.Fatalf("got %+v, want a relation with its sentence", edges)
	}
	log, err := l.ledger.Curations(ctx, l.ws, 1<<40)
	testkit.Must(t, err)
	if stored, err := json.Marshal(log); err != nil || strings.Contains(string(stored), "Quennell") || !strings.Contains(string(stored), "The Guild") {
		t.Errorf("the log holds %s, %v: want only what was typed", stored, err)
	}
	_, err = l.ledger.DeleteDocument(ctx, l.ws, id(l.ws, 4, 0))
	testkit.Must(t, err)
	testkit.Must(t, l.project.Apply(ctx, l.ws))
	_, err = l.curator.One(ctx, l.ws, "Ida Quennell")
	l.fails(domain.NotFound, "No entity", err)
	if edges, err = l.graph.Relations(ctx, l.ws, l.named("The Guild").ID, 0); err != nil || len(edges) != 0 {
		t.Errorf("got %+v, %v, want no relation without its document", edges, err)
	}
	l.publish(4, 0, parts(0))
	testkit.Must(t, l.project.Apply(ctx, l.ws))
	if edges, err = l.graph.Relations(ctx, l.ws, guild.Entity, 0); err != nil || len(edges) != 1 || l.named("Ida Quennell").ID != ida.Entity {
		t.Errorf("got %+v, %v, want all back with the document", edges, err)
	}
}

// TestValuesAreOfTheirType sets properties that a schema declares.
func TestValuesAreOfTheirType(t *testing.T) {
	t.Parallel()
	l := onFiles(t)
	ctx := domain.WithPerson(domain.WithWorkspace(t.Context(), l.ws), "eve")
	guild, err := l.curator.Make(ctx, curate.Creating{Name: "The Guild", Label: "Company"})
	testkit.Must(t, err)
	const body = `{"schema": {"labels": [{"name": "Company", "properties": [{"key": "founded", "type": "year"}]}]}}`
	_, err = l.ledger.AddSchema(ctx, l.ws, ledger.SchemaVersion{Body: body}, 0)
	testkit.Must(t, err)
	on := one(guild.Entity)
	_, err = l.curator.Make(ctx, curate.Setting{One: on, Key: "Founded", Value: "long ago"})
	l.fails(domain.Invalid, "“long ago” is not of the type year", err)
	_, err = l.curator.Make(ctx, curate.Setting{One: on, Key: "founded", Value: "1870"})
	testkit.Must(t, err)
	_, err = l.curator.Make(ctx, curate.Setting{One: on, Key: "seat", Value: "long ago"})
	testkit.Must(t, err)
	if keys, err := l.curator.Declared(ctx, "Company"); err != nil || len(keys) != 1 || keys[0] != "founded" {
		t.Errorf("got %v, %v", keys, err)
	}
}

// TestOneOfSeveralValues replaces one of two values that documents give, and
// chooses one of them.
func TestOneOfSeveralValues(t *testing.T) {
	t.Parallel()
	l := onFiles(t)
	ctx := domain.WithPerson(domain.WithWorkspace(t.Context(), l.ws), "eve")
	for n := range titles {
		l.publish(n, 0, parts(0))
	}
	testkit.Must(t, l.project.Apply(ctx, l.ws))
	all, _, err := l.graph.Entities(ctx, l.ws, graphstore.EntityQuery{})
	testkit.Must(t, err)
	i := slices.IndexFunc(all, func(e domain.Entity) bool { return len(e.Properties) > 1 })
	if i < 0 {
		t.Fatalf("got %v, want one with several values", all)
	}
	e := all[i]
	on := one(e.ID)
	first, second := e.Properties[0].Value, e.Properties[1].Value
	properties := func() domain.Properties {
		e, err := l.graph.Entity(ctx, l.ws, e.ID)
		testkit.Must(t, err)
		return e.Properties
	}
	_, err = l.curator.Make(ctx, curate.Setting{One: on, Key: "born", Value: "1790", Was: first})
	testkit.Must(t, err)
	now := properties()
	if len(now) != len(e.Properties) || now[0].Value != "1790" {
		t.Errorf("got %v, want 1790 in place of %s", now, first)
	}
	entry, err := l.curator.Make(ctx, curate.Setting{One: on, Key: "born", Value: second})
	testkit.Must(t, err)
	if now := properties(); len(now) != 1 || now[0].Value != second {
		t.Errorf("got %v, want only %s", now, second)
	}
	if entry.Value.Text != "" || entry.Property.Text != "" {
		t.Errorf("the log holds words of documents: %+v", entry.Operation)
	}
}

// TestWhatIsThereIsNotAddedAgain refuses what would change nothing, and says
// why.
func TestWhatIsThereIsNotAddedAgain(t *testing.T) {
	t.Parallel()
	l := onFiles(t)
	ctx := domain.WithPerson(domain.WithWorkspace(t.Context(), l.ws), "eve")
	l.publish(4, 0, parts(0))
	create := func(name string) (ledger.Curation, error) {
		return l.curator.Make(ctx, curate.Creating{Name: name, Label: "Company"})
	}
	guild, err := create("The Guild")
	testkit.Must(t, err)
	hall, err := create("Guild Hall")
	testkit.Must(t, err)
	_, err = create("the guild")
	l.fails(domain.Conflict, "already in the graph", err)
	_, err = create("…")
	l.fails(domain.Invalid, "at least one letter", err)
	_, err = l.curator.Make(ctx, curate.Relating{One: one(guild.Entity), Type: "owns", Target: string(hall.Entity)})
	testkit.Must(t, err)
	_, err = l.curator.Make(ctx, curate.Relating{One: one(guild.Entity), Type: "Owns", Target: string(hall.Entity)})
	l.fails(domain.Conflict, "already", err)
	_, err = l.curator.Make(ctx, curate.Relating{One: one(guild.Entity), Type: "owns", Target: string(guild.Entity)})
	l.fails(domain.Invalid, "different", err)
	_, err = l.curator.Make(ctx, curate.Merging{One: one(hall.Entity), Others: []string{string(guild.Entity)}})
	testkit.Must(t, err)
	_, err = create("The Guild")
	l.fails(domain.Conflict, "has since become part of “Guild Hall”", err)
	_, err = l.curator.Make(ctx, curate.Deleting{One: one(hall.Entity)})
	testkit.Must(t, err)
	_, err = create("Guild Hall")
	l.fails(domain.Conflict, "was deleted by hand", err)
	_, err = l.curator.Find(ctx, l.ws, id(l.ws, 4, 0), "met  Ida\nQuennell. CARROW", 0)
	testkit.Must(t, err)
	far, err := l.curator.Find(ctx, l.ws, id(l.ws, 4, 0), "Ida Quennell", 90)
	testkit.Must(t, err)
	if near, err := l.curator.Find(ctx, l.ws, id(l.ws, 4, 0), "Ida Quennell", 0); err != nil || near.Start >= far.Start {
		t.Errorf("got %v near 90, and %v at first", far, near)
	}
}

// TestTheLaterOneHolds: a person ends an earlier relation when the later one began, or says that it holds beside it, and both
// can be undone.
func TestTheLaterOneHolds(t *testing.T) {
	t.Parallel()
	l := onFiles(t)
	ctx := domain.WithPerson(domain.WithWorkspace(t.Context(), l.ws), "eve")
	l.publish(0, 0, parts(0))
	testkit.Must(t, l.project.Apply(ctx, l.ws))
	var ids []domain.EntityID
	for _, name := range []string{"Tarn Mill", "Ann Holm", "Bo Lund"} {
		entry, err := l.curator.Make(ctx, curate.Creating{Name: name, Label: "Thing"})
		testkit.Must(t, err)
		ids = append(ids, entry.Entity)
	}
	mill := one(ids[0])
	relation := func(other domain.EntityID) domain.RelationID { return domain.NewRelationID(ids[0], "LED_BY", other) }
	for _, other := range ids[1:] {
		_, err := l.curator.Make(ctx, curate.Relating{One: mill, Type: "LED_BY", Target: string(other)})
		testkit.Must(t, err)
	}
	earlier, later := relation(ids[1]), relation(ids[2])
	succeed := curate.Succeeding{One: mill, Earlier: earlier, Later: later}
	_, err := l.curator.Make(ctx, succeed)
	l.fails(domain.Invalid, "It is not known", err)
	for id, valid := range map[domain.RelationID]string{earlier: "1890..", later: "1903-05.."} {
		_, err := l.curator.Make(ctx, curate.Setting{One: mill, Key: domain.ValidKey, Value: valid, Relation: id})
		testkit.Must(t, err)
	}
	_, err = l.curator.Make(ctx, curate.Setting{One: mill, Key: domain.ValidKey, Value: "for long", Relation: later})
	l.fails(domain.Invalid, "is not a period", err)
	check := func(when, want string) {
		t.Helper()
		edge, err := l.curator.Relation(ctx, l.ws, ids[0], earlier)
		testkit.Must(t, err)
		if got := domain.WritePeriods(edge.Periods()); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	check("at first", "1890..")
	ended, err := l.curator.Make(ctx, succeed)
	testkit.Must(t, err)
	check("ended", "1890..1903-05")
	_, err = l.curator.Make(ctx, curate.Succeeding{One: mill, Earlier: later, Later: earlier})
	l.fails(domain.Invalid, "It is not known", err)
	said, _, err := l.curator.Describe(ctx, l.ws, ended.Seq)
	if want := "Changed the time of the relation of “Tarn Mill” and “Ann Holm” from “1890..” to “1890..1903-05”"; err != nil || said != want {
		t.Errorf("got %q, %v, want %q", said, err, want)
	}
	_, err = l.curator.Undo(ctx, ended.Seq)
	testkit.Must(t, err)
	check("undone", "1890..")
	_, err = l.curator.Make(ctx, curate.Setting{One: mill, Key: domain.ValidKey, Value: "1910..  1890..1902", Relation: earlier})
	testkit.Must(t, err)
	check("twice", "1890..1902 1910..")
}
