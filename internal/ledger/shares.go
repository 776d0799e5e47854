package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// ShareConversation lets others in the workspace read what was asked in a conversation until now. The error is Conflict for
// one that belongs to everybody, and otherwise as for UpdateConversation.
func (l AnswerStore) ShareConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.share(ctx, ws, id, func(c *Conversation, now time.Time) error {
		if c.Maker == "" {
			return domain.Errorf(domain.Conflict, "The conversation belongs to everybody in this workspace: there is nothing to share.")
		}
		if c.SharedAt.IsZero() {
			c.Opened = 0
		}
		c.SharedAt = now
		return nil
	})
}

// UnshareConversation takes back that a conversation was shared, if it was.
func (l AnswerStore) UnshareConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.share(ctx, ws, id, func(c *Conversation, _ time.Time) error {
		c.SharedAt, c.Opened = time.Time{}, 0
		return nil
	})
}

func (l AnswerStore) share(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID, f func(*Conversation, time.Time) error) error {
	return l.tx(ctx, "share conversation", func(tx *sql.Tx, now time.Time) error {
		c, err := ownConversation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		stored := c
		if err := f(&c, now); err != nil {
			return err
		}
		return conversationTable.Update(ctx, tx, &stored, &c)
	})
}

// NoteOpened counts that somebody else has opened a shared conversation.
func (l AnswerStore) NoteOpened(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.exec(ctx, "count who opens a conversation", `UPDATE conversations SET opened = opened + 1 WHERE workspace_id = ? AND id = ? AND shared_at > 0`, ws, id)
}

// SharedConversations lists the conversations that are shared in a workspace, the last shared first and then by id.
func (l AnswerStore) SharedConversations(ctx context.Context, ws domain.WorkspaceID) ([]Conversation, error) {
	return list(ctx, l, "list shared conversations", conversationTable.Scan,
		conversationTable.Select()+`WHERE workspace_id = ? AND delete_at = 0 AND shared_at > 0 ORDER BY shared_at DESC, id`, ws)
}

// ShareOf returns the conversation that shares a copy of the answer of a run, or an error of kind NotFound.
func (l AnswerStore) ShareOf(ctx context.Context, ws domain.WorkspaceID, run domain.RunID) (Conversation, error) {
	missing := domain.Errorf(domain.NotFound, "The answer of run %s is not shared.", run)
	c, err := read(ctx, l.reader, conversationTable, missing, `WHERE workspace_id = ? AND delete_at = 0 AND answer_of <> '' AND answer_of = ?`, ws, run)
	return c, l.wrap("read what shares an answer", err)
}

// AskedSinceShared counts the questions asked in shared conversations after they were shared. Conversations without any
// are left out.
func (l AnswerStore) AskedSinceShared(ctx context.Context, ws domain.WorkspaceID, ids ...domain.ConversationID) (map[domain.ConversationID]int, error) {
	return pairsIn[domain.ConversationID, int](ctx, l, "count what was asked since", `SELECT c.id, COUNT(*) FROM conversations c
		JOIN answers a ON a.workspace_id = c.workspace_id AND a.conversation_id = c.id AND a.branch_id = '' AND a.created_at > c.shared_at
		WHERE c.workspace_id = ? AND c.shared_at > 0 AND c.id IN (%s) GROUP BY c.id`, []any{ws}, ids)
}

// A Copied answer is one that AddCopy adds, with the run from which it is copied.
type Copied struct {
	Answer
	Kind    string // of its run
	Subject string // of its run
	From    domain.RunID
}

// AddCopy adds a conversation with copies of answers, with the events of their runs and what these have read. The states of
// the runs stay with the runs.
func (l AnswerStore) AddCopy(ctx context.Context, c Conversation, answers []Copied) error {
	return l.tx(ctx, "copy conversation", func(tx *sql.Tx, now time.Time) error {
		if err := insertConversation(ctx, tx, c, now); err != nil {
			return err
		}
		for _, a := range answers {
			if err := l.addCopied(ctx, tx, a); err != nil {
				return fmt.Errorf("copy run %s: %w", a.From, err)
			}
		}
		return nil
	})
}

