package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/evaluation"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// keep keeps a question by the form.
func (b *bench) keep(t *testing.T, question, answers, sources string) reply {
	t.Helper()
	return b.post(t, link.KeptQuestions, url.Values{"question": {question}, "answers": {answers}, "sources": {sources}})
}

// evaluate asks the kept questions under a setting and waits for the end.
func (b *bench) evaluate(t *testing.T, setting url.Values) (address string) {
	t.Helper()
	started := b.post(t, link.Evaluation, setting)
	address = started.header.Get("Location")
	if started.status != http.StatusSeeOther || !strings.HasPrefix(address, link.Evaluation+"/v") {
		t.Fatalf("start: status %d, %q: %s", started.status, address, started.main(t))
	}
	for {
		p := b.get(t, address)
		if strings.Contains(p.body, `data-status="done"`) {
			return address
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("the evaluation does not end: %s", p.main(t))
		}
	}
}

func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q is missing from %s", what, w, text)
		}
	}
}

// TestEvaluationInPages keeps questions, asks them under two settings and sets these
// side by side.
func TestEvaluationInPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	contains(t, "empty", b.get(t, link.Evaluation).main(t), "No question is kept yet", "How an answer is judged")
	f := b.fill(t)
	if refused := b.post(t, link.Evaluation, nil); refused.status != http.StatusUnprocessableEntity {
		t.Errorf("without questions: status %d", refused.status)
	}
	if kept := b.keep(t, f.message.Question, "", f.doc.Name+"\n"); kept.header.Get("Location") != link.KeptQuestions+"?done=kept" {
		t.Fatalf("status %d: %s", kept.status, kept.main(t))
	}
	b.keep(t, "Which submarine surfaced?", "", "")
	b.keep(t, "Who walked on the moon?", "Ada", "moon.txt")
	contains(t, "questions", b.get(t, link.KeptQuestions).main(t), "3 of at most 500", "to be refused", "“Ada”; moon.txt", "The library has no moon.txt")
	empty := b.keep(t, " ", "Ada", "")
	if empty.status != http.StatusUnprocessableEntity {
		t.Errorf("an empty question: status %d", empty.status)
	}
	contains(t, "an empty question", empty.body, "The question is empty", ">Ada</textarea>")

	first := b.evaluate(t, url.Values{"search": {"words"}, "model": {"other"}, "loops": {"0"}, "passages": {"4"}})
	contains(t, "result", b.get(t, first).main(t), "words, other, 0 loops, 4 passages", "Needed documents among the first five0.50", "Answered rightly1 of 2", "Refused, and rightly so1 of 1", "Documents1")
	if p := b.get(t, link.Evaluation); strings.Contains(p.body, `data-testid="two"`) {
		t.Error("one evaluation is compared")
	}
	second := b.evaluate(t, url.Values{"loops": {"3"}})
	p := b.get(t, link.Evaluation)
	contains(t, "compared", p.main(t), "Both answer alike", "What differs: search words → default · model other → scripted · loops 0 → 3 · passages graded 4 → 8",
		"Ask 3 questions, about", "1 of them to be refused", f.message.Question, "2 evaluations")
	contains(t, "compared", p.body, link.Compare+"?left=run", `href="/runs/run`)
	a, bID := strings.TrimPrefix(second, link.Evaluation+"/"), strings.TrimPrefix(first, link.Evaluation+"/")
	turned := b.get(t, link.CompareEvaluations(domain.EvaluationID(a), domain.EvaluationID(bID))+"&show=all&q=MOON").main(t)
	contains(t, "the other way round", turned, "model scripted → other", "Who walked on the moon?")
	if strings.Contains(turned, f.message.Question) {
		t.Errorf("all questions are found by a word of one: %s", turned)
	}

	runs := regexp.MustCompile(`/compare\?left=run[0-9a-f]+&amp;right=run[0-9a-f]+`).FindString(p.body)
	if side := b.get(t, strings.ReplaceAll(runs, "&amp;", "&")); side.status != http.StatusOK || !strings.Contains(side.main(t), "Evaluation") {
		t.Errorf("two runs of %q: status %d: %s", runs, side.status, side.main(t))
	}
	if list := b.get(t, link.Runs).main(t); strings.Contains(list, "submarine") {
		t.Errorf("the list of runs has a question of an evaluation: %s", list)
	}
	contains(t, "runs of evaluations", b.get(t, link.Runs+"?kind="+evaluation.Kind).main(t), "submarine")
	if conversations := b.get(t, link.Ask).main(t); strings.Contains(conversations, "submarine") {
		t.Errorf("the list of conversations has a question of an evaluation: %s", conversations)
	}
	contains(t, "replies", b.get(t, first+"/replies.csv").body, "question,sources,answers,verdict", "refused rightly")

	if gone := b.post(t, first+"/delete", nil); gone.header.Get("Location") != link.Evaluation+"?done=evaluated" {
		t.Errorf("deleted: status %d", gone.status)
	}
	if p := b.get(t, first); p.status != http.StatusNotFound {
		t.Errorf("a deleted evaluation: status %d", p.status)
	}
	for _, path := range []string{second + "/stop", second + "/go-on"} { // has ended
		if p := b.post(t, path, nil); p.status != http.StatusSeeOther {
			t.Errorf("POST %s: status %d", path, p.status)
		}
	}
	if p := b.get(t, second, "HX-Request", "true"); p.header.Get("HX-Refresh") != "true" {
		t.Errorf("how far one is that has ended: status %d, %v", p.status, p.header)
	}
}

