package measure

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/llm/llmtest"
)

func params(t testing.TB) Params {
	t.Helper()
	return Params{Stores: openStores(t), Mine: new(builtin.Miner).Mine, Now: time.Now}
}

// asked is a line of a folder's questions.
type asked struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Gold     []string `json:"gold"`
}

// folder is a small set of questions with vectors.
type folder struct {
	passages  []Passage
	questions []asked
}

// small is a folder in which a second hop is needed.
func small() folder {
	f := folder{passages: []Passage{
		{ID: "p0", Title: "Copper Bridge", Text: "Copper Bridge is a roofed bridge. Henrike Aldous designed Copper Bridge."},
		{ID: "p1", Title: "Henrike Aldous", Text: "She was born in Karsholm in 1830. Ruth Garland painted her portrait."},
		{ID: "p2", Title: "Weir Bridge", Text: "Weir Bridge is a stone bridge. Jonah Brandreth built Weir Bridge."},
		{ID: "p3", Title: "Jonah Brandreth", Text: "He owned a quarry in Tarnwick."},
		{ID: "p4", Title: "Swan Inn", Text: "The inn was founded by Anna Lind and sells beer."},
		{ID: "p5", Title: "Anna Lind", Text: "She came from Osterby with a cart."},
	}}
	f.questions = []asked{
		{ID: "q0", Question: "Where was the designer of Copper Bridge born?", Answer: "Karsholm", Gold: []string{"p0", "p1"}},
		{ID: "q1", Question: "What did the builder of Weir Bridge own?", Answer: "a quarry", Gold: []string{"p2", "p3"}},
		{ID: "q2", Question: "Where did the founder of the Swan Inn come from?", Answer: "Osterby", Gold: []string{"p4", "p5"}},
	}
	return f
}

// write writes the folder's files. Passages and questions of the same index have
// the same vector.
func (f folder) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	writeLines(t, filepath.Join(dir, "passages.jsonl.gz"), f.passages)
	writeLines(t, filepath.Join(dir, "questions.jsonl.gz"), f.questions)
	writeFloats(t, filepath.Join(dir, "passages.f16.npy"), len(f.passages))
	writeFloats(t, filepath.Join(dir, "questions.f16.npy"), len(f.questions))
	return dir
}

