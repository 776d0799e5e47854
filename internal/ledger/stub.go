package ledger

import (
	"context"
	"database/sql"
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/domain"
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

// stubbed returns an answer with stubs in place of what stands in a text. It takes pieces up to
// the next end mark, and as many together as stand there: an abbreviation ends no sentence.
func stubbed(answer, text string) string {
	pieces := piece.FindAllString(answer, -1)
	var b strings.Builder
	for len(pieces) > 0 {
		n := 0 // pieces that stand in the text together
		for i := range pieces {
			if !stands(strings.Join(pieces[:i+1], ""), text) && i > 0 {
				break
			}
			if stands(strings.Join(pieces[:i+1], ""), text) {
				n = i + 1
			}
		}
		if n == 0 {
			b.WriteString(pieces[0])
			pieces = pieces[1:]
			continue
		}
		said := strings.Join(pieces[:n], "")
		space := len(said) - len(strings.TrimLeft(said, " \n\t"))
		b.WriteString(said[:space] + Stub + strings.Join(mark.FindAllString(said, -1), ""))
		b.WriteString(said[len(strings.TrimRight(said, " \n\t")):])
		pieces = pieces[n:]
	}
	return b.String()
}

// piece matches a sentence, or the part of one up to a point within it, with its marks.
var piece = regexp.MustCompile(`[^.!?…\n]*(?:[.!?…]+["'”’)]*|\n|$)(?:\s*\[\d+(?:, ?\d+)*\])*`)

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
