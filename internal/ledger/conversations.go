package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/database/sqlio"
	"github.com/clewhq/clew/internal/domain"
)

// A Conversation is a series of questions with their answers.
type Conversation struct {
	ID        domain.ConversationID
	Workspace domain.WorkspaceID
	Title     string
	Pinned    bool // listed first
	CreatedAt time.Time
	UpdatedAt time.Time // when its last message was added
	DeleteAt  time.Time // it is hidden until then, and then deleted; zero if it stays; not read
	Maker     string    // the account that began it; Nobody if that was removed, "" if it belongs to everybody in the workspace
	SharedAt  time.Time // others in the workspace may read what was asked up to then; zero if not shared
	Opened    int       // how often others have opened it since it was shared
	Folder    domain.FolderID
	AnswerOf  domain.RunID // it shares a copy of this run's answer only, and appears in no list; "" for others
}

// Own reports whether the viewer of ctx may change the conversation.
func (c Conversation) Own(ctx context.Context) bool {
	v, limited := domain.ViewerOf(ctx)
	return !limited || c.Maker == "" || c.Maker == v.Account
}

// Shareable reports whether it is the viewer's of ctx to share.
func (c Conversation) Shareable(ctx context.Context) bool {
	return c.Own(ctx) && c.Maker != "" && c.Maker != Nobody
}

func insertConversation(ctx context.Context, tx *sql.Tx, c Conversation, now time.Time) error {
	if c.CreatedAt.IsZero() {
		c.CreatedAt = now
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	c.Maker = makerOf(ctx)
	fresh, err := conversationTable.Insert(ctx, tx, &c)
	if err == nil && !fresh {
		return domain.Errorf(domain.Conflict, "There is already a conversation %s.", c.ID)
	}
	return err
}

var conversationTable = sqlio.Table[Conversation]{Name: "conversations", Row: func(c *Conversation) sqlio.Row {
	return sqlio.Row{
		"workspace_id key", &c.Workspace, "id key", &c.ID, "title", &c.Title, "words written", lowered(c.Title), "pinned", &c.Pinned,
		"created_at fixed", &c.CreatedAt, "updated_at fixed", &c.UpdatedAt, "delete_at written", sqlio.Millis(c.DeleteAt),
		"maker fixed", &c.Maker, "shared_at", &c.SharedAt, "opened", &c.Opened, "folder_id", &c.Folder, "answer_of fixed", &c.AnswerOf,
	}
}}

// Conversation returns a conversation that the viewer of ctx may read, or an error of kind NotFound.
func (l AnswerStore) Conversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) (Conversation, error) {
	c, err := conversation(ctx, l.reader, ws, id, "")
	return c, l.wrap("read conversation", err)
}

func conversation(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.ConversationID, lock string) (Conversation, error) {
	missing := noConversation(id)
	c, err := read(ctx, q, conversationTable, missing, `WHERE workspace_id = ? AND delete_at = 0 AND id = ?`+lock, ws, id)
	if err == nil && !c.Own(ctx) && c.SharedAt.IsZero() {
		return Conversation{}, missing
	}
	return c, err
}

func noConversation(id domain.ConversationID) error {
	return domain.Errorf(domain.NotFound, "There is no conversation %s here. It may have been deleted.", id)
}

// ownConversation is like conversation, for a viewer of ctx who wants to change it. The error is Forbidden if the
// viewer may only read it.
func ownConversation(ctx context.Context, q querier, ws domain.WorkspaceID, id domain.ConversationID, lock string) (Conversation, error) {
	c, err := conversation(ctx, q, ws, id, lock)
	if err == nil && !c.Own(ctx) {
		err = onlyShared()
	}
	return c, err
}

func onlyShared() error {
	return domain.Errorf(domain.Forbidden, "The conversation is shared with you to read. Copy it, and go on in the copy.")
}

// UpdateConversation lets f change the title of a conversation and whether it is
// pinned, in one transaction. The error is NotFound when there is no such
// conversation.
func (l AnswerStore) UpdateConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID, f func(*Conversation)) error {
	return l.tx(ctx, "update conversation", func(tx *sql.Tx, _ time.Time) error {
		c, err := ownConversation(ctx, tx, ws, id, l.lock.Changing)
		if err != nil {
			return err
		}
		stored := c
		f(&c)
		return conversationTable.Update(ctx, tx, &stored, &c)
	})
}

