package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/migrations"
)

// migrate runs the migrations that the graph has not recorded. Several
// processes may do so at once, because each statement is idempotent. A
// statement that is cut off begins anew, so that each gets time enough.
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
	for _, m := range all {
		if slices.Contains(applied, m.Name) {
			continue
		}
		for _, statement := range m.Statements {
			// The server requires schema changes in separate transactions.
			err := s.write(ctx, func(t *tx) error { return t.exec(statement, nil) })
			if err != nil && !alreadyThere(err) {
				return err
			}
		}
		record := func(t *tx) error {
			return t.exec(`MERGE (m:__Migration__ {name: $name}) ON CREATE SET m.applied_at = datetime()`, params{"name": m.Name})
		}
		if err := s.write(ctx, record); err != nil {
			return err
		}
	}
	return s.write(ctx, func(t *tx) error {
		return t.exec(`CALL db.awaitIndexes($seconds)`, params{"seconds": int(indexTimeout.Seconds())})
	})
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