// TestKeptQuestionsAreChangedAndTakenBack changes, deletes and restores a question, and
// takes questions from a file and gives them back.
func TestKeptQuestionsAreChangedAndTakenBack(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.keep(t, "=Who?", "Ada", "")
	id := b.onlyQuestion(t)
	contains(t, "the form", b.get(t, link.KeptQuestion(id)).body, ">=Who?</textarea>", ">Ada</textarea>")
	b.post(t, link.KeptQuestions, url.Values{"id": {string(id)}, "question": {"=Who?"}, "answers": {"Ada\nBabbage"}})
	exported := b.get(t, link.QuestionsCSV)
	if want := "question,sources,answers\r\n'=Who?,,Ada; Babbage\r\n"; exported.body != want || exported.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("exported %q, want %q", exported.body, want)
	}

	dropped := b.post(t, link.KeptQuestion(id)+"/delete", nil).header.Get("Location")
	contains(t, "deleted", b.get(t, dropped).body, "The question was deleted.", link.KeptQuestion(id)+"/restore")
	if p := b.get(t, link.KeptQuestion(id)); p.status != http.StatusNotFound {
		t.Errorf("the form of a deleted question: status %d", p.status)
	}
	b.post(t, link.KeptQuestion(id)+"/restore", nil)
	if again := b.onlyQuestion(t); again != id {
		t.Errorf("taken back as %s", again)
	}

	send := func(content string) reply {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		part, err := w.CreateFormFile("file", "mine.csv")
		testkit.Must(t, err)
		_, err = io.WriteString(part, content)
		testkit.Must(t, err)
		testkit.Must(t, w.Close())
		return b.do(t, http.MethodPost, link.ImportQuestions, &body, "Content-Type", w.FormDataContentType())
	}
	if p := send(exported.body + "When?,a.txt,\n"); p.header.Get("Location") != link.KeptQuestions+"?done=imported" {
		t.Errorf("imported: status %d: %s", p.status, p.main(t))
	}
	kept, err := b.Evaluation.Questions(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if len(kept) != 2 || kept[0].Text != "=Who?" || kept[1].Text != "When?" {
		t.Errorf("kept %+v", kept)
	}
	if p := send("who,what\n"); p.status != http.StatusUnprocessableEntity {
		t.Errorf("a file without questions: status %d", p.status)
	} else {
		contains(t, "a file without questions", p.main(t), "names no column question")
	}
	if p := b.post(t, link.ImportQuestions, nil); p.status != http.StatusUnprocessableEntity {
		t.Errorf("no file: status %d", p.status)
	}
}

func (b *bench) onlyQuestion(t *testing.T) domain.QuestionID {
	t.Helper()
	kept, err := b.Evaluation.Questions(t.Context(), testkit.Workspace)
	testkit.Must(t, err)
	if len(kept) != 1 {
		t.Fatalf("kept %+v, want one", kept)
	}
	return kept[0].ID
}

// TestAQuestionIsKeptFromAnAnswer follows the link below an answer, and finds the
// answer among the feedback until its question is kept.
func TestAQuestionIsKeptFromAnAnswer(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	testkit.Must(t, b.Ledger.SaveFeedback(t.Context(), testkit.Workspace, ledger.Feedback{Message: f.message.ID, Run: f.message.Run, Reason: "too short"}))
	form := link.KeepQuestion(f.message.ID, f.message.Run)
	contains(t, "feedback", b.get(t, link.KeptQuestions).main(t), "From feedback", f.message.Question, "Not helpful: too short")
	contains(t, "the conversation", b.get(t, link.Conversation(f.message.Conversation)).body, strings.ReplaceAll(form, "&", "&amp;"))
	contains(t, "the form", b.get(t, form).body, ">"+f.message.Question+"</textarea>", ">"+f.doc.Name+"</textarea>", f.message.Answer)
	b.post(t, link.KeptQuestions, url.Values{"question": {f.message.Question}, "sources": {f.doc.Name}, "message": {string(f.message.ID)}})
	if p := b.get(t, link.KeptQuestions).main(t); strings.Contains(p, "From feedback") {
		t.Errorf("a kept question is offered: %s", p)
	}
	if p := b.get(t, link.KeepQuestion("m0", "")); p.status != http.StatusNotFound {
		t.Errorf("of an unknown answer: status %d", p.status)
	}
}

// addEvaluation stores an evaluation of 60 questions, of which run n is one.
func (b *bench) addEvaluation(t *testing.T, id domain.EvaluationID, verdict string) {
	t.Helper()
	ctx, w := context.WithoutCancel(t.Context()), testkit.Workspace
	replies := make([]ledger.EvaluationReply, 60)
	for i := range replies {
		r := ledger.EvaluationReply{
			N: i + 1, Question: domain.QuestionID(fmt.Sprint("q", i)), Text: fmt.Sprint("What is cast ", i, "?"), Sources: []string{"a.txt"}, Run: domain.RunID(fmt.Sprint("run-", id, "-", i)),
			Status: ledger.ReplyDone, Answer: "Bells.", Figures: json.RawMessage(`{"verdict":"` + verdict + `","ranks":[1],"ms":20}`),
		}
		_, err := b.Queue.Add(ctx, job.Run{Workspace: w, ID: r.Run, Kind: evaluation.Kind, Subject: fmt.Sprint(id, ".", r.N), Title: r.Text})
		testkit.Must(t, err)
		replies[i] = r
	}
	testkit.Must(t, b.Ledger.AddEvaluation(ctx, ledger.Evaluation{
		ID: id, Workspace: w, Setting: json.RawMessage(`{"model":"m"}`), Facts: json.RawMessage(`{}`), Score: json.RawMessage(`{"questions":60,"p50_ms":20}`),
		Status: ledger.EvaluationDone, CreatedAt: b.Clock.Now(),
	}, replies))
}
