package answer

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/prose"
)

// Tables reckons with the cells of tables.
type Tables interface {
	// Reckon computes an answer from the tables in passages; ok is false if they allow none. Equal
	// requests have equal results.
	Reckon(ctx context.Context, asked Asked, passages []domain.Passage) (r Reckoned, ok bool, err error)
}

// Reckoned is an answer computed from a table.
type Reckoned struct {
	Says string      // what was computed; "" if the rows themselves answer
	Rows []Quotation // with the cells that it is based on
}

// words puts it in words, as evidence.
func (r Reckoned) words() string {
	words := []string{r.Says}
	for _, row := range r.Rows {
		words = append(words, row.Text)
	}
	return strings.TrimSpace(strings.Join(words, "\n"))
}

// reckon computes an answer from the tables in passages, and returns the passages together with those of its rows.
// Without Tables, or if the tables give no answer, there are no rows.
func (p Params) reckon(ctx context.Context, asked Asked, passages []domain.Passage) (Reckoned, []domain.Passage, error) {
	if p.Roles.Tables == nil || len(passages) == 0 {
		return Reckoned{}, passages, nil
	}
	r, ok, err := p.Roles.Tables.Reckon(ctx, asked, passages)
	if err != nil || !ok {
		return Reckoned{}, passages, err
	}
	passages = slices.Clip(passages)
	for _, row := range r.Rows {
		if placeOf(passages, row) == 0 {
			passages = append(passages, row.Passage)
		}
	}
	return r, passages, nil
}

// passageIDs returns the ids of passages.
func passageIDs(passages []domain.Passage) []domain.ChunkID {
	return lists.Map(passages, func(p domain.Passage) domain.ChunkID { return p.ID })
}

// placeOf returns the number of a row's passage among passages, or 0.
func placeOf(passages []domain.Passage, row Quotation) int {
	return 1 + slices.IndexFunc(passages, func(p domain.Passage) bool { return p.ID == row.Passage.ID })
}

// data returns the rows as a prompt takes them.
func (r Reckoned) data(passages []domain.Passage) (rows []rowData) {
	for _, row := range r.Rows {
		rows = append(rows, rowData{placeOf(passages, row), prompts.Fence("row", row.Text)})
	}
	return rows
}

// rowFor returns the span of the passage's row that shares most words with a claim, or the empty span.
func (r Reckoned) rowFor(claim string, passage domain.Passage) (best domain.Span) {
	most, terms := 0.0, prose.Terms(claim)
	for _, row := range r.Rows {
		if score := overlap(terms, prose.Terms(row.Text)); row.Passage.ID == passage.ID && score > most {
			best, most = row.Span, score
		}
	}
	return best
}

// addReckoned adds the answer computed from a table to the quotations of claims that cite its rows, by the numbers that
// they cite.
func (n *nodes) addReckoned(ctx context.Context, s State, claims []Claim, cited [][]int) error {
	if n.Roles.Tables == nil || len(s.Citations) == 0 {
		return nil
	}
	passages, err := n.Passages.Passages(ctx, s.Workspace, chunks(s.relevant()))
	if err != nil {
		return err
	}
	table, _, err := n.reckon(ctx, s.asked(), passages)
	for _, c := range s.Citations {
		if !slices.ContainsFunc(table.Rows, func(row Quotation) bool { return row.Passage.ID == c.Chunk && row.Span == c.Span }) {
			continue
		}
		for i := range claims {
			if slices.Contains(cited[i], c.N) {
				claims[i].Quotes = append(claims[i].Quotes, table.words())
			}
		}
	}
	return err
}
