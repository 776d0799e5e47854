package curate_test

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/database/postgres"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/graphstore/neo4j"
	graphsqlite "github.com/clewhq/clew/internal/graphstore/sqlite"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/database"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/vectorstore/embedded"
)

// library is a ledger with its stores and a curator.
type library struct {
	testing.TB
	ws      domain.WorkspaceID
	ledger  *ledger.Ledger
	graph   graphstore.Store
	project *projection.Projector
	curator *curate.Curator
	done    map[ledger.CurationKind]int
}

// onFiles keeps everything in files.
func onFiles(t testing.TB) *library {
	dir := t.TempDir()
	db := database.Open(t, filepath.Join(dir, "clew.db"))
	graph, err := graphsqlite.Open(t.Context(), filepath.Join(dir, "graph.db"))
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, graph.Close()) })
	return newLibrary(t, ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key)), graph)
}

// onNeo4j keeps the graph on a server.
func onNeo4j(t testing.TB) *library {
	at := servers.Neo4j(t)
	graph, err := neo4j.Open(t.Context(), neo4j.Options{URL: at.URL, User: at.User, Password: at.Password, Database: at.Database})
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, graph.Close()) })
	l := onFiles(t)
	return newLibrary(t, l.ledger, graph)
}

// onPostgres keeps the ledger on a server.
func onPostgres(t testing.TB) *library {
	db, l := servers.Postgres(t), onFiles(t)
	return newLibrary(t, ledger.Open(db.Writer, db.Reader, time.Now, ledger.WithKey(prose.Key), ledger.WithExplain(postgres.Explain)), l.graph)
}

func newLibrary(t testing.TB, led *ledger.Ledger, graph graphstore.Store) *library {
	vectors, err := embedded.Open(t.Context(), filepath.Join(t.TempDir(), "vectors.db"), "")
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, vectors.Close()) })
	l := &library{TB: t, ws: domain.WorkspaceID(t.Name()), ledger: led, graph: graph, done: map[ledger.CurationKind]int{}}
	l.project = projection.New(projection.Params{
		Ledger: led, Graph: graph, Vectors: vectors, Log: slog.New(slog.DiscardHandler), Key: prose.Key, Sentences: prose.Sentences,
	})
	l.curator = curate.New(curate.Params{Ledger: led, Graph: graph, Projector: l.project, Log: slog.New(slog.DiscardHandler)})
	return l
}

// TestUndoingAllRestoresTheGraph curates at random, with every kind of decision,
// while documents come, get new versions and go. The graph is as if built afresh; undoing all
// decisions, in any order, gives the graph that the documents alone give, to the
// byte; and undoing these undos gives back what was.
func TestUndoingAllRestoresTheGraph(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for name, set := range map[string]struct {
		open        func(testing.TB) *library
		seeds, most uint64
	}{"files": {onFiles, 6, 300}, "Neo4j": {onNeo4j, 1, 12}, "Postgres": {onPostgres, 1, 12}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range long.Or(set.seeds, set.most) {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
					l := set.open(t)
					l.history(rand.New(rand.NewPCG(seed, 3)))
				})
			}
		})
	}
}

func (l *library) history(r *rand.Rand) {
	for i := range 60 {
		switch {
		case i < 3 || r.IntN(7) == 0:
			l.add(r)
		case r.IntN(12) == 0:
			l.delete(r)
		case r.IntN(10) == 0:
			l.revise(r)
		default:
			l.step(r)
		}
	}
	l.add(r)
	was := l.export()
	l.rebuild()
	l.same("a graph built afresh", was, l.export())
	undos := l.undoAll(r)
	undone := l.export()
	l.rebuild()
	l.same("a graph built afresh after all is undone", undone, l.export())
	l.same("the graph of the documents alone", l.alone(), undone)
	r.Shuffle(len(undos), func(i, j int) { undos[i], undos[j] = undos[j], undos[i] })
	for _, seq := range undos {
		_, err := l.curator.Undo(domain.WithWorkspace(l.Context(), l.ws), seq)
		testkit.Must(l, err)
	}
	l.same("the graph once all is redone", was, l.export())
	if len(undos) < 8 {
		l.Errorf("only %d decisions: %v", len(undos), l.done)
	}
}

