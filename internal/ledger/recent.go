package ledger

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// A ConversationQuery selects conversations.
type ConversationQuery struct {
	Text  string // words that their titles, questions and answers hold, in any case; "" selects all
	Limit int    // 0 means all
}

// mostWords is how many words of a search count.
const mostWords = 8

// A RecentConversation is a conversation with the state of its last message.
type RecentConversation struct {
	Conversation
	Status MessageStatus // "" when it has no message
	Found  bool          // some message cites a passage or has a chart
	Match  Match         // zero without a search
}

// Remark returns what a list says beside the title: that its last question is at work or
// came to no end, or that nothing was found for any of them; "" otherwise.
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
func (l *Ledger) RecentConversations(ctx context.Context, ws domain.WorkspaceID, q ConversationQuery) ([]RecentConversation, error) {
	patterns := q.patterns()
	if len(patterns) == 0 {
		found, err := l.newest(ctx, ws, q.Limit)
		return found, l.wrap("list recent conversations", err)
	}
	match := `COALESCE((SELECT f.id || ' ' || f.question FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id` +
		strings.Repeat(` AND f.words LIKE ? ESCAPE '!'`, len(patterns)) + ` ORDER BY f.created_at DESC, f.id DESC LIMIT 1), '')`
	cond, held := "c.workspace_id = ? AND c.delete_at = 0", []any{ws}
	for _, p := range patterns {
		cond += ` AND (c.words LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id
			AND (f.words LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM branches b WHERE b.workspace_id = f.workspace_id AND b.message_id = f.id AND b.words LIKE ? ESCAPE '!'))))`
		held = append(held, p, p, p)
	}
	args := append(append(patterns, held...), limit(q.Limit))
	found, err := sqlio.Collect(ctx, l.reader, scanRecent, `SELECT c.id, c.workspace_id, c.title, c.pinned, c.created_at, c.updated_at, `+cameOf+`, `+match+lastMessage+`
		WHERE `+cond+` ORDER BY c.pinned DESC, c.updated_at DESC, c.id LIMIT ?`, args...)
	return found, l.wrap("list recent conversations", err)
}

// What came of a conversation c, with the message m that is its last.
const (
	cameOf = `COALESCE(m.status, ''), EXISTS (SELECT 1 FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id AND (
			EXISTS (SELECT 1 FROM citations x WHERE x.workspace_id = f.workspace_id AND x.message_id = f.id) OR f.figures LIKE '%"chart":{%'))`
	lastMessage = ` FROM conversations c LEFT JOIN messages m ON m.workspace_id = c.workspace_id AND m.id = (SELECT id FROM messages l
			WHERE l.workspace_id = c.workspace_id AND l.conversation_id = c.id ORDER BY l.created_at DESC, l.id DESC LIMIT 1)`
)

// newest lists conversations. Each page lists them, and what came of fifty is spread over
// as many pages of the file, so the ledger remembers of which it knows.
func (l *Ledger) newest(ctx context.Context, ws domain.WorkspaceID, most int) ([]RecentConversation, error) {
	list, err := sqlio.Collect(ctx, l.reader, scanRecent, `SELECT c.id, c.workspace_id, c.title, c.pinned, c.created_at, c.updated_at, '', 0, '' FROM conversations c
		WHERE c.workspace_id = ? AND c.delete_at = 0 ORDER BY c.pinned DESC, c.updated_at DESC, c.id LIMIT ?`, ws, limit(most))
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
	all map[conversationKey]time.Time // when the conversation changed last
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

func scanRecent(rows *sql.Rows) (r RecentConversation, err error) {
	var match string
	err = rows.Scan(&r.ID, &r.Workspace, &r.Title, &r.Pinned, instant{&r.CreatedAt}, instant{&r.UpdatedAt}, &r.Status, &r.Found, &match)
	id, question, _ := strings.Cut(match, " ")
	r.Match = Match{domain.MessageID(id), question}
	return r, err
}

// patterns returns what each word is compared with.
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