// Conversations lists n conversations of the viewer of ctx from offset: pinned ones, then the others, the
// latest first and then by id. It also returns the number of all, or 0 if it lists none.
// n = 0 lists all.
func (l AnswerStore) Conversations(ctx context.Context, ws domain.WorkspaceID, n, offset int) (found []Conversation, total int, err error) {
	scan := func(rows *sql.Rows) (c Conversation, err error) {
		return c, rows.Scan(append(conversationTable.Fields(&c), &total)...)
	}
	mine, args := own.conversations(ctx, "conversations")
	found, err = sqlio.Collect(ctx, l.reader, scan, `SELECT `+conversationTable.Columns("")+`, COUNT(*) OVER ()
		FROM conversations WHERE workspace_id = ? AND delete_at = 0 AND answer_of = '' AND `+mine+` ORDER BY pinned DESC, updated_at DESC, id LIMIT ? OFFSET ?`,
		slices.Concat([]any{ws}, args, []any{limit(n), offset})...)
	return found, total, l.wrap("list conversations", err)
}

// DeleteConversation removes a conversation with its answers and everything that their runs stored. It returns NotFound
// if there is no such conversation and Conflict if one of its runs is still in progress.
func (l AnswerStore) DeleteConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.erase(ctx, "delete conversation", func(tx *sql.Tx, _ time.Time) error {
		if _, err := ownConversation(ctx, tx, ws, id, l.lock.Removing); err != nil {
			return err
		}
		return deleteConversation(ctx, tx, ws, id)
	})
}

func deleteConversation(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ConversationID) error {
	runs, err := runsOfConversation(ctx, tx, ws, id)
	if err != nil {
		return err
	}
	if err := deleteRuns(ctx, tx, ws, runs); err != nil {
		return err
	}
	return sqlio.Exec(ctx, tx, `DELETE FROM conversations WHERE workspace_id = ? AND id = ?`, ws, id)
}

// HideConversation hides a conversation until DeleteHiddenConversations removes it, not before
// the given time; until then ShowConversation takes that back. Its errors are those of
// DeleteConversation.
func (l AnswerStore) HideConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID, until time.Time) error {
	return l.tx(ctx, "hide conversation", func(tx *sql.Tx, _ time.Time) error {
		if _, err := ownConversation(ctx, tx, ws, id, l.lock.Changing); err != nil {
			return err
		}
		if _, err := runsOfConversation(ctx, tx, ws, id); err != nil {
			return err
		}
		return sqlio.ExecAll(ctx, tx, []any{sqlio.Millis(until), ws, id}, `UPDATE conversations SET delete_at = ? WHERE workspace_id = ? AND id = ?`, hideShares)
	})
}

// hideShares hides or shows what shares answers of a conversation.
const hideShares = `UPDATE conversations SET delete_at = ? WHERE answer_of <> '' AND (workspace_id, answer_of) IN (
	SELECT workspace_id, run_id FROM answers WHERE workspace_id = ? AND conversation_id = ?)`

// ShowConversation takes back that a conversation was hidden. The error is Conflict when the
// time for that is over.
func (l AnswerStore) ShowConversation(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) error {
	return l.tx(ctx, "show conversation", func(tx *sql.Tx, now time.Time) error {
		mine, args := own.conversations(ctx, "conversations")
		found, err := sqlio.Changed(tx.ExecContext(ctx, `UPDATE conversations SET delete_at = 0 WHERE workspace_id = ? AND id = ? AND delete_at > ? AND `+mine,
			append([]any{ws, id, sqlio.Millis(now)}, args...)...))
		if err == nil && !found {
			return domain.Errorf(domain.Conflict, "It is too late to undo this: the conversation has been deleted for good.")
		}
		if err != nil {
			return err
		}
		return sqlio.Exec(ctx, tx, hideShares, 0, ws, id)
	})
}

// HiddenUntil returns until when a conversation is hidden, the zero time if it is not.
func (l AnswerStore) HiddenUntil(ctx context.Context, ws domain.WorkspaceID, id domain.ConversationID) (at time.Time, err error) {
	mine, args := own.conversations(ctx, "conversations")
	err = sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error { return rows.Scan(sqlio.To(&at)...) },
		`SELECT delete_at FROM conversations WHERE workspace_id = ? AND id = ? AND delete_at > 0 AND `+mine, append([]any{ws, id}, args...)...)
	return at, l.wrap("read a hidden conversation", err)
}

