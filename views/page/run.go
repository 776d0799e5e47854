package page

import (
	"fmt"
	"strings"

	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

func (p RunProps) events() string {
	if !p.Trace.Live() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}

// supported describes how many sentences of the answer a passage supports.
func (t RunTurn) supported() string {
	switch {
	case t.Sentences == 0:
		return ""
	case t.Supported == t.Sentences && t.Sentences == 1:
		return "1 sentence, supported"
	}
	return fmt.Sprintf("%s, %s supported", format.Count(t.Sentences, "sentence", "sentences"), format.Int(t.Supported))
}

// when returns the kind of the run and its time.
func (p RunProps) when() string {
	said := ""
	if p.URL == "" { // else the link says it
		said = ", " + strings.ToLower(p.Kind[:min(len(p.Kind), 1)]) + p.Kind[min(len(p.Kind), 1):]
	}
	switch {
	case !p.Ended.IsZero() && p.Trace.State == diagram.Seen:
		said += ", finished " + format.Moment(p.Ended)
	case !p.Ended.IsZero():
		said += ", ended " + format.Moment(p.Ended)
	case !p.Began.IsZero():
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
