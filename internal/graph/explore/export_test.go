package explore_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
)

// shelf is a store that holds what it is given.
type shelf struct {
	graphstore.Reader
	all   []domain.Entity
	edges []domain.Relation
}

func (s *shelf) Cursor(context.Context, domain.WorkspaceID) (int64, error) { return 1, nil }

func (s *shelf) Entities(_ context.Context, _ domain.WorkspaceID, q graphstore.EntityQuery) ([]domain.Entity, int, error) {
	list := slices.Clone(s.all)
	slices.SortFunc(list, func(a, b domain.Entity) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	from := min(q.Offset, len(list))
	return list[from:min(from+q.Limit, len(list))], len(list), nil
}

func (s *shelf) Entity(_ context.Context, _ domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	return s.all[slices.IndexFunc(s.all, func(e domain.Entity) bool { return e.ID == id })], nil
}

func (s *shelf) Around(ctx context.Context, w domain.WorkspaceID, ids []domain.EntityID, _ int) ([]graphstore.Edge, error) {
	var out []graphstore.Edge
	for _, r := range s.edges {
		if slices.Contains(ids, r.Source) || slices.Contains(ids, r.Target) {
			from, _ := s.Entity(ctx, w, r.Source)
			to, _ := s.Entity(ctx, w, r.Target)
			out = append(out, graphstore.Edge{Relation: r, From: from, To: to})
		}
	}
	return out, nil
}

// hostile are names made to break out of a file's format.
var hostile = []string{
	`=HYPERLINK("http://evil.example","x")`, "+1+1", "-2", "@SUM(A1)", "'=1", "\tx", `"quoted", "twice"`, "two\nlines",
	`</data><script>alert(1)</script>`, `]]>`, `&lt;&amp;`, `'}) DETACH DELETE e; MATCH (n) DETACH DELETE n; //`, `\u0027}) DETACH DELETE e //`, `\`, `\\'`, "`", "Ångström 東京 🜁", "",
}

func anyName() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringMatching(`[ -~\n]{0,12}`), rapid.StringMatching(`\pL{0,6}`))
}

func anyGraph(t *rapid.T) *shelf {
	s := &shelf{}
	name := anyName()
	for i := range rapid.IntRange(1, 8).Draw(t, "entities") {
		e := domain.Entity{
			ID: domain.EntityID(fmt.Sprintf("e%d", i)), Name: name.Draw(t, "name"), Label: name.Draw(t, "label"), Mentions: i, Documents: i % 3,
			Aliases: rapid.SliceOfN(rapid.StringMatching(`[a-z'=]{1,5}`), 0, 3).Draw(t, "aliases"),
		}
		if rapid.Bool().Draw(t, "property") {
			e.Properties = domain.Properties{{Key: name.Draw(t, "key"), Value: name.Draw(t, "value")}}
		}
		s.all = append(s.all, e)
	}
	seen := map[domain.RelationID]bool{}
	for range rapid.IntRange(0, 12).Draw(t, "relations") {
		from, to, kind := rapid.SampledFrom(s.all).Draw(t, "from").ID, rapid.SampledFrom(s.all).Draw(t, "to").ID, name.Draw(t, "type")
		id := domain.NewRelationID(from, kind, to)
		if !seen[id] {
			seen[id] = true
			r := domain.Relation{ID: id, Source: from, Target: to, Type: kind}
			if rapid.Bool().Draw(t, "stated") {
				r.Evidence = []domain.Evidence{{Chunk: "c1", Document: "d1"}}
			} else {
				r.Properties = domain.Properties{{Key: name.Draw(t, "key"), Value: name.Draw(t, "value")}}
			}
			s.edges = append(s.edges, r)
		}
	}
	return s
}

// rows returns a graph as lines to compare, sorted.
func rows(entities []domain.Entity, relations []domain.Relation) []string {
	var out []string
	for _, e := range entities {
		out = append(out, fmt.Sprintf("%q %q %q %q %d %d %s %q", e.ID, e.Name, e.Label, strings.Join(e.Aliases, "\n"), e.Mentions, e.Documents, object(e.Properties), mark(e.Documents)))
	}
	for _, r := range relations {
		out = append(out, fmt.Sprintf("%q %q %q %q %d %s %q", r.ID, r.Source, r.Target, r.Type, len(r.Evidence), object(r.Properties), mark(len(r.Evidence))))
	}
	slices.Sort(out)
	return out
}

// object returns one property as JSON.
func object(list domain.Properties) string {
	if len(list) == 0 {
		return ""
	}
	b, _ := json.Marshal(map[string]string{list[0].Key: list[0].Value})
	return string(b)
}

// mark returns the mark of what has no source.
func mark(sources int) string {
	if sources == 0 {
		return "true"
	}
	return ""
}

func TestFilesHoldTheSameGraph(t *testing.T) {
	t.Parallel()
	for format, read := range map[string]func(*rapid.T, []byte) []string{"json": readJSON, "csv": readCSV, "graphml": readGraphML} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				s := anyGraph(t)
				var file, again bytes.Buffer
				for _, to := range []*bytes.Buffer{&file, &again} {
					if err := export(context.Background(), s, nil, format, to); err != nil {
						t.Fatal(err)
					}
				}
				if file.String() != again.String() {
					t.Fatal("the same graph gives two files")
				}
				if got, want := read(t, file.Bytes()), rows(s.all, s.edges); !reflect.DeepEqual(got, want) {
					t.Fatalf("got %q\nwant %q\nfrom %s", got, want, file.String())
				}
			})
		})
	}
}

func readJSON(t *rapid.T, file []byte) []string {
	var g struct {
		Entities  []domain.Entity
		Relations []domain.Relation
	}
	if err := json.Unmarshal(file, &g); err != nil {
		t.Fatalf("%v in %s", err, file)
	}
	return rows(g.Entities, g.Relations)
}

