package main

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm/llmtest"
	"github.com/clewhq/clew/internal/testkit/servers"
	"github.com/clewhq/clew/internal/web/api"
	"github.com/clewhq/clew/views/link"
)

// soon is how long what was let in may go on on a busy machine; two seconds on an idle one.
const soon = 20 * time.Second

// TestWhatRunsEndsWithWhatLetItIn removes a member, revokes a token and ends a session, each by another process or browser, while a
// question is answered: the question is stopped and its streams end, and neither what others asked nor the reading of a document.
func TestWhatRunsEndsWithWhatLetItIn(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, ...string) *peopled{"one process": openPeopled, "two processes on Postgres": openPeopledFleet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := make(chan struct{})
			model := obliging(t)
			model.First(llmtest.Tool("grade_passage"), llmtest.Call("grade_passage", map[string]any{"binary_score": "yes", "reason": "Names her."}).After(held))
			l := open(t, "LLM_PROVIDER=openai", "LLM_BASE_URL="+model.URL, "LLM_MODEL=tiny", "LLM_API_KEY=key", "EXTRACT_MODE=tool", "ANSWER_CONCURRENCY=8")
			t.Cleanup(func() { close(held) })
			l.losesAccess()
		})
	}
}

// openPeopledFleet opens a library on Postgres. One process answers, and another one serves pages beside it.
func openPeopledFleet(t *testing.T, environ ...string) *peopled {
	t.Helper()
	f := newFleet(t, servers.PostgresURL(t))
	f.environ = append(environ, "DATABASE_URL="+f.database, "NEO4J_URL=bolt://unused:7687", "QDRANT_URL=http://unused:6334")
	f.stores = f.inFiles
	l := f.peopled(t)
	l.beside = f.pages(t)
	return l
}

// losesAccess lets people in, and ends that while they ask.
func (l *peopled) losesAccess() {
	l.t.Helper()
	t, beside := l.t, cmp.Or(l.beside, l.server)
	l.add("owen", openPapers)
	iris, ada := l.server.person(t), beside.person(t)
	iris.signsIn(t, "iris", "correct horse battery staple", http.StatusSeeOther)
	ada.signsIn(t, "ada", "correct horse battery staple", http.StatusSeeOther)

	byToken := l.begins("owen", "Who founded the foundry?")
	kept := l.begins("ada", "Who built the bridge?")
	ofMember := l.begins("iris", "Who opened the school?")
	open := []<-chan struct{}{l.streams(t, "owen", byToken), iris.streams(t, link.RunEvents(domain.RunID(ofMember), 0)), iris.streams(t, link.DocumentsEvents)}
	stays := []<-chan struct{}{l.streams(t, "ada", kept), ada.streams(t, link.DocumentsEvents)}

	l.sh.must(t, "token", "revoke", l.tokenOf("owen"))
	l.sh.must(t, "member", "remove", "iris")
	l.ends([]string{byToken, ofMember}, open)
	if status, _ := iris.do(t, library(link.Documents), nil); status != http.StatusNotFound {
		t.Errorf("iris still opens the library: %d", status)
	}

	other := l.server.person(t)
	other.signsIn(t, "ada", "correct horse battery staple", http.StatusSeeOther)
	status, page := other.do(t, library(link.Ask), url.Values{"question": {"What did Penn build?"}})
	if status != http.StatusSeeOther {
		t.Fatalf("ada asks with status %d: %.200s", status, page)
	}
	bySession := l.runOf("What did Penn build?")
	open = []<-chan struct{}{other.streams(t, link.RunEvents(domain.RunID(bySession), 0))}
	if status, _ := ada.do(t, library(link.Sessions), url.Values{}); status != http.StatusSeeOther {
		t.Fatalf("ending the other sessions: status %d", status)
	}
	l.ends([]string{bySession}, open)

	if text := l.sh.must(t, "run", "list", "--json"); statusOf(text, kept) != "running" {
		t.Errorf("what ada asked by her token is %s", statusOf(text, kept))
	}
	for _, s := range stays {
		select {
		case <-s:
			t.Error("a stream of somebody else has ended")
		default:
		}
	}
}

// ends waits until streams have ended and runs are stopped, and logs how long that took.
func (l *peopled) ends(runs []string, streams []<-chan struct{}) {
	l.t.Helper()
	began := time.Now()
	end(l.t, streams...)
	shut := time.Since(began)
	for _, run := range runs {
		l.stops(run)
	}
	l.t.Logf("streams ended after %v, runs were seen to be stopped after %v", shut, time.Since(began))
}

// begins asks a question and returns its run at work.
func (l *peopled) begins(who, question string) string {
	l.t.Helper()
	l.must(who, http.MethodPost, "/ask", map[string]any{"question": question, "wait": 0})
	return l.runOf(question)
}

// runOf waits until the run of a question is at work.
func (l *peopled) runOf(question string) string {
	l.t.Helper()
	for range 600 {
		for one := range strings.SplitSeq(l.sh.must(l.t, "run", "list", "--json"), "},") {
			if strings.Contains(one, question) && strings.Contains(one, `"running"`) {
				return regexp.MustCompile(`run[0-9a-f]{24}`).FindString(one)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	l.t.Fatalf("%q is not answered", question)
	return ""
}

// stops waits until a run is stopped.
func (l *peopled) stops(run string) {
	l.t.Helper()
	began := time.Now()
	for time.Since(began) < soon {
		if statusOf(l.sh.must(l.t, "run", "list", "--json"), run) == "stopped" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	l.t.Errorf("run %s is still %s", run, statusOf(l.sh.must(l.t, "run", "list", "--json"), run))
}

// statusOf returns the status of a run in a list.
func statusOf(list, run string) string {
	_, after, _ := strings.Cut(list, run)
	found := regexp.MustCompile(`"status": ?"(\w+)"`).FindStringSubmatch(after)
	if found == nil {
		return ""
	}
	return found[1]
}

// tokenOf returns the id of somebody's token.
func (l *peopled) tokenOf(who string) string {
	for one := range strings.SplitSeq(l.sh.must(l.t, "token", "list"), "\n") {
		if strings.Contains(one, " "+who+" ") {
			return strings.Fields(one)[0]
		}
	}
	l.t.Fatalf("%s has no token", who)
	return ""
}

// streams opens the stream of a run with a token and returns a channel that is closed when it ends.
func (l *peopled) streams(t *testing.T, who, run string) <-chan struct{} {
	t.Helper()
	return drains(t, http.DefaultClient, l.url+api.Root+"/runs/"+run+"/events", "Bearer "+l.secret[who])
}

func (p person) streams(t *testing.T, path string) <-chan struct{} {
	t.Helper()
	return drains(t, p.client, p.url+library(path), "")
}

func drains(t *testing.T, client *http.Client, url, authorization string) <-chan struct{} {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	noError(t, err)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	response, err := client.Do(r)
	noError(t, err)
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("%s answers %d, %s", url, response.StatusCode, kind)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
	}()
	return ended
}

// end waits until streams have ended.
func end(t *testing.T, streams ...<-chan struct{}) {
	t.Helper()
	for i, s := range streams {
		select {
		case <-s:
		case <-time.After(soon):
			t.Errorf("stream %d goes on", i+1)
		}
	}
}
