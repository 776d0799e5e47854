package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/summaries"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/testkit/race"
)

// traced runs a command and returns what it prints, without how long each step took.
func (sh shell) traced(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	s, out, errs := sh.env()
	root := program(s)
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("clew %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out.String(), took.ReplaceAllString(logged.ReplaceAllString(errs.String(), ""), ", TIME\n")
}

var (
	took   = regexp.MustCompile(`, (?:< )?[\d.]+ m?s\n`)
	ids    = regexp.MustCompile(`\bs[0-9a-f]{24}\b`)
	logged = regexp.MustCompile(`(?m)^(?:time=.*|Comparing entities …)\n`) // which a server does in its own time
)

// bothWays returns a library with three documents, and the same through a server.
func bothWays(t *testing.T) (here, there shell, folder string) {
	t.Helper()
	here, folder = newShell(t), t.TempDir()
	for name, text := range map[string]string{
		"minutes.md": "# Minutes\n\nThe board of Osterby agreed to repair the Velm Bridge. The repair costs 400 crowns. Ida Quennell thanked the board.\n",
		"letter.txt": "Maud Ferring founded the Carrow Foundry in 1871. It cast the bells of Osterby.\n",
		"report.txt": "The foundry cast 200 bells in 1922. It sold 180 of them to churches in Carrow.\n",
	} {
		file(t, folder, name, text)
	}
	here.must(t, "ingest", folder)
	v := here.serve(t)
	secret, _, _ := strings.Cut(here.must(t, "token", "create", "remote", "--preset", "everything"), "\n")
	return here, newShellWithoutData(t, "CLEW_SERVER="+v.url, "CLEW_TOKEN="+secret), folder
}

// TestTracesAreTheSameOnAServer asks and sums up with --trace, here and on a server.
func TestTracesAreTheSameOnAServer(t *testing.T) {
	race.Want(t)
	t.Parallel()
	here, there, _ := bothWays(t)
	for says, command := range map[string][]string{
		"  Summed up each part: 1 of 1":          {"ask", "--trace", "Summarise minutes.md"},
		"Summed up each part: 3 of 3, TIME":      {"summarize", "--trace", "--all", "--length", "short", "--focus", "bells", "--token-max", "500", "--strict"},
		"Put the parts together, TIME\nIt waits": {"summarize", "--trace", "--review", "minutes.md"},
		"  near: 002/letter.txt: has “founded”":  {"ask", "--trace", "Who founded the Carrow Foundry?"},
		"Searched 2 ways, ":                      {"ask", "--trace", "Which zeppelin landed?"},
		"Answered without a search.\n":           {"ask", "--trace", "Summarise plan.docx"},
	} {
		said, steps := here.traced(t, command...)
		saidThere, stepsThere := there.traced(t, command...)
		if diff := cmp.Diff(ids.ReplaceAllString(said, "ID"), ids.ReplaceAllString(saidThere, "ID")); diff != "" && command[0] != "ask" { // whose words may come before its marks
			t.Errorf("clew %s (-here +there):\n%s", strings.Join(command, " "), diff)
		}
		if diff := cmp.Diff(steps, stepsThere); diff != "" || !strings.Contains(steps, says) {
			t.Errorf("clew %s (-here +there):\n%s\nwants %q:\n%s", strings.Join(command, " "), diff, says, steps)
		}
	}
	for _, args := range []string{"nowhere.txt", "minutes.md --length epic", "minutes.md --token-max 9", ""} {
		_, wrong := here.run(t, append([]string{"summarize"}, strings.Fields(args)...)...)
		_, refused := there.run(t, append([]string{"summarize"}, strings.Fields(args)...)...)
		if wrong == nil || refused == nil || domain.InWords(wrong) != domain.InWords(refused) {
			t.Errorf("summarize %s: %v here, %v on the server", args, wrong, refused)
		}
	}
	here.must(t, "documents", "tag", "minutes.md", "--add", "board")
	for _, sh := range []shell{here, there} {
		made := decoded[summaries.Summed](t, sh.must(t, "summarize", "--json", "--tag", "board", "--length", "long"))
		if made.Status != ledger.SummaryDone || made.Length != "long" || len(made.Documents) != 1 || len(made.Citations) == 0 || made.At() != "" {
			t.Errorf("as JSON it is %+v", made)
		}
	}
}

// TestADraftIsReviewedOnATerminal edits, approves, rejects and leaves drafts, here and on a server.
func TestADraftIsReviewedOnATerminal(t *testing.T) {
	race.Want(t)
	t.Parallel()
	here, there, _ := bothWays(t)
	for name, sh := range map[string]shell{"here": here, "there": there} {
		for _, tt := range []struct {
			typed, says, not string
			status           ledger.SummaryStatus
		}{
			{"nonsense\ne 9\ne 1\n[1] The bridge was mended.\na\n", "The bridge was mended. [1]\n  [1] ", "crowns. [", ledger.SummaryDone},
			{"a\n", "The repair costs 400 crowns. [", "mended", ledger.SummaryDone},
			{"r\n", "was stopped.", "Type a", ledger.SummaryStopped},
			{"q\n", "clew summaries continue s", "was stopped", ledger.SummaryAsking},
			{"", "clew summaries continue s", "was stopped", ledger.SummaryAsking},
		} {
			sh.stdin = tt.typed
			s, out, errs := sh.env()
			s.terminal = true
			root := program(s)
			root.SetArgs([]string{"summarize", "--trace", "--review", "minutes.md"})
			err := root.ExecuteContext(t.Context())
			_, after, _ := strings.Cut(out.String(), "decide later: ")
			if err != nil || !strings.Contains(after, tt.says) || strings.Contains(after, tt.not) || strings.Count(errs.String(), "Split the text") != 1 {
				t.Errorf("%s, after %q: %v\n%s\n%s", name, tt.typed, err, out, errs)
			}
			if list := decoded[[]summaries.ListedSummary](t, here.must(t, "summaries", "list", "--json", "--limit", "1")); list[0].Status != tt.status {
				t.Errorf("%s, after %q it is %s", name, tt.typed, list[0].Status)
			}
		}
	}
}

// TestReadingIsTraced adds files with --trace, here and on a server with a library of its own, and prints the same.
func TestReadingIsTraced(t *testing.T) {
	race.Want(t)
	t.Parallel()
	_, there, folder := bothWays(t)
	here := newShell(t)
	there.must(t, "documents", "delete", "--yes", "minutes.md", "report.txt", "letter.txt")
	minutes, report := filepath.Join(folder, "minutes.md"), filepath.Join(folder, "report.txt")
	copied := file(t, t.TempDir(), "copy.txt", "The foundry cast 200 bells in 1922. It sold 180 of them to churches in Carrow.\n")
	for _, args := range [][]string{
		{"--trace", minutes, report},
		{"--trace", minutes, copied},
		{"--json", report},
		{"--json", copied},
		{"--chunk", "headings", file(t, t.TempDir(), "late.md", "# Late\n\nUna Marsh painted the harbour.\n")},
	} {
		args = append([]string{"ingest"}, args...)
		said, steps := here.traced(t, args...)
		saidThere, stepsThere := there.traced(t, args...)
		if diff := cmp.Diff(said+steps, saidThere+stepsThere); diff != "" {
			t.Errorf("clew %s (-here +there):\n%s", strings.Join(args, " "), diff)
		}
		if first := args[1] == "--trace" && args[3] == report; first != strings.Contains(steps, "minutes.md\nRead the file") {
			t.Errorf("clew %s prints\n%s%s", strings.Join(args, " "), said, steps)
		}
	}
	for _, args := range [][]string{{"nowhere.txt"}, {file(t, t.TempDir(), "empty.txt", ""), minutes}} {
		args = append([]string{"ingest"}, args...)
		said, wrong := here.run(t, args...)
		saidThere, refused := there.run(t, args...)
		if said != saidThere || wrong == nil || refused == nil || domain.InWords(wrong) != domain.InWords(refused) {
			t.Errorf("clew %s: %v here, %v on the server\n%s\n%s", strings.Join(args, " "), wrong, refused, said, saidThere)
		}
	}
}

// TestTheStepsOfManyDocumentsAreCutOff reads more documents than the steps are printed of.
func TestTheStepsOfManyDocumentsAreCutOff(t *testing.T) {
	t.Parallel()
	sh, folder := newShell(t), t.TempDir()
	for i := range maxTracedDocuments + 3 {
		file(t, folder, fmt.Sprintf("note%02d.txt", i), fmt.Sprintf("Una Marsh painted harbour %d.", i))
	}
	said, steps := sh.traced(t, "ingest", "--trace", folder)
	if n := strings.Count(said, ": ready"); n != maxTracedDocuments+3 {
		t.Errorf("%d documents are ready:\n%s", n, said)
	}
	if n := strings.Count(steps, "Read the file"); n != maxTracedDocuments || strings.Count(steps, "clew run show prints") != 1 {
		t.Errorf("of %d documents there are steps:\n%s", n, steps)
	}
}

// TestADraftIsReviewedInAConversation asks for a summary that stops before it is written, by command and through a server,
// and goes on with an edited draft.
func TestADraftIsReviewedInAConversation(t *testing.T) {
	race.Want(t)
	t.Parallel()
	here, there, _ := bothWays(t)
	asks := decoded[askedJSON](t, here.must(t, "ask", "--json", "--stop-before-writing", "Summarise minutes.md"))
	run := string(asks.Run)
	if len(asks.Asks.Summaries) != 1 || !strings.Contains(asks.Asks.Summaries[0], "crowns") {
		t.Fatalf("asks %+v", asks)
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--hint", "bridge"}, "waits for its draft, not for passages or a hint"},
		{[]string{"--text", ""}, "Nothing is left to summarise"},
		{[]string{"--text", "one", "--text", "two"}, "1 text, not 2"},
	} {
		if _, err := here.run(t, append([]string{"run", "continue", run}, tt.args...)...); err == nil || !strings.Contains(domain.InWords(err), tt.says) {
			t.Errorf("run continue %v: %v", tt.args, err)
		}
	}
	made := decoded[questions.Reply](t, here.must(t, "run", "continue", run, "--json", "--text", "[1] The bridge was mended."))
	if made.Answer != "The bridge was mended. [1]" || made.Status != ledger.MessageDone || len(made.Citations) != 1 || !made.Answered {
		t.Errorf("the summary is %+v", made)
	}
	if _, err := here.run(t, "run", "continue", run); domain.KindOf(err) != domain.Conflict {
		t.Errorf("once it is answered: %v", err)
	}
	passages := decoded[askedJSON](t, here.must(t, "ask", "--json", "--stop-before-writing", "Who founded the Carrow Foundry?"))
	if _, err := here.run(t, "run", "continue", string(passages.Run), "--text", "A draft."); err == nil || !strings.Contains(domain.InWords(err), "not for the draft of a summary") {
		t.Errorf("a draft in place of passages: %v", err)
	}
	draft := there.must(t, "ask", "--stop-before-writing", "Summarise minutes.md")
	_, waiting, _ := strings.Cut(draft, "clew run continue ")
	waiting, _, _ = strings.Cut(waiting, " ")
	if out := here.must(t, "run", "continue", waiting); !strings.Contains(out, "400 crowns") {
		t.Errorf("the draft of the server\n%s\ngoes on to\n%s", draft, out)
	}
}
