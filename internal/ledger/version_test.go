package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// next stores texts as the next version of a document, as reading it does, and
// returns its id. Each chunk names itself.
func (b Bench) next(t *testing.T, of domain.Document, texts ...string) domain.DocumentID {
	t.Helper()
	ctx, hash := t.Context(), domain.Hash([]byte(strings.Join(texts, "\n\n")))
	id := domain.NewVersionID(of.ID, hash)
	_, _, err := b.Ledger.AddDocument(ctx, domain.Document{
		Workspace: of.Workspace, ID: id, VersionOf: of.ID, Name: "second.txt", Title: "Second", Format: domain.FormatText, Hash: hash, Status: domain.DocumentWorking,
		Chunks: len(texts), Run: "second",
	})
	must(t, err)
	must(t, b.Ledger.SaveText(ctx, of.Workspace, id, domain.Text{Content: strings.Join(texts, "\n\n")}))
	has, err := b.Ledger.Chunks(ctx, of.Workspace, of.ID)
	must(t, err)
	ids := map[domain.ChunkID]bool{}
	for _, c := range has {
		ids[c.ID] = true
	}
	chunks := split(of.ID, texts)
	for i := range chunks {
		chunks[i].Document = id
		if ids[chunks[i].ID] {
			chunks[i].ID = domain.NewKeptChunkID(id, chunks[i].ID)
		}
	}
	must(t, b.Ledger.SaveChunks(ctx, of.Workspace, id, chunks))
	for _, c := range chunks {
		must(t, b.Ledger.RecordContribution(ctx, of.Workspace, ledgerContribution(c, c.Text, "Ada")))
	}
	return id
}

// overtakenVersions checks that a version is not adopted once a newer file has overtaken it.
func overtakenVersions(t *testing.T, b Bench) {
	d := b.add(t, ws, "one", "first")
	id := b.next(t, d, "second")
	_, err := b.Ledger.Overtake(t.Context(), ws, d.ID, "newer")
	must(t, err)
	wantKind(t, b.Ledger.AdoptVersion(t.Context(), ws, id, d.ID), domain.NotFound)
	if now, err := b.Ledger.Document(t.Context(), ws, d.ID); err != nil || now.Version != 0 {
		t.Errorf("the document is at version %d, error %v", now.Version, err)
	}
}

