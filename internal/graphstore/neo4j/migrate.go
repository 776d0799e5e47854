package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/migrations"
)

// migrate runs the migrations that the graph has not recorded. Several processes may do so at once, because each
// statement is idempotent. An interrupted migration is repeated.
func (s *Store) migrate(ctx context.Context) error {
	patient := *s
	patient.Timeout = max(s.Timeout, indexTimeout)
	if err := patient.runMigrations(ctx); err != nil {
		return fmt.Errorf("bring the graph's indexes up to date: %w", err)
	}
	return nil
}

func (s *Store) runMigrations(ctx context.Context) error {
	all, err := migrations.Neo4j()
	if err != nil {
		return err
	}
	applied, err := s.applied(ctx)
	if err != nil {
		return err
	}
	for _, name := range applied {
		if !slices.ContainsFunc(all, func(m migrations.Cypher) bool { return m.Name == name }) {
			return domain.Errorf(domain.Conflict,
				"The graph at NEO4J_URL was written by a newer version of Clew: this one does not know its migration %s. Start that version, or name another server.", name)
		}
	}
	var missing, statements []string
	for _, m := range all {
		if !slices.Contains(applied, m.Name) {
			missing, statements = append(missing, m.Name), append(statements, m.Statements...)
		}
	}
	if len(applied) == 0 { // a new graph, without data to change
		statements = slices.DeleteFunc(statements, changesData)
	}
	for len(statements) > 0 {
		n := together(statements)
		if err := s.change(ctx, statements[:n]); err != nil {
			return err
		}
		statements = statements[n:]
	}
	if len(missing) > 0 {
		err := s.write(ctx, func(t *tx) error {
			return t.exec(`UNWIND $names AS name MERGE (m:__Migration__ {name: name}) ON CREATE SET m.applied_at = datetime()`, params{"names": missing})
		})
		if err != nil {
			return err
		}
	}
	return s.write(ctx, func(t *tx) error {
		return t.exec(`CALL db.awaitIndexes($seconds)`, params{"seconds": int(indexTimeout.Seconds())})
	})
}

func changesData(statement string) bool { return !strings.HasPrefix(statement, "CREATE ") }

// together returns how many of the first statements go into one transaction: the server takes no change of its schema beside
// one of data.
func together(statements []string) int {
	n := slices.IndexFunc(statements, changesData)
	if n < 0 {
		return len(statements)
	}
	return max(n, 1)
}

// change runs statements in one transaction, and again after each that another process made superfluous at the same time.
func (s *Store) change(ctx context.Context, statements []string) (err error) {
	for range statements {
		err = s.write(ctx, func(t *tx) error {
			for _, statement := range statements {
				if err := t.exec(statement, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if !alreadyThere(err) {
			return err
		}
	}
	return nil
}

// indexTimeout is how long the server may take to make an index without a sign.
const indexTimeout = 2 * time.Minute

// alreadyThere reports whether another process created the same index
// concurrently: IF NOT EXISTS only sees what was committed before.
func alreadyThere(err error) bool {
	e, ok := errors.AsType[*driver.Neo4jError](err)
	return ok && e.Code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
}

// applied returns the migrations recorded in the graph.
func (s *Store) applied(ctx context.Context) ([]string, error) {
	var names []string
	err := s.read(ctx, func(t *tx) error {
		names = nil
		return t.each(func(r row) { names = append(names, r.text()) }, `MATCH (m:__Migration__) RETURN m.name ORDER BY m.name`, nil)
	})
	return names, err
}