// alone returns the graph of a library that holds the same documents and no
// decisions.
func (l *library) alone() string {
	l.Helper()
	fresh := onFiles(l.TB)
	fresh.ws = l.ws
	documents, _, err := l.ledger.Documents(l.Context(), l.ws, ledger.DocumentQuery{})
	testkit.Must(l, err)
	for _, d := range documents {
		var n, version int
		_, err := fmt.Sscanf(d.Name, "%d-%d-", &n, &version)
		testkit.Must(l, err)
		fresh.publish(n, version, strings.TrimPrefix(d.Name, named(n, version, "")))
	}
	return fresh.export()
}

// undoAll undoes all decisions in force, in any order, and returns the undos.
func (l *library) undoAll(r *rand.Rand) []int64 {
	l.Helper()
	var undos []int64
	open := l.open()
	r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	for _, e := range open {
		undo, err := l.curator.Undo(domain.WithWorkspace(l.Context(), l.ws), e.Seq)
		testkit.Must(l, err)
		undos = append(undos, undo.Seq)
	}
	return undos
}

// open returns the decisions in force.
func (l *library) open() []ledger.Curation {
	l.Helper()
	log, err := l.ledger.Curations(l.Context(), l.ws, 1<<40)
	testkit.Must(l, err)
	undone := ledger.Undone(log)
	return slices.DeleteFunc(log, func(c ledger.Curation) bool { return c.Kind == ledger.CurationUndo || undone[c.Seq] })
}

func (l *library) rebuild() {
	l.Helper()
	testkit.Must(l, l.project.Reset(l.Context(), l.ws, projection.Stores{Graph: true, Vectors: true}))
	testkit.Must(l, l.project.Apply(l.Context(), l.ws))
}

// export returns the graph as a file.
func (l *library) export() string {
	l.Helper()
	testkit.Must(l, l.project.Apply(l.Context(), l.ws))
	var b bytes.Buffer
	made, err := explore.Reader{Graph: l.graph}.Export(domain.WithWorkspace(l.Context(), l.ws), explore.Exporting{Format: "json"})
	testkit.Must(l, err)
	testkit.Must(l, made.Write(&b))
	return b.String()
}

func (l *library) same(what, want, got string) {
	l.Helper()
	if want != got {
		l.Errorf("differs from %s:\n--- want\n%s\n--- got\n%s", what, want, got)
	}
}

var (
	titles = []string{"Harbour of Velm", "Agnes Lovibond", "Mercury (planet)", "Carrow Foundry", "notes"}
	names  = []string{"Agnes Lovibond", "Mrs Lovibond", "Harbour of Velm", "Mercury", "Carrow Foundry", "CARROW FOUNDRY"}
	labels = []string{"Person", "Place", domain.UnknownLabel}
)

// add publishes one of a few documents in one of two versions.
func (l *library) add(r *rand.Rand) {
	n, version := r.IntN(len(titles)), r.IntN(2)
	l.publish(n, version, parts(version))
	testkit.Must(l, l.project.Apply(l.Context(), l.ws))
}

func id(ws domain.WorkspaceID, n, version int) domain.DocumentID {
	return domain.NewDocumentID(ws, fmt.Sprintf("%d-%d.txt", n, version))
}

// publish adds the document of a number and a version, or replaces its content by these parts.
func (l *library) publish(n, version int, parts string) {
	l.Helper()
	ctx, id := l.Context(), id(l.ws, n, version)
	_, _, err := l.ledger.AddDocument(ctx, domain.Document{Workspace: l.ws, ID: id, Name: named(n, version, parts), Title: titles[n], Status: domain.DocumentReady})
	testkit.Must(l, err)
	_, err = l.ledger.UpdateDocument(ctx, l.ws, id, func(d *domain.Document) { d.Name = named(n, version, parts) })
	testkit.Must(l, err)
	l.write(id, id, n, parts)
	_, err = l.ledger.Publish(ctx, l.ws, id)
	testkit.Must(l, err)
}

// parts are those of a document of a version when it is added.
func parts(version int) string { return fmt.Sprintf("%d%d", version, 2+version) }

func named(n, version int, parts string) string { return fmt.Sprintf("%d-%d-%s", n, version, parts) }

