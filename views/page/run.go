package page

import (
	"context"
	"strings"

	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
)

func (p RunProps) events() string {
	if !p.Trace.Live() {
		return ""
	}
	return link.RunEvents(p.Trace.Run, p.Trace.After)
}

// supported describes how many sentences of the answer a passage supports.
func (t RunTurn) supported(ctx context.Context) string {
	switch {
	case t.Sentences == 0:
		return ""
	case t.Supported == t.Sentences && t.Sentences == 1:
		return lang.T(ctx, "1 sentence, supported")
	}
	return lang.F(ctx, "%s, %s supported", lang.Count(ctx, t.Sentences, "sentence", "sentences"), lang.Int(ctx, t.Supported))
}

// when returns the kind of the run and its time.
func (p RunProps) when(ctx context.Context) string {
	said := ""
	if p.URL == "" { // if not, the link says it
		said = ", " + strings.ToLower(p.Kind[:min(len(p.Kind), 1)]) + p.Kind[min(len(p.Kind), 1):]
	}
	switch {
	case !p.Ended.IsZero() && p.Trace.State == diagram.Seen:
		said += lang.F(ctx, ", finished %s", lang.Moment(ctx, p.Ended))
	case !p.Ended.IsZero():
		said += lang.F(ctx, ", ended %s", lang.Moment(ctx, p.Ended))
	case !p.Began.IsZero():
		said += lang.F(ctx, ", begun %s", lang.Moment(ctx, p.Began))
	}
	if p.Attempt > 1 {
		said += lang.F(ctx, ", attempt %d", p.Attempt)
	}
	return said
}

func statusWord(ctx context.Context, status string) string {
	switch status {
	case "done":
		return lang.T(ctx, "finished")
	case "running":
		return lang.T(ctx, "at work")
	}
	return lang.T(ctx, status)
}
