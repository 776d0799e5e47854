package questions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/link"
)

// SharedConversation is a conversation that others in the workspace may read.
type SharedConversation struct {
	ID      domain.ConversationID `json:"id"`
	Title   string                `json:"title"`
	By      string                `json:"by"`               // its maker
	Own     bool                  `json:"own"`              // it belongs to the person asking
	Shared  time.Time             `json:"shared"`           // what was asked up to then can be read
	Opened  int                   `json:"opened,omitempty"` // how often others have opened it
	Later   int                   `json:"later,omitempty"`  // questions asked since
	Answer  domain.RunID          `json:"answer,omitempty"` // it is only the answer of this run
	Address string                `json:"address"`          // in the pages
}

func (k SharedConversation) String() string {
	text := "Everybody in this workspace can read “" + k.Title + "” at " + k.Address + "."
	if k.Later > 0 {
		text += " What was asked since is not part of it."
	}
	return text
}

// what names what is shared.
func (k SharedConversation) what() string {
	if k.Answer != "" {
		return "answer"
	}
	return "conversation"
}

type (
	wantedFolder struct {
		Name string `json:"name" arg:"NAME" doc:"name of the folder"`
	}
	oneFolder struct {
		ID string `json:"folder" arg:"FOLDER" doc:"folder, by id or name"`
	}
	renamedFolder struct {
		oneFolder
		Name string `json:"name" arg:"NAME" doc:"its new name"`
	}
	moving struct {
		someConversations
		Folder string `json:"folder" doc:"folder to put them into, by id or {NAME}; none if left out"`
	}
	clearing struct {
		IDs    []string `json:"conversations" arg:"[ID…]" doc:"ids of conversations"`
		Person string   `json:"person" doc:"delete all of this {ACCOUNT}"`
		Nobody bool     `json:"nobody" doc:"delete all that removed accounts have left"`
	}
)

// Folder is a folder of conversations.
type Folder struct {
	ID            domain.FolderID `json:"id"`
	Name          string          `json:"name"`
	Conversations int             `json:"conversations"`
}

func (f Folder) String() string { return string(f.ID) + "  " + f.Name }

// Made counts the conversations of a person.
type Made struct {
	Person        string    `json:"person,omitempty"` // "" for everybody
	Nobody        bool      `json:"nobody,omitempty"` // of removed accounts
	Conversations int       `json:"conversations"`
	Shared        int       `json:"shared"`
	Updated       time.Time `json:"updated"` // the latest
}

// Who names the person.
func (m Made) Who() string {
	if m.Nobody {
		return "removed accounts"
	}
	return cmp.Or(m.Person, "everybody")
}

// Cleared is how many conversations were deleted.
type Cleared struct {
	Deleted int `json:"deleted"`
}

func (c Cleared) String() string {
	return "Deleted " + domain.Counted(c.Deleted, "conversation", "conversations") + "."
}

// Share lets others in the workspace read what was asked in a conversation until now.
var Share = operation.Op[*Service, oneConversation, SharedConversation]{
	Name: "conversations share", Short: "Share a conversation with everybody in the workspace", Scope: operation.Ask, Routes: []string{"POST /conversations/{conversation}/share"}, Trail: operation.Trail{Kept: true}, Example: "  clew conversations share k0123456789abcdef0123",
	Long: `Let everybody in the workspace read a conversation as it is now, with its sources and
the steps of its runs. What is asked later is not part of it until it is shared
again. Others can copy it and ask further in the copy.`,
	Do: func(s *Service, ctx context.Context, in oneConversation) (SharedConversation, error) {
		if err := s.Ledger.ShareConversation(ctx, domain.WorkspaceOf(ctx), in.ID); err != nil {
			return SharedConversation{}, err
		}
		k, err := s.Ledger.Conversation(ctx, domain.WorkspaceOf(ctx), in.ID)
		if err != nil {
			return SharedConversation{}, err
		}
		return s.Sharing(ctx, k)
	},
}

// ShareAnswer lets others in the workspace read one answer.
var ShareAnswer = operation.Op[*Service, oneRun, SharedConversation]{
	Name: "run share", Short: "Share one answer with everybody in the workspace", Scope: operation.Ask, Routes: []string{"POST /runs/{run}/share"}, Trail: operation.Trail{Kept: true}, Example: "  clew run share q0123456789abcdef0123",
	Long: `Let everybody in the workspace read one answer, with its question, its sources and the
steps of its run, and nothing else of the conversation. clew conversations shared
lists it, clew conversations unshare with its id takes it back.`,
	Do: (*Service).shareAnswer,
}

