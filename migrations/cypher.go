package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed neo4j/*.cypher
var cypherFiles embed.FS

// A Cypher is a migration of the Neo4j graph: constraints and indexes, each
// with IF NOT EXISTS, so that it may run again.
type Cypher struct {
	Name       string // of its file, for instance 0001_create_constraints
	Statements []string
}

// Neo4j returns the migrations of the Neo4j graph in order.
func Neo4j() ([]Cypher, error) {
	entries, err := fs.ReadDir(cypherFiles, "neo4j")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var all []Cypher
	for _, e := range entries {
		text, err := fs.ReadFile(cypherFiles, "neo4j/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
		all = append(all, Cypher{Name: strings.TrimSuffix(e.Name(), ".cypher"), Statements: statements(string(text))})
	}
	return all, nil
}

// statements splits a file at semicolons and drops comment lines.
func statements(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines = append(lines, line)
		}
	}
	var all []string
	for part := range strings.SplitSeq(strings.Join(lines, ""), ";") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}
