package web

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// addText adds a document with a text that nobody has read.
func (b *bench) addText(t *testing.T, id domain.DocumentID, format domain.Format, whole domain.Text) {
	t.Helper()
	d := domain.Document{
		Workspace: testkit.Workspace, ID: id, Name: string(id) + ".md", Title: "Annals", Format: format,
		Hash: domain.Hash([]byte(id)), Status: domain.DocumentEmpty, Chars: domain.Runes(whole.Content),
	}
	_, _, err := b.Ledger.AddDocument(t.Context(), d)
	testkit.Must(t, err)
	testkit.Must(t, b.Ledger.SaveText(t.Context(), d.Workspace, d.ID, whole))
}

// annals are a megabyte of text under 900 headings.
func annals() (whole domain.Text) {
	var s strings.Builder
	at := 0
	for year := 900; year < 1800; year++ {
		title := fmt.Sprintf("In the year %d", year)
		whole.Headings = append(whole.Headings, domain.Heading{Level: 2, Text: title, Span: domain.Span{Start: at, End: at + len(title)}})
		line := title + "\n\n" + strings.Repeat(fmt.Sprintf("The bells of %d were cast by hand and hung in the tower. ", year), 20) + "\n\n"
		s.WriteString(line)
		at += len(line)
	}
	whole.Content = s.String()
	return whole
}

var nextPart = regexp.MustCompile(`<(?:p|li) class="part" hx-get="([^"]+)"`)

// rest loads what a page loads when one scrolls to its end, part by part.
func (b *bench) rest(t *testing.T, body, parameter string) (parts []string) {
	t.Helper()
	for {
		next := ""
		for _, m := range nextPart.FindAllStringSubmatch(body, -1) {
			if strings.Contains(m[1], parameter+"=") {
				next = html.UnescapeString(m[1])
			}
		}
		if next == "" || len(parts) > 500 {
			return parts
		}
		p := b.get(t, next, "HX-Request", "true")
		if p.status != http.StatusOK || strings.Contains(p.body, "<html") {
			t.Fatalf("%s: status %d, %.80q", next, p.status, p.body)
		}
		body = p.body
		parts = append(parts, body)
	}
}

// TestALongTextComesInParts opens a megabyte, and loads it to its end as one does who
// scrolls: everything comes once, and the page itself is small.
func TestALongTextComesInParts(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	whole := annals()
	b.addText(t, "annals", domain.FormatMarkdown, whole)
	dense := b.get(t, link.Document("annals"), "Accept-Encoding", "gzip")
	if len(dense.body) > 60_000 {
		t.Errorf("%d bytes on the wire, want at most 60,000", len(dense.body))
	}
	r, err := gzip.NewReader(strings.NewReader(dense.body))
	testkit.Must(t, err)
	first, err := io.ReadAll(r)
	testkit.Must(t, err)
	body := string(first)

	headings := b.rest(t, body, "contents")
	list := strings.Count(body+strings.Join(headings, ""), `<li class="level-2">`)
	if list != len(whole.Headings) || len(headings) == 0 {
		t.Errorf("%d of %d headings are listed, in %d more parts", list, len(whole.Headings), len(headings))
	}
	var read strings.Builder
	collect := func(body string) {
		for _, n := range nodes(t, body, func(n *html.Node) bool { return n.Data != "li" && attr(n, "data-at") != "" }) {
			read.WriteString(text(n))
		}
	}
	collect(body)
	for _, part := range b.rest(t, body, "at") {
		if len(part) > 100_000 {
			t.Errorf("a part has %d bytes", len(part))
		}
		collect(part)
	}
	if got, want := strings.Join(strings.Fields(read.String()), ""), strings.Join(strings.Fields(whole.Content), ""); got != want {
		t.Errorf("the parts hold %d characters, want %d", len(got), len(want))
	}
}

// TestALongTextCostsFewStatements opens a megabyte, its middle, and a further part of it, and prints how long the server takes.
func TestALongTextCostsFewStatements(t *testing.T) {
	t.Parallel()
	var asked testkit.Statements
	b := open(t, testkit.Options{Idle: true, Statements: &asked})
	b.addText(t, "annals", domain.FormatMarkdown, annals())
	for _, tt := range []struct {
		path string
		head []string
		most int
	}{
		{link.Document("annals"), nil, maxStatements},
		{link.Passage("annals", domain.Span{Start: 500_000, End: 500_040}), nil, maxStatements},
		{link.Part("annals", 16_000), []string{"HX-Request", "true"}, 4},
	} {
		b.get(t, tt.path, tt.head...) // whatever is kept from then on
		asked.Take()
		began := time.Now()
		if p := b.get(t, tt.path, tt.head...); p.status != http.StatusOK {
			t.Errorf("%s: status %d", tt.path, p.status)
		}
		took, sent := time.Since(began), asked.Take()
		for range 2 { // the server may do something else meanwhile
			b.get(t, tt.path, tt.head...)
			if again := asked.Take(); len(again) < len(sent) {
				sent = again
			}
		}
		t.Logf("%s: %v, %d statements", tt.path, took.Round(time.Millisecond), len(sent))
		if len(sent) > tt.most {
			t.Errorf("%s took %d statements, want at most %d:\n%s", tt.path, len(sent), tt.most, outline(sent))
		}
	}
}

