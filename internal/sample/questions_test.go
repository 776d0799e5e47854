package sample

import (
	"slices"
	"strings"
	"testing"
)

// library is the plain text of every document by file name.
func library(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, f := range Files() {
		texts[f.Name] = plainText(t, f)
	}
	return texts
}

// holders returns the names of the documents that hold every one of the words.
func holders(texts map[string]string, words ...string) []string {
	var out []string
	for name, text := range texts {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// ofHops returns the questions of so many hops and fails when there are fewer than least.
func ofHops(t *testing.T, hops, least int) []Question {
	t.Helper()
	var out []Question
	for _, q := range Questions() {
		if q.Hops == hops {
			out = append(out, q)
		}
	}
	if len(out) < least {
		t.Fatalf("%d questions of %d hops, want at least %d", len(out), hops, least)
	}
	return out
}

func TestQuestionsAreAskedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, q := range Questions() {
		if seen[q.Question] {
			t.Errorf("asked twice: %s", q.Question)
		}
		seen[q.Question] = true
		if !strings.HasSuffix(q.Question, "?") {
			t.Errorf("not a question: %s", q.Question)
		}
	}
}

func TestEvidenceStandsInItsDocument(t *testing.T) {
	t.Parallel()
	texts := library(t)
	for _, q := range Questions() {
		for _, e := range q.Evidence {
			if n := strings.Count(texts[e.File], e.Sentence); n != 1 {
				t.Errorf("%s\n%s holds %d times: %s", q.Question, e.File, n, e.Sentence)
			}
			if holding := holders(texts, e.Sentence); len(holding) > 1 {
				t.Errorf("%s\nmore than one document holds: %s", q.Question, e.Sentence)
			}
		}
	}
}

func TestEvidenceIsOneWholeSentence(t *testing.T) {
	t.Parallel()
	texts := library(t)
	for _, q := range Questions() {
		for _, e := range q.Evidence {
			if last := e.Sentence[len(e.Sentence)-1]; last != '.' {
				t.Errorf("ends in %q: %s", last, e.Sentence)
			}
			if inner := strings.ReplaceAll(e.Sentence, "St ", ""); strings.Contains(inner, ". ") {
				t.Errorf("two sentences: %s", e.Sentence)
			}
			_, after, _ := strings.Cut(texts[e.File], e.Sentence)
			if after != "" && !strings.HasPrefix(after, " ") {
				t.Errorf("goes on after its end: %s", e.Sentence)
			}
		}
	}
}

func TestAnswerableQuestionsNameTheirSources(t *testing.T) {
	t.Parallel()
	for _, q := range Questions() {
		if q.Unanswerable {
			continue
		}
		if len(q.Sources) != q.Hops || len(q.Evidence) != q.Hops {
			t.Errorf("%s: %d hops, %d sources, %d sentences", q.Question, q.Hops, len(q.Sources), len(q.Evidence))
			continue
		}
		for i, e := range q.Evidence {
			if e.File != q.Sources[i] {
				t.Errorf("%s: sentence %d is from %s, not from %s", q.Question, i, e.File, q.Sources[i])
			}
		}
		if !strings.Contains(q.Evidence[q.Hops-1].Sentence, q.Answer) {
			t.Errorf("%s: the last sentence does not say %q", q.Question, q.Answer)
		}
	}
}

func TestOneHopQuestionsNeedTheirDocument(t *testing.T) {
	t.Parallel()
	texts := library(t)
	for _, q := range ofHops(t, 1, 8) {
		if holding := holders(texts, q.Evidence[0].Sentence); !slices.Equal(holding, q.Sources) {
			t.Errorf("%s: held by %v, not by %v", q.Question, holding, q.Sources)
		}
	}
}

func TestTwoHopQuestionsLeaveOutTheBridge(t *testing.T) {
	t.Parallel()
	for _, q := range ofHops(t, 2, 24) {
		first, second := q.Evidence[0].Sentence, q.Evidence[1].Sentence
		if !strings.Contains(q.Question, q.Start) {
			t.Errorf("does not name its start %q: %s", q.Start, q.Question)
		}
		if strings.Contains(q.Question, q.Bridge) || strings.Contains(q.Question, q.Answer) {
			t.Errorf("gives %q or %q away: %s", q.Bridge, q.Answer, q.Question)
		}
		if !strings.Contains(first, q.Start) || !strings.Contains(first, q.Bridge) {
			t.Errorf("%s: the first sentence does not join %q and %q", q.Question, q.Start, q.Bridge)
		}
		if !strings.Contains(second, q.Bridge) {
			t.Errorf("%s: the second sentence does not name %q", q.Question, q.Bridge)
		}
	}
}

// Each of the two documents is needed: nobody else joins start and bridge or
// bridge and answer, and neither document holds the other's part.
func TestTwoHopQuestionsNeedBothDocuments(t *testing.T) {
	t.Parallel()
	texts := library(t)
	for _, q := range ofHops(t, 2, 24) {
		first, second := q.Sources[0], q.Sources[1]
		if got := holders(texts, q.Start, q.Bridge); !slices.Equal(got, []string{first}) {
			t.Errorf("%s: %q and %q stand together in %v, want %s alone", q.Question, q.Start, q.Bridge, got, first)
		}
		if got := holders(texts, q.Bridge, q.Answer); !slices.Equal(got, []string{second}) {
			t.Errorf("%s: %q and %q stand together in %v, want %s alone", q.Question, q.Bridge, q.Answer, got, second)
		}
		if strings.Contains(texts[second], q.Start) {
			t.Errorf("%s: the second document %s names %q", q.Question, second, q.Start)
		}
	}
}

func TestTwoHopQuestionsAreSpreadOverTheLibrary(t *testing.T) {
	t.Parallel()
	uses := map[string]int{}
	for _, q := range ofHops(t, 2, 24) {
		for _, s := range q.Sources {
			uses[s]++
		}
	}
	for _, f := range Files() {
		if uses[f.Name] < 3 {
			t.Errorf("%s serves %d two-hop questions, want at least 3", f.Name, uses[f.Name])
		}
	}
}

func TestUnanswerableQuestionsHaveNoAnswer(t *testing.T) {
	t.Parallel()
	for _, q := range ofHops(t, 0, 6) {
		if !q.Unanswerable || q.Answer != "" || len(q.Sources) != 0 || len(q.Evidence) != 0 {
			t.Errorf("has no hops but an answer: %+v", q)
		}
	}
}

func TestTryOffersFourQuestions(t *testing.T) {
	t.Parallel()
	try := Try()
	if len(try) != 4 {
		t.Fatalf("%d questions to try, want 4", len(try))
	}
	for i, q := range try {
		if last := i == len(try)-1; q.Unanswerable != last {
			t.Errorf("question %d, %q: unanswerable is %v", i, q.Question, q.Unanswerable)
		}
	}
}
