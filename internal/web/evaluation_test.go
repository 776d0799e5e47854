package web

import (
	"bytes"
	"context"
	"database/sql"
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
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions/evaluation"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/internal/testkit/race"
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
	race.Want(t)
	t.Parallel()
	b := open(t, testkit.Options{})
	contains(t, "empty", b.get(t, link.Evaluation).main(t), "No questions kept yet", "How an answer is judged")
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
	contains(t, "result", b.get(t, first).main(t), "words, other, 0 rewrites, 4 passages", "Needed documents among the first five0.50", "Answered rightly1 of 2", "Refused, and rightly so1 of 1", "Documents1")
	if p := b.get(t, link.Evaluation); strings.Contains(p.body, `data-testid="two"`) {
		t.Error("one evaluation is compared")
	}
	second := b.evaluate(t, url.Values{"loops": {"3"}})
	p := b.get(t, link.Evaluation)
	contains(t, "compared", p.main(t), "Both answer equally well", "What differs: search words → default · model other → scripted · rewrites 0 → 3 · passages graded 4 → 8",
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

// TestAVerdictIsGivenByHand judges an answer on the page of its evaluation and between
// two, and undoes it.
func TestAVerdictIsGivenByHand(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	b.addEvaluation(t, "v1", "right")
	b.addEvaluation(t, "v2", "wrong")
	judged := b.post(t, link.Verdict("v2", 3), url.Values{"verdict": {"half"}, "back": {"/evaluation/v2?offset=50"}})
	if to := judged.header.Get("Location"); to != "/evaluation/v2?offset=50&judged=v2&n=3#question-3" {
		t.Fatalf("status %d, to %q", judged.status, to)
	}
	contains(t, "the evaluation", b.get(t, "/evaluation/v2").main(t), "half by hand, by rule wrong", "as by rule", "Verdicts by hand1 of 60", "Wrong59 of 60", "Half of it1 of 60")
	between := link.CompareEvaluations("v1", "v2")
	contains(t, "between two", b.get(t, between).main(t), "by hand, by rule wrong", "Half of it0 of 601 of 60")
	contains(t, "the history", b.get(t, between).main(t), "1 verdict by hand")
	contains(t, "the file", b.get(t, "/evaluation/v2/replies.csv").body, ",half,", ",wrong\r\n")

	again := b.post(t, link.Verdict("v2", 3), url.Values{"verdict": {"right"}}).header.Get("Location")
	p := b.get(t, strings.TrimSuffix(again, "#question-3"))
	undo := link.Verdict("v2", 3) + "?undone=yes&amp;verdict=half"
	contains(t, "judged again", p.body, "The verdict was changed by hand.", undo)
	if back := b.post(t, strings.ReplaceAll(undo, "&amp;", "&"), url.Values{"back": {between}}).header.Get("Location"); back != between+"#question-3" {
		t.Errorf("undone: to %q", back)
	}
	contains(t, "undone", b.get(t, "/evaluation/v2").main(t), "half by hand")
	b.post(t, link.Verdict("v2", 3), nil)
	if p := b.get(t, "/evaluation/v2").main(t); strings.Contains(p, "by hand, by rule") {
		t.Errorf("taken back: %s", p)
	}
	for path, status := range map[string]int{link.Verdict("v2", 61): http.StatusNotFound, "/evaluation/v2/questions/x/verdict": http.StatusNotFound} {
		if p := b.post(t, path, url.Values{"verdict": {"right"}}); p.status != status {
			t.Errorf("POST %s: status %d, want %d", path, p.status, status)
		}
	}
	if p := b.post(t, link.Verdict("v2", 3), url.Values{"verdict": {"failed"}}); p.status != http.StatusUnprocessableEntity {
		t.Errorf("a verdict that is none: status %d", p.status)
	}
}

// TestSetsOfQuestionsInPages adds, renames, fills and deletes sets of questions.
func TestSetsOfQuestionsInPages(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	b.keep(t, f.message.Question, "", f.doc.Name)
	added := b.post(t, link.QuestionSets, url.Values{"name": {"Bells"}}).header.Get("Location")
	if !strings.HasPrefix(added, link.KeptQuestions+"?done=set&set=t") {
		t.Fatalf("added: to %q", added)
	}
	p := b.get(t, added)
	contains(t, "a new set", p.main(t), "Bells: 0 of at most 500", "No questions are kept here yet", "First set1", "Bells0", "Delete the set")
	id := domain.SetID(strings.TrimPrefix(added, link.KeptQuestions+"?done=set&set="))
	contains(t, "the form of an answer", b.get(t, link.KeepQuestion(f.message.Message, f.message.Run)).body, `<option value="`+string(id)+`">Bells, 0 questions</option>`)
	b.post(t, link.KeptQuestions, url.Values{"set": {string(id)}, "question": {"Which submarine surfaced?"}})
	b.post(t, link.KeptQuestions, url.Values{"set": {string(id)}, "question": {f.message.Question}, "sources": {f.doc.Name}, "message": {string(f.message.Message)}})
	exported := b.get(t, link.OfSet(link.QuestionsCSV, id)).body // in no order, if both were kept within a millisecond
	contains(t, "exported", exported, "question,sources,answers\r\n", "\r\nWhich submarine surfaced?,,\r\n", "\r\n"+f.message.Question+","+f.doc.Name+",\r\n")
	refused := b.post(t, link.QuestionSet(id), url.Values{"name": {"first SET"}})
	if refused.status != http.StatusConflict {
		t.Errorf("a name that another set has: status %d", refused.status)
	}
	contains(t, "a name that another set has", refused.main(t), "There is already a set called first SET", "Bells: 2 of at most 500")
	b.post(t, link.QuestionSet(id), url.Values{"name": {"Chimes"}})

	e := b.evaluate(t, url.Values{"set": {string(id)}})
	contains(t, "the evaluation", b.get(t, e).main(t), "Chimes: default, scripted", "Refused, and rightly so1 of 1")
	contains(t, "evaluations of the set asked last", b.get(t, link.Evaluation).main(t), "Chimes, 2 questions", "2 questions, 1 of them to be refused")
	if p := b.get(t, link.OfSet(link.Evaluation, ledger.FirstSet)).main(t); strings.Contains(p, "Every evaluation") {
		t.Errorf("the first set has the evaluation of another: %s", p)
	}

	gone := b.post(t, link.QuestionSet(id)+"/delete", nil).header.Get("Location")
	contains(t, "deleted", b.get(t, gone).body, "The set was deleted, with its questions.", link.QuestionSet(id)+"/restore")
	contains(t, "evaluations of a deleted set", b.get(t, link.OfSet(link.Evaluation, id)).main(t), "A deleted set", "Every evaluation")
	if p := b.get(t, link.OfSet(link.KeptQuestions, id)); p.status != http.StatusNotFound {
		t.Errorf("the questions of a deleted set: status %d", p.status)
	}
	if p := b.post(t, link.QuestionSet(ledger.FirstSet)+"/delete", nil); p.status != http.StatusConflict {
		t.Errorf("the only set is deleted: status %d", p.status)
	}
	b.post(t, link.QuestionSet(id)+"/restore", nil)
	contains(t, "taken back", b.get(t, link.OfSet(link.KeptQuestions, id)).main(t), "Chimes: 2 of at most 500")
}

// TestASettingOfTheForm chooses what the model does, and sees it beside the usual one.
func TestASettingOfTheForm(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.keep(t, "Which submarine surfaced?", "", "")
	b.evaluate(t, nil)
	second := b.evaluate(t, url.Values{"together": {"4"}, "order": {"20"}, "steps": {"yes"}})
	contains(t, "the evaluation", b.get(t, second).main(t), "4 in a call, first 20 put in order, in steps")
	contains(t, "compared", b.get(t, link.Evaluation).main(t), "passages in a call 1 → 4 · put in order 0 → 20 · questions in steps no → yes", "In one call", "Put in order")
	refused := b.post(t, link.Evaluation, url.Values{"order": {"many"}})
	if refused.status != http.StatusUnprocessableEntity {
		t.Errorf("many put in order: status %d", refused.status)
	}
	contains(t, "many put in order", refused.main(t), `"many" is not a whole number`)
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
	kept, err := b.Evaluation.Questions(t.Context(), testkit.Workspace, ledger.FirstSet)
	testkit.Must(t, err)
	if len(kept) != 2 || kept[0].Text != "=Who?" || kept[1].Text != "When?" {
		t.Errorf("kept %+v", kept)
	}
	if p := send("who,what\n"); p.status != http.StatusUnprocessableEntity {
		t.Errorf("a file without questions: status %d", p.status)
	} else {
		contains(t, "a file without questions", p.main(t), "no column named question")
	}
	if p := b.post(t, link.ImportQuestions, nil); p.status != http.StatusUnprocessableEntity {
		t.Errorf("no file: status %d", p.status)
	}
}

func (b *bench) onlyQuestion(t *testing.T) domain.QuestionID {
	t.Helper()
	kept, err := b.Evaluation.Questions(t.Context(), testkit.Workspace, ledger.FirstSet)
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
	testkit.Must(t, b.Ledger.SaveFeedback(t.Context(), testkit.Workspace, ledger.Feedback{Run: f.message.Run, Reason: "too short"}))
	form := link.KeepQuestion(f.message.Message, f.message.Run)
	contains(t, "feedback", b.get(t, link.KeptQuestions).main(t), "From feedback", f.message.Question, "Not helpful: too short")
	contains(t, "the conversation", b.get(t, link.Conversation(f.message.Conversation)).body, strings.ReplaceAll(form, "&", "&amp;"))
	contains(t, "the form", b.get(t, form).body, ">"+f.message.Question+"</textarea>", ">"+f.doc.Name+"</textarea>", f.message.Text)
	b.post(t, link.KeptQuestions, url.Values{"question": {f.message.Question}, "sources": {f.doc.Name}, "message": {string(f.message.Message)}})
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
		replies[i] = ledger.EvaluationReply{
			N: i + 1, Question: domain.QuestionID(fmt.Sprint("q", i)), Text: fmt.Sprint("What is cast ", i, "?"), Sources: []string{"a.txt"},
			Figures: json.RawMessage(`{"verdict":"` + verdict + `","ranks":[1],"ms":20}`),
		}
	}
	testkit.Must(t, b.Ledger.AddEvaluation(ctx, ledger.Evaluation{
		ID: id, Workspace: w, Set: ledger.FirstSet, Setting: json.RawMessage(`{"model":"m"}`), Facts: json.RawMessage(`{}`), Score: json.RawMessage(`{"questions":60,"p50_ms":20}`),
		Status: ledger.EvaluationWorking, CreatedAt: b.Clock.Now(),
	}, replies))
	for i := range replies {
		run := domain.RunID(fmt.Sprint("run-", id, "-", i))
		_, err := b.Ledger.AdvanceEvaluation(ctx, w, id, run, func(tx *sql.Tx, r ledger.EvaluationReply) error {
			_, err := b.Queue.AddTx(ctx, tx, job.Run{Workspace: w, ID: run, Kind: evaluation.Kind, Subject: evaluation.Subject(id, r.N), Title: r.Text})
			return err
		})
		testkit.Must(t, err)
		_, err = b.Ledger.UpdateAnswer(ctx, w, run, func(a *ledger.Answer) { a.Status, a.Text = ledger.MessageDone, "Bells." })
		testkit.Must(t, err)
	}
	_, err := b.Ledger.UpdateEvaluation(ctx, w, id, func(e *ledger.Evaluation, _ []ledger.EvaluationReply) error {
		e.Status = ledger.EvaluationDone
		return nil
	})
	testkit.Must(t, err)
}
