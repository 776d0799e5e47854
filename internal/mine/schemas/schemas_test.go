package schemas_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/mine/extract"
	"github.com/clewhq/clew/internal/mine/schemas"
	"github.com/clewhq/clew/internal/testkit"
)

// bells is a schema with something of everything.
func bells() extract.Guide {
	return extract.Guide{
		Schema: extract.Schema{
			Labels: []extract.LabelRule{
				{Name: "Foundry", Description: "what casts", Synonyms: []string{"Works", "Company"}, Properties: []extract.PropertyRule{{Key: "founded", Type: extract.Year, Required: true}}},
				{Name: "Bell"},
			},
			Types:   []extract.TypeRule{{Name: "CAST", Synonyms: []string{"cast", "made"}, Properties: []extract.PropertyRule{{Key: "weight", Type: extract.Number}}}},
			Triples: []extract.Triple{{Source: "Foundry", Type: "CAST", Target: "Bell"}},
			Strict:  true,
		},
		Instructions: "A peal is one bell.\nA chime is none.",
		Examples: []extract.Example{{Text: "Pell cast Big Tom.", Facts: []extract.Fact{
			{Head: "Pell", HeadType: "Foundry", Relation: "CAST", Tail: "Big Tom", TailType: "Bell"},
		}}},
		Descriptions: extract.Descriptions{Label: "The kind."},
		Mode:         llm.ModeTool,
		Gleaning:     1,
	}
}

func instructions(text string) extract.Guide { return extract.Guide{Instructions: text} }

func wantKind(t *testing.T, err error, k domain.Kind, says string) {
	t.Helper()
	if domain.KindOf(err) != k || !strings.Contains(domain.InWords(err), says) {
		t.Errorf("got error %v of kind %s, want kind %s with %q", err, domain.KindOf(err), k, says)
	}
}

func TestTheNarrowestScopeGuides(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx, s := t.Context(), a.Schemas
	d := a.Add(t, "bells.txt", "Bells.").Document
	a.Tag(t, d.ID, "b", "a", "c")
	guides := func(want string) {
		t.Helper()
		v, err := s.For(ctx, testkit.Workspace, d.ID)
		if err != nil || v.Guide.Instructions != want || (v.Number == 0) != (want == "") {
			t.Errorf("version %d says %q, error %v, want %q", v.Number, v.Guide.Instructions, err, want)
		}
	}
	save := func(of schemas.Scope, base int64, text string) schemas.Version {
		t.Helper()
		v, err := s.Save(ctx, testkit.Workspace, schemas.Draft{Scope: of, Base: base, Who: "ada", Guide: instructions(text)})
		testkit.Must(t, err)
		return v
	}
	guides("")
	save(schemas.Scope{}, 0, "library")
	guides("library")
	save(schemas.Scope{Tag: "other"}, 0, "other")
	guides("library")
	save(schemas.Scope{Tag: "c"}, 0, "tag c")
	first := save(schemas.Scope{Tag: "b"}, 0, "tag b")
	guides("tag b")
	save(schemas.Scope{Name: "minutes"}, 0, "name")
	guides("tag b")
	testkit.Must(t, a.Documents.Choose(ctx, testkit.Workspace, d.ID, "minutes"))
	guides("name")
	own := save(schemas.Scope{Document: d.ID}, 0, "document")
	guides("document")
	testkit.Must(t, a.Documents.Choose(ctx, testkit.Workspace, d.ID, ""))
	for _, v := range []schemas.Version{own, first} {
		cleared, err := s.Clear(ctx, testkit.Workspace, schemas.Draft{Scope: v.Scope, Base: v.Number})
		if err != nil || !cleared.Cleared || !cleared.Guide.Empty() {
			t.Errorf("cleared: %+v, %v", cleared, err)
		}
		_, err = s.Clear(ctx, testkit.Workspace, schemas.Draft{Scope: v.Scope, Base: cleared.Number})
		wantKind(t, err, domain.Invalid, "no schema here")
	}
	guides("tag c")
	in, err := s.Scopes(ctx, testkit.Workspace)
	if err != nil || len(in) != 4 {
		t.Errorf("%d scopes have a schema, error %v, want 4", len(in), err)
	}
}