// Unshare takes back that a conversation, or an answer, was shared.
var Unshare = operation.Op[*Service, oneConversation, operation.Nothing]{
	Name: "conversations unshare", Short: "Stop sharing a conversation or an answer, at once", Scope: operation.Ask, Routes: []string{"DELETE /conversations/{conversation}/share"}, Example: "  clew conversations unshare k0123456789abcdef0123",
	Do: func(s *Service, ctx context.Context, in oneConversation) (none operation.Nothing, err error) {
		w := domain.WorkspaceOf(ctx)
		if k, err := s.Ledger.Conversation(ctx, w, in.ID); err != nil {
			return none, err
		} else if k.AnswerOf != "" {
			return none, s.Ledger.DeleteConversation(ctx, w, in.ID)
		}
		return none, s.Ledger.UnshareConversation(ctx, w, in.ID)
	},
}

// Copy copies a conversation.
var Copy = operation.Op[*Service, oneConversation, ListedConversation]{
	Name: "conversations copy", Short: "Copy a conversation into one of your own, to continue it", Scope: operation.Ask, Routes: []string{"POST /conversations/{conversation}/copy"}, Example: "  clew conversations copy k0123456789abcdef0123 --json | jq -r .id",
	Long: `Copy a conversation, such as one that is shared with you, into one of your own: its
questions with the answers that it shows. Nobody else sees the copy.`,
	Do:   (*Service).copy,
	Text: operation.Line(func(k ListedConversation) string { return string(k.ID) }),
}

// Move puts conversations into a folder.
var Move = operation.Op[*Service, moving, operation.Nothing]{
	Name: "conversations move", Short: "Put conversations into a folder, or into none", Scope: operation.Ask, Routes: []string{"POST /conversations/move"},
	Example: `  clew conversations move k0123456789abcdef0123 --folder Bridges
  clew conversations move k0123456789abcdef0123`,
	Do: func(s *Service, ctx context.Context, in moving) (none operation.Nothing, err error) {
		var into domain.FolderID
		if in.Folder != "" {
			f, err := s.folder(ctx, in.Folder)
			if err != nil {
				return none, err
			}
			into = f.ID
		}
		ids := make([]domain.ConversationID, len(in.IDs))
		for i, id := range in.IDs {
			ids[i] = domain.ConversationID(id)
		}
		return none, s.Ledger.MoveConversations(ctx, domain.WorkspaceOf(ctx), into, ids)
	},
}

// What can be done with folders of conversations.
var (
	AddFolder = operation.Op[*Service, wantedFolder, Folder]{
		Name: "conversations folders add", Short: "Make a folder for conversations", Scope: operation.Ask, Routes: []string{"POST /folders"}, Example: "  clew conversations folders add Bridges",
		Do: func(s *Service, ctx context.Context, in wantedFolder) (Folder, error) {
			name, err := folderName(in.Name)
			if err != nil {
				return Folder{}, err
			}
			id, err := s.IDs.Folder()
			if err != nil {
				return Folder{}, err
			}
			return Folder{ID: id, Name: name}, s.Ledger.AddFolder(ctx, ledger.Folder{Workspace: domain.WorkspaceOf(ctx), ID: id, Name: name})
		},
	}
	RenameFolder = operation.Op[*Service, renamedFolder, Folder]{
		Name: "conversations folders rename", Short: "Rename a folder of conversations", Scope: operation.Ask, Routes: []string{"PATCH /folders/{folder}"}, Example: `  clew conversations folders rename Bridges "Bridges and ferries"`,
		Do: func(s *Service, ctx context.Context, in renamedFolder) (Folder, error) {
			f, err := s.folder(ctx, in.ID)
			if err != nil {
				return f, err
			}
			if f.Name, err = folderName(in.Name); err != nil {
				return f, err
			}
			return f, s.Ledger.RenameFolder(ctx, domain.WorkspaceOf(ctx), f.ID, f.Name)
		},
	}
	DeleteFolder = operation.Op[*Service, oneFolder, operation.Nothing]{
		Name: "conversations folders delete", Short: "Delete a folder; its conversations stay", Scope: operation.Ask, Routes: []string{"DELETE /folders/{folder}"}, Example: "  clew conversations folders delete Bridges",
		Do: func(s *Service, ctx context.Context, in oneFolder) (none operation.Nothing, err error) {
			f, err := s.folder(ctx, in.ID)
			if err != nil {
				return none, err
			}
			return none, s.Ledger.DeleteFolder(ctx, domain.WorkspaceOf(ctx), f.ID)
		},
	}
)

