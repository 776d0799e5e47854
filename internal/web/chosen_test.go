package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/long"
	"github.com/clewhq/clew/views/link"
)

// TestChosenDocuments tags, reads again, deletes and brings back documents: those ticked, and
// all that match.
func TestChosenDocuments(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	bells, school := b.Read(t, "bells.txt", foundry), b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	mill := b.Read(t, "mill.md", "Dora Quill owned the mill.")
	names := func() string {
		t.Helper()
		docs, err := b.Ledger.ListDocuments(t.Context(), testkit.Workspace, ledger.DocumentQuery{Sort: domain.SortName})
		testkit.Must(t, err)
		var all []string
		for _, d := range docs {
			all = append(all, d.Name)
		}
		return strings.Join(all, " ")
	}
	ask := func(form url.Values) reply { t.Helper(); return b.get(t, link.Chosen+"?"+form.Encode()) }

	p := b.postAndFollow(t, link.Chosen, url.Values{"act": {"tag"}, "document": {string(bells.ID), string(school.ID)}, "add": {"Old"}})
	if !strings.Contains(p.body, "Tagged 2 documents “old”.") {
		t.Error("the list does not say what was tagged")
	}
	undone := b.postAndFollow(t, p.undo(t), url.Values{"back": {"/documents?format=text"}})
	if !strings.Contains(undone.body, "Took back: tagged 2 documents") || strings.Contains(undone.body, `class="tag" href="/documents?tag=old"`) {
		t.Error("the tags were not taken back")
	}
	if changes := b.get(t, link.Changes+"?kind=tag").main(t); !strings.Contains(changes, "Tagged 2 documents “old”") || !strings.Contains(changes, "undone") {
		t.Errorf("the changes are %s", changes)
	}
	b.postAndFollow(t, link.Chosen, url.Values{"act": {"tag"}, "document": {string(bells.ID), string(school.ID)}, "add": {"Old"}})
	if list := b.get(t, "/documents?tag=old").body; !strings.Contains(list, ">bells.txt<") || strings.Contains(list, ">mill.md<") || !strings.Contains(list, `class="tag" href="/documents?tag=old"`) {
		t.Error("the list of what was tagged is wrong")
	}
	if p := ask(url.Values{"act": {"ask"}, "all": {"1"}, "tag": {"old"}}); p.header.Get("Location") != "/ask?within=tag%3Aold" {
		t.Errorf("to ask within it leads to %q", p.header.Get("Location"))
	}
	if p := ask(url.Values{"act": {"summarise"}, "all": {"1"}, "q": {"mill"}}); p.header.Get("Location") != link.NewSummary(mill.ID) {
		t.Errorf("to summarise it leads to %q", p.header.Get("Location"))
	}
	if p := ask(url.Values{"act": {"study"}, "all": {"1"}, "tag": {"old"}}); p.header.Get("Location") != "/study?tag=old" {
		t.Errorf("to study it leads to %q", p.header.Get("Location"))
	}
	if p := b.get(t, ask(url.Values{"act": {"study"}, "document": {string(bells.ID), string(mill.ID), string(school.ID)}}).header.Get("Location")); !strings.Contains(p.main(t), "3 documents") || strings.Count(p.body, `name="document"`) != 3 {
		t.Errorf("to study three leads to %s", p.main(t))
	}
	if p := ask(url.Values{"act": {"again"}, "all": {"1"}, "format": {"text"}}); p.status != 200 || !strings.Contains(p.main(t), "Read 2 documents again?") {
		t.Errorf("reading again: %d %s", p.status, p.main(t))
	}
	b.postAndFollow(t, link.Chosen, url.Values{"act": {"again"}, "all": {"1"}, "q": {"school"}})
	if again := b.Settle(t, b.Document(t, school.ID)); again.Run == school.Run || b.Document(t, mill.ID).Run != mill.Run {
		t.Error("not the chosen document was read again")
	}
	for _, form := range []url.Values{{"act": {"delete"}}, {"act": {"paint"}, "all": {"1"}}, {"document": {string(mill.ID)}}} {
		if p := ask(form); p.status != 422 {
			t.Errorf("%v: status %d", form, p.status)
		}
	}

	all := url.Values{"act": {"delete"}, "all": {"1"}, "tag": {"old"}}
	if p := ask(all); !strings.Contains(p.main(t), "Delete 2 documents?") || !strings.Contains(p.main(t), "named in no other document") {
		t.Errorf("deleting says %s", p.main(t))
	}
	p = b.post(t, link.Chosen, all)
	to := p.header.Get("Location")
	list := b.get(t, to)
	undo := address(list.body, `action="`+link.Undelete)
	if p.status != 303 || !strings.Contains(list.body, "2 documents were deleted") || undo == "" || names() != "mill.md" {
		t.Fatalf("deleted to %q, left is %s, undone by %q", to, names(), undo)
	}
	b.postAndFollow(t, link.Undelete+undo, nil)
	if names() != "bells.txt mill.md school.txt" {
		t.Errorf("after undoing there is %s", names())
	}
	p = b.post(t, link.Chosen, all)
	b.Clock.Advance(b.Documents.UndoTime + time.Second)
	if late := b.get(t, p.header.Get("Location")); strings.Contains(late.body, link.Undelete) {
		t.Error("it can be undone too late")
	}
	testkit.Must(t, b.Documents.CarryOut(t.Context(), testkit.Workspace))
	if docs := b.documents(t); len(docs) != 1 {
		t.Errorf("%d documents are left, want 1", len(docs))
	}
}

