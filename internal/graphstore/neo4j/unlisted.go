package neo4j

import "strings"

// anyEntity is the labels of entities, listed or not, for statements that seek nodes by id.
const anyEntity = `__Entity__|__Unlisted__`

// ofBoth returns a statement about entities, and the same about unlisted ones. These have another label, so that
// statements about the entities of a graph, here and in Neo4j's tools, do not find them.
func ofBoth(statement string) []string { return []string{statement, ofUnlisted(statement)} }

func ofUnlisted(statement string) string {
	return strings.NewReplacer("__Entity__", "__Unlisted__", "entity_words", "unlisted_words").Replace(statement)
}
