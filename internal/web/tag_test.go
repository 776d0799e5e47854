package web

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/clewhq/clew/internal/testkit"
)

func TestDocumentsByTag(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Summariser: &testkit.Summaries{}})
	bells, school := b.Read(t, "foundry.txt", foundry), b.Read(t, "school.txt", "Agnes Lovibond taught at the school.")
	if page := b.get(t, "/documents"); strings.Contains(page.body, `data-testid="tags"`) {
		t.Error("tags are listed though there are none")
	}
	shown := b.postAndFollow(t, "/documents/"+string(bells.ID)+"/tags", url.Values{"tags": {" Bells,  To   do, bells "}})
	if !strings.Contains(shown.body, `value="bells, to do"`) {
		t.Error("the document's page does not show its tags")
	}
	b.postAndFollow(t, "/documents/"+string(school.ID)+"/tags", url.Values{"tags": {"to do"}})
	for path, want := range map[string][2]bool{
		"/documents":                     {true, true},
		"/documents?tag=bells":           {true, false},
		"/documents?tag=BELLS":           {true, false},
		"/documents?tag=to+do":           {true, true},
		"/documents?tag=to+do&q=school":  {false, true},
		"/documents?tag=nothing":         {false, false},
		"/documents?tag=bells&tab=ready": {true, false},
	} {
		body := b.get(t, path).body
		if got := [2]bool{strings.Contains(body, ">foundry.txt<"), strings.Contains(body, ">school.txt<")}; got != want {
			t.Errorf("%s shows %v, want %v", path, got, want)
		}
	}
	if got, want := choices(t, b.get(t, "/documents?tag=bells&tab=ready").body), "All /documents?tab=ready, *bells1 /documents?tab=ready&tag=bells, to do2 /documents?tab=ready&tag=to+do"; got != want {
		t.Errorf("the filter offers %s, want %s", got, want)
	}
	if got := choices(t, b.get(t, "/documents").body); !strings.HasPrefix(got, "*All /documents, bells1 ") {
		t.Errorf("without a tag the filter offers %s", got)
	}
	form := b.get(t, "/summaries/new?tag=Bells")
	if said := form.main(t); !strings.Contains(said, "What is tagged bells, 1 document") {
		t.Errorf("the form says %s", said)
	}
	s := b.orderSummary(t, url.Values{"tag": {"bells"}, "whole": {""}, "length": {"short"}})
	if len(s.Documents) != 1 || s.Documents[0].ID != bells.ID || s.Tag != "bells" {
		t.Errorf("summarised %+v", s)
	}
	b.Watch(t, s.Run)
	if page := b.get(t, "/summaries/"+string(s.ID)).main(t); !strings.Contains(page, "Summary of what is tagged bells") || strings.Contains(page, "added to the tag") {
		t.Errorf("the summary: %s", page)
	}
	b.postAndFollow(t, "/documents/"+string(school.ID)+"/tags", url.Values{"tags": {"bells"}})
	if page := b.get(t, "/summaries/"+string(s.ID)).main(t); !strings.Contains(page, "1 document has been added to the tag since") {
		t.Errorf("the summary after another document got the tag: %s", page)
	}
	if p := b.post(t, "/summaries", url.Values{"tag": {"nothing"}, "length": {"short"}}); p.status != 422 || !strings.Contains(p.main(t), `No documents with the tag "nothing"`) {
		t.Errorf("a tag that nothing has: %d %s", p.status, p.main(t))
	}
}

// choices returns the links of the filter by tag, the chosen one with a star.
func choices(t *testing.T, body string) string {
	t.Helper()
	var all []string
	for _, n := range nodes(t, body, func(n *html.Node) bool { return n.Data == "a" && attr(n.Parent, "data-testid") == "tags" }) {
		star := map[string]string{"true": "*"}[attr(n, "aria-current")]
		all = append(all, star+text(n)+" "+attr(n, "href"))
	}
	return strings.Join(all, ", ")
}

func TestRefusedTags(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	at := "/documents/" + string(b.Read(t, "foundry.txt", foundry).ID)
	if p := b.post(t, at+"/tags", url.Values{"tags": {strings.Repeat("x", 41)}}); p.status != 413 || !strings.Contains(p.body, "the limit is 40") {
		t.Errorf("a long tag: %d", p.status)
	}
	const attack = `"><script>alert(1)</script>`
	shown := b.postAndFollow(t, at+"/tags", url.Values{"tags": {attack}})
	list := b.get(t, "/documents")
	for _, page := range []string{shown.body, list.body} {
		if bad := nodes(t, page, func(n *html.Node) bool { return forbidden(n) != "" }); len(bad) > 0 || !strings.Contains(page, "alert(1)") {
			t.Error("a tag is not escaped")
		}
	}
	untagged := b.postAndFollow(t, at+"/tags", url.Values{"tags": {""}})
	if p := b.get(t, at); strings.Contains(p.body, "alert(1)") {
		t.Error("the tag is still there")
	}
	b.postAndFollow(t, untagged.undo(t), nil)
	if p := b.get(t, at); !strings.Contains(p.body, "alert(1)") {
		t.Error("the tag does not come back")
	}
}