func TestVersionsAreKeptAndRestored(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	ctx, s := t.Context(), a.Schemas
	first, err := s.Save(ctx, testkit.Workspace, schemas.Draft{Who: "ada", Note: " to \n begin", Guide: bells()})
	testkit.Must(t, err)
	if diff := cmp.Diff(bells(), first.Guide); diff != "" || first.Note != "to begin" || first.Who != "ada" {
		t.Errorf("saved %+v: -want +got\n%s", first, diff)
	}
	second, err := s.Save(ctx, testkit.Workspace, schemas.Draft{Base: first.Number, Guide: instructions("new")})
	testkit.Must(t, err)
	_, err = s.Save(ctx, testkit.Workspace, schemas.Draft{Base: first.Number, Guide: instructions("late")})
	wantKind(t, err, domain.Conflict, "Somebody has since saved version 2")
	_, err = s.Restore(ctx, testkit.Workspace, second.Number, "eve")
	wantKind(t, err, domain.Invalid, "already the current one")
	_, err = s.Restore(ctx, testkit.Workspace, 99, "eve")
	wantKind(t, err, domain.NotFound, "no version 99")
	_, err = s.Restore(ctx, testkit.Workspace, 0, "eve")
	wantKind(t, err, domain.NotFound, "no version 0")
	third, err := s.Restore(ctx, testkit.Workspace, first.Number, "eve")
	testkit.Must(t, err)
	if diff := cmp.Diff(bells(), third.Guide); diff != "" || third.Note != "Restores version 1" || third.Number != 3 {
		t.Errorf("restored %+v: -want +got\n%s", third, diff)
	}
	cleared, err := s.Clear(ctx, testkit.Workspace, schemas.Draft{Base: third.Number})
	testkit.Must(t, err)
	back, err := s.Restore(ctx, testkit.Workspace, second.Number, "eve")
	testkit.Must(t, err)
	if gone, err := s.Restore(ctx, testkit.Workspace, cleared.Number, "eve"); err != nil || !gone.Cleared {
		t.Errorf("restored the absence: %+v, %v", gone, err)
	}
	all, err := s.Versions(ctx, testkit.Workspace, schemas.Scope{}, 0)
	if err != nil || len(all) != 6 || all[1].Number != back.Number {
		t.Errorf("%d versions, error %v, want 6", len(all), err)
	}
	if v, err := s.At(ctx, testkit.Workspace, 1); err != nil || cmp.Diff(first, v) != "" {
		t.Errorf("version 1 is %+v, %v", v, err)
	}
}

func TestDraftsAreChecked(t *testing.T) {
	t.Parallel()
	a := testkit.Open(t, testkit.Options{Idle: true})
	for says, d := range map[string]schemas.Draft{
		"is empty":              {},
		"at most 200":           {Guide: instructions("x"), Note: strings.Repeat("n", schemas.MaxNote+1)},
		"not among the types":   {Guide: extract.Guide{Schema: extract.Schema{Triples: []extract.Triple{{Type: "CAST"}}}}},
		"Version 7 is not a ve": {Guide: instructions("x"), Base: 7},
	} {
		_, err := a.Schemas.Save(t.Context(), testkit.Workspace, d)
		if domain.KindOf(err) != domain.Invalid && domain.KindOf(err) != domain.Conflict || !strings.Contains(domain.InWords(err), says) {
			t.Errorf("got error %v, want one with %q", err, says)
		}
	}
	_, err := a.Schemas.Save(t.Context(), testkit.Workspace, schemas.Draft{Scope: schemas.Scope{Document: "d0"}, Guide: instructions("x")})
	wantKind(t, err, domain.NotFound, "no document")
}

func TestEveryTemplateIsValid(t *testing.T) {
	t.Parallel()
	if n := len(schemas.Templates()); n != 6 {
		t.Errorf("%d templates, want 6", n)
	}
	for _, want := range schemas.Templates() {
		found, err := schemas.FindTemplate(want.Name)
		if err != nil || found != want {
			t.Errorf("%s: found %+v, %v", want.Name, found, err)
		}
		g, err := found.Guide()
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		said := map[string]bool{}
		for _, triple := range g.Schema.Triples {
			said[triple.Type] = true
		}
		for _, kind := range g.Schema.Types {
			if len(kind.Synonyms) == 0 || !said[kind.Name] {
				t.Errorf("%s: the type %s has no synonym or no triple", want.Name, kind.Name)
			}
		}
		if len(g.Schema.Labels) < 5 || len(schemas.PropertiesOf(g.Schema)) == 0 || len(g.Examples) != 1 || len(g.Examples[0].Facts) < 3 {
			t.Errorf("%s: the template is thin", want.Name)
		}
	}
	_, err := schemas.FindTemplate("nothing")
	wantKind(t, err, domain.NotFound, "no template")
}