// Clear deletes conversations of others.
var Clear = operation.Op[*Service, clearing, Cleared]{
	Name: "conversations clear", Short: "Delete conversations of any account", Scope: operation.Admin, Routes: []string{"POST /conversations/clear"},
	Long: `Delete conversations by id, or all of a person, without reading them: with their
questions and answers and the steps of all their runs. This can't be undone.`,
	Example: `  clew conversations clear --person ada
  clew conversations clear --nobody`,
	Ask: func(s *Service, ctx context.Context, in clearing) (string, error) {
		ids, err := s.cleared(ctx, in)
		return "Delete " + domain.Counted(len(ids), "conversation", "conversations") + " for good?", err
	},
	Do: func(s *Service, ctx context.Context, in clearing) (c Cleared, err error) {
		ids, err := s.cleared(ctx, in)
		if err != nil {
			return c, err
		}
		for _, id := range ids {
			if err := s.Ledger.EraseConversation(ctx, domain.WorkspaceOf(ctx), id); err != nil {
				return c, err
			}
			c.Deleted++
		}
		return c, nil
	},
}

// sharingOperations returns the operations on shared conversations and folders.
func sharingOperations() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		Share, ShareAnswer, Unshare,
		operation.Op[*Service, struct{}, []SharedConversation]{
			Name: "conversations shared", Short: "List the conversations and answers that you share, and those that others share with you", Scope: operation.Read, Routes: []string{"GET /shared"},
			Do: func(s *Service, ctx context.Context, _ struct{}) ([]SharedConversation, error) { return s.Shared(ctx) },
			Text: operation.Table("ID\tBY\tSHARED\tOPENED\tWHAT\tTITLE", "Nothing is shared.", func(k SharedConversation) []any {
				return []any{k.ID, k.By, k.Shared.Format(time.DateTime), k.Opened, k.what(), k.Title}
			}),
		},
		Copy, Move,
		operation.Op[*Service, struct{}, []Folder]{
			Name: "conversations folders list", Short: "List the folders of your conversations", Scope: operation.Read, Routes: []string{"GET /folders"},
			Do: func(s *Service, ctx context.Context, _ struct{}) ([]Folder, error) { return s.Folders(ctx) },
			Text: operation.Table("ID\tCONVERSATIONS\tNAME", "There are no folders.", func(f Folder) []any {
				return []any{f.ID, f.Conversations, f.Name}
			}),
		},
		AddFolder, RenameFolder, DeleteFolder,
		operation.Op[*Service, struct{}, []Made]{
			Name: "conversations makers", Short: "Count the conversations of each person", Scope: operation.Admin, Routes: []string{"GET /conversation-makers"}, Example: "  clew conversations makers --json | jq '.[0]'",
			Do: func(s *Service, ctx context.Context, _ struct{}) ([]Made, error) { return s.Makers(ctx) },
			Text: operation.Table("PERSON\tCONVERSATIONS\tSHARED\tLATEST", "There are no conversations.", func(m Made) []any {
				return []any{m.Who(), m.Conversations, m.Shared, m.Updated.Format(time.DateOnly)}
			}),
		},
		Clear,
	}
}

// Sharing describes how a conversation is shared.
func (s *Service) Sharing(ctx context.Context, k ledger.Conversation) (SharedConversation, error) {
	all, err := s.sharings(ctx, k.Workspace, []ledger.Conversation{k})
	return all[0], err
}

func (s *Service) sharings(ctx context.Context, w domain.WorkspaceID, all []ledger.Conversation) ([]SharedConversation, error) {
	list := make([]SharedConversation, len(all))
	var mine []domain.ConversationID
	for i, k := range all {
		list[i] = SharedConversation{ID: k.ID, Title: k.Title, By: k.Maker, Own: k.Own(ctx), Shared: k.SharedAt, Answer: k.AnswerOf, Address: link.At(ctx, link.Conversation(k.ID))}
		if list[i].Own {
			list[i].Opened, mine = k.Opened, append(mine, k.ID)
		}
	}
	later, err := s.Ledger.AskedSinceShared(ctx, w, mine...)
	for i := range list {
		list[i].Later = later[list[i].ID]
	}
	return list, err
}

// Opened counts the viewer of ctx as having opened a conversation that somebody else shares.
func (s *Service) Opened(ctx context.Context, k ledger.Conversation) error {
	if k.Own(ctx) {
		return nil
	}
	return s.Ledger.NoteOpened(ctx, k.Workspace, k.ID)
}

