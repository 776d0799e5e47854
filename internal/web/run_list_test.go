package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/run"
	"github.com/clewhq/clew/internal/run/job"
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
		"kind=answer":                 {capped, found},
		"kind=answer&q=ZEBRA+gall":    {capped},
		"cap=1":                       {capped},
		"kind=answer&cap=1&q=foundry": nil,
		"kind=answer&state=done":      {capped, found},
		"state=failed":                nil,
		"kind=answer&from=" + today:   {capped, found},
		"to=2020-01-01":               nil,
		"person=nobody":               nil,
		"kind=answer&resumed=1":       nil,
		"node=generate":               nil,
		"kind=answer&after=1-x":       nil,
	} {
		if diff := cmp.Diff(want, listed(b.get(t, "/runs?"+query))); diff != "" {
			t.Errorf("%s: -want +got\n%s", query, diff)
		}
	}
	if p := b.get(t, "/runs?from=nonsense"); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "is not a day") {
		t.Errorf("what is no day gets status %d: %s", p.status, p.main(t))
	}
	p := b.get(t, "/runs?q=zebra&cap=1&kind=answer")
	for _, part := range []string{`value="zebra"`, `name="cap" value="1" checked`, `<input type="hidden" name="kind" value="answer">`, "tried enough"} {
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

// TestARunIsExported writes a run to a file. No page takes one.
func TestARunIsExported(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	b.Read(t, "foundry.txt", foundry)
	m := b.Answered(t, "", "Who founded the <b>Bell Foundry</b>?")
	if p := b.get(t, link.Run(m.Run)); !strings.Contains(p.body, link.RunFile(m.Run)+`?text=1"`) {
		t.Fatal("the page has no link to the file")
	}
	for text, want := range map[string]bool{"": false, "?text=1": true} {
		file := b.get(t, link.RunFile(m.Run)+text)
		if got := file.header.Get("Content-Disposition"); got != `attachment; filename="`+string(m.Run)+`.clewrun.json"` {
			t.Errorf("the file is called %s", got)
		}
		var f run.File
		testkit.Must(t, json.Unmarshal([]byte(file.body), &f))
		if f.Run.ID != m.Run || len(f.Passages) > 0 != want {
			t.Errorf("%q: the run %s with %d passages", text, f.Run.ID, len(f.Passages))
		}
	}
	for _, path := range []string{link.Runs, link.Run(m.Run) + "/delete"} {
		if p := b.post(t, path, url.Values{}); p.status != 404 && p.status != 405 {
			t.Errorf("POST %s: status %d", path, p.status)
		}
	}
}