// versions checks what a document holds before and after it adopts a version in
// which one chunk stays, one moves, one goes and one comes.
func versions(t *testing.T, b Bench) {
	ctx := t.Context()
	d, other := b.add(t, ws, "one", "stays", "goes", "moves"), b.add(t, ws, "other", "stays")
	before := split(d.ID, []string{"stays", "goes", "moves"})
	for _, c := range before {
		must(t, b.Ledger.RecordContribution(ctx, ws, ledgerContribution(c, "Old "+c.Text)))
	}
	seq, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	b.Clock.Advance(time.Hour)
	texts := []string{"stays", "comes, longer", "moves"}
	id := b.next(t, d, texts...)
	b.run(t, "second", "ingest", string(id))
	comes := fmt.Sprintf(`{"chunk":%q}`, split(d.ID, texts)[1].ID)
	b.event(t, "second", 1, comes)

	got, err := b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("before it is adopted (-want +got)\n%s", diff)
	}
	to, err := b.Ledger.VersionsToCome(ctx, ws, d.ID)
	if err != nil || len(to) != 1 || to[0].ID != id {
		t.Errorf("to come: %+v, error %v", to, err)
	}
	wantKind(t, b.Ledger.AdoptVersion(ctx, ws, "gone", d.ID), domain.NotFound)
	wantKind(t, b.Ledger.AdoptVersion(ctx, ws, id, "gone"), domain.NotFound)
	b.status(t, d, domain.DocumentWorking)
	wantKind(t, b.Ledger.AdoptVersion(ctx, ws, id, d.ID), domain.Unavailable)
	b.status(t, d, domain.DocumentReady)
	for range 2 { // the second time changes nothing
		must(t, b.Ledger.AdoptVersion(ctx, ws, id, d.ID))
	}

	b.run(t, "asks", "question", "q")
	b.event(t, "asks", 1, comes)
	b.event(t, "asks", 2, `{}`)
	if rows, err := b.Ledger.Events(ctx, ws, "asks", 0); err != nil || len(rows) != 2 {
		t.Errorf("of a run that has read a chunk of the version: %d events, error %v", len(rows), err)
	}
	got, err = b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(split(d.ID, texts), got); diff != "" {
		t.Errorf("chunks (-want +got)\n%s", diff)
	}
	var graphs []ledger.Contribution
	for _, c := range split(d.ID, texts) {
		graphs = append(graphs, ledgerContribution(c, c.Text, "Ada"))
	}
	contributed, err := b.Ledger.Contributions(ctx, ws, d.ID)
	must(t, err)
	if diff := cmp.Diff(graphs, contributed); diff != "" {
		t.Errorf("contributions (-want +got)\n%s", diff)
	}
	mentions, err := b.Ledger.Mentions(ctx, ws, []string{"old stays", "old goes", "moves", "comes, longer"})
	if err != nil || len(mentions) != 2 || mentions[0].Document != d.ID || mentions[1].Document != d.ID {
		t.Errorf("mentions %+v, error %v", mentions, err)
	}
	if statements, err := b.Ledger.Statements(ctx, ws, []string{"ada"}); err != nil || len(statements) != 3 {
		t.Errorf("statements %+v, error %v", statements, err)
	}
	now, err := b.Ledger.Document(ctx, ws, d.ID)
	must(t, err)
	if now.Version != 1 || now.VersionOf != "" || !now.VersionAt.Equal(b.Clock.Now()) || now.Name != "second.txt" || now.Run != "second" || !now.CreatedAt.Equal(d.CreatedAt) || now.Status != domain.DocumentReady {
		t.Errorf("the document is %+v", now)
	}
	if text, err := b.Ledger.Text(ctx, ws, d.ID); err != nil || text.Content != strings.Join(texts, "\n\n") {
		t.Errorf("its text is %q, error %v", text.Content, err)
	}
	earlier, err := b.Ledger.Versions(ctx, ws, d.ID)
	must(t, err)
	want := []ledger.Version{{Number: 0, Name: d.Name, Title: d.Title, Format: d.Format, Hash: d.Hash, Since: d.CreatedAt, Until: b.Clock.Now()}}
	if diff := cmp.Diff(want, earlier); diff != "" {
		t.Errorf("earlier versions (-want +got)\n%s", diff)
	}
	if text, err := b.Ledger.VersionText(ctx, ws, d.ID, 0); err != nil || text.Content != "stays\n\ngoes\n\nmoves" {
		t.Errorf("the first text is %q, error %v", text.Content, err)
	}
	_, err = b.Ledger.VersionText(ctx, ws, d.ID, 1)
	wantKind(t, err, domain.NotFound)
	changes, err := b.Ledger.Changes(ctx, ws, seq, 0)
	if diff := cmp.Diff([]ledger.Change{{Seq: seq + 1, Document: d.ID}}, changes); diff != "" || err != nil {
		t.Errorf("changes (-want +got)\n%s, error %v", diff, err)
	}
	b.ownsVersions(t, d, id, other)
}

