package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/sample"
)

// said is what a graph says, without what the place where it says so decides:
// ids, evidence, and how often something is mentioned.
type said struct {
	Entities  []saidEntity
	Relations []string
}

type saidEntity struct {
	Name, Label string
	Aliases     []string
	Properties  []string
}

// exported returns what the library's graph says.
func exported(t *testing.T, sh shell) said {
	t.Helper()
	var file struct {
		Entities []struct {
			domain.Entity

			ByHand bool `json:"by_hand"`
		}
		Relations []struct {
			domain.Relation

			ByHand bool `json:"by_hand"`
		}
	}
	if err := json.Unmarshal([]byte(sh.must(t, "entities", "export", "--format", "json", "-")), &file); err != nil {
		t.Fatal(err)
	}
	var s said
	names := map[domain.EntityID]string{}
	for _, e := range file.Entities {
		names[e.ID] = e.Name + " (" + e.Label + ")"
		one := saidEntity{Name: e.Name, Label: e.Label, Aliases: slices.Sorted(slices.Values(e.Aliases))}
		one.Properties = stated(e.Properties, e.ByHand)
		s.Entities = append(s.Entities, one)
	}
	for _, r := range file.Relations {
		s.Relations = append(s.Relations, strings.Join(append([]string{names[r.Source], r.Type, names[r.Target]}, stated(r.Properties, r.ByHand)...), " "))
	}
	slices.SortFunc(s.Entities, func(a, b saidEntity) int { return strings.Compare(a.Name+a.Label, b.Name+b.Label) })
	slices.Sort(s.Relations)
	return s
}

// stated returns properties as text. The mark of what was added by hand is one,
// as it is after an import.
func stated(list domain.Properties, byHand bool) []string {
	var texts []string
	for _, p := range list {
		texts = append(texts, p.Key+": "+p.Value)
	}
	if byHand {
		texts = append(texts, "by_hand: yes")
	}
	slices.Sort(texts)
	return texts
}

// TestAGraphIsTheSameAfterExportAndImport reads the sample library, exports its
// graph in each format, and imports that into an empty library. Names, labels,
// aliases, properties and relations are the same, also of what was added by hand.
// Evidence is not: what a
// sentence stated, a row of the file states.
func TestAGraphIsTheSameAfterExportAndImport(t *testing.T) {
	t.Parallel()
	from, dir := newShell(t), t.TempDir()
	args := []string{"ingest"}
	for _, f := range sample.Files() {
		args = append(args, file(t, dir, f.Name, string(f.Data)))
	}
	from.must(t, args...)
	from.must(t, "entities", "create", "Wilma Tarn", "--label", "Person")
	from.must(t, "entities", "relate", "Wilma Tarn", "sang with", "Henrike Aldous")
	var byHand struct{ Relations []domain.Relation }
	noError(t, json.Unmarshal([]byte(from.must(t, "entities", "export", "--format", "json", "-")), &byHand))
	sang := slices.IndexFunc(byHand.Relations, func(r domain.Relation) bool { return r.Type == "SANG_WITH" })
	from.must(t, "entities", "set", "Wilma Tarn", "since", "1871", "--relation", string(byHand.Relations[sang].ID))
	want := exported(t, from)
	if !slices.Contains(want.Relations, "Wilma Tarn (Person) SANG_WITH Henrike Aldous (Person) by_hand: yes since: 1871") {
		t.Fatalf("no relation by hand with its property in %q", want.Relations)
	}
	if len(want.Entities) < 50 || len(want.Relations) < 20 {
		t.Fatalf("only %d entities and %d relations", len(want.Entities), len(want.Relations))
	}
	for _, format := range []string{"graphml", "csv", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			graph := filepath.Join(dir, "library."+format)
			from.must(t, "entities", "export", graph)
			to := newShell(t)
			if out := to.must(t, "ingest", graph); !strings.Contains(out, "library."+format) {
				t.Errorf("ingest prints %q", out)
			}
			if d := cmp.Diff(want, exported(t, to), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("after export and import (-want +got):\n%s", d)
			}
			if out := to.must(t, "fsck"); strings.Contains(out, "missing") {
				t.Errorf("fsck prints %s", out)
			}
		})
	}
}

// TestAnImportedGraphIsADocument deletes a list of relations. What it alone said
// goes with it, and what another document says stays.
func TestAnImportedGraphIsADocument(t *testing.T) {
	t.Parallel()
	sh := newShell(t)
	bridge := file(t, t.TempDir(), "bridge.md", "Henrike Aldous designed Copper Bridge.")
	sh.must(t, "ingest", bridge)
	before := exported(t, sh)
	list := file(t, t.TempDir(), "people.csv", "source,type,target,source_label\nHenrike Aldous,taught,Ambrose Keel,Person\nKeel,lived in,Osterby,\n")
	sh.must(t, "ingest", list)
	for _, relation := range []string{"Henrike Aldous (Person) TAUGHT Ambrose Keel (Entity)", "Keel (Entity) LIVED_IN Osterby (Entity)"} {
		if got := exported(t, sh).Relations; !slices.Contains(got, relation) {
			t.Errorf("no %q in %q", relation, got)
		}
	}
	a, err := openAt(t.Context(), sh.data, t.Output())
	noError(t, err)
	docs, _, err := a.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	for _, d := range docs {
		if d.Format != domain.FormatGraph {
			continue
		}
		text, err := a.ledger.Text(t.Context(), domain.DefaultWorkspace, d.ID)
		noError(t, err)
		if want := "Keel (Entity) | lived in | Osterby (Entity)"; !strings.Contains(text.Content, want) {
			t.Errorf("the text of the list is %q, without %q", text.Content, want)
		}
		noError(t, remove(t.Context(), a.documents, d.ID))
	}
	noError(t, a.Close())
	if d := cmp.Diff(before, exported(t, sh), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("after the list is deleted (-want +got):\n%s", d)
	}
	sh.must(t, "ingest", file(t, t.TempDir(), "prices.csv", "date,price\n1,2\n"))
	again, err := openAt(t.Context(), sh.data, t.Output())
	noError(t, err)
	defer again.Close()
	docs, _, err = again.ledger.Documents(t.Context(), domain.DefaultWorkspace, ledger.DocumentQuery{})
	noError(t, err)
	if slices.ContainsFunc(docs, func(d domain.Document) bool { return d.Format == domain.FormatGraph }) || len(docs) != 2 {
		t.Errorf("a table of prices was taken for a graph: %+v", docs)
	}
}
