package graphstore

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Console runs statements that people write in a store's own language. They
// may read everything in the store, whatever the workspace, and change nothing.
type Console interface {
	// Run runs a statement. Its errors are of kind Invalid if the statement is
	// wrong, Forbidden if it does more than read, and TooLarge if it takes too
	// long.
	Run(ctx context.Context, s Statement) (Table, error)

	// Restricted reports whether the store itself keeps the console's user
	// from writing, so that refusing statements is not all that does.
	Restricted() bool
}

// A Statement is a Cypher statement for a Console.
type Statement struct {
	Text       string
	Parameters map[string]any
	Rows       int // the most that are returned
	Timeout    time.Duration
}

// A Table is the result of a statement.
type Table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // of values that encoding/json knows, TableNode and TableEdge
	More    bool     `json:"more"` // there are more rows

	Nodes []TableNode   `json:"-"` // in the rows, each once
	Edges []TableEdge   `json:"-"` // in the rows, each once
	Took  time.Duration `json:"-"`
}

// A TableNode is a node in a Table.
type TableNode struct {
	ID         string          `json:"id"` // in the store
	Entity     domain.EntityID `json:"-"`  // "" if it is none
	Name       string          `json:"-"`
	Label      string          `json:"-"`
	Labels     []string        `json:"labels"`
	Properties map[string]any  `json:"properties"`
}

// A TableEdge is a relationship in a Table.
type TableEdge struct {
	ID         string         `json:"id"`
	From       string         `json:"from"`
	To         string         `json:"to"`
	Type       string         `json:"type"`
	Properties map[string]any `json:"properties"`
}