func (l AnswerStore) addCopied(ctx context.Context, tx *sql.Tx, a Copied) error {
	const same = `status, priority, attempt, max_attempts, lease, lease_until, next_try, stop_asked, problem, problem_kind, created_at, started_at, finished_at, title, capped, resumed, failed_at`
	copied, err := sqlio.Changed(tx.ExecContext(ctx, `INSERT INTO runs (id, workspace_id, kind, subject, input, owner, person, settled, `+same+`)
		SELECT ?, workspace_id, ?, ?, '', '', ?, 1, `+same+` FROM runs WHERE workspace_id = ? AND id = ?`, a.Run, a.Kind, a.Subject, domain.PersonOf(ctx), a.Workspace, a.From))
	if err == nil && !copied {
		return domain.Errorf(domain.NotFound, "There is no run %s here. It may have been deleted.", a.From)
	}
	if err != nil {
		return err
	}
	if err := l.insertAnswer(ctx, tx, a.Answer); err != nil {
		return err
	}
	return sqlio.ExecAll(ctx, tx, []any{a.Run, a.Workspace, a.From},
		`INSERT INTO events (workspace_id, run_id, seq, at, json) SELECT workspace_id, ?, seq, at, json FROM events WHERE workspace_id = ? AND run_id = ?`,
		`INSERT INTO run_documents (workspace_id, run_id, document_id) SELECT workspace_id, ?, document_id FROM run_documents WHERE workspace_id = ? AND run_id = ?`)
}

// Made counts the conversations of an account in a workspace.
type Made struct {
	Maker         string // Nobody for those of removed accounts, "" for those that belong to everybody
	Conversations int
	Shared        int       // how many share one answer
	UpdatedAt     time.Time // of the latest
}

// Makers counts the conversations in a workspace by account.
func (l AnswerStore) Makers(ctx context.Context, ws domain.WorkspaceID) ([]Made, error) {
	return list(ctx, l, "count conversations", into(func(m *Made) []any { return []any{&m.Maker, &m.Conversations, &m.Shared, &m.UpdatedAt} }),
		`SELECT maker, COUNT(CASE WHEN answer_of = '' THEN 1 END), COUNT(CASE WHEN shared_at > 0 THEN 1 END), MAX(updated_at) FROM conversations WHERE workspace_id = ? AND delete_at = 0 GROUP BY maker ORDER BY maker`, ws)
}

// AskedBy counts the questions that each account has asked in a workspace since a time, in conversations that are kept. What
// was asked before its conversation began was copied into it.
func (l AnswerStore) AskedBy(ctx context.Context, ws domain.WorkspaceID, since time.Time) (map[string]int, error) {
	return pairs[string, int](ctx, l, "count questions of accounts", `SELECT c.maker, COUNT(*) FROM conversations c
		JOIN answers a ON a.workspace_id = c.workspace_id AND a.conversation_id = c.id AND a.branch_id = '' AND a.created_at >= ? AND a.created_at >= c.created_at
		WHERE c.workspace_id = ? AND c.updated_at >= ? AND c.answer_of = '' GROUP BY c.maker`, sqlio.Millis(since), ws, sqlio.Millis(since))
}

// MadeBy returns the ids of the conversations of an account in a workspace, hidden ones too.
func (l AnswerStore) MadeBy(ctx context.Context, ws domain.WorkspaceID, maker string) ([]domain.ConversationID, error) {
	return list(ctx, l, "list conversations of an account", sqlio.Column[domain.ConversationID], `SELECT id FROM conversations WHERE workspace_id = ? AND maker = ? ORDER BY id`, ws, maker)
}

// EraseConversation removes a conversation like DeleteConversation, whoever made it.
func (l AnswerStore) EraseConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.erase(ctx, "delete conversation", func(tx *sql.Tx, _ time.Time) error {
		found, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM conversations WHERE workspace_id = ? AND id = ?`+l.lock.Removing, ws, id)
		if err == nil && len(found) == 0 {
			err = noConversation(id)
		}
		if err != nil {
			return err
		}
		return deleteConversation(ctx, tx, ws, id)
	})
}

// disown hands everything that an account has made over to Nobody, so that nobody reads it any more.
func disown(ctx context.Context, tx *sql.Tx, account string) error {
	for _, statement := range []string{
		`UPDATE conversations SET maker = ?, shared_at = 0, folder_id = '' WHERE maker = ?`, `UPDATE summaries SET maker = ? WHERE maker = ?`,
		`UPDATE researches SET maker = ? WHERE maker = ?`, `UPDATE runs SET person = ? WHERE person = ? AND own = 1`,
		`UPDATE sources SET person = ? WHERE person = ?`, `UPDATE webhooks SET person = ? WHERE person = ?`,
	} {
		if err := sqlio.Exec(ctx, tx, statement, Nobody, account); err != nil {
			return err
		}
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM conversation_folders WHERE maker = ?`, account)
}

// A Folder holds conversations of its maker.
type Folder struct {
	Workspace domain.WorkspaceID
	ID        domain.FolderID
	Maker     string
	Name      string
	CreatedAt time.Time
	Holds     int // conversations; only in a list
}

