package page

import (
	"fmt"
	"net/url"

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

func (p RunsProps) current(kind string) string {
	if p.Kind == kind {
		return "page"
	}
	return "false"
}

func (p RunsProps) query() url.Values { return url.Values{"kind": {p.Kind}} }

func statusWord(status string) string {
	switch status {
	case "done":
		return "finished"
	case "running":
		return "at work"
	}
	return status
}
