package neo4j

// WritingRelations are the statements that write relations.
var WritingRelations = []string{dropRelation, createRelation}
