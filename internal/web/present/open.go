package present

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/format"
)

// slowest is how many sends of a step are told that are at work.
const slowest = 3

// AtWork says which sends of a step are at work, the slowest of them, and what they wait for. Of a step that is no fan-out
// it says only what it waits for.
func AtWork(s *trace.Step) (said []string) {
	if s.Total() <= 1 {
		for _, t := range s.Open {
			if waits := waits(t); waits != "" {
				said = append(said, "It "+waits)
			}
		}
		return said
	}
	if n := len(s.Open); n > slowest {
		said = append(said, fmt.Sprintf("%s at work, the slowest:", format.Count(n, "task", "tasks")))
	}
	for _, t := range s.Slowest(slowest) {
		line := fmt.Sprintf("Task %d, at work since %s", t.N+1, format.Clock(t.Began))
		if waits := waits(t); waits != "" {
			said = append(said, line+", "+waits)
		} else {
			said = append(said, line+".")
		}
	}
	return said
}

// waits says what a task waits for, "" if it waits for nothing. A pause whose end is known comes first.
func waits(t trace.Task) string {
	said := ""
	for _, w := range t.Waits {
		switch {
		case w.For == domain.WaitSlot && said == "":
			said = "waits until the model is free."
		case w.For == domain.WaitModel && said == "":
			said = "waits for the model, " + w.Why + "."
		case w.For == domain.WaitRetry && !w.Until.IsZero():
			return strings.TrimSpace(fmt.Sprintf("is tried again at %s. %s", format.Clock(w.Until), w.Why))
		case w.For == domain.WaitRetry:
			return strings.TrimSpace("is tried again. " + w.Why)
		}
	}
	return said
}

// Waits says until when a run waits to be tried again, and why, "" if it does not.
func Waits(r job.Run) string {
	if r.Status != job.Waiting && r.Status != job.Capped || r.Problem == "" {
		return ""
	}
	return fmt.Sprintf("Waits until %s. %s", format.Moment(r.NextTry), r.Problem)
}
