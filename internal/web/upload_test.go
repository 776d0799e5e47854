package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/sample"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// results decodes the JSON response to an upload.
func results(t *testing.T, p reply) []partial.UploadResult {
	t.Helper()
	var body struct {
		Results []partial.UploadResult `json:"results"`
	}
	if err := json.Unmarshal([]byte(p.body), &body); err != nil {
		t.Fatalf("status %d, %s: %v", p.status, p.body, err)
	}
	return body.Results
}

func (b *bench) documents(t *testing.T) []domain.Document {
	t.Helper()
	all, _, err := b.Ledger.Documents(t.Context(), testkit.Workspace, ledger.DocumentQuery{})
	testkit.Must(t, err)
	return all
}

func TestGoodAndBadFilesInOneUpload(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.Add(t, "known.txt", "Agnes Lovibond is known already.")
	p := b.send(t, []upload{
		{"good.txt", "Maud Ferring built a bridge."},
		{"empty.txt", ""},
		{"lying.pdf", "<html>I am no PDF.</html>"},
		{"large.txt", strings.Repeat("x", 1<<20+1)},
		{"copy.txt", "Agnes Lovibond is known already."},
		{"../../etc/passwd.txt", "Above the folder."},
		{`C:\letters\anna.md`, "# From Windows"},
		{"..", "No name."},
		{strings.Repeat("n", 300) + ".txt", "Long name."},
		{"naïve \"quoted\".txt", "Quoted."},
	}, "Accept", "application/json")
	if p.status != 200 {
		t.Errorf("status %d", p.status)
	}
	want := []partial.UploadResult{
		{Name: "good.txt", Outcome: partial.UploadAdded},
		{Name: "empty.txt", Outcome: partial.UploadRefused, Message: "empty.txt is empty: it contains nothing to read."},
		{Name: "lying.pdf", Outcome: partial.UploadRefused},
		{Name: "large.txt", Outcome: partial.UploadRefused, Message: "The file is larger than 1 MB, the limit set by MAX_UPLOAD_MB."},
		{Name: "copy.txt", Outcome: partial.UploadExisting, Same: "known.txt", Message: "The library already has the same content as known.txt. Nothing was added."},
		{Name: "passwd.txt", Outcome: partial.UploadAdded},
		{Name: "anna.md", Outcome: partial.UploadAdded},
		{Name: "..", Outcome: partial.UploadRefused, Message: "The file has no name. Give it one and add it again."},
		{Name: strings.Repeat("n", 195) + "….txt", Outcome: partial.UploadAdded},
		{Name: "naïve \"quoted\".txt", Outcome: partial.UploadAdded},
	}
	got := results(t, p)
	for i := range got {
		if len(want) == len(got) && want[i].Message == "" {
			got[i].Message = ""
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(partial.UploadResult{}, "ID")); diff != "" {
		t.Errorf("results (-want +got)\n%s", diff)
	}
	if n := len(b.documents(t)); n != 6 {
		t.Errorf("%d documents, want 6", n)
	}
	if entries, err := os.ReadDir(b.Path("files") + "/incoming"); err != nil || len(entries) > 0 {
		t.Errorf("half-written: %v, %v", entries, err)
	}
}

func TestUploadsFromAForm(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	p := b.send(t, []upload{{"a.txt", "Maud Ferring."}, {"b.txt", "Agnes Lovibond."}})
	if p.status != 303 || p.header.Get("Location") != "/documents" {
		t.Errorf("all good: status %d to %q", p.status, p.header.Get("Location"))
	}
	p = b.send(t, []upload{{"c.txt", "Berta Quill."}, {"empty.txt", ""}})
	if p.status != 200 || !strings.Contains(p.main(t), "empty.txt is empty") {
		t.Errorf("one bad: status %d, page says %q", p.status, p.main(t))
	}
	p = b.send(t, []upload{{"e.txt", "Dora Quill."}, {"again.txt", "Maud Ferring."}})
	if p.status != 200 || !strings.Contains(p.main(t), "already has the same content as a.txt") {
		t.Errorf("one that is there: status %d, page says %q", p.status, p.main(t))
	}
	p = b.send(t, []upload{{"empty.txt", ""}})
	if p.status != 422 || !strings.Contains(p.main(t), "empty.txt is empty") {
		t.Errorf("all bad: status %d, page says %q", p.status, p.main(t))
	}
	if p := b.send(t, []upload{{"d.txt", "Clara Quill."}}, "HX-Request", "true"); p.status != 204 || p.header.Get("HX-Redirect") != "/documents" {
		t.Errorf("by htmx: status %d to %q", p.status, p.header.Get("HX-Redirect"))
	}
}

// TestTheSameContentUnderAnotherName adds a file twice, and gives its document the second
// name.
func TestTheSameContentUnderAnotherName(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "draft.txt", "Maud Ferring built a bridge.")
	p := b.send(t, []upload{{"final.txt", "Maud Ferring built a bridge."}})
	if said := p.main(t); !strings.Contains(said, "already has the same content as draft.txt. Nothing was added.") || !strings.Contains(said, "Call it final.txt") {
		t.Errorf("the page says %q", said)
	}
	if p := b.post(t, "/documents/"+string(doc.ID)+"/rename", url.Values{"name": {"final.txt"}}); p.status != 303 || p.header.Get("Location") != "/documents/"+string(doc.ID) {
		t.Errorf("status %d to %q", p.status, p.header.Get("Location"))
	}
	if docs := b.documents(t); len(docs) != 1 || docs[0].Name != "final.txt" || docs[0].ID != doc.ID {
		t.Errorf("documents %+v", docs)
	}
	got := results(t, b.send(t, []upload{{"final.txt", "Maud Ferring built a bridge."}}, "Accept", "application/json"))
	if len(got) != 1 || got[0].Same != "" || got[0].Outcome != partial.UploadExisting {
		t.Errorf("once more: %+v", got)
	}
}

