package page

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
)

// DeleteConversationProps ask whether to delete a conversation.
type DeleteConversationProps struct {
	App       layout.Props
	ID        domain.ConversationID
	Title     string
	Questions int
	Branches  int           // of its answers
	Undo      time.Duration // in which the deletion can be undone
}

func (p DeleteConversationProps) says() string {
	said := format.Count(p.Questions, "question", "questions") + " with the answers"
	if p.Branches > 0 {
		said += ", " + format.Count(p.Branches, "branch", "branches")
	}
	return said + " and the steps of all their runs are removed. The documents stay. You can undo this for " + format.Duration(p.Undo) + "."
}
