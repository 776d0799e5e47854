package web

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/job"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

var listedRun = regexp.MustCompile(`class="serif" href="/runs/([^"]+)"`)

// listed returns the ids of the runs on a page of the list.
func listed(p reply) (ids []string) {
	for _, m := range listedRun.FindAllStringSubmatch(p.body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestTheListOfRunsIsNarrowed asks a question that is answered and one that
// reaches the loop cap.
func TestTheListOfRunsIsNarrowed(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	found := string(b.Answered(t, "", "Who founded the Bell Foundry?").Run)
	capped := string(b.Answered(t, "", "Which zebra galloped?").Run)
	today := url.QueryEscape(b.Clock.Now().UTC().Format(time.DateOnly))
	for query, want := range map[string][]string{
		"kind=answer":                         {capped, found},
		"kind=answer&q=ZEBRA+gall":            {capped},
		"cap=1":                               {capped},
		"kind=answer&cap=1&q=foundry":         nil,
		"kind=answer&state=done":              {capped, found},
		"state=failed":                        nil,
		"kind=answer&from=" + today:           {capped, found},
		"to=2020-01-01":                       nil,
		"person=nobody":                       nil,
		"kind=answer&resumed=1":               nil,
		"node=generate":                       nil,
		"from=nonsense&kind=answer&after=1-x": nil,
	} {
		if diff := cmp.Diff(want, listed(b.get(t, "/runs?"+query))); diff != "" {
			t.Errorf("%s: -want +got\n%s", query, diff)
		}
	}
	p := b.get(t, "/runs?q=zebra&cap=1&kind=answer")
	for _, part := range []string{`value="zebra"`, `name="cap" value="1" checked`, `<input type="hidden" name="kind" value="answer">`, "cap reached"} {
		if !strings.Contains(p.body, part) {
			t.Errorf("the page that is narrowed has no %s", part)
		}
	}
	if p := b.get(t, "/runs?q=nothing+of+the+kind"); !strings.Contains(p.body, "No run matches") {
		t.Errorf("an empty list says %s", p.main(t))
	}
}

// TestPagesOfRuns goes to the end of a list and back, by the links on its pages.
func TestPagesOfRuns(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	var want []string
	for i := range 120 {
		id := fmt.Sprintf("q%03d", i)
		_, err := b.Queue.Add(domain.WithPerson(context.WithoutCancel(t.Context()), "ada"), job.Run{Workspace: testkit.Workspace, ID: domain.RunID(id), Kind: questions.Kind, Subject: "m"})
		testkit.Must(t, err)
		want = append([]string{id}, want...)
	}
	linked := func(p reply, label string) string {
		m := regexp.MustCompile(`href="([^"]+)">` + label + `<`).FindStringSubmatch(p.body)
		if m == nil {
			return ""
		}
		return strings.ReplaceAll(m[1], "&amp;", "&")
	}
	first := b.get(t, link.Runs+"?kind=answer&person=ada")
	second := b.get(t, linked(first, "Older"))
	third := b.get(t, linked(second, "Older"))
	got := append(append(listed(first), listed(second)...), listed(third)...)
	if diff := cmp.Diff(want, got); diff != "" || linked(third, "Older") != "" || linked(first, "Newer") != "" {
		t.Errorf("three pages list -want +got\n%s", diff)
	}
	back := b.get(t, linked(third, "Newer"))
	if diff := cmp.Diff(listed(second), listed(back)); diff != "" {
		t.Errorf("back: -want +got\n%s", diff)
	}
	if again := b.get(t, linked(back, "Newer")); !cmp.Equal(listed(first), listed(again)) || linked(again, "Newer") != "" {
		t.Errorf("back at the first page are %v, newer are at %q", listed(again), linked(again, "Newer"))
	}
}

// TestARunGoesByFileToAnotherInstallation exports a run from one site, and opens
// and deletes it on an empty one.
func TestARunGoesByFileToAnotherInstallation(t *testing.T) {
	t.Parallel()
	here, there := open(t, testkit.Options{}), open(t, testkit.Options{Idle: true})
	here.Read(t, "foundry.txt", foundry)
	m := here.Answered(t, "", "Who founded the <b>Bell Foundry</b>?")
	p := here.get(t, link.Run(m.Run))
	if !strings.Contains(p.body, link.RunFile(m.Run)+`?text=1"`) || strings.Contains(p.body, "imported") {
		t.Fatal("the page has no link to the file, or looks imported")
	}
	file := here.get(t, link.RunFile(m.Run)+"?text=1")
	if got := file.header.Get("Content-Disposition"); got != `attachment; filename="`+string(m.Run)+`.clewrun.json"` {
		t.Errorf("the file is called %s", got)
	}
	back := there.sendRun(t, file.body)
	if back.status != 303 {
		t.Fatalf("import: %d %s", back.status, back.main(t))
	}
	at := back.header.Get("Location")
	shown := there.get(t, at)
	for _, part := range []string{"imported ", "Who founded the &lt;b&gt;Bell Foundry&lt;/b&gt;?", `data-stop="9"`, `href="#passage-c`, `id="passage-c`, "Delete", " of 3</span>"} {
		if !strings.Contains(shown.body, part) {
			t.Errorf("the page of the imported run has no %q", part)
		}
	}
	for _, other := range []string{`href="/documents/d`, `href="/chunks/`, `href="/entities/`, `href="/ask/`} {
		if strings.Contains(shown.body, other) {
			t.Errorf("the page of the imported run leads to %s here", other)
		}
	}
	for _, step := range []string{"?step=0", "?step=3", "?row=2", "/state.json?step=3"} {
		if p := there.get(t, at+step); p.status != 200 {
			t.Errorf("%s: %d", step, p.status)
		}
	}
	if p := there.get(t, at+"?step=999"); p.status != 404 {
		t.Errorf("a step past the end: %d", p.status)
	}
	if got := listed(there.get(t, "/runs?kind=imported&q=founded")); len(got) != 1 || link.Run(domain.RunID(got[0])) != at {
		t.Errorf("the list has %v", got)
	}
	if p := there.sendRun(t, file.body[:100]); p.status != 422 && p.status != 400 || !strings.Contains(p.main(t), "perhaps only a part of it was copied") {
		t.Errorf("a part of the file: %d %s", p.status, p.main(t))
	}
	if p := there.post(t, at+"/delete", url.Values{}); p.status != 303 {
		t.Errorf("delete: %d", p.status)
	}
	if p := there.get(t, at); p.status != 404 {
		t.Errorf("after the deletion: %d", p.status)
	}
	if p := here.post(t, link.DeleteRun(m.Run), url.Values{}); p.status != 404 {
		t.Errorf("a run of this installation can be deleted: %d", p.status)
	}
}

// sendRun opens a file as a run.
func (b *bench) sendRun(t *testing.T, content string) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "run.clewrun.json")
	testkit.Must(t, err)
	_, err = part.Write([]byte(content))
	testkit.Must(t, err)
	testkit.Must(t, form.Close())
	return b.do(t, "POST", link.Runs, &body, "Content-Type", form.FormDataContentType())
}