func writeLines[T any](t testing.TB, path string, items []T) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, it := range items {
		if err := json.NewEncoder(z).Encode(it); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeFloats writes n unit vectors: the i-th has a one at i.
func writeFloats(t testing.TB, path string, n int) {
	t.Helper()
	header := fmt.Sprintf("{'descr': '<f2', 'fortran_order': False, 'shape': (%d, 8), }\n", n)
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	data = append(data, header...)
	for i := range n {
		for j := range 8 {
			bits := uint16(0)
			if i == j {
				bits = 0x3c00
			}
			data = binary.LittleEndian.AppendUint16(data, bits)
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRetrieval(t *testing.T) {
	t.Parallel()
	scores, err := Retrieval(t.Context(), params(t), small().write(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	byName := map[string]Score{}
	for _, s := range scores {
		names = append(names, s.Method)
		byName[s.Method] = s
	}
	if diff := cmp.Diff([]string{"bm25", "dense", "hybrid", "builtin", "default"}, names); diff != "" {
		t.Errorf("methods (-want +got)\n%s", diff)
	}
	if s := byName["builtin"]; s.Recall2 != 1 || s.MRR != 1 || s.Questions != 3 {
		t.Errorf("builtin %+v, want both passages first for all three questions", s)
	}
	line, err := json.Marshal(byName["bm25"])
	if err != nil || !strings.Contains(string(line), `"method":"bm25","questions":3,"recall_2":`) || !strings.Contains(string(line), `"ms_p50":`) {
		t.Errorf("JSON %s, %v", line, err)
	}
}

// TestVectorsAreMade: a folder without vectors is searched by those of an embedder, and
// one with vectors has them replaced.
func TestVectorsAreMade(t *testing.T) {
	t.Parallel()
	dir := small().write(t)
	found := func(e llm.Embedder) Score {
		p := params(t)
		p.Embedder = e
		scores, err := Retrieval(t.Context(), p, dir)
		if err != nil {
			t.Fatal(err)
		}
		return scores[slices.IndexFunc(scores, func(s Score) bool { return s.Method == "dense" })]
	}
	replayed, made := found(nil), found(llmtest.Embedder{Size: 1024})
	if replayed.Recall2 >= made.Recall2 || made.MRR != 1 {
		t.Errorf("by the vectors of the folder %+v, by those made %+v: the folder's say nothing, and the words should", replayed, made)
	}
}

func TestFolderWithoutVectors(t *testing.T) {
	t.Parallel()
	dir := small().write(t)
	for _, name := range []string{"passages.f16.npy", "questions.f16.npy"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	scores, err := Retrieval(t.Context(), params(t), dir)
	if err != nil || len(scores) != 2 || scores[0].Method != "bm25" || scores[1].Method != "builtin" {
		t.Errorf("scores %+v, %v", scores, err)
	}
}

// found searches a folder by the default method with vectors, and returns the
// texts found.
func found(t *testing.T, dir string) [][]string {
	t.Helper()
	corpus, err := LoadCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	questions, err := LoadQuestions(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ingest(t.Context(), params(t), corpus)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.search(t.Context(), time.Now, method{"default", domain.MethodDefault, true}, questions)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, p := range corpus.Passages {
		text[p.ID] = p.Title + "\n" + p.Text
	}
	for _, list := range r.found {
		for i, id := range list {
			list[i] = text[id]
		}
	}
	return r.found
}

func TestRankingSeesNeitherIDsNorAnswers(t *testing.T) {
	t.Parallel()
	plain := small()
	want := found(t, plain.write(t))

	disguised := small()
	for i := range disguised.passages {
		disguised.passages[i].ID = fmt.Sprintf("x%d", 7*i%11)
	}
	golds := [][]string{{"x0"}, {}, {"x7", "x3"}}
	for i := range disguised.questions {
		disguised.questions[i].ID = fmt.Sprint(9 - i)
		disguised.questions[i].Answer = "nothing"
		disguised.questions[i].Gold = golds[i]
	}
	if diff := cmp.Diff(want, found(t, disguised.write(t))); diff != "" {
		t.Errorf("other ids and answers gave another ranking (-want +got)\n%s", diff)
	}
}

func TestOrderOfPassagesDoesNotMatter(t *testing.T) {
	t.Parallel()
	f := small()
	want := found(t, f.writeWithoutVectors(t))
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(f.passages), func(i, j int) { f.passages[i], f.passages[j] = f.passages[j], f.passages[i] })
	if diff := cmp.Diff(want, found(t, f.writeWithoutVectors(t))); diff != "" {
		t.Errorf("another order gave another ranking (-want +got)\n%s", diff)
	}
}

func (f folder) writeWithoutVectors(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	writeLines(t, filepath.Join(dir, "passages.jsonl.gz"), f.passages)
	writeLines(t, filepath.Join(dir, "questions.jsonl.gz"), f.questions)
	return dir
}

func TestWithoutItsTitlesTheSecondHopIsLost(t *testing.T) {
	t.Parallel()
	f := small()
	f.passages[1].Title, f.passages[3].Title, f.passages[5].Title = "One", "Two", "Three"
	scores, err := Retrieval(t.Context(), params(t), f.writeWithoutVectors(t))
	if err != nil {
		t.Fatal(err)
	}
	if s := scores[1]; s.Recall2 == 1 {
		t.Errorf("%+v: nothing leads to the second passages any more, so how were they found?", s)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	r := run{
		method: "m",
		found:  [][]string{{"a", "b", "c", "d", "e", "f"}, {"x", "y"}, nil},
		took:   []time.Duration{3 * time.Millisecond, time.Millisecond, 2 * time.Millisecond},
	}
	got := score(r, []Judgement{{Gold: []string{"b", "e"}}, {Gold: []string{"z"}}, {Gold: []string{"q"}}})
	want := Score{Method: "m", Questions: 3, Recall2: 0.5 / 3, Recall5: 1.0 / 3, MRR: 0.5 / 3, P50: 2, P95: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("score (-want +got)\n%s", diff)
	}
	if got := score(run{}, nil); got.Recall5 != 0 || math.IsNaN(got.MRR) {
		t.Errorf("no question: %+v", got)
	}
}

func TestBrokenFolders(t *testing.T) {
	t.Parallel()
	if _, err := Retrieval(t.Context(), params(t), t.TempDir()); domain.KindOf(err) != domain.Invalid {
		t.Errorf("empty folder: %v, want kind Invalid", err)
	}
	dir := small().write(t)
	writeFloats(t, filepath.Join(dir, "passages.f16.npy"), 4)
	if _, err := LoadCorpus(dir); domain.KindOf(err) != domain.Invalid {
		t.Errorf("too few vectors: %v, want kind Invalid", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "passages.jsonl.gz"), []byte("plain"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadCorpus(dir); err == nil {
		t.Error("no error for a file that is not gzipped")
	}
}

func TestHalfFloat(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 0x0001: 5.9604645e-08, 0x8001: -5.9604645e-08, 0x7bff: 65504} {
		if got := halfFloat(bits); got != want {
			t.Errorf("halfFloat(%#x) = %v, want %v", bits, got, want)
		}
	}
	if !math.IsInf(float64(halfFloat(0x7c00)), 1) {
		t.Error("0x7c00 is not infinite")
	}
}

func TestParseArray(t *testing.T) {
	t.Parallel()
	npy := func(header string, data ...byte) []byte {
		return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), 0}, []byte(header), data)
	}
	a, err := parseArray(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }", 3, 4, 0, 0xff))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{0.6, 0.8}, {0, -1}}, [][]float32{a.unit(0), a.unit(1)}); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
	for _, bad := range [][]byte{
		nil, []byte("no array at all"), npy("{'descr': '|i1', 'fortran_order': True, 'shape': (1, 1), }", 1),
		npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", 1), npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }", 1),
		append([]byte("\x93NUMPY\x01\x00\xff\xff"), "short"...),
	} {
		if _, err := parseArray(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestTriplesAreAddedToTheMinedNames(t *testing.T) {
	t.Parallel()
	dir := small().write(t)
	writeLines(t, filepath.Join(dir, "openie.jsonl.gz"), []Read{
		{Passage: "p0", Entities: []string{"copper bridge", "roofed bridge"}, Triples: [][]string{{"Henrike Aldous", "designed", "copper bridge"}, {"two", "parts"}}},
	})
	mined := func(string, domain.Chunk) domain.GraphDocument {
		return domain.GraphDocument{Nodes: []domain.GraphNode{{Name: "Copper Bridge"}, {Name: "Lune"}}}
	}
	mine, err := WithTriples(dir, mined)
	if err != nil {
		t.Fatal(err)
	}
	p := small().passages
	names := func(p Passage) (names []string) {
		g := mine(p.Title, domain.Chunk{Text: p.Text})
		for _, n := range slices.Concat(g.Nodes, g.Names) {
			names = append(names, n.Name)
		}
		for _, r := range g.Relationships {
			names = append(names, g.Nodes[r.Source].Name+" "+r.Type+" "+g.Nodes[r.Target].Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"copper bridge", "roofed bridge", "Henrike Aldous", "Lune", "Henrike Aldous DESIGNED copper bridge"}, names(p[0])); diff != "" {
		t.Errorf("first passage (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Copper Bridge", "Lune"}, names(p[1])); diff != "" {
		t.Errorf("a passage that no model read (-want +got)\n%s", diff)
	}
}
