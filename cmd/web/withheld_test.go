package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web"
)

// withheldWords are words of the hidden papers that no question and no other paper has.
var withheldWords = []string{"Threnody", "payroll", "condemned", "shillings", "Osterby Bridge.txt"}

// drawnID is an id of something that answers, is asked or was read, and linked an address on a page.
var (
	drawnID = regexp.MustCompile(`\b(run|[a-z])[0-9a-f]{20}([0-9a-f]{4})?\b`)
	linked  = regexp.MustCompile(`="/w/library(/[^"#]+)`)
)

// TestWhatIsLimitedLaterIsWithheld asks, shares, judges and evaluates, then limits what was read, and walks every reader of runs and
// answers as members who may not read it: none has a word, a name or an id of it.
func TestWhatIsLimitedLaterIsWithheld(t *testing.T) {
	t.Parallel()
	l := openPeopled(t)
	l.add("owen", openPapers)
	l.add("ada", hiddenPapers)
	secret := l.idsOf("payroll.txt", "Osterby Bridge.txt")

	first := l.ask("owen", map[string]any{"question": "Who was the cashier of the Carrow Foundry?"})
	kept := l.ask("owen", map[string]any{"question": "Who founded the Carrow Foundry?", "within": []string{"doc:foundry.txt"}})
	within := l.ask("owen", map[string]any{"question": "How much was Aldous Penn paid?", "within": []string{"doc:payroll.txt"}})
	later := l.ask("owen", map[string]any{"question": "When was that?", "conversation": first["conversation"]})
	asked := []map[string]any{first, kept, within, later}
	run, conversation := fmt.Sprint(first["run"]), fmt.Sprint(first["conversation"])
	l.must("owen", http.MethodPost, "/runs/"+run+"/methods", map[string]any{"wait": 60})
	l.must("owen", http.MethodPost, "/runs/"+run+"/replay", map[string]any{"wait": 60})
	l.must("owen", http.MethodPost, "/runs/"+run+"/fork", map[string]any{"step": 0, "set": []string{"max_loops=1"}, "wait": 60})
	l.must("owen", http.MethodPut, "/runs/"+run+"/judgement", map[string]any{"judgement": "good", "reason": "It is so."})
	l.must("owen", http.MethodPost, "/conversations/"+conversation+"/share", map[string]any{})
	l.must("owen", http.MethodPost, "/runs/"+fmt.Sprint(within["run"])+"/share", map[string]any{})
	l.must("owen", http.MethodPost, "/summaries", map[string]any{"documents": []string{"payroll.txt", "foundry.txt"}, "wait": 60})
	l.must("owen", http.MethodPost, "/study", map[string]any{"kind": "cards", "documents": []string{"payroll.txt", "foundry.txt"}, "wait": 60})
	for question, scope := range map[string][]string{"How much was Aldous Penn paid, and who kept the money?": nil, "What was Aldous Penn?": {"doc:payroll.txt"}} {
		l.must("owen", http.MethodPost, "/research", map[string]any{"question": question, "within": scope, "questions": 3, "wait": 60})
	}
	l.must("owen", http.MethodPost, "/evaluation/questions", map[string]any{"question": "Who kept the money of the foundry?", "sources": []string{"payroll.txt", "foundry.txt"}})
	l.must("owen", http.MethodPost, "/evaluation/runs", map[string]any{})
	for n := 0; !strings.Contains(l.must("owen", http.MethodGet, "/evaluation/runs", nil), `"done"`); n++ {
		if n == 600 {
			t.Fatal("the evaluation does not end")
		}
		time.Sleep(50 * time.Millisecond)
	}
	copied := value(t, l.must("iris", http.MethodPost, "/conversations/"+conversation+"/copy", map[string]any{}), "id")

	ids := slices.Concat([]string{copied}, l.idsIn("owen"), l.idsIn("iris"))
	for _, a := range asked {
		ids = append(ids, fmt.Sprint(a["run"]), fmt.Sprint(a["conversation"]), fmt.Sprint(a["message"]))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	addresses := map[string]bool{}
	told, shown := l.tells("owen", ids, secret, addresses)
	if told < 20 {
		t.Errorf("only %d answers told of the papers when everybody could read them, which proves nothing: %v", told, shown)
	}

	l.must("ada", http.MethodPost, "/documents/limit", map[string]any{"documents": slices.Sorted(maps.Keys(hiddenPapers)), "to": []string{}})
	for _, who := range []string{"owen", "iris"} {
		if told, shown := l.tells(who, ids, secret, addresses); told > 0 {
			t.Errorf("%s is told of what %[1]s may not read by %d answers:\n%s", who, told, strings.Join(shown, "\n"))
		}
	}
	if text := l.must("owen", http.MethodGet, "/runs/"+run+"/answer", nil); !strings.Contains(text, ledger.Withheld) {
		t.Errorf("the answer does not say that it is withheld: %s", text)
	}
	if text := l.must("owen", http.MethodGet, "/runs/"+fmt.Sprint(kept["run"])+"/answer", nil); !strings.Contains(text, "Maud Ferring") || strings.Contains(text, ledger.Withheld) {
		t.Errorf("an answer from what owen may read is withheld: %s", text)
	}
	for path, body := range map[string]any{"/fork": map[string]any{"step": 1}, "/replay": map[string]any{}, "/share": map[string]any{}} {
		if status, text := l.send("owen", http.MethodPost, "/runs/"+run+path, body); status < 400 {
			t.Errorf("%s of a run that is withheld: %d %s", path, status, text)
		}
	}
	again := l.ask("owen", map[string]any{"question": "Who founded the Carrow Foundry?", "conversation": conversation})
	if text := fmt.Sprint(again); strings.Contains(text, "Threnody") || !strings.Contains(text, "Maud Ferring") {
		t.Errorf("asked further: %s", text)
	}

	question := drawnID.FindString(l.must("owen", http.MethodGet, "/evaluation/questions", nil))
	l.must("owen", http.MethodPatch, "/evaluation/questions/"+question, map[string]any{"sources": []string{"bridge.txt"}})

	l.must("ada", http.MethodPost, "/documents/unlimit", map[string]any{"documents": slices.Sorted(maps.Keys(hiddenPapers))})
	if text := l.must("owen", http.MethodGet, "/runs/"+run+"/answer", nil); !strings.Contains(text, "Threnody") {
		t.Errorf("the answer has not come back: %s", text)
	}
	if text := l.must("owen", http.MethodGet, "/evaluation/questions", nil); !strings.Contains(text, "bridge.txt") || !strings.Contains(text, "payroll.txt") {
		t.Errorf("a document that is expected was lost when owen, who could not see it, changed the question: %s", text)
	}
}

// ask asks a question and returns the answer.
func (l *peopled) ask(who string, body map[string]any) (reply map[string]any) {
	l.t.Helper()
	noError(l.t, json.Unmarshal([]byte(l.must(who, http.MethodPost, "/ask", body)), &reply))
	return reply
}

// idsOf returns the ids of documents and of their passages.
func (l *peopled) idsOf(names ...string) (ids []string) {
	l.t.Helper()
	for _, name := range names {
		text := l.must("ada", http.MethodGet, "/documents/"+strings.ReplaceAll(name, " ", "%20")+"/passages", nil) + l.must("ada", http.MethodGet, "/documents/"+strings.ReplaceAll(name, " ", "%20"), nil)
		for _, id := range drawnID.FindAllString(text, -1) {
			if id[0] == 'd' || id[0] == 'c' {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// idsIn returns the ids of what somebody's lists have.
func (l *peopled) idsIn(who string) (ids []string) {
	l.t.Helper()
	for _, path := range []string{"/runs?limit=200", "/conversations", "/shared", "/feedback", "/summaries", "/study", "/research", "/evaluation/runs", "/evaluation/questions"} {
		_, text := l.send(who, http.MethodGet, path, nil)
		ids = append(ids, drawnID.FindAllString(text, -1)...)
	}
	return ids
}

// tells counts the answers of routes that read, and of pages, that hold words of the hidden papers or their ids, and returns where.
// It goes to the addresses too, to which it adds what it finds on pages if there are none.
func (l *peopled) tells(who string, ids, secret []string, addresses map[string]bool) (told int, shown []string) {
	l.t.Helper()
	look := func(what, id, text string) {
		for _, word := range slices.Concat(withheldWords, secret) {
			if at := strings.Index(text, word); at >= 0 && word != id && !strings.Contains(what, word) {
				told++
				shown = append(shown, fmt.Sprintf("%s has %s: …%s…", what, word, text[max(0, at-150):min(len(text), at+80)]))
				return
			}
		}
	}
	name := regexp.MustCompile(`{[^}]*}`)
	for _, row := range allRows() {
		for _, text := range row.Routes {
			r := operation.ParseRoute(text)
			for _, id := range ids {
				path := name.ReplaceAllString(r.Path, id)
				if r.Method == http.MethodGet {
					_, text := l.send(who, r.Method, path, nil)
					look(path, id, text)
				}
				if path == r.Path {
					break
				}
			}
		}
	}
	p := l.server.person(l.t)
	p.signsIn(l.t, who, "correct horse battery staple", http.StatusSeeOther)
	parameter, found := regexp.MustCompile(`:[a-z]+`), map[string]bool{}
	open := func(path, id string) {
		text := p.first(l.t, library(path))
		look(path, id, text)
		for _, a := range linked.FindAllStringSubmatch(text, -1) {
			found[strings.ReplaceAll(a[1], "&amp;", "&")] = true
		}
	}
	for _, page := range web.Pages() {
		for _, id := range ids {
			path := parameter.ReplaceAllString(page.Path, id)
			if page.Method == http.MethodGet {
				open(path, id)
			}
			if path == page.Path {
				break
			}
		}
	}
	if len(addresses) == 0 {
		maps.Copy(addresses, found)
	}
	for path := range addresses {
		open(path, "")
	}
	return told, shown
}
