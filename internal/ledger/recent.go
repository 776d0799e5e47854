package ledger

import (
	"context"
	"database/sql"
	"strings"

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

// A Match is the latest message of a conversation that holds all words of a search;
// zero where no single message does.
type Match struct {
	Message  domain.MessageID
	Question string
}

// RecentConversations lists conversations in the order of Conversations.
func (l *Ledger) RecentConversations(ctx context.Context, ws domain.WorkspaceID, q ConversationQuery) ([]RecentConversation, error) {
	var args []any
	match := "''"
	if patterns := q.patterns(); len(patterns) > 0 {
		args = patterns
		match = `COALESCE((SELECT f.id || ' ' || f.question FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id` +
			strings.Repeat(` AND f.words LIKE ? ESCAPE '!'`, len(patterns)) + ` ORDER BY f.created_at DESC, f.id DESC LIMIT 1), '')`
	}
	cond, held := "c.workspace_id = ? AND c.delete_at = 0", []any{ws}
	for _, p := range q.patterns() {
		cond += ` AND (c.words LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id
			AND (f.words LIKE ? ESCAPE '!' OR EXISTS (SELECT 1 FROM branches b WHERE b.workspace_id = f.workspace_id AND b.message_id = f.id AND b.words LIKE ? ESCAPE '!'))))`
		held = append(held, p, p, p)
	}
	args = append(append(args, held...), limit(q.Limit))
	found, err := sqlio.Collect(ctx, l.reader, scanRecent, `SELECT c.id, c.workspace_id, c.title, c.pinned, c.created_at, c.updated_at, COALESCE(m.status, ''),
		EXISTS (SELECT 1 FROM messages f WHERE f.workspace_id = c.workspace_id AND f.conversation_id = c.id AND (
			EXISTS (SELECT 1 FROM citations x WHERE x.workspace_id = f.workspace_id AND x.message_id = f.id) OR f.figures LIKE '%"chart":{%')), `+match+`
		FROM conversations c LEFT JOIN messages m ON m.workspace_id = c.workspace_id AND m.id = (SELECT id FROM messages l
			WHERE l.workspace_id = c.workspace_id AND l.conversation_id = c.id ORDER BY l.created_at DESC, l.id DESC LIMIT 1)
		WHERE `+cond+` ORDER BY c.pinned DESC, c.updated_at DESC, c.id LIMIT ?`, args...)
	return found, l.wrap("list recent conversations", err)
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
