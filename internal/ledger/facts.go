package ledger

import (
	"context"
	"database/sql"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/sqlio"
)

// byFacts returns the conditions of a filter, each with AND before it.
func byFacts(f domain.FactFilter) (cond string, args []any) {
	if len(f.Languages) > 0 {
		cond, args = cond+" AND language IN ("+sqlio.Marks(len(f.Languages))+")", append(args, sqlio.Args(f.Languages)...)
	}
	if len(f.Sources) > 0 {
		cond, args = cond+" AND source IN ("+sqlio.Marks(len(f.Sources))+")", append(args, sqlio.Args(f.Sources)...)
	}
	var names []string
	for _, a := range f.Authors {
		names, args = append(names, "author_words LIKE ? ESCAPE '!'"), append(args, "%"+likeEscaper.Replace(strings.ToLower(a))+"%")
	}
	if len(names) > 0 {
		cond += " AND (" + strings.Join(names, " OR ") + ")"
	}
	if f.Published == "" {
		return cond, args
	}
	from, to := f.Between()
	cond, args = cond+" AND published_on <> '' AND published_on >= ?", append(args, from)
	if to != "" {
		cond, args = cond+" AND published_on < ?", append(args, to+"~") // which is behind all that begins with it
	}
	return cond, args
}

// A FactCount is a value of a fact with the number of its documents.
type FactCount struct {
	Term  string // of a scope: "lang:de"
	Count int
}

// mostAuthors is the most authors that FactCounts lists.
const mostAuthors = 200

// FactCounts lists the languages, the sources and the most frequent authors of a
// workspace's documents, each kind by number and then by name.
func (l *Ledger) FactCounts(ctx context.Context, ws domain.WorkspaceID) ([]FactCount, error) {
	var all []FactCount
	for _, of := range [][2]string{{domain.WithinLanguage, "language"}, {domain.WithinSource, "source"}, {domain.WithinAuthor, "author"}} {
		err := sqlio.Each(ctx, l.reader, func(rows *sql.Rows) error {
			c := FactCount{}
			err := rows.Scan(&c.Term, &c.Count)
			c.Term = of[0] + ":" + c.Term
			all = append(all, c)
			return err
		}, `SELECT `+of[1]+`, COUNT(*) AS n FROM documents WHERE workspace_id = ? AND delete_at = 0 AND `+of[1]+` <> '' GROUP BY `+of[1]+` ORDER BY n DESC, `+of[1]+` LIMIT ?`, ws, mostAuthors)
		if err != nil {
			return nil, l.wrap("count facts", err)
		}
	}
	return all, nil
}