// DeleteHiddenConversations removes the hidden conversations that can't be restored any more, as DeleteConversation
// does. It leaves a conversation with an unfinished run for later.
func (l AnswerStore) DeleteHiddenConversations(ctx context.Context, ws domain.WorkspaceID) error {
	const due = ` FROM conversations WHERE workspace_id = ? AND delete_at > 0 AND delete_at <= ?`
	ids, err := sqlio.Collect(ctx, l.reader, sqlio.Column[domain.ConversationID],
		`SELECT id`+due, ws, sqlio.Millis(l.now()))
	if err != nil {
		return l.wrap("list hidden conversations", err)
	}
	for _, id := range ids {
		err := l.erase(ctx, "delete conversation", func(tx *sql.Tx, now time.Time) error {
			var still domain.ConversationID
			err := tx.QueryRowContext(ctx, `SELECT id`+due+` AND id = ?`+l.lock.Removing, ws, sqlio.Millis(now), id).Scan(&still)
			if errors.Is(err, sql.ErrNoRows) { // another process was first
				return nil
			}
			if err != nil {
				return err
			}
			return deleteConversation(ctx, tx, ws, id)
		})
		if err != nil && domain.KindOf(err) != domain.Conflict {
			return err
		}
	}
	return nil
}

// runsOfConversation lists the runs that answer in a conversation. The error is Conflict while one of them is not over.
func runsOfConversation(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.ConversationID) (runs []domain.RunID, err error) {
	_, err = sqlio.Collect(ctx, tx, func(rows *sql.Rows) (struct{}, error) {
		var run domain.RunID
		var status MessageStatus
		err := rows.Scan(&run, &status)
		if err == nil && !status.Over() {
			err = domain.Errorf(domain.Conflict, "A question of this conversation is still being answered. Stop it first, then delete the conversation.")
		}
		runs = append(runs, run)
		return struct{}{}, err
	}, `SELECT run_id, status FROM answers WHERE workspace_id = ? AND conversation_id = ?`, ws, id)
	return runs, err
}

// A ConversationQuery selects conversations of the viewer of a context.
type ConversationQuery struct {
	Folder domain.FolderID // "" selects all
	Text   string          // words that their titles, questions or answers contain, in any case; "" selects all
	Limit  int             // 0 means all
}

// mostWords is how many words of a search count.
const mostWords = 8

// A RecentConversation is a conversation with the state of its last message.
type RecentConversation struct {
	Conversation
	Status MessageStatus // "" if it has no message
	Found  bool          // a message cites a passage or has a chart
	Match  Match         // zero without a search
	In     string        // name of its folder; "" if it is in none
}

// Remark returns a list's remark beside the title: that the last question is in progress or has failed, or that nothing
// was found for any of them; otherwise "".
func (r RecentConversation) Remark() string {
	switch r.Status {
	case MessageWaiting, MessageAnswering:
		return "answering"
	case MessageAsking:
		return "waits for you"
	case MessageStopped:
		return "stopped"
	case MessageFailed:
		return "failed"
	case MessageDone:
		if !r.Found {
			return "nothing close"
		}
	}
	return ""
}

// A Match is the latest message of a conversation that holds all words of a search;
// zero where no single message does.
type Match struct {
	Message  domain.MessageID
	Question string
}

// RecentConversations lists conversations in the order of Conversations.
func (l AnswerStore) RecentConversations(ctx context.Context, ws domain.WorkspaceID, q ConversationQuery) ([]RecentConversation, error) {
	patterns := q.patterns()
	if len(patterns) == 0 {
		found, err := l.newest(ctx, ws, q)
		return found, l.wrap("list recent conversations", err)
	}
	withheld, by := withheldOf(ctx, "f")
	match := `COALESCE((SELECT f.message_id || ' ' || f.question FROM answers f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id AND f.branch_id = '' AND NOT ` + withheld +
		strings.Repeat(` AND f.words LIKE ? ESCAPE '!'`, len(patterns)) + ` ORDER BY f.created_at DESC, f.message_id DESC LIMIT 1), '')`
	cond, held := q.where(ctx, ws)
	for _, p := range patterns {
		cond += ` AND (c.words LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM answers f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id AND NOT ` + withheld + ` AND f.words LIKE ? ESCAPE '!'))`
		held = append(append(append(held, p), by...), p)
	}
	args := slices.Concat(by, patterns, held, []any{limit(q.Limit)})
	return list(ctx, l, "list recent conversations", scanRecent, `SELECT `+recentColumns+`, `+cameOf+`, `+match+lastMessage+`
		WHERE `+cond+` ORDER BY c.pinned DESC, c.updated_at DESC, c.id LIMIT ?`, args...)
}