// TestCheckFindsThePlace breaks a schema in every part.
func TestCheckFindsThePlace(t *testing.T) {
	t.Parallel()
	if place, err := schemas.Check(bells()); err != nil {
		t.Errorf("a valid schema: %v at %v", err, place)
	}
	for want, spoil := range map[schemas.Place]func(*extract.Guide){
		{Part: schemas.Labels, Index: 1}:     func(g *extract.Guide) { g.Schema.Labels[1].Name = "…" },
		{Part: schemas.Labels, Index: 2}:     func(g *extract.Guide) { g.Schema.Labels = append(g.Schema.Labels, extract.LabelRule{Name: "bell"}) },
		{Part: schemas.Types, Index: 1}:      func(g *extract.Guide) { g.Schema.Types = append(g.Schema.Types, extract.TypeRule{}) },
		{Part: schemas.Triples, Index: 1}:    func(g *extract.Guide) { g.Schema.Triples = append(g.Schema.Triples, extract.Triple{Type: "RANG"}) },
		{Part: schemas.Properties, Index: 1}: func(g *extract.Guide) { g.Schema.Types[0].Properties[0].Type = "colour" },
		{Part: schemas.Examples, Index: 0}:   func(g *extract.Guide) { g.Examples[0].Facts[0].TailType = "Town" },
		{Part: schemas.Instructions}:         func(g *extract.Guide) { g.Instructions = strings.Repeat("x", 20_000) },
		{Part: schemas.Settings}:             func(g *extract.Guide) { g.Gleaning = 9 },
	} {
		g := bells()
		spoil(&g)
		if place, err := schemas.Check(g); err == nil || place != want {
			t.Errorf("got %v at %v, want an error at %v", err, place, want)
		}
	}
}

func TestPropertiesFindTheirPlace(t *testing.T) {
	t.Parallel()
	s := extract.Schema{Labels: []extract.LabelRule{{Name: "Cast"}}, Types: []extract.TypeRule{{Name: "CAST"}}}
	rule := func(key string) extract.PropertyRule { return extract.PropertyRule{Key: key} }
	got, stray := schemas.WithProperties(s, []schemas.Property{{Of: "Cast", Rule: rule("a")}, {Of: "CAST", Rule: rule("b")}, {Of: "cast", Rule: rule("c")}})
	want := []schemas.Property{{Of: "Cast", Rule: rule("a")}, {Of: "Cast", Rule: rule("c")}, {Of: "CAST", Rule: rule("b")}}
	if diff := cmp.Diff(want, schemas.PropertiesOf(got)); diff != "" || stray != -1 {
		t.Errorf("stray %d; -want +got\n%s", stray, diff)
	}
	if _, stray := schemas.WithProperties(s, []schemas.Property{{Of: "Cast"}, {Of: "Town"}, {}}); stray != 1 {
		t.Errorf("stray %d, want 1", stray)
	}
	if len(s.Labels[0].Properties) != 0 {
		t.Error("the schema given was changed")
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	if diff := schemas.Diff(bells(), bells()); len(diff) != 0 {
		t.Errorf("equal schemas differ in %v", diff)
	}
	to := bells()
	to.Schema.Labels[0], to.Schema.Labels[1] = to.Schema.Labels[1], to.Schema.Labels[0]
	if diff := schemas.Diff(bells(), to); len(diff) != 0 {
		t.Errorf("the order is a difference: %v", diff)
	}
	to.Schema.Labels[1].Synonyms = []string{"Works"}
	to.Schema.Labels[0] = extract.LabelRule{Name: "Chime"}
	to.Schema.Triples[0].Target = "Chime"
	to.Schema.Types[0].Properties[0].Required = true
	to.Instructions, to.Gleaning, to.Examples = "", 0, nil
	want := []schemas.Change{
		{Part: "label", Name: "Chime", Mark: "added"},
		{Part: "label", Name: "Foundry", Mark: "changed", From: "what casts; also said as Works, Company", To: "what casts; also said as Works"},
		{Part: "label", Name: "Bell", Mark: "removed"},
		{Part: "triple", Name: "(Foundry) CAST (Chime)", Mark: "added"},
		{Part: "triple", Name: "(Foundry) CAST (Bell)", Mark: "removed"},
		{Part: "property", Name: "CAST.weight", Mark: "changed", From: "number", To: "number, required"},
		{Part: "instructions", Name: "Instructions", Mark: "removed", From: "A peal is one bell.\nA chime is none."},
		{Part: "example", Name: "Pell cast Big Tom.", Mark: "removed", From: "Pell cast Big Tom.\nPell | Foundry | CAST | Big Tom | Bell"},
		{Part: "setting", Name: "Gleaning", Mark: "removed", From: "1"},
	}
	if diff := cmp.Diff(want, schemas.Diff(bells(), to)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