// TestALongTextOpensAnywhere marks characters in the middle, and goes back to the beginning.
func TestALongTextOpensAnywhere(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	whole := annals()
	b.addText(t, "annals", domain.FormatMarkdown, whole)
	s := domain.Span{Start: 500_000, End: 500_040}
	p := b.get(t, link.Passage("annals", s))
	if got := marked(t, p.body); got != s.Slice(whole.Content) {
		t.Errorf("marks %q, want %q", got, s.Slice(whole.Content))
	}
	before := b.rest(t, p.body, "before")
	if len(before) < 20 || !strings.Contains(before[len(before)-1], "In the year 900") {
		t.Errorf("%d parts lead to the beginning", len(before))
	}
	last := whole.Headings[len(whole.Headings)-1]
	if p := b.get(t, link.Part("annals", last.Span.Start)); !strings.Contains(p.body, `id="h-900"`) {
		t.Error("the link to the last heading does not lead there")
	}
	for _, query := range []string{"?contents=99999", "?names=99999", "?before=1", "?before=99999999", "?contents=-1"} {
		if p := b.get(t, link.Document("annals")+query, "HX-Request", "true"); p.status != http.StatusOK {
			t.Errorf("%s: status %d", query, p.status)
		}
	}
}

// TestALineWithoutEnd opens a text of one line in parts too.
func TestALineWithoutEnd(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.addText(t, "line", domain.FormatText, domain.Text{Content: strings.Repeat("bells ", 50_000)})
	p := b.get(t, link.Document("line"))
	if parts := b.rest(t, p.body, "at"); len(p.body) > 60_000 || len(parts) < 10 {
		t.Errorf("%d bytes, %d more parts", len(p.body), len(parts))
	}
}

// TestOnlyPDFPagesLoadTheirViewer holds what the viewer weighs away from every other page.
func TestOnlyPDFPagesLoadTheirViewer(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	for _, path := range f.pages() {
		if p := b.get(t, path); strings.Contains(p.body, "/static/pdf") {
			t.Errorf("%s names what shows PDF files", path)
		}
	}
	b.addText(t, "guide", domain.FormatPDF, domain.Text{Content: "Copper Bridge.\n\nThe Weir.", Pages: []domain.Page{{Number: 1, Span: domain.Span{End: 15}}, {Number: 2, Span: domain.Span{Start: 16, End: 25}}}})
	p := b.get(t, link.Passage("guide", domain.Span{Start: 16, End: 24}))
	for _, want := range []string{`data-pdf="/documents/guide/original"`, `data-marks="[{&#34;page&#34;:2,&#34;words&#34;:&#34;The Weir&#34;,&#34;at&#34;:0}]"`} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page of a PDF lacks %s", want)
		}
	}
}

// TestWordsAreFoundWithinADocument goes from place to place, around the end and back, by addresses alone.
func TestWordsAreFoundWithinADocument(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	whole := annals()
	b.addText(t, "annals", domain.FormatMarkdown, whole)
	for _, tt := range []struct{ query, marks, says string }{
		{"find=in+the+YEAR", "In the year", "1 of 900"},
		{"find=in+the+year&n=900", "In the year", "900 of 900"},
		{"find=in+the+year&n=901", "In the year", "1 of 900"},
		{"find=in+the+year&n=0", "In the year", "900 of 900"},
		{"find=of+1500+were&was=in+the+year&n=7", "of 1500 were", "1 of 20"},
		{"find=of+1500+were&was=of+1500+were&n=7", "of 1500 were", "7 of 20"},
		{"find=no+such+words&n=3", "", "Not in this document"},
		{"find=++", "", ""},
	} {
		p := b.get(t, link.Document("annals")+"?"+tt.query)
		said := ""
		for _, n := range nodes(t, p.body, func(n *html.Node) bool { return attr(n, "data-testid") == "found" }) {
			said = text(n)
		}
		if got := marked(t, p.body); p.status != http.StatusOK || got != tt.marks || said != tt.says {
			t.Errorf("%s: status %d, marks %q and says %q, want %q and %q", tt.query, p.status, got, said, tt.marks, tt.says)
		}
	}
}

// TestChunksAreListedWithWhatWasMined follows the list of chunks from a document's page to its end.
func TestChunksAreListedWithWhatWasMined(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	doc := b.Read(t, "foundry.txt", strings.Repeat(foundry+"\n\n", 60))
	if doc.Chunks <= 5 {
		t.Fatalf("%d chunks: are there enough for two parts?", doc.Chunks)
	}
	m := b.Answered(t, "", "What did the foundry cast?")
	page := b.get(t, link.Document(doc.ID))
	if !strings.Contains(page.body, `hx-get="`+link.Chunks(doc.ID)+`"`) || !strings.Contains(page.body, `hx-get="`+link.Cited(doc.ID)+`"`) {
		t.Errorf("the page loads neither the chunks nor the questions: %s", page.main(t))
	}
	if p := b.get(t, link.Cited(doc.ID)); !strings.Contains(p.body, link.Source(m.Conversation, m.Message, 1)) || !strings.Contains(p.body, m.Question) {
		t.Errorf("the questions: %s", p.main(t))
	}
	first := b.get(t, link.Chunks(doc.ID), "HX-Request", "true")
	all := first.body + strings.Join(b.rest(t, first.body, "from"), "")
	if n := strings.Count(all, `data-testid="chunk"`); n != doc.Chunks {
		t.Errorf("%d chunks are listed of %d", n, doc.Chunks)
	}
	if !strings.Contains(all, "Carrow Foundry") || !strings.Contains(all, "Mined by ") || !strings.Contains(all, "kept") {
		t.Errorf("what was mined is missing: %.400s", all)
	}
	if p := b.get(t, link.Chunks(doc.ID)+"?from=99999"); p.status != http.StatusOK || !strings.Contains(p.main(t), "no passages here") {
		t.Errorf("behind the last: status %d, %q", p.status, p.main(t))
	}
}
