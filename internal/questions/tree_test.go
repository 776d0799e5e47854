package questions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
)

// talk builds a conversation from lines such as "m2 follows b1" and "b1 edits m1", in
// order of time. The run of each is its name.
func talk(t *testing.T, lines ...string) *questions.Tree {
	t.Helper()
	var answers []ledger.Answer
	for i, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		verb, of, _ := strings.Cut(rest, " ")
		at := time.Unix(int64(i), 0)
		switch verb {
		case "", "follows":
			answers = append(answers, ledger.Answer{Message: domain.MessageID(name), Run: domain.RunID(name), Follows: domain.RunID(of), Question: name, CreatedAt: at})
		case "edits", "replays":
			purpose := map[string]string{"edits": ledger.PurposeEdit, "replays": "replay"}[verb]
			answers = append(answers, ledger.Answer{Branch: domain.BranchID(name), Run: domain.RunID(name), Message: domain.MessageID(of), Purpose: purpose, Question: name, CreatedAt: at})
		default:
			t.Fatalf("what is %q?", line)
		}
	}
	return questions.NewTree(answers)
}

func said(turns []questions.Turn) string {
	var names []string
	for _, turn := range turns {
		names = append(names, turn.Question)
	}
	return strings.Join(names, " ")
}

func TestLinesOfAConversation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		talk  []string
		lines map[domain.RunID]string // by the run that is asked for
	}{
		{"nothing", nil, map[domain.RunID]string{"": ""}},
		{"as before there were branches", []string{"m1", "m2", "m3"}, map[domain.RunID]string{"": "m1 m2 m3", "m2": "m1 m2 m3", "gone": "m1 m2 m3"}},
		{"an edited question begins a line, and what followed stays with the other answer", []string{"m1", "m2 follows m1", "m3 follows m2", "b1 edits m1"},
			map[domain.RunID]string{"": "b1", "b1": "b1", "m1": "m1 m2 m3", "m3": "m1 m2 m3"}},
		{"a line goes on", []string{"m1", "m2 follows m1", "b1 edits m1", "m3 follows b1"}, map[domain.RunID]string{"": "b1 m3", "m3": "b1 m3", "m2": "m1 m2"}},
		{"the line that was asked in last is shown", []string{"m1", "b1 edits m1", "m2 follows b1", "m3 follows m1"}, map[domain.RunID]string{"": "m1 m3", "b1": "b1 m2"}},
		{"an answer to compare is not gone on with", []string{"m1", "m2 follows m1", "b1 replays m1", "b2 replays m2"}, map[domain.RunID]string{"": "m1 m2", "b1": "b1", "b2": "m1 b2"}},
		{"unless somebody did", []string{"m1", "b1 replays m1", "m2 follows b1"}, map[domain.RunID]string{"": "b1 m2", "m1": "m1"}},
		{"edits in several turns", []string{"m1", "b1 edits m1", "m2 follows b1", "b2 edits m2", "b3 edits m2"}, map[domain.RunID]string{"": "b1 b3", "b2": "b1 b2", "m2": "b1 m2", "m1": "m1"}},
		{"two that follow one answer stand one after the other", []string{"m1", "m2 follows m1", "m3 follows m1"}, map[domain.RunID]string{"": "m1 m2 m3"}},
		{"what followed an answer that is gone is kept", []string{"m1", "m2 follows m1", "m3 follows gone"}, map[domain.RunID]string{"": "m1 m2 m3"}},
		{"what claims to follow itself is kept", []string{"m1", "m2 follows m2"}, map[domain.RunID]string{"": "m1 m2"}},
	} {
		tree := talk(t, tt.talk...)
		for run, want := range tt.lines {
			if got := said(tree.Line(run)); got != want {
				t.Errorf("%s: the line through %q is %q, want %q", tt.name, run, got, want)
			}
		}
	}
}

func TestTurnsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	tree := talk(t, "m1", "m2 follows m1", "b1 edits m1", "m3 follows b1", "b3 edits m3", "m4 follows m3", "m5 follows b3")
	for id, want := range map[domain.MessageID]string{"m1": "", "m2": "m1", "m3": "b1", "m4": "b1 m3", "m5": "b1 b3", "gone": ""} {
		if got := said(tree.Before(id)); got != want {
			t.Errorf("before %s are %q, want %q", id, got, want)
		}
	}
	for run, want := range map[domain.RunID]int{"m1": 1, "b1": 3, "m3": 1, "b3": 1, "m5": 0, "gone": 0} {
		if got := tree.Later(run); got != want {
			t.Errorf("%d turns come after %s, want %d", got, run, want)
		}
	}
}

// TestEachTurnIsReached asks for the line of each answer of a long conversation with
// many edits, and expects the answer in it, and each message in some line.
func TestEachTurnIsReached(t *testing.T) {
	t.Parallel()
	lines := []string{"m0"}
	runs := []domain.RunID{"m0"}
	for i := 1; i < 200; i++ {
		name, of := "m", "follows "+string(runs[i*7%len(runs)])
		if i%3 == 0 {
			name, of = "b", "edits m"+fmt.Sprint((i*5%i)/3*3+1)
			if i < 9 {
				of = "edits m0"
			}
		}
		name += fmt.Sprint(i)
		lines, runs = append(lines, name+" "+of), append(runs, domain.RunID(name))
	}
	tree := talk(t, lines...)
	for _, run := range runs {
		found := 0
		for _, turn := range tree.Line(run) {
			if turn.Run == run {
				found++
			}
		}
		if found != 1 {
			t.Errorf("the line through %s holds it %d times", run, found)
		}
	}
}
