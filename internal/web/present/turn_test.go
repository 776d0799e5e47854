package present

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/link"
)

// An answer is stored before its run has ended. A page that is loaded in between
// follows the run to its end.
func TestTurnFollowsItsRunToTheEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status ledger.MessageStatus
		run    trace.State
		want   string
	}{
		{"being answered", ledger.MessageAnswering, trace.Working, link.RunEvents("r", 7)},
		{"answered, its run ending", ledger.MessageDone, trace.Working, link.RunEvents("r", 7)},
		{"stopped, its run ending", ledger.MessageStopped, trace.Working, link.RunEvents("r", 7)},
		{"ended", ledger.MessageDone, trace.Done, ""},
		{"ended, its run deleted", ledger.MessageDone, "", ""},
	} {
		turn := Turn(ledger.Answer{Run: "r", Status: tt.status}, &trace.View{State: tt.run, Last: 7}, nil, noon)
		if got := turn.Stream(); got != tt.want {
			t.Errorf("%s: the stream is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestATurnSumsUpItsRun(t *testing.T) {
	t.Parallel()
	for _, status := range []ledger.MessageStatus{ledger.MessageWaiting, ledger.MessageAnswering, ledger.MessageDone, ledger.MessageStopped, ledger.MessageFailed} {
		v := &trace.View{Started: noon, Ended: noon.Add(time.Second), Steps: []*trace.Step{{Usages: []domain.Usage{{Input: 34}}}}}
		p := Turn(ledger.Answer{Message: "m1", Run: "run1", Status: status, Text: "Yes."}, v, nil, noon)
		if p.Status == "" || p.Text != "Yes." || p.Tokens != 34 || p.Took != time.Second {
			t.Errorf("turn %+v", p)
		}
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