func readCSV(t *rapid.T, file []byte) []string {
	lines, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range lines[1:] {
		for i, cell := range l {
			if cell != "" && strings.ContainsRune("=+-@\t\n", rune(cell[0])) {
				t.Fatalf("a spreadsheet reads %q as a formula", cell)
			}
			l[i] = strings.TrimPrefix(cell, "'")
		}
		if l[0] == "entity" {
			out = append(out, fmt.Sprintf("%q %q %q %q %s %s %s %q", l[1], l[2], l[3], l[4], l[5], l[6], l[7], l[13]))
		} else {
			out = append(out, fmt.Sprintf("%q %q %q %q %s %s %q", l[1], l[8], l[9], l[10], l[11], l[7], l[13]))
		}
	}
	slices.Sort(out)
	return out
}

func readGraphML(t *rapid.T, file []byte) []string {
	type data struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	}
	var g struct {
		Nodes []struct {
			ID   string `xml:"id,attr"`
			Data []data `xml:"data"`
		} `xml:"graph>node"`
		Edges []struct {
			ID     string `xml:"id,attr"`
			Source string `xml:"source,attr"`
			Target string `xml:"target,attr"`
			Data   []data `xml:"data"`
		} `xml:"graph>edge"`
	}
	if err := xml.Unmarshal(file, &g); err != nil {
		t.Fatal(err)
	}
	of := func(list []data) map[string]string {
		m := map[string]string{}
		for _, d := range list {
			m[d.Key] = d.Text
		}
		return m
	}
	var out []string
	for _, n := range g.Nodes {
		m := of(n.Data)
		out = append(out, fmt.Sprintf("%q %q %q %q %s %s %s %q", n.ID, m["name"], m["label"], m["aliases"], m["mentions"], m["documents"], m["properties"], m["by_hand"]))
	}
	for _, e := range g.Edges {
		m := of(e.Data)
		out = append(out, fmt.Sprintf("%q %q %q %q %s %s %q", e.ID, e.Source, e.Target, m["edge_type"], m["edge_evidence"], m["edge_properties"], m["edge_by_hand"]))
	}
	slices.Sort(out)
	return out
}

// TestCypherStaysInItsStrings reads the strings of the statements as Neo4j does,
// \u escapes first.
func TestCypherStaysInItsStrings(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	for i, name := range hostile {
		s.all = append(s.all, domain.Entity{ID: domain.EntityID(fmt.Sprintf("e%02d", i)), Name: name, Label: name, Aliases: []string{name}})
		s.edges = append(s.edges, domain.Relation{ID: domain.RelationID(fmt.Sprintf("r%02d", i)), Source: "e00", Target: s.all[i].ID, Type: name})
	}
	var file bytes.Buffer
	if err := export(t.Context(), s, nil, "cypher", &file); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), `\u`) {
		t.Error(`the file holds \u, which Neo4j reads before it looks for the end of a string`)
	}
	statements := strings.Split(strings.TrimSpace(file.String()), "\n")
	if len(statements) != 1+2*len(hostile) {
		t.Fatalf("%d statements, want %d", len(statements), 1+2*len(hostile))
	}
	for _, statement := range statements {
		outside := withoutStrings(t, statement)
		if strings.Contains(outside, "DELETE") || strings.Count(outside, ";") != 1 || strings.Contains(outside, "//") {
			t.Errorf("outside its strings %q says %q", statement, outside)
		}
	}
}

// withoutStrings returns what stands outside of the strings of a statement.
func withoutStrings(t *testing.T, statement string) string {
	t.Helper()
	var out strings.Builder
	inside := false
	for i := 0; i < len(statement); i++ {
		switch c := statement[i]; {
		case inside && c == '\\':
			i++
		case c == '\'':
			inside = !inside
		case !inside:
			out.WriteByte(c)
		}
	}
	if inside {
		t.Errorf("%q ends in a string", statement)
	}
	return out.String()
}

func TestAPartIsExported(t *testing.T) {
	t.Parallel()
	s := &shelf{all: []domain.Entity{{ID: "e1", Name: "one"}, {ID: "e2", Name: "two"}, {ID: "e3", Name: "three"}}}
	kept := domain.Relation{ID: "r1", Source: "e1", Target: "e2", Type: "KNOWS"}
	s.edges = []domain.Relation{kept, {ID: "r2", Source: "e1", Target: "e2", Type: "HIDDEN"}, {ID: "r3", Source: "e2", Target: "e3", Type: "KNOWS"}}
	var file bytes.Buffer
	part := &explore.Part{Entities: []domain.EntityID{"e1", "e2"}, Relations: map[domain.RelationID]bool{"r1": true, "r3": true}}
	if err := export(t.Context(), s, part, "json", &file); err != nil {
		t.Fatal(err)
	}
	var g struct {
		Entities  []domain.Entity
		Relations []domain.Relation
	}
	if err := json.Unmarshal(file.Bytes(), &g); err != nil || len(g.Entities) != 2 || len(g.Relations) != 1 || g.Relations[0].ID != "r1" {
		t.Errorf("got %s, %v", file.String(), err)
	}
	if err := export(t.Context(), s, nil, "pdf", &file); domain.KindOf(err) != domain.Invalid {
		t.Errorf("an unknown format: %v", err)
	}
}

func export(ctx context.Context, s graphstore.Reader, part *explore.Part, format string, to io.Writer) error {
	made, err := explore.Reader{Graph: s}.Export(domain.WithWorkspace(ctx, "w"), explore.Exporting{Format: format, Part: part})
	if err == nil {
		err = made.Write(to)
	}
	return err
}