var folderTable = sqlio.Table[Folder]{Name: "conversation_folders", Row: func(f *Folder) sqlio.Row {
	return sqlio.Row{"workspace_id key", &f.Workspace, "id key", &f.ID, "maker fixed", &f.Maker, "name", &f.Name, "created_at fixed", &f.CreatedAt}
}}

// Folders lists the folders of the viewer of ctx by name, with how many conversations are in each.
func (l AnswerStore) Folders(ctx context.Context, ws domain.WorkspaceID) ([]Folder, error) {
	mine, who := own.conversations(ctx, "c")
	return list(ctx, l, "list folders", into(func(f *Folder) []any { return append(folderTable.Fields(f), &f.Holds) }), `SELECT `+folderTable.Columns("f")+`,
		(SELECT COUNT(*) FROM conversations c WHERE c.workspace_id = f.workspace_id AND c.folder_id = f.id AND c.delete_at = 0 AND `+mine+`)
		FROM conversation_folders f WHERE f.workspace_id = ? AND f.maker = ? ORDER BY f.name`, slices.Concat(who, []any{ws, makerOf(ctx)})...)
}

// AddFolder adds a folder of the viewer of ctx. The error is Conflict if it has one of that name.
func (l AnswerStore) AddFolder(ctx context.Context, f Folder) error {
	return l.tx(ctx, "add folder", func(tx *sql.Tx, now time.Time) error {
		f.Maker, f.CreatedAt = makerOf(ctx), now
		fresh, err := folderTable.Insert(ctx, tx, &f)
		if err == nil && !fresh {
			err = folderTaken(f.Name)
		}
		return err
	})
}

func folderTaken(name string) error {
	return domain.Errorf(domain.Conflict, "There is already a folder %q. Choose another name.", name)
}

// RenameFolder changes the name of a folder. The error is NotFound without such a folder of the viewer of ctx, and Conflict
// if it has another one of that name.
func (l AnswerStore) RenameFolder(ctx context.Context, ws domain.WorkspaceID, id domain.FolderID, name string) error {
	return l.tx(ctx, "rename folder", func(tx *sql.Tx, _ time.Time) error {
		f, err := folder(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		taken, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT id FROM conversation_folders WHERE workspace_id = ? AND maker = ? AND name = ? AND id <> ?`, ws, f.Maker, name, id)
		if err == nil && len(taken) > 0 {
			err = folderTaken(name)
		}
		if err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, `UPDATE conversation_folders SET name = ? WHERE workspace_id = ? AND id = ?`, name, ws, id)
	})
}

// DeleteFolder deletes a folder. Its conversations are in none from then on.
func (l AnswerStore) DeleteFolder(ctx context.Context, ws domain.WorkspaceID, id domain.FolderID) error {
	return l.tx(ctx, "delete folder", func(tx *sql.Tx, _ time.Time) error {
		if _, err := folder(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		return sqlio.ExecAll(ctx, tx, []any{ws, id}, `UPDATE conversations SET folder_id = '' WHERE workspace_id = ? AND folder_id = ?`,
			`DELETE FROM conversation_folders WHERE workspace_id = ? AND id = ?`)
	})
}

func folder(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.FolderID, lock string) (Folder, error) {
	missing := domain.Errorf(domain.NotFound, "There is no folder %s here. It may have been deleted.", id)
	return read(ctx, q, folderTable, missing, `WHERE workspace_id = ? AND id = ? AND maker = ?`+lock, ws, id, makerOf(ctx))
}

// MoveConversations puts conversations into a folder, or into none if it is "", all of them or none.
func (l AnswerStore) MoveConversations(ctx context.Context, ws domain.WorkspaceID, into domain.FolderID, ids []domain.ConversationID) error {
	return l.tx(ctx, "move conversations", func(tx *sql.Tx, _ time.Time) error {
		var f Folder
		if into != "" {
			var err error
			if f, err = folder(ctx, tx, ws, into, l.lock.Staying); err != nil {
				return err
			}
		}
		for _, id := range slices.Sorted(slices.Values(ids)) {
			c, err := ownConversation(ctx, tx, ws, id, l.lock.Changing)
			if err != nil {
				return err
			}
			if into != "" && c.Maker != f.Maker {
				return domain.Errorf(domain.Conflict, "“%s” belongs to others too, or to somebody else. Copy it, and put the copy into a folder.", c.Title)
			}
			stored := c
			c.Folder = into
			if err := conversationTable.Update(ctx, tx, &stored, &c); err != nil {
				return err
			}
		}
		return nil
	})
}
