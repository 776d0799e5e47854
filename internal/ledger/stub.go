package ledger

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
	"github.com/clewhq/clew/internal/sqlio"
)

// Stub stands in an answer where a whole sentence of a deleted document stood.
const Stub = "[A sentence of a deleted document stood here.]"

// leastStubbed is how many words of an answer's sentence, with nothing around them, may
// stand in a document without being a sentence of it.
const leastStubbed = 3

// stubAnswers leaves a stub in the answers that cite a document for each whole sentence of
// any of its versions. The document still has its texts.
func (l *Ledger) stubAnswers(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) error {
	texts, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT content FROM texts WHERE workspace_id = ? AND document_id = ?
		UNION ALL SELECT content FROM document_versions WHERE workspace_id = ? AND document_id = ?`, ws, id, ws, id)
	if err != nil || len(texts) == 0 {
		return err
	}
	content := plain(strings.Join(texts, "\n"))
	citing, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.MessageID],
		`SELECT DISTINCT message_id FROM citations WHERE workspace_id = ? AND document_id = ? ORDER BY message_id`, ws, id)
	if err != nil {
		return err
	}
	for _, of := range citing {
		m, err := message(ctx, tx, ws, of, l.lock.Changing)
		if err != nil {
			return err
		}
		answer := stubbed(m.Answer, content)
		for i, s := range m.Sentences {
			if stands(s.Text, content) {
				m.Sentences[i].Text, m.Sentences[i].Reason = Stub, ""
			}
		}
		m.Answer = answer
		if err := l.writeMessage(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}

// stubbed returns an answer with stubs in place of the sentences that stand in a text.
func stubbed(answer, text string) string {
	spans := prose.Sentences(answer)
	for _, s := range slices.Backward(spans) {
		sentence := s.Slice(answer)
		if !stands(sentence, text) {
			continue
		}
		before, after := domain.Span{End: s.Start}.Slice(answer), domain.Span{Start: s.End, End: domain.Runes(answer)}.Slice(answer)
		trimmed := strings.TrimRight(sentence, " \n\t")
		answer = before + Stub + strings.Join(mark.FindAllString(sentence, -1), "") + sentence[len(trimmed):] + after
	}
	return answer
}

// mark matches the mark of a citation.
var mark = regexp.MustCompile(`\s*\[\d+(?:, ?\d+)*\]`)

// stands reports whether a sentence, without marks and the signs around it, stands in a text
// as plain returns it.
func stands(sentence, text string) bool {
	words := strings.Trim(plain(mark.ReplaceAllString(sentence, "")), " .!?…:;,\"'“”‘’*_>#-")
	return len(strings.Fields(words)) >= leastStubbed && strings.Contains(text, words)
}

// plain returns a text with single spaces.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