// revise gives a document a next version, of up to three parts in any order: some as before, some moved, some new.
func (l *library) revise(r *rand.Rand) {
	l.Helper()
	ctx := l.Context()
	of, ok := l.document(r)
	if !ok {
		return
	}
	before, err := l.ledger.Document(ctx, l.ws, of)
	testkit.Must(l, err)
	var n, version int
	_, err = fmt.Sscanf(before.Name, "%d-%d-", &n, &version)
	testkit.Must(l, err)
	content := ""
	for _, part := range r.Perm(6)[:1+r.IntN(3)] {
		content += fmt.Sprint(part)
	}
	next := domain.NewVersionID(of, fmt.Sprint(before.Version))
	_, _, err = l.ledger.AddDocument(ctx, domain.Document{Workspace: l.ws, ID: next, VersionOf: of, Name: named(n, version, content), Title: titles[n], Status: domain.DocumentReady})
	testkit.Must(l, err)
	l.write(next, of, n, content)
	testkit.Must(l, l.ledger.AdoptVersion(ctx, l.ws, next, of))
	testkit.Must(l, l.project.Apply(ctx, l.ws))
}

// write stores the chunks of a document, whose ids are those of another one, and what they contribute. What that one has too
// gets an id of its own.
func (l *library) write(id, of domain.DocumentID, n int, parts string) {
	l.Helper()
	ctx := l.Context()
	had, err := l.ledger.Chunks(ctx, l.ws, of)
	testkit.Must(l, err)
	var chunks []domain.Chunk
	var graphs []domain.GraphDocument
	at := 0
	for ordinal, part := range parts {
		i, version := int(part-'0')/2, int(part-'0')%2
		text := fmt.Sprintf("Part %d of version %d.", i, version)
		var graph domain.GraphDocument
		for j := range 3 {
			name := names[(n*7+i*3+j*(version+1))%len(names)]
			start := at + domain.Runes(text) + 1
			text += " " + name + " met Ida Quennell."
			graph.Nodes = append(graph.Nodes, domain.GraphNode{
				Name: name, Label: labels[(n+i+j+version)%3], Spans: []domain.Span{{Start: start, End: start + domain.Runes(name)}},
				Properties: domain.Properties{{Key: "born", Value: fmt.Sprint(1800 + (n+j)%3)}},
			})
		}
		whole := []domain.Span{{Start: at, End: at + domain.Runes(text)}}
		graph.Relationships = []domain.GraphRelationship{
			{Source: 0, Target: 1, Type: "KNOWS", Spans: whole, Properties: domain.Properties{{Key: "since", Value: fmt.Sprint(1830 + n%2)}}},
			{Source: 1, Target: 2, Type: "NEAR", Spans: whole},
		}
		first := strings.Index(text, "Ida Quennell") // a rule's name, which nothing else lists
		graph.Names = []domain.GraphNode{{Name: "Ida Quennell", Spans: []domain.Span{{Start: at + first, End: at + first + 12}}}}
		c := domain.Chunk{ID: domain.NewChunkID(of, domain.Hash([]byte(text)), 0), Document: id, Ordinal: ordinal, Text: text, Span: whole[0]}
		if id != of && slices.ContainsFunc(had, func(h domain.Chunk) bool { return h.ID == c.ID }) {
			c.ID = domain.NewKeptChunkID(id, c.ID)
		}
		chunks = append(chunks, c)
		graphs = append(graphs, graph)
		at = whole[0].End + 2
	}
	testkit.Must(l, l.ledger.SaveChunks(ctx, l.ws, id, chunks))
	for i, c := range chunks {
		testkit.Must(l, l.ledger.RecordContribution(ctx, l.ws, ledger.Contribution{Chunk: c.ID, Document: id, Reader: "test", Graph: graphs[i]}))
	}
}

func (l *library) delete(r *rand.Rand) {
	if d, ok := l.document(r); ok {
		_, err := l.ledger.DeleteDocument(l.Context(), l.ws, d)
		testkit.Must(l, err)
		testkit.Must(l, l.project.Apply(l.Context(), l.ws))
	}
}

func (l *library) document(r *rand.Rand) (domain.DocumentID, bool) {
	l.Helper()
	documents, _, err := l.ledger.Documents(l.Context(), l.ws, ledger.DocumentQuery{})
	testkit.Must(l, err)
	if len(documents) == 0 {
		return "", false
	}
	slices.SortFunc(documents, func(a, b domain.Document) int { return cmp.Compare(a.ID, b.ID) })
	return documents[r.IntN(len(documents))].ID, true
}

// source marks a stretch of a document, or none.
func (l *library) source(r *rand.Rand, words string) curate.Marking {
	l.Helper()
	id, ok := l.document(r)
	if !ok || r.IntN(3) == 0 {
		return curate.Marking{}
	}
	return curate.Marking{Document: id, Words: words}
}