// ownsVersions checks what becomes of the runs and files of versions.
func (b Bench) ownsVersions(t *testing.T, d domain.Document, id domain.DocumentID, other domain.Document) {
	t.Helper()
	ctx := t.Context()
	for column, want := range map[string]int{string(d.ID): 1, string(id): 0} {
		var n int
		must(t, b.Writer.QueryRowContext(ctx, `SELECT COUNT(*) FROM runs WHERE workspace_id = ? AND subject = ?`, ws, column).Scan(&n))
		if n != want {
			t.Errorf("%d runs of %s, want %d", n, column, want)
		}
	}
	now, err := b.Ledger.Document(ctx, ws, d.ID)
	must(t, err)
	needed := func(when string, want ...bool) {
		t.Helper()
		for i, hash := range []string{d.Hash, now.Hash, other.Hash} {
			if got, err := b.Ledger.NeedsFile(ctx, ws, hash); err != nil || got != want[i] {
				t.Errorf("%s: file %d is needed: %v, error %v", when, i, got, err)
			}
		}
	}
	needed("at first", true, true, true)
	for name, want := range map[string]int{"second.txt": 1, d.Name: 0, other.Name: 1} {
		if found, err := b.Ledger.DocumentsNamed(ctx, ws, name); err != nil || len(found) != want {
			t.Errorf("%d documents named %s, error %v", len(found), name, err)
		}
	}
	if found, err := b.Ledger.DocumentsOfFile(ctx, ws, now.Hash); err != nil || len(found) != 1 || found[0].ID != d.ID {
		t.Errorf("documents of the file %+v, error %v", found, err)
	}
	_, err = b.Ledger.DeleteDocument(ctx, ws, d.ID)
	must(t, err)
	needed("once it is deleted", false, false, true)
	if left, err := b.Ledger.Versions(ctx, ws, d.ID); err != nil || len(left) != 0 {
		t.Errorf("versions of a deleted document %+v, error %v", left, err)
	}
}

func (b Bench) status(t *testing.T, d domain.Document, s domain.DocumentStatus) {
	t.Helper()
	_, err := b.Ledger.UpdateDocument(t.Context(), d.Workspace, d.ID, func(d *domain.Document) { d.Status = s })
	must(t, err)
}

// versionsKeepStretches checks that what a curator marked is found in a chunk that
// moved, and not in one that changed.
func versionsKeepStretches(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Ada met Babbage.", "Ada met Herschel.")
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	for _, c := range split(d.ID, []string{"Ada met Babbage.", "Ada met Herschel."}) {
		at := ledger.Stretch{Document: d.ID, Chunk: c.ID, Span: domain.Span{Start: c.Span.Start, End: c.Span.Start + 3}, Hash: domain.Hash([]byte("Ada"))}
		_, err := b.Ledger.Curate(ctx, ws, ledger.Curation{Kind: ledger.CurationRelate, Operation: ledger.Operation{Entity: "e", Target: "f", Type: "MET", Stretch: at}}, nil)
		must(t, err)
	}
	must(t, b.Ledger.AdoptVersion(ctx, ws, b.next(t, d, "A foreword.", "Ada met Herschel.", "Ada met Charles Babbage."), d.ID))
	chunks, err := b.Ledger.Chunks(ctx, ws, d.ID)
	must(t, err)
	entries, err := b.Ledger.Curations(ctx, ws, 1<<40)
	must(t, err)
	if words, ok := entries[1].Stretch.In(chunks[1]); !ok || words != "Ada" {
		t.Errorf("in the chunk that moved: %q, %v", words, ok)
	}
	for _, c := range chunks {
		if _, ok := entries[0].Stretch.In(c); ok {
			t.Errorf("the words of the chunk that changed are found in %q", c.Text)
		}
	}
}