// ReadOnly reports whether the viewer of ctx may only read what a run answers.
func (s *Service) ReadOnly(ctx context.Context, w domain.WorkspaceID, run domain.RunID) bool {
	return s.Ledger.MayChange(ctx, w, run) != nil
}

// Recent lists conversations of the viewer of ctx, and, if others is set, then those that others share.
func (s *Service) Recent(ctx context.Context, w domain.WorkspaceID, q ledger.ConversationQuery, others bool) ([]ledger.RecentConversation, error) {
	list, err := s.Ledger.RecentConversations(ctx, w, q)
	if _, limited := domain.ViewerOf(ctx); err != nil || !others || !limited {
		return list, err
	}
	shared, err := s.Ledger.SharedConversations(ctx, w)
	for _, k := range shared {
		if !k.Own(ctx) {
			list = append(list, ledger.RecentConversation{Conversation: k})
		}
	}
	return list, err
}

// Shared lists the conversations that are shared in the workspace, the last shared first.
func (s *Service) Shared(ctx context.Context) ([]SharedConversation, error) {
	w := domain.WorkspaceOf(ctx)
	all, err := s.Ledger.SharedConversations(ctx, w)
	if err != nil {
		return nil, err
	}
	return s.sharings(ctx, w, all)
}

// CopyOf copies the visible line of a conversation into a new one, and returns its id.
func (s *Service) CopyOf(ctx context.Context, w domain.WorkspaceID, id domain.ConversationID) (domain.ConversationID, error) {
	k, err := s.copy(domain.WithWorkspace(ctx, w), oneConversation{id})
	return k.ID, err
}

func (s *Service) copy(ctx context.Context, in oneConversation) (ListedConversation, error) {
	w, now := domain.WorkspaceOf(ctx), s.Now()
	from, err := s.Ledger.Conversation(ctx, w, in.ID)
	if err != nil {
		return ListedConversation{}, err
	}
	tree, err := s.Tree(ctx, w, in.ID)
	if err != nil {
		return ListedConversation{}, err
	}
	id, err := s.IDs.Conversation()
	if err != nil {
		return ListedConversation{}, err
	}
	var copies []ledger.Copied
	var last domain.RunID
	for _, t := range tree.Line("") {
		if !t.Status.Over() {
			break
		}
		c, err := s.copied(t.Answer, id)
		if err != nil {
			return ListedConversation{}, err
		}
		c.Follows = last
		copies, last = append(copies, c), c.Run
	}
	if len(copies) == 0 {
		return ListedConversation{}, domain.Errorf(domain.Conflict, "Nothing in the conversation is answered yet. Copy it when it is.")
	}
	k := ledger.Conversation{ID: id, Workspace: w, Title: from.Title, CreatedAt: now, UpdatedAt: now}
	return ListedConversation{ID: id, Title: k.Title, Updated: now}, s.Ledger.AddCopy(ctx, k, copies)
}

// copied returns a copy of an answer as the first of a conversation.
func (s *Service) copied(a ledger.Answer, into domain.ConversationID) (c ledger.Copied, err error) {
	c = ledger.Copied{Answer: a, Kind: Kind, From: a.Run}
	if c.Message, err = s.IDs.Message(); err != nil {
		return c, err
	}
	if c.Run, err = s.IDs.Run(); err != nil {
		return c, err
	}
	c.Subject, c.Conversation, c.Follows = string(c.Message), into, ""
	c.Branch, c.Parent, c.Step, c.Super, c.Purpose, c.Changes, c.Person = "", "", 0, 0, "", nil, ""
	return c, nil
}

// shareAnswer shares a copy of an answer, once.
func (s *Service) shareAnswer(ctx context.Context, in oneRun) (SharedConversation, error) {
	w := domain.WorkspaceOf(ctx)
	a, err := s.Ledger.Answer(ctx, w, in.ID)
	if err != nil {
		return SharedConversation{}, err
	}
	from, err := s.Ledger.Conversation(ctx, w, a.Conversation)
	switch {
	case err != nil:
		return SharedConversation{}, err
	case from.Maker == "":
		return SharedConversation{}, domain.Errorf(domain.Conflict, "The answer belongs to everybody in this workspace: there is nothing to share.")
	case !from.Own(ctx):
		return SharedConversation{}, domain.Errorf(domain.Forbidden, "The conversation is shared with you to read. Only its maker shares an answer of it.")
	case from.AnswerOf != "":
		return s.Sharing(ctx, from)
	case a.Withheld:
		return SharedConversation{}, domain.Errorf(domain.Forbidden, "%s Who may read them can share it.", ledger.Withheld)
	case !a.Status.Over():
		return SharedConversation{}, domain.Errorf(domain.Conflict, "The question is still being answered. Share the answer when it is there.")
	}
	k, err := s.Ledger.ShareOf(ctx, w, a.Run)
	if domain.KindOf(err) == domain.NotFound {
		k, err = s.addShare(ctx, a)
	}
	if err != nil {
		return SharedConversation{}, err
	}
	return s.Sharing(ctx, k)
}

