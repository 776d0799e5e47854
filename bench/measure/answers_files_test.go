package measure

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/builtin"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/retrieve/nearest"
	"github.com/clewhq/clew/internal/vectorstore"
)

const leaflet = `Frequently asked questions about the ferry

Why does the ferry run only in summer?

Because the harbour freezes over from November on.

Is the ferry free?

No. A crossing costs 40 crowns.
`

// asksLeaflet writes a folder that asks about a leaflet and about a file that is
// absent. The first two ids are of the tuned half, the last of the other.
func asksLeaflet(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "leaflet.txt")
	write := func(name string, lines ...any) {
		var b strings.Builder
		for _, l := range lines {
			raw, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(raw, '\n'))
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(leaflet), 0o600); err != nil {
		t.Fatal(err)
	}
	write(filesFile,
		file{"leaflet", "FAQ", path, domain.Hash([]byte(leaflet))},
		file{"changed", "FAQ", path, domain.Hash([]byte("another"))},
		file{"absent", "FAQ", filepath.Join(dir, "nothing.txt"), ""})
	write("questions.jsonl",
		FileQuestion{ID: tunedID(t, "why"), Kind: "why", Text: "Why does the ferry run only in summer?", Source: "leaflet", Expected: []string{"harbour freezes"}},
		FileQuestion{ID: tunedID(t, "is"), Kind: "is", Text: "Is the ferry free?", Source: "leaflet", Verdict: "no"},
		FileQuestion{ID: tunedID(t, "un"), Kind: unanswerable, Text: "Who built the lighthouse of Skagen?"},
		FileQuestion{ID: tunedID(t, "absent"), Kind: "who", Text: "Who owns it?", Source: "absent", Expected: []string{"x"}},
		FileQuestion{ID: otherID(t), Kind: "who", Text: "Who owns the ferry?", Source: "leaflet", Expected: []string{"x"}})
	return dir
}

// tunedID returns an id of the tuned half that begins with name.
func tunedID(t *testing.T, name string) string {
	t.Helper()
	for ; (FileQuestion{ID: name}).half() != Tuned; name += "+" {
	}
	return name
}

func otherID(t *testing.T) string {
	t.Helper()
	name := "other"
	for ; (FileQuestion{ID: name}).half() != HeldOut; name += "+" {
	}
	return name
}

func TestAnswersAboutFiles(t *testing.T) {
	t.Parallel()
	s, err := FileAnswers(t.Context(), answerParams(t), asksLeaflet(t), Tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Replies {
		t.Logf("%s: %s %s", r.Text, r.Judged, r.Reply.Answer)
	}
	if s.Documents != 1 || s.Skipped != 1 || len(s.Missing) != 2 ||
		!strings.Contains(s.Missing[0], "has changed") || !strings.Contains(s.Missing[1], "there is no") {
		t.Errorf("read %d documents, skipped %d questions, left out %q", s.Documents, s.Skipped, s.Missing)
	}
	want := []FileKind{
		{"is", 1, map[FileVerdict]int{First: 1}},
		{"why", 1, map[FileVerdict]int{First: 1}},
		{"all answerable", 2, map[FileVerdict]int{First: 2}},
		{unanswerable, 1, map[FileVerdict]int{RightlyRefused: 1}},
	}
	if diff := gocmp.Diff(want, s.Kinds); diff != "" {
		t.Errorf("verdicts (-want +got)\n%s", diff)
	}
}

func TestVerdictsOnFileAnswers(t *testing.T) {
	t.Parallel()
	q := FileQuestion{Kind: "is", Source: "a", Verdict: "no", Expected: []string{"40 crowns", "fee"}}
	for _, tt := range []struct {
		question FileQuestion
		reply    Reply
		want     FileVerdict
	}{
		{q, Reply{Answer: "No. [1] A crossing costs\n40 crowns. [1]", Answered: true, Cited: []string{"a"}}, Right},
		{q, Reply{Answer: "No: it costs 40 crowns. [1]", Answered: true, Cited: []string{"b"}}, Wrong},
		{q, Reply{Answer: "Yes: it costs 40 crowns. [1]", Answered: true, Cited: []string{"a"}}, Wrong},
		{q, Reply{Answer: "No. [1]", Answered: true, Cited: []string{"a"}}, Wrong},
		{q, Reply{Answer: "No sentence says it."}, FalselyRefused},
		{q, Reply{Answered: true, Quotes: []Quote{{"A crossing costs\n40 crowns.", "a"}}}, First},
		{q, Reply{Answered: true, Quotes: []Quote{{"A fee is due.", "b"}, {"The fee is low.", "a"}}}, Shown},
		{q, Reply{Answered: true, Quotes: []Quote{{"A fee is due.", "b"}}}, NotShown},
		{FileQuestion{Kind: unanswerable}, Reply{Answered: true, Quotes: []Quote{{"A fee is due.", "b"}}}, Quoted},
		{FileQuestion{Kind: unanswerable}, Reply{}, RightlyRefused},
		{FileQuestion{Kind: unanswerable}, Reply{Answer: "40", Answered: true}, Wrong},
	} {
		if got := tt.question.judge(tt.reply); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.reply.Answer, got, tt.want)
		}
	}
}

