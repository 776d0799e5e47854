package page

import (
	"context"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// MethodsProps compare the answers to a question by each method.
type MethodsProps struct {
	App          layout.Props
	Conversation domain.ConversationID
	Message      domain.MessageID
	Question     string
	Asked        bool // the comparison was started
	Working      bool // some have not ended
	Word         string
	Sentence     string
	Columns      []MethodColumn
	Rows         []MethodRow
	Walk         outline.Walk // to passages found only through the graph; nil if there are none
	Figures      string       // for all together
	Beyond       int          // passages ranked by the methods
}

// MethodColumn is the answer by one method.
type MethodColumn struct {
	Title, About string
	Run          domain.RunID // "" if the method was left out
	Status       partial.TurnStatus
	Problem      string
	Answer       string
	Read, Needed int // how many needed passages were read, and how many there are
	Passages     int // passages read
	Ranks        []MethodRank
	Figures      []MethodFigure
}

// MethodFigure is a figure of an answer.
type MethodFigure struct{ Name, Value string }

// MethodRank is a passage in the list of a method.
type MethodRank struct {
	Rank   int
	Name   string
	URL    string
	Needed bool
	Only   bool // found only through the graph
	Read   bool
}

// MethodRow is a passage with its ranks by method.
type MethodRow struct {
	Name   string
	URL    string
	Quote  string
	Needed bool
	Only   bool
	Ranks  []MethodRank // by column; Rank 0 means none
}

func (p MethodsProps) poll() string {
	if !p.Working {
		return ""
	}
	return link.Methods(p.Conversation, p.Message)
}

func (p MethodsProps) again(ctx context.Context) string {
	if p.Asked {
		return lang.T(ctx, "Run them again")
	}
	return lang.T(ctx, "Run each method")
}

func (c MethodColumn) passages(ctx context.Context) string {
	said := domain.Counted(c.Passages, "passage", "passages")
	if c.Needed > 0 {
		said += lang.F(ctx, ", %d of %d needed", c.Read, c.Needed)
	}
	return said
}

func (c MethodColumn) working() bool {
	return c.Status == partial.TurnWaiting || c.Status == partial.TurnAnswering
}

func (c MethodColumn) state(ctx context.Context) string {
	if c.Status == partial.TurnWaiting {
		return lang.T(ctx, "waits in the queue")
	}
	return lang.T(ctx, "at work")
}

func (r MethodRank) class() []string {
	var classes []string
	for class, is := range map[string]bool{"need": r.Needed, "only": r.Only && r.Read, "unread": !r.Read} {
		if is {
			classes = append(classes, class)
		}
	}
	return classes
}

func (r MethodRank) cell() string {
	switch {
	case r.Rank == 0:
		return "none"
	case r.Read:
		return "in"
	}
	return "out"
}