func TestUploadsWithoutAFile(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	const says = "Choose at least one file to add."
	for name, send := range map[string]func() reply{
		"no part":        func() reply { return b.send(t, nil) },
		"nothing chosen": func() reply { return b.send(t, []upload{{"", ""}}) },
		"no multipart":   func() reply { return b.post(t, "/documents", url.Values{"files": {"a.txt"}}) },
	} {
		t.Run(name, func(t *testing.T) {
			if p := send(); p.status != 422 || !strings.Contains(p.main(t), says) {
				t.Errorf("status %d, page says %q", p.status, p.main(t))
			}
		})
	}
}

func TestTooManyFiles(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	files := make([]upload, maxFiles+3)
	for i := range files {
		files[i] = upload{fmt.Sprintf("%d.txt", i), fmt.Sprintf("Letter %d.", i)}
	}
	files[maxFiles+2].content = strings.Repeat("x", 1<<20) // more than a server reads of a body it ignores
	got := results(t, b.send(t, files, "Accept", "application/json"))
	if len(got) != maxFiles+1 {
		t.Fatalf("%d results, want %d", len(got), maxFiles+1)
	}
	last := got[maxFiles]
	if last.Name != "3 files" || last.Outcome != partial.UploadRefused || !strings.Contains(last.Message, "At most 200 files") {
		t.Errorf("the last result is %+v", last)
	}
	if n := len(b.documents(t)); n != maxFiles {
		t.Errorf("%d documents, want %d", n, maxFiles)
	}
}

func TestAnUnreadableFileNameIsReported(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	body := "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt; half\r\n\r\nText.\r\n--x--\r\n"
	p := b.do(t, http.MethodPost, "/documents", strings.NewReader(body), "Content-Type", "multipart/form-data; boundary=x", "Accept", "application/json")
	if got := results(t, p); len(got) != 1 || got[0].Outcome != partial.UploadRefused || !strings.Contains(got[0].Message, "no name") {
		t.Errorf("results %+v", got)
	}
}

func TestADroppedConnectionLeavesNoFile(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	answered := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(answered)
		b.server.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	body, kind := form(t, upload{"first.txt", "The first letter is whole."}, upload{"second.txt", strings.Repeat("half of the second ", 1000)})
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	testkit.Must(t, err)
	_, err = fmt.Fprintf(conn, "POST "+library+"/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", kind, body.Len())
	testkit.Must(t, err)
	_, err = conn.Write(body.Bytes()[:body.Len()-5000])
	testkit.Must(t, err)
	testkit.Must(t, conn.Close())
	testkit.Within(t, testTimeout, "the end of the request", answered)
	docs := b.documents(t)
	if len(docs) != 1 || docs[0].Name != "first.txt" {
		t.Errorf("documents %+v, want the first alone", docs)
	}
	if left := testkit.Holding(t, b.Dir, "half of the second"); len(left) > 0 {
		t.Errorf("the second is in %q", left)
	}
	runs, err := b.Queue.List(t.Context(), testkit.Workspace, job.Query{})
	if err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v, want 1", len(runs), err)
	}
}