// TestTheQuestionsAboutFilesAreWhole checks the set that docs/benchmarks.md
// measures.
func TestTheQuestionsAboutFilesAreWhole(t *testing.T) {
	t.Parallel()
	files, err := readLines[file]("testdata/answers/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	questions, err := readLines[FileQuestion]("testdata/answers/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	names, ids, halves, open := map[string]bool{}, map[string]bool{}, map[string]int{}, 0
	for _, f := range files {
		names[f.Name] = true
	}
	for _, q := range questions {
		if ids[q.ID] || q.Kind != unanswerable && (!names[q.Source] || q.Verdict == "" && len(q.Expected) == 0) {
			t.Errorf("%s: a second one, or without a source or an expectation", q.ID)
		}
		ids[q.ID] = true
		halves[q.half()]++
		if q.Kind == unanswerable {
			open++
		}
	}
	if len(files) < 40 || len(questions) < 120 || open < 30 || halves[Tuned] < 60 || halves[HeldOut] < 60 {
		t.Errorf("%d files, %d questions, %d unanswerable, %v", len(files), len(questions), open, halves)
	}
}

// TestAnswersWithVectors checks that each sentence that is read has a vector to be
// searched by.
func TestAnswersWithVectors(t *testing.T) {
	t.Parallel()
	p := answerParams(t)
	p.Stores.Vectors = Stored(llmtest.Embedder{}, p.Stores.Ledger)
	s, err := FileAnswers(t.Context(), p, asksLeaflet(t), Tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Replies {
		if r.Judged == Wrong || r.Judged == FalselyRefused {
			t.Errorf("%s: %s %s", r.Text, r.Judged, r.Reply.Answer)
		}
	}
	embedded, all, err := p.Stores.Index.Embedded(t.Context(), workspace, vectorstore.Sentences)
	if err != nil || all == 0 || embedded != all {
		t.Errorf("%d of %d sentences have vectors: %v", embedded, all, err)
	}
}

// TestTheQuestionsAboutOwnFilesAreWhole checks that each expected text stands in its
// file, and that files were divided into halves as the README says.
func TestTheQuestionsAboutOwnFilesAreWhole(t *testing.T) {
	t.Parallel()
	const dir, seed = "testdata/answers-own", "answers-own 1 "
	texts := textsOfFiles(t, dir)
	names := slices.Collect(maps.Keys(texts))
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(domain.Hash([]byte(seed+a)), domain.Hash([]byte(seed+b)))
	})
	half := map[string]string{}
	for i, n := range names {
		half[n] = HeldOut
		if i < len(names)/2 {
			half[n] = Tuned
		}
	}
	questions, err := readLines[FileQuestion](filepath.Join(dir, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ids, open, halves := map[string]bool{}, 0, map[string]int{}
	for _, q := range questions {
		of, known := half[cmp.Or(q.Source, q.Near)]
		switch {
		case ids[q.ID]:
			t.Errorf("%s: a second one", q.ID)
		case q.Kind == unanswerable && (q.Source != "" || len(q.Expected) > 0), q.Kind != unanswerable && (q.Source == "" || len(q.Expected) == 0), (q.Source != "" || q.Near != "") && !known:
			t.Errorf("%s: without a source or an expectation, or with one too many", q.ID)
		case known && q.Half != of:
			t.Errorf("%s: is of the half %q, want %q", q.ID, q.Half, of)
		case !known && (q.Half == Tuned) != (domain.Hash([]byte(seed + q.ID))[0] < '8'):
			t.Errorf("%s: is of the wrong half", q.ID)
		}
		if text := texts[q.Source]; text != "" && !slices.ContainsFunc(q.Expected, func(e string) bool { return strings.Contains(text, oneSpace(e)) }) {
			t.Errorf("%s: %q is not in %s", q.ID, q.Expected, q.Source)
		}
		ids[q.ID] = true
		halves[q.Half]++
		if q.Kind == unanswerable {
			open++
		}
	}
	if len(names) < 40 || len(questions) < 120 || open < 30 || halves[Tuned] < 60 || halves[HeldOut] < 60 {
		t.Errorf("%d files, %d questions, %d unanswerable, %v", len(names), len(questions), open, halves)
	}
}

// TestTablesAnswer asks the tables, with words alone, and counts answers that begin with the right cell or number. The half
// held out was asked once, when the rules were done.
func TestTablesAnswer(t *testing.T) {
	t.Parallel()
	for half, least := range map[string]int{Tuned: 21, HeldOut: 17} {
		p := answerParams(t)
		p.Roles = builtin.Answering(p.Stores.Graph, nearest.Ranker{}, nil, p.Stores.Ledger, 0) // tables are read whole
		s, err := FileAnswers(t.Context(), p, "testdata/answers-tables", half)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.Kinds {
			if k.Kind == "all answerable" && (k.Verdicts[First] < least || k.Questions < 20) {
				t.Errorf("%s: %d of %d are right, want %d", half, k.Verdicts[First], k.Questions, least)
			}
		}
		if len(s.Missing) > 0 || len(s.Kinds) == 0 {
			t.Errorf("%s: left out %v", half, s.Missing)
		}
	}
}

// textsOfFiles returns the texts of the files of a set by name, "" for files that are
// absent.
func textsOfFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := readLines[file](filepath.Join(dir, filesFile))
	if err != nil {
		t.Fatal(err)
	}
	r, texts := filesReader{parser: parse.New(parse.Limits{})}, map[string]string{}
	for _, f := range files {
		data, err := f.read(dir)
		if errors.Is(err, errAbsent) && strings.HasPrefix(f.Path, "$") {
			texts[f.Name] = ""
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := r.parse(t.Context(), f, data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		texts[f.Name] = oneSpace(text.Content)
	}
	return texts
}