// Original returns the address of the answer that a shared copy was made from.
func (s *Service) Original(ctx context.Context, k ledger.Conversation) (string, error) {
	a, err := s.Ledger.Answer(ctx, k.Workspace, k.AnswerOf)
	return link.TurnAt(a.Conversation, a.Message, a.Branch), err
}

// addShare shares a copy of an answer.
func (s *Service) addShare(ctx context.Context, a ledger.Answer) (ledger.Conversation, error) {
	id, err := s.IDs.Conversation()
	if err != nil {
		return ledger.Conversation{}, err
	}
	c, err := s.copied(a, id)
	if err != nil {
		return ledger.Conversation{}, err
	}
	now := s.Now()
	k := ledger.Conversation{ID: id, Workspace: a.Workspace, Title: a.Question, CreatedAt: now, UpdatedAt: now, SharedAt: now, AnswerOf: a.Run}
	added := s.Ledger.AddCopy(ctx, k, []ledger.Copied{c})
	k, err = s.Ledger.ShareOf(ctx, a.Workspace, a.Run) // another request may have added it
	if err != nil && added != nil {
		err = added
	}
	return k, err
}

// Folders lists the folders of the person who asks.
func (s *Service) Folders(ctx context.Context) ([]Folder, error) {
	all, err := s.Ledger.Folders(ctx, domain.WorkspaceOf(ctx))
	return lists.Map(all, func(f ledger.Folder) Folder { return Folder{f.ID, f.Name, f.Holds} }), err
}

// folder returns a folder by its id or name.
func (s *Service) folder(ctx context.Context, which string) (Folder, error) {
	all, err := s.Folders(ctx)
	if err != nil {
		return Folder{}, err
	}
	for _, is := range []func(Folder) bool{
		func(f Folder) bool { return string(f.ID) == which },
		func(f Folder) bool { return f.Name == domain.OneLine(which) },
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i], nil
		}
	}
	return Folder{}, domain.Errorf(domain.NotFound, "There is no folder %q. clew conversations folders list shows them.", domain.Cut(which, domain.MaxTitle))
}

// folderName checks and tidies the name of a folder.
func folderName(name string) (string, error) {
	name = domain.OneLine(strings.ToValidUTF8(name, ""))
	if n := domain.Runes(name); n == 0 || n > domain.MaxTag {
		return "", domain.Errorf(domain.Invalid, "A folder needs a name of 1 to %d characters.", domain.MaxTag)
	}
	return name, nil
}

// Makers counts the conversations of each person.
func (s *Service) Makers(ctx context.Context) ([]Made, error) {
	all, err := s.Ledger.Makers(ctx, domain.WorkspaceOf(ctx))
	list := make([]Made, len(all))
	for i, m := range all {
		list[i] = Made{Person: m.Maker, Conversations: m.Conversations, Shared: m.Shared, Updated: m.UpdatedAt}
		if m.Maker == ledger.Nobody {
			list[i].Person, list[i].Nobody = "", true
		}
	}
	return list, err
}

// cleared returns the conversations that are to be deleted.
func (s *Service) cleared(ctx context.Context, in clearing) ([]domain.ConversationID, error) {
	switch {
	case in.Person != "" && !in.Nobody && len(in.IDs) == 0:
		return s.Ledger.MadeBy(ctx, domain.WorkspaceOf(ctx), in.Person)
	case in.Nobody && in.Person == "" && len(in.IDs) == 0:
		return s.Ledger.MadeBy(ctx, domain.WorkspaceOf(ctx), ledger.Nobody)
	case in.Person != "" || in.Nobody || len(in.IDs) == 0:
		return nil, domain.Errorf(domain.Invalid, "Name conversations by id, or a person with --person, or --nobody for those of removed accounts.")
	}
	return lists.Map(in.IDs, func(id string) domain.ConversationID { return domain.ConversationID(id) }), nil
}