// step makes or undoes one decision about entities of the graph. A decision
// that is refused changes nothing.
func (l *library) step(r *rand.Rand) {
	ctx, w, c := domain.WithPerson(domain.WithWorkspace(l.Context(), l.ws), "eve"), l.ws, l.curator
	entities, _, err := l.graph.Entities(ctx, w, graphstore.EntityQuery{Order: graphstore.ByName})
	testkit.Must(l, err)
	pick := func() domain.Entity {
		if len(entities) == 0 {
			return domain.Entity{ID: "none", Name: "none"}
		}
		return entities[r.IntN(len(entities))]
	}
	e, other, third := pick(), pick(), pick()
	on := one(e.ID)
	edge := domain.Relation{ID: "none"}
	if edges, err := l.graph.Relations(ctx, w, e.ID, 0); err == nil && len(edges) > 0 {
		edge = edges[r.IntN(len(edges))].Relation
	}
	of, values := domain.RelationID(""), e.Properties
	if r.IntN(2) == 0 {
		of, values = edge.ID, edge.Properties
	}
	var entry ledger.Curation
	switch r.IntN(15) {
	case 0:
		entry, err = c.Make(ctx, curate.Creating{Marking: l.source(r, "Ida Quennell"), Name: []string{"", "Ida", "Agnes Lovibond"}[r.IntN(3)], Label: labels[r.IntN(3)]})
	case 1:
		entry, err = c.Make(ctx, curate.Creating{Name: []string{"The Guild", "Mercury", "Mrs Lovibond"}[r.IntN(3)], Label: labels[r.IntN(3)]})
	case 2, 3:
		entry, err = c.Make(ctx, curate.Relating{One: on, Type: []string{"KNOWS", "FOUNDED"}[r.IntN(2)], Target: string(other.ID), Marking: l.source(r, "met Ida")})
	case 4, 5:
		value, was := []string{"1801", "about 1790"}[r.IntN(2)], ""
		if len(values) > 0 && r.IntN(2) == 0 {
			was = values[0].Value
		}
		entry, err = c.Make(ctx, curate.Setting{One: on, Relation: of, Key: []string{"born", "since", "seat"}[r.IntN(3)], Was: was, Value: value})
	case 6:
		if len(values) == 0 {
			return
		}
		p := values[r.IntN(len(values))]
		entry, err = c.Make(ctx, curate.Unsetting{One: on, Relation: of, Key: p.Key, Value: []string{"", p.Value}[r.IntN(2)]})
	case 7:
		entry, err = c.Make(ctx, curate.Merging{One: on, Others: []string{string(other.ID), string(third.ID)}, To: []string{"", other.Name, "All of them"}[r.IntN(3)]})
	case 8:
		chunks, lost := l.graph.Links(ctx, w, e.ID, 1)
		testkit.Must(l, lost)
		var some []string
		for _, link := range chunks {
			some = append(some, string(link.Chunk))
		}
		entry, err = c.Make(ctx, curate.Splitting{One: on, Chunks: some, Forms: []string{e.Name}[:r.IntN(2)]})
	case 9:
		entry, err = c.Make(ctx, curate.Renaming{One: on, To: []string{"The one", other.Name}[r.IntN(2)]})
	case 10:
		entry, err = c.Make(ctx, curate.Relabelling{One: on, Label: []string{"Ship", "Person"}[r.IntN(2)]})
	case 11:
		if entry, err = c.Make(ctx, curate.Retyping{One: on, Relation: edge.ID, Type: "met"}); r.IntN(2) == 0 && err != nil {
			entry, err = c.Make(ctx, curate.Deleting{One: on, Relation: edge.ID})
		}
	case 12:
		entry, err = c.Make(ctx, curate.Deleting{One: on})
	case 13:
		entry, err = c.Make(ctx, curate.Parting{One: on, Other: string(other.ID)})
	default:
		log, lost := l.ledger.Curations(ctx, w, 1<<40)
		testkit.Must(l, lost)
		if len(log) == 0 {
			return
		}
		entry, err = c.Undo(ctx, log[r.IntN(len(log))].Seq)
	}
	if kind := domain.KindOf(err); err != nil && kind != domain.Invalid && kind != domain.Conflict && kind != domain.NotFound {
		l.Fatal(err)
	}
	if err == nil {
		l.done[entry.Kind]++
	}
}
