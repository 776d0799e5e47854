package neo4j

import "strings"

// ofBoth returns a statement about entities, and the same about unlisted ones. These
// have another label, so that what is written for the entities of a graph, here and in
// Neo4j's tools, does not find them.
func ofBoth(statement string) []string { return []string{statement, ofUnlisted(statement)} }

func ofUnlisted(statement string) string {
	return strings.NewReplacer("__Entity__", "__Unlisted__", "entity_words", "unlisted_words").Replace(statement)
}

// unwindBoth runs a statement about entities over rows, then the same about unlisted
// ones.
func unwindBoth[R any](t *tx, rows []R, take func(row), statement string) error {
	for _, s := range ofBoth(statement) {
		if err := unwindEach(t, rows, take, s); err != nil {
			return err
		}
	}
	return nil
}
