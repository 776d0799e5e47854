package ingest

import (
	"context"
	"errors"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// maxDeaths is how often work on a document may end the process that does it.
const maxDeaths = 2

// survive calls work, which parses or splits doc, and counts on the document how
// often that ended a process:
//
//   - A death of the parser alone counts. What the file lacked, a fresh process
//     may have: work is called once more, and its second death is the error.
//   - A death of the whole program counts only if the parser held so much memory
//     that it had called large: nothing else about a file ends the program.
//     So large counts before the parser goes on, and what comes back takes it
//     off again. Programs that are killed while they read common documents, even
//     a hundred times, do not add up to a document that fails.
//
// A document that has been parsed, or is read again on request, starts from zero.
func (n nodes) survive(ctx context.Context, doc domain.Document, work func(large func() error) error) error {
	for deaths := doc.Deaths; ; {
		if deaths >= maxDeaths {
			return domain.Errorf(domain.TooLarge, "Twice, the program ended while this file took more than half of PARSE_MEMORY_MB to read. "+
				"Give the program more memory, lower PARSE_MEMORY_MB, or split the file into smaller ones. Then read it again.")
		}
		counted := deaths
		count := func(to int) (err error) {
			if to != counted {
				_, err = n.Ledger.UpdateDocument(context.WithoutCancel(ctx), doc.Workspace, doc.ID, func(d *domain.Document) { d.Deaths = to })
			}
			counted = to
			return err
		}
		err := work(func() error { return count(deaths + 1) })
		_, died := errors.AsType[*parse.DeathError](err)
		switch {
		case err == nil:
			return count(0)
		case !died:
			return errors.Join(err, count(deaths))
		}
		deaths++
		if noted := count(deaths); noted != nil || deaths >= maxDeaths {
			return errors.Join(err, noted)
		}
	}
}