// What came of a conversation c, with the message m that is its last.
const (
	cameOf = `COALESCE(m.status, ''), EXISTS (SELECT 1 FROM answers f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id AND f.branch_id = '' AND (
			EXISTS (SELECT 1 FROM citations x WHERE x.run_id = f.run_id) OR f.figures LIKE '%"chart":{%'))`
	lastMessage = ` FROM conversations c LEFT JOIN answers m ON m.run_id = (SELECT run_id FROM answers l
			WHERE l.workspace_id = c.workspace_id AND l.conversation_id = c.id AND l.branch_id = '' ORDER BY l.created_at DESC, l.message_id DESC LIMIT 1)`
)

// newest lists conversations. Every page shows the list, and the outcomes of fifty conversations are spread over as
// many pages of the file, so the ledger caches the final ones.
func (l *store) newest(ctx context.Context, ws domain.WorkspaceID, q ConversationQuery) ([]RecentConversation, error) {
	cond, args := q.where(ctx, ws)
	list, err := sqlio.Collect(ctx, l.reader, scanRecent, `SELECT `+recentColumns+`, '', 0, '' FROM conversations c
		WHERE `+cond+` ORDER BY c.pinned DESC, c.updated_at DESC, c.id LIMIT ?`, append(args, limit(q.Limit))...)
	if err != nil {
		return nil, err
	}
	place, unknown := map[domain.ConversationID]int{}, []domain.ConversationID{}
	for i, c := range list {
		if l.answered.has(c.Conversation) {
			list[i].Status, list[i].Found = MessageDone, true
			continue
		}
		place[c.ID], unknown = i, append(unknown, c.ID)
	}
	err = eachIn(ctx, l.reader, func(rows *sql.Rows) error {
		var id domain.ConversationID
		var status MessageStatus
		var found bool
		if err := rows.Scan(&id, &status, &found); err != nil {
			return err
		}
		c := &list[place[id]]
		c.Status, c.Found = status, found
		if status == MessageDone && found {
			l.answered.add(c.Conversation)
		}
		return nil
	}, `SELECT c.id, `+strings.ReplaceAll(cameOf, "%", "%%")+lastMessage+` WHERE c.workspace_id = ? AND c.id IN (%s)`, []any{ws}, unknown)
	return list, err
}

// answered remembers the conversations whose last message is done, and of which one
// cites a passage or has a chart: both stays so until there is another message, which
// changes the time of the conversation.
type answered struct {
	mu  sync.Mutex
	all map[conversationKey]time.Time // when the conversation last changed
}

type conversationKey struct {
	ws domain.WorkspaceID
	id domain.ConversationID
}

// mostAnswered is how many conversations are remembered.
const mostAnswered = 2000

func (a *answered) has(c Conversation) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.all[conversationKey{c.Workspace, c.ID}]
	return ok && at.Equal(c.UpdatedAt)
}

func (a *answered) add(c Conversation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil || len(a.all) >= mostAnswered {
		a.all = map[conversationKey]time.Time{}
	}
	a.all[conversationKey{c.Workspace, c.ID}] = c.UpdatedAt
}

// forget is called when a message of a conversation was added or changed.
func (a *answered) forget(ws domain.WorkspaceID, id domain.ConversationID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, conversationKey{ws, id})
}

// recentColumns are the columns of a conversation c, with the name of its folder.
var recentColumns = conversationTable.Columns("c") + `, COALESCE((SELECT o.name FROM conversation_folders o WHERE o.workspace_id = c.workspace_id AND o.id = c.folder_id), '')`

func scanRecent(rows *sql.Rows) (r RecentConversation, err error) {
	var match string
	err = rows.Scan(append(conversationTable.Fields(&r.Conversation), sqlio.To(&r.In, &r.Status, &r.Found, &match)...)...)
	id, question, _ := strings.Cut(match, " ")
	r.Match = Match{domain.MessageID(id), question}
	return r, err
}

// where returns the condition on a conversation c, without the words, and its arguments.
func (q ConversationQuery) where(ctx context.Context, ws domain.WorkspaceID) (string, []any) {
	mine, args := own.conversations(ctx, "c")
	cond, args := "c.workspace_id = ? AND c.delete_at = 0 AND c.answer_of = '' AND "+mine, append([]any{ws}, args...)
	if q.Folder != "" {
		cond, args = cond+" AND c.folder_id = ?", append(args, q.Folder)
	}
	return cond, args
}

// patterns returns the patterns that each word is compared with.
func (q ConversationQuery) patterns() []any {
	var patterns []any
	for word := range strings.FieldsSeq(lowered(q.Text)) {
		if len(patterns) < mostWords {
			patterns = append(patterns, "%"+likeEscaper.Replace(word)+"%")
		}
	}
	return patterns
}

// lowered returns texts as they are searched.
func lowered(texts ...string) string { return strings.ToLower(strings.Join(texts, " ")) }
