package page

import (
	"fmt"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

func (p RunProps) events() string {
	if !p.Trace.Live() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}

// when says what kind of run it was and when it ran.
func (p RunProps) when() string {
	said := p.Kind
	if !p.Began.IsZero() {
		said += ", begun " + format.Moment(p.Began)
	}
	if p.Attempt > 1 {
		said += fmt.Sprintf(", attempt %d", p.Attempt)
	}
	return said
}

func statusWord(status string) string {
	switch status {
	case "done":
		return "finished"
	case "running":
		return "at work"
	}
	return status
}