func TestASlowUploadDoesNotBlockStop(t *testing.T) {
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	testkit.Must(t, err)
	defer conn.Close()
	_, err = fmt.Fprint(conn, "POST /documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 999\r\n"+
		"Expect: 100-continue\r\n\r\n")
	testkit.Must(t, err)
	_, err = io.ReadFull(conn, make([]byte, len("HTTP/1.1 100")))
	testkit.Must(t, err) // the handler is reading the body
	over, cancel := context.WithCancel(t.Context())
	cancel()
	b.stop(over, t)
	if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection is still open: %v", err)
	}
}

func TestATruncatedUploadIsReported(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	body, kind := form(t, upload{"first.txt", "The first letter is whole."}, upload{"second.txt", "The second is not."})
	half := bytes.NewReader(body.Bytes()[:body.Len()-70])
	got := results(t, b.do(t, http.MethodPost, "/documents", io.NopCloser(half), "Content-Type", kind, "Accept", "application/json"))
	if len(got) < 2 || got[0].Outcome != partial.UploadAdded || got[1].Outcome != partial.UploadRefused || !strings.Contains(got[1].Message, "broke off") {
		t.Errorf("results %+v", got)
	}
}

func TestPastedText(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	p := b.post(t, "/documents/text", url.Values{"text": {"Maud Ferring met Agnes Lovibond."}})
	if p.status != 303 {
		t.Fatalf("status %d", p.status)
	}
	b.post(t, "/documents/text", url.Values{"text": {"# Notes"}, "name": {" notes.md "}})
	var names []string
	for _, d := range b.documents(t) {
		names = append(names, d.Name+" "+string(d.Format))
	}
	if diff := cmp.Diff([]string{"Pasted text.txt text", "notes.md markdown"}, names, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
	if p := b.post(t, "/documents/text", url.Values{"text": {" \n"}}); p.status != 422 || !strings.Contains(p.main(t), "The text is empty") {
		t.Errorf("empty text: %d %q", p.status, p.main(t))
	}
	if p := b.post(t, "/documents/text", url.Values{"text": {strings.Repeat("x", 1<<20+1)}}, "Accept", "application/json"); p.status != 422 || !strings.Contains(p.body, "MAX_UPLOAD_MB") {
		t.Errorf("a text over the limit: %d %s", p.status, p.body)
	}
	if p := b.post(t, "/documents/text", url.Values{"text": {strings.Repeat("x", 1<<21+1)}}); p.status != 413 {
		t.Errorf("a form over the limit: %d %q", p.status, p.main(t))
	}
}

func TestFormsThatAreTooLargeOrBroken(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	if p := b.post(t, "/ask", url.Values{"question": {strings.Repeat("why ", 1<<18+1)}}); p.status != 413 || !strings.Contains(p.main(t), "too large") {
		t.Errorf("a question of a megabyte: %d %q", p.status, p.main(t))
	}
	p := b.do(t, http.MethodPost, "/ask", strings.NewReader("question=%zz"), "Content-Type", "application/x-www-form-urlencoded")
	if p.status != 422 || !strings.Contains(p.main(t), "could not be read") {
		t.Errorf("a broken form: %d %q", p.status, p.main(t))
	}
	if _, n, err := b.Ledger.Conversations(t.Context(), testkit.Workspace, 0, 0); err != nil || n != 0 {
		t.Errorf("%d conversations, %v", n, err)
	}
}

func TestTheSampleLibraryIsLoadedOnce(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for range 2 {
		if p := b.post(t, "/sample", nil); p.status != 303 {
			t.Fatalf("status %d", p.status)
		}
	}
	if n := len(b.documents(t)); n != 12 {
		t.Errorf("%d documents, want 12", n)
	}
}

func TestDeleteAndReadAgainFromThePages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	path := "/documents/" + string(f.doc.ID)
	if p := b.post(t, path+"/again", nil); p.status != 303 {
		t.Errorf("read again: %d %q", p.status, p.main(t))
	}
	doc := b.Document(t, f.doc.ID)
	if doc.Run == f.doc.Run || b.Settle(t, doc).Status != domain.DocumentReady {
		t.Errorf("it was not read again: %+v", doc)
	}
	if p := b.post(t, path+"/delete", nil); p.status != 303 || !strings.HasPrefix(p.header.Get("Location"), "/documents?deletion=") {
		t.Errorf("delete: %d to %q", p.status, p.header.Get("Location"))
	}
	if p := b.get(t, "/documents?done=deleted"); !strings.Contains(p.body, "The document was deleted") {
		t.Error("the page does not report the deletion")
	}
	if p := b.get(t, path); p.status != 404 {
		t.Errorf("its page answers %d", p.status)
	}
	source := b.get(t, "/ask/"+string(f.message.Conversation)+"/source/"+string(f.message.Message)+"/1")
	if source.status != 200 || !strings.Contains(source.body, "The source was deleted") {
		t.Errorf("the source of the answer: %d", source.status)
	}
	for _, p := range []string{"/ask/" + string(f.message.Conversation), "/runs/" + string(f.message.Run)} {
		if page := b.get(t, p); page.status != 200 || strings.Contains(page.body, `data-state="waiting" data-testid="totals"`) {
			t.Errorf("%s: status %d, drawn as if it waited", p, page.status)
		}
	}
	b.stream(t, "/runs/"+string(f.message.Run)+"/events").until(t, "the end", func(e event) bool { return e.name == "end" })
}

