package page

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// group is a group in the list of conversations.
type group struct {
	name  string
	items []ConversationItem
}

// groups groups the conversations by day, then by month.
func (p AskProps) groups(ctx context.Context) []group {
	var out []group
	for _, c := range p.Conversations {
		name := dayName(ctx, c.UpdatedAt, p.Now)
		switch {
		case c.By != "":
			name = lang.T(ctx, "Shared with you")
		case c.Pinned:
			name = lang.T(ctx, "Pinned")
		}
		if len(out) == 0 || out[len(out)-1].name != name {
			out = append(out, group{name: name})
		}
		last := &out[len(out)-1]
		last.items = append(last.items, c)
	}
	return out
}

// dayName names the day or month of t as seen from now.
func dayName(ctx context.Context, t, now time.Time) string {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	days := int(day(now).Sub(day(t)).Hours() / 24)
	switch {
	case days <= 0:
		return lang.T(ctx, "Today")
	case days == 1:
		return lang.T(ctx, "Yesterday")
	case days < 7:
		return lang.T(ctx, "Last seven days")
	case t.Year() == now.Year():
		return t.Month().String()
	}
	return lang.Date(ctx, t, "January 2006")
}

func (p AskProps) isCurrent(id domain.ConversationID) string {
	return strconv.FormatBool(id == p.Conversation)
}

func (p AskProps) isNew() string { return strconv.FormatBool(p.Conversation == "") }

// here returns the address of the conversation, or of a new one.
func (p AskProps) here() string {
	if p.Conversation == "" {
		return link.Ask
	}
	return link.Conversation(p.Conversation)
}

// finds makes the form search conversations while typing. The reply contains only the list.
func (p AskProps) finds(ctx context.Context) templ.Attributes {
	return templ.Attributes{
		"hx-get": link.At(ctx, p.here()), "hx-trigger": "input changed delay:200ms, search", "hx-include": "closest form",
		"hx-target": "next .convs-found", "hx-swap": "outerHTML", "hx-sync": "this:replace", "data-testid": "find-conversations",
	}
}

// opens returns the address of a listed conversation, with the search kept.
func (p AskProps) opens(c ConversationItem) string {
	if p.Find == "" {
		return link.Conversation(c.ID)
	}
	address := link.With(link.Conversation(c.ID), "find", p.Find, "turn", string(c.Match))
	if c.Match != "" {
		address += "#turn-" + string(c.Match)
	}
	return address
}

// matched returns the question that a search found, or "" if it is the title.
func (c ConversationItem) matched() string {
	if c.Matched == c.Title {
		return ""
	}
	return c.Matched
}

// notes returns the notes beside the title: who shares the conversation, its folder, and that others may read it.
func (c ConversationItem) notes(ctx context.Context) string {
	var notes []string
	if c.By != "" {
		notes = append(notes, lang.F(ctx, "by %s", c.By))
	}
	if c.Folder != "" {
		notes = append(notes, lang.F(ctx, "in %s", c.Folder))
	}
	if c.Shared {
		notes = append(notes, "shared")
	}
	return strings.Join(notes, ", ")
}

// readOnly reports whether somebody else shares the conversation.
func (p AskProps) readOnly() bool { return p.Shared != nil && !p.Shared.Own }

// says describes to the maker how the conversation is shared.
func (s SharedProps) says(ctx context.Context) string {
	text := lang.F(ctx, "since %s.", lang.Moment(ctx, s.Shared))
	if s.Opened > 0 {
		text += lang.F(ctx, " Others have opened it %s.", lang.Count(ctx, s.Opened, "time", "times"))
	}
	if s.Later > 0 {
		text += lang.F(ctx, " %s not part of it.", lang.Count(ctx, s.Later, "later question is", "later questions are"))
	}
	return text
}

// kept describes the part of a conversation that somebody else shares.
func (s SharedProps) kept(ctx context.Context) string {
	if s.Answer {
		return lang.T(ctx, "One answer, kept as it was then.")
	}
	return lang.T(ctx, "Kept as it was then: what was asked later is not part of it.")
}

// pins returns the value and label of the button that pins or unpins a conversation.
func (c ConversationItem) pins(ctx context.Context) (value, says string) {
	if c.Pinned {
		return "", lang.T(ctx, "Unpin")
	}
	return "yes", lang.T(ctx, "Pin")
}

// follows returns the run whose answer the next question follows.
func (p AskProps) follows() string {
	if len(p.Turns) == 0 {
		return ""
	}
	return string(p.Turns[len(p.Turns)-1].Run)
}

// traced returns the run whose steps are shown, or "" if there is none.
func (p AskProps) traced() string {
	if p.Trace == nil {
		return ""
	}
	return string(p.Trace.Run)
}

// running returns the run of the last turn while it works or waits for a person,
// else "".
func (p AskProps) running() domain.RunID {
	if len(p.Turns) > 0 && p.Turns[len(p.Turns)-1].Unanswered() {
		return p.Turns[len(p.Turns)-1].Run
	}
	return ""
}

// counts returns the htmx trigger that counts the documents in the question's scope: when a chip is added or removed, and
// at once if there is one.
func (p AskProps) counts() string {
	if len(p.Within) > 0 {
		return "load, chips from:closest form"
	}
	return "chips from:closest form"
}

// inPlace returns the turn whose quotation is shown above the steps.
func (p AskProps) inPlace() partial.TurnProps {
	for _, t := range p.Turns {
		if t.Found != nil && t.Run == p.Trace.Run {
			return t
		}
	}
	return partial.TurnProps{Run: p.Trace.Run}
}

func (p AskProps) placeholder(ctx context.Context) string {
	if len(p.Turns) > 0 {
		return p.Turns[len(p.Turns)-1].Next(ctx)
	}
	return lang.T(ctx, "Ask your documents")
}

// draft returns the content of the question field.
func (p AskProps) draft() string {
	if p.Waits {
		return ""
	}
	return p.Question
}

func (p AskProps) waitsFor(ctx context.Context) string {
	return lang.F(ctx, "%s still to be read.", lang.Count(ctx, p.Reading, "document is", "documents are"))
}

func (p AskProps) asking(ctx context.Context) string { return asking(ctx, p.App.Documents, p.Reading) }

// asking says how many documents a question is asked of, some of which may be unread.
func asking(ctx context.Context, documents, unread int) string {
	switch read := documents - unread; {
	case documents == 0:
		return lang.T(ctx, "The library is empty.")
	case read == 0:
		return lang.T(ctx, "No document has been read yet.")
	case unread > 0:
		return lang.F(ctx, "Asking %s of %s; the rest has not been read yet.", lang.Int(ctx, read), lang.Count(ctx, documents, "document", "documents"))
	case read == 1:
		return lang.T(ctx, "Asking the only document.")
	}
	return lang.F(ctx, "Asking all %s documents.", lang.Int(ctx, documents))
}
