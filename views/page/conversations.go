package page

import (
	"time"

	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// ConversationsProps fill the page of all conversations.
type ConversationsProps struct {
	App     layout.Props
	Folder  questions.Folder // whose conversations are listed; zero for all
	Folders []questions.Folder
	Items   []ConversationItem
	Mine    []questions.SharedConversation // that the reader shares
	Others  []questions.SharedConversation // that others share
	Makers  []questions.Made               // for admins
	Problem string                         // why a folder was not made or renamed
	Now     time.Time
}

// here returns the address of the page.
func (p ConversationsProps) here() string {
	if p.Folder.ID == "" {
		return link.Conversations
	}
	return link.InFolder(p.Folder.ID)
}

func (p ConversationsProps) title() string {
	if p.Folder.ID == "" {
		return "Conversations"
	}
	return p.Folder.Name
}

func talks(n int) string { return format.Count(n, "conversation", "conversations") }
