package ingest_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/ingest"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/langchain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit"
)

// drawing returns a PNG whose colours depend on seed.
func drawing(t *testing.T, seed int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 100, 80))
	for y := range 80 {
		for x := range 100 {
			m.SetRGBA(x, y, color.RGBA{R: uint8(x * seed), G: uint8(y), A: 255})
		}
	}
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, m))
	return b.Bytes()
}

// illustrated returns a web page with so many pictures.
func illustrated(t *testing.T, n int) string {
	var b strings.Builder
	b.WriteString("<html><body><main><h1>Works</h1><p>Anna Quill met Maud Ferring.</p>")
	for i := range n {
		b.WriteString(`<figure><img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(drawing(t, i+1)) + `"><figcaption>Figure ` + string(rune('1'+i)) + `: Works</figcaption></figure>`)
	}
	return b.String() + "<p>The end.</p></main></body></html>"
}

// TestPicturesAreDescribed reads a page with three pictures twice: the model is asked about two, once, and what it says stands
// below them as its own words.
func TestPicturesAreDescribed(t *testing.T) {
	t.Parallel()
	a, server, read := describing(t, 2)
	server.On(llmtest.LastMessage("Figure 1"), llmtest.Say("A wheel. It turns [left]."))
	server.On(llmtest.Any, llmtest.Say("A gate."))
	doc := a.Add(t, "works.html", illustrated(t, 3)).Document
	read(doc.ID)
	text, err := a.Ledger.Text(t.Context(), testkit.Workspace, doc.ID)
	testkit.Must(t, err)
	const want = "Works\n\nAnna Quill met Maud Ferring.\n\nFigure 1: Works\n\n[Described by scripted: A wheel; It turns (left)]\n\nFigure 2: Works\n\n[Described by scripted: A gate]\n\nFigure 3: Works\n\nThe end."
	if text.Content != want {
		t.Errorf("text %q", text.Content)
	}
	all, err := a.Ledger.Pictures(t.Context(), testkit.Workspace, doc.ID)
	testkit.Must(t, err)
	if len(all) != 3 || all[0].Description != "A wheel; It turns (left)" || all[1].Model != "scripted" || all[2].Description != "" || all[1].At.Slice(text.Content) != "Figure 2: Works\n\n[Described by scripted: A gate]" {
		t.Errorf("pictures %+v", all)
	}
	if d := a.Document(t, doc.ID); !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.HasPrefix(w, "Only the first 2 pictures were described") }) {
		t.Errorf("warnings %q", d.Warnings)
	}
	sent := server.Requests(llmtest.Any)
	if len(sent) != 2 || !bytes.HasPrefix(sent[0].Messages[1].Images[0].Data, []byte("\x89PNG")) {
		t.Fatalf("%d requests", len(sent))
	}
	read(doc.ID)
	if n := server.Calls(llmtest.Any); n != 2 {
		t.Errorf("reading again asked %d times, want what was recorded", n-2)
	}
}

// TestAModelThatSeesNothingIsNotAskedAgain has the model refuse pictures: the document is read without descriptions.
func TestAModelThatSeesNothingIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	a, server, read := describing(t, 5)
	server.On(llmtest.Any, llmtest.Fail(400, `{"error":{"message":"this model takes no images"}}`))
	doc := a.Add(t, "works.html", illustrated(t, 3)).Document
	read(doc.ID)
	d := a.Document(t, doc.ID)
	if server.Calls(llmtest.Any) != 1 || d.Status != domain.DocumentReady || !slices.ContainsFunc(d.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "The pictures could not be described from picture 1 on")
	}) {
		t.Errorf("%d calls, %s, warnings %q", server.Calls(llmtest.Any), d.Status, d.Warnings)
	}
}

// describing returns an app whose pictures a scripted model describes, and what reads a document there.
func describing(t *testing.T, most int) (*testkit.App, *llmtest.Server, func(domain.DocumentID)) {
	t.Helper()
	server := llmtest.New(t)
	chat, err := langchain.NewChat(langchain.Config{Provider: langchain.OpenAI, BaseURL: server.URL, Model: "scripted"})
	testkit.Must(t, err)
	a := testkit.Open(t, testkit.Options{Extractor: &testkit.Extractor{}, Idle: true})
	p := a.IngestParams()
	p.Describing, p.Threads = ingest.Describing{Chat: llm.Record(chat, a.Ledger), Most: most}, nil
	graph, err := ingest.Graph(p)
	testkit.Must(t, err)
	return a, server, func(id domain.DocumentID) {
		t.Helper()
		_, err := graph.Run(t.Context(), ingest.Begin(testkit.Workspace, id))
		testkit.Must(t, err)
	}
}
