package page

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/link"
)

// ConversationsProps fill the page of all conversations.
type ConversationsProps struct {
	App     layout.Props
	Folder  FolderItem // whose conversations are listed; zero for all
	Folders []FolderItem
	Items   []ConversationItem
	Mine    []SharedItem // shared by the reader
	Others  []SharedItem // shared by others
	Makers  []MakerItem  // for admins
	Problem string       // why a folder was not made or renamed
}

// A FolderItem is a folder of conversations.
type FolderItem struct {
	ID    domain.FolderID
	Name  string
	Holds int // conversations
}

// A SharedItem is a conversation or an answer that is shared.
type SharedItem struct {
	ID     domain.ConversationID
	Title  string
	Answer bool // only one answer
	By     string
	Link   string // including the site
	Shared time.Time
	Opened int // how often others have opened it
}

// A MakerItem counts the conversations of a person.
type MakerItem struct {
	Who           string
	Person        string // its account; "" for everybody and for removed accounts
	Nobody        bool   // of removed accounts
	Conversations int
	UpdatedAt     time.Time // of the latest
}

// here returns the address of the page.
func (p ConversationsProps) here() string {
	if p.Folder.ID == "" {
		return link.Conversations
	}
	return link.InFolder(p.Folder.ID)
}

func (p ConversationsProps) title(ctx context.Context) string {
	if p.Folder.ID == "" {
		return lang.T(ctx, "Conversations")
	}
	return p.Folder.Name
}

func talks(ctx context.Context, n int) string {
	return lang.Count(ctx, n, "conversation", "conversations")
}