// TestReadingAgainIsUndone reads chosen documents again, looks how far that is, and leaves them as they were.
func TestReadingAgainIsUndone(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.many(t, 4)
	p := b.postAndFollow(t, link.Chosen, url.Values{"act": {"again"}, "document": {"d00000", "d00001", "d00002"}, "sort": {"name"}})
	if !strings.Contains(p.body, "3 documents are read again.") || !strings.Contains(p.main(t), "Reading 3 documents again:") || !strings.Contains(p.main(t), "0 read, 3 to come.") {
		t.Errorf("the list says %s", p.main(t))
	}
	left := b.postAndFollow(t, p.undo(t), url.Values{"back": {"/documents?sort=name"}})
	if !strings.Contains(left.body, "Documents that had not been started were left as they were.") || strings.Contains(left.main(t), "again:") {
		t.Errorf("then it says %s", left.main(t))
	}
	for _, d := range b.documents(t) {
		if d.Status != domain.DocumentReady || d.Run != "" {
			t.Errorf("%s is %s", d.Name, d.Status)
		}
	}
}

// address returns the rest of an address with a beginning, "" if the page has none.
func address(body, beginning string) string {
	_, after, _ := strings.Cut(body, beginning)
	value, _, _ := strings.Cut(after, `"`)
	return strings.ReplaceAll(value, "&amp;", "&")
}

// TestALongListIsReadByPages goes through pages of a long list in several orders, and back, with
// few statements. With CLEW_LONG=1 it says what 10,000 documents take.
func TestALongListIsReadByPages(t *testing.T) {
	t.Parallel()
	var asked testkit.Statements
	b := open(t, testkit.Options{Idle: true, Statements: &asked})
	b.many(t, long.Or(1200, 10_000))
	for _, path := range []string{"/documents", "/documents?sort=-entities", "/documents?format=pdf&sort=name&tab=ready", "/documents?q=letter-00&sort=size"} {
		asked.Take()
		began := time.Now()
		p := b.get(t, path)
		t.Logf("%s took the server %s", path, time.Since(began))
		if n := strings.Count(p.body, `data-testid="document"`); n != 50 || !strings.Contains(p.main(t), "1 to 50 of") {
			t.Errorf("%s shows %d documents", path, n)
		}
		next := address(p.body, `<a class="btn" href="/documents?after=`)
		second := b.get(t, "/documents?after="+next)
		if !strings.Contains(second.main(t), "51 to 100 of") {
			t.Errorf("%s: the second page does not say so", path)
		}
		back := address(second.body, `<a class="btn" href="/documents?before=`)
		if first := b.get(t, "/documents?before="+back); !strings.Contains(first.main(t), "1 to 50 of") {
			t.Errorf("%s: the way back does not lead to the first page", path)
		}
		if list := asked.Take(); len(list) > 3*maxStatements {
			t.Errorf("three pages took %d statements:\n%s", len(list), outline(list))
		}
	}
}

// many adds n documents that are read, without their texts.
func (b *bench) many(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		d := domain.Document{
			Workspace: testkit.Workspace, ID: domain.DocumentID(fmt.Sprintf("d%05d", i)), Name: fmt.Sprintf("letter-%05d.pdf", i), Title: fmt.Sprintf("Letter %d to the board", i),
			Format: []domain.Format{domain.FormatPDF, domain.FormatText}[i%20/19], Size: int64(i * 37 % 10007), Hash: fmt.Sprintf("%064d", i), Status: domain.DocumentReady,
			Chunks: i % 40, ChunksDone: i % 40, Entities: i * 7 % 300, Relations: i % 90, Reader: "builtin/1", CreatedAt: b.Clock.Now().Add(time.Duration(i) * time.Minute),
		}
		_, _, err := b.Ledger.AddDocument(t.Context(), d)
		testkit.Must(t, err)
	}
}
