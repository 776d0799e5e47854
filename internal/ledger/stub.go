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

// A loss is what a deletion takes from the library: texts, as plain returns them.
type loss struct {
	gone string
	kept string // texts of the document that stay: what stands there is not lost
}

// stubAnswers leaves a stub in the answers that cite a document, or whose run has read it, for each
// whole sentence that is lost with it. The ledger still has the texts.
func (l *Ledger) stubAnswers(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, t traces, losing func() (loss, error)) error {
	find := deletion{statement: `SELECT message_id FROM citations WHERE workspace_id = ? AND document_id = ?` + t.quoted + `
		UNION SELECT id FROM messages WHERE run_id IN ` + t.readers + ` ORDER BY 1`}
	read, err := sqlio.Collect(ctx, tx, sqlio.Column[domain.MessageID], find.statement, find.args(ws, id)...)
	if err != nil || len(read) == 0 { // most documents are read by no answer: their texts need not be read
		return err
	}
	lost, err := losing()
	if err != nil || lost.gone == "" {
		return err
	}
	for _, of := range read {
		m, err := message(ctx, tx, ws, of, l.lock.Changing)
		if err != nil {
			return err
		}
		if !lost.without(m, id).stub(&m) {
			continue
		}
		if err := l.writeMessage(ctx, tx, m); err != nil {
			return err
		}
		if err := l.writeCitations(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}

// without returns what is lost of an answer: what it quotes from other documents stays.
func (l loss) without(m Message, id domain.DocumentID) loss {
	for _, c := range m.Citations {
		if c.DocumentID != id {
			l.kept += "\n" + plain(c.Text)
		}
	}
	return l
}

// stub replaces what is lost in an answer and its charts, and reports whether there was anything.
func (l loss) stub(m *Message) (changed bool) {
	if answer := stubbed(m.Answer, l); answer != m.Answer {
		m.Answer, changed = answer, true
	}
	for i, s := range m.Sentences {
		if l.has(s.Text) {
			m.Sentences[i].Text, m.Sentences[i].Reason, changed = Stub, "", true
		}
	}
	for i, f := range m.Figures {
		if l.has(f.Task) {
			m.Figures[i].Task, changed = Stub, true
		}
		if f.Chart != nil && l.has(f.Chart.Title) {
			f.Chart.Title, changed = Stub, true
		}
	}
	return changed
}

// lostWith returns what is lost with a whole document: the texts of all its versions.
func lostWith(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID) (loss, error) {
	texts, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT content FROM texts WHERE workspace_id = ? AND document_id = ?
		UNION ALL SELECT content FROM document_versions WHERE workspace_id = ? AND document_id = ?`, ws, id, ws, id)
	return loss{gone: plain(strings.Join(texts, "\n"))}, err
}

// lostWithVersion returns what is lost with an earlier version: what stands in its text and in no other version.
func lostWithVersion(ctx context.Context, tx *sql.Tx, ws domain.WorkspaceID, id domain.DocumentID, number int, content string) (loss, error) {
	texts, err := sqlio.Collect(ctx, tx, sqlio.Column[string], `SELECT content FROM texts WHERE workspace_id = ? AND document_id = ?
		UNION ALL SELECT content FROM document_versions WHERE workspace_id = ? AND document_id = ? AND number <> ?`, ws, id, ws, id, number)
	return loss{gone: plain(content), kept: plain(strings.Join(texts, "\n"))}, err
}

// stubbed returns an answer with stubs in place of what is lost. It takes pieces up to the next
// end mark, and as many together as are lost: an abbreviation ends no sentence.
func stubbed(answer string, lost loss) string {
	pieces := piece.FindAllString(answer, -1)
	var b strings.Builder
	for len(pieces) > 0 {
		n := 0 // pieces that are lost together
		for i := range pieces {
			has := lost.has(strings.Join(pieces[:i+1], ""))
			if i > 0 && (!has || lost.keeps(pieces[i])) {
				break
			}
			if has {
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

// has reports whether a sentence, without marks and the signs around it, is lost.
func (l loss) has(sentence string) bool {
	words := bare(sentence)
	return len(strings.Fields(words)) >= leastStubbed && strings.Contains(l.gone, words) && !strings.Contains(l.kept, words)
}

// keeps reports whether a sentence stands in what stays.
func (l loss) keeps(sentence string) bool {
	words := bare(sentence)
	return len(strings.Fields(words)) >= leastStubbed && strings.Contains(l.kept, words)
}

// bare returns a sentence as plain does, without marks and the signs around it.
func bare(sentence string) string {
	return strings.Trim(plain(mark.ReplaceAllString(sentence, "")), " .!?…:;,\"'“”‘’*_>#-")
}

// plain returns a text in lower case and with single spaces.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