// TestAControlCharacterInAFileNameSparesTheOthers sends headers that the standard
// library does not read, one before a file with lines of every kind.
func TestAControlCharacterInAFileNameSparesTheOthers(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	part := func(name, text string) string {
		return "--edge\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name + "\"\r\nContent-Type: text/plain\r\n\r\n" + text + "\r\n"
	}
	lines := "one\r\n\r\n--edgy\r\n" + strings.Repeat("long", 10_000) + "\n\n"
	body := part("first.txt", "The first.") + part("a\x01b.txt", lines) + part("c\x02.txt", "") + part("last.txt", "The last.") + "--edge--\r\n"
	got := results(t, b.do(t, http.MethodPost, "/documents", strings.NewReader(body),
		"Content-Type", "multipart/form-data; boundary=edge", "Accept", "application/json"))
	var outcomes []string
	for _, r := range got {
		outcomes = append(outcomes, r.Name+" "+r.Outcome)
	}
	if diff := cmp.Diff([]string{"first.txt added", `a\x01b.txt refused`, `c\x02.txt refused`, "last.txt added"}, outcomes); diff != "" {
		t.Fatalf("outcomes (-want +got):\n%s", diff)
	}
	if !strings.Contains(got[1].Message, "control character") {
		t.Errorf("the second says %q", got[1].Message)
	}
	cut := part("a\x01b.txt", "half of it")
	got = results(t, b.do(t, http.MethodPost, "/documents", strings.NewReader(strings.TrimSuffix(cut, "\r\n")),
		"Content-Type", "multipart/form-data; boundary=edge", "Accept", "application/json"))
	if len(got) != 2 || got[0].Outcome != partial.UploadRefused || !strings.Contains(got[1].Message, "interrupted") {
		t.Errorf("an upload that ends in such a file: %+v", got)
	}
}

// TestAnUploadIsHeld uploads two files with the bill first: the list shows the bills,
// and reads them after a yes.
func TestAnUploadIsHeld(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	for _, name := range []string{"mill.txt", "river.txt"} {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		testkit.Must(t, w.WriteField("hold", "1"))
		part, err := w.CreateFormFile("files", name)
		testkit.Must(t, err)
		_, err = part.Write([]byte("Anna Quill met Maud Ferring at " + name))
		testkit.Must(t, err)
		testkit.Must(t, w.Close())
		sent := results(t, b.do(t, http.MethodPost, "/documents", &body, "Accept", "application/json", "Content-Type", w.FormDataContentType()))
		if len(sent) != 1 || !strings.Contains(sent[0].Message, "it is read once you agree") {
			t.Errorf("sent: %+v", sent)
		}
	}
	list := b.get(t, "/documents").main(t)
	for _, want := range []string{"Held, not read yet", "Reading it would take 1 passage, free", "2 documents are held until you say yes. 2 passages, free", "Read it", "Read them"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list does not say %q: %s", want, list)
		}
	}
	if r := b.post(t, "/documents/held", nil); r.status != http.StatusSeeOther {
		t.Errorf("status %d", r.status)
	}
	for _, d := range b.documents(t) {
		b.Settle(t, d)
	}
	if list := b.get(t, "/documents").main(t); strings.Contains(list, "Held") || strings.Contains(list, "are held") {
		t.Errorf("after the yes: %s", list)
	}
}

// TestTheSampleStandsInTheOrderOfItsFiles, the last first, however fast they were added.
func TestTheSampleStandsInTheOrderOfItsFiles(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.Clock.Stop()
	b.post(t, link.Sample, nil)
	var want []string
	for _, f := range slices.Backward(sample.Files()) {
		want = append(want, f.Name)
	}
	var rows []string
	for _, row := range nodes(t, b.get(t, link.Documents).body, func(n *html.Node) bool { return attr(n, "data-testid") == "document" }) {
		for _, name := range want {
			if strings.Contains(text(row), name) {
				rows = append(rows, name)
			}
		}
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the list (-want +got)\n%s", diff)
	}
}