// versionsKeepRows checks that a chunk that stays gets every column of what was mined
// from it in the next version.
func versionsKeepRows(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "goes", "stays")
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	id := b.next(t, d, "comes, longer", "stays")
	next, err := b.Ledger.Chunks(ctx, ws, id)
	must(t, err)
	mined := ledgerContribution(next[1], "Ada", "Babbage")
	mined.Graph.Names = []domain.GraphNode{{Name: "Ely", Label: "Place", Aliases: []string{"Isle of Ely"}, Spans: []domain.Span{next[1].Span}}}
	mined.Schema, mined.Mined, mined.Dropped = 3, `{"graph":{}}`, []domain.Dropped{droppedItem(next[1], "calm")}
	must(t, b.Ledger.RecordContribution(ctx, ws, mined))
	tables := []string{"contributions", "mentions", "statements", "dropped"}
	want := map[string][]string{}
	for _, table := range tables {
		if want[table] = b.rowsOf(t, table, next[1].ID); len(want[table]) == 0 {
			t.Fatalf("the chunk has no %s", table)
		}
	}
	must(t, b.Ledger.AdoptVersion(ctx, ws, id, d.ID))
	for _, table := range tables {
		if diff := cmp.Diff(want[table], b.rowsOf(t, table, split(d.ID, []string{"goes", "stays"})[1].ID)); diff != "" {
			t.Errorf("%s (-as mined +adopted)\n%s", table, diff)
		}
		if left := b.rowsOf(t, table, next[1].ID); len(left) != 0 {
			t.Errorf("%s are left: %q", table, left)
		}
	}
}

// rowsOf returns the rows of a chunk in a table, with all columns but the ids that an
// adopted version changes.
func (b Bench) rowsOf(t *testing.T, table string, id domain.ChunkID) (found []string) {
	t.Helper()
	rows, err := b.Writer.QueryContext(t.Context(), `SELECT * FROM `+table+` WHERE workspace_id = ? AND chunk_id = ?`, ws, id)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		values := make([]string, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		must(t, rows.Scan(into...))
		var row []string
		for i, name := range columns {
			if name != "chunk_id" && name != "document_id" {
				row = append(row, name+"="+values[i])
			}
		}
		found = append(found, strings.Join(row, " "))
	}
	must(t, rows.Err())
	slices.Sort(found)
	return found
}

// removedVersions checks that a removed version takes its quotations along, and
// those alone, also when an answer is written later.
func removedVersions(t *testing.T, b Bench) {
	ctx := t.Context()
	d := b.add(t, ws, "one", "Ada met Babbage.")
	_, err := b.Ledger.Publish(ctx, ws, d.ID)
	must(t, err)
	b.Clock.Advance(time.Hour)
	must(t, b.Ledger.AdoptVersion(ctx, ws, b.next(t, d, "Ada met Herschel."), d.ID))
	b.conversation(t, "k1")
	cited := []domain.Citation{
		{N: 1, Document: d.Name, DocumentID: d.ID, Place: "Slide 1", Text: "Babbage"},
		{N: 2, Document: d.Name, DocumentID: d.ID, Version: 1, Place: "Slide 1", Text: "Herschel"},
	}
	must(t, b.addMessage(ctx, ledger.Answer{Message: "m1", Workspace: ws, Conversation: "k1", Question: "Who?", Run: "r", Status: ledger.MessageDone, Citations: cited}))
	check := func(when, first string) {
		t.Helper()
		m, err := b.Ledger.Message(ctx, ws, "m1")
		must(t, err)
		if m.Citations[0].Text != first || m.Citations[0].Version != 0 || m.Citations[1].Text != "Herschel" || m.Citations[1].Version != 1 {
			t.Errorf("%s: citations %+v", when, m.Citations)
		}
	}
	check("before", "Babbage")
	for _, n := range []int{1, 7} {
		_, err := b.Ledger.RemoveVersion(ctx, ws, d.ID, n)
		wantKind(t, err, domain.NotFound)
	}
	hash, err := b.Ledger.RemoveVersion(ctx, ws, d.ID, 0)
	if err != nil || hash != d.Hash {
		t.Fatalf("the hash %q, error %v", hash, err)
	}
	check("after", "")
	_, err = b.updateMessage(ctx, "m1", func(m *ledger.Answer) { m.Citations = cited })
	must(t, err)
	check("written later", "")
	if needs, err := b.Ledger.NeedsFile(ctx, ws, d.Hash); err != nil || needs {
		t.Errorf("its file is needed: %v, error %v", needs, err)
	}
	_, err = b.Ledger.VersionText(ctx, ws, d.ID, 0)
	wantKind(t, err, domain.NotFound)
}
