package page

import (
	"time"

	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/partial"
)

// CypherProps are the page for statements in Cypher.
type CypherProps struct {
	App        layout.Props
	Connected  bool // there is a Neo4j
	Restricted bool // it keeps the page's user from writing
	Statement  string
	Parameters string
	Rows       int // the most that are shown
	Seconds    int // the most that it may take
	Problem    string
	Result     *CypherResult // nil before a statement has run
}

// CypherResult is the result of a statement.
type CypherResult struct {
	Columns          []string
	Rows             [][]CypherCell
	More             bool
	Took             time.Duration
	Nodes, Relations int
	Picture          *partial.GraphPictureProps // nil if there is nothing to draw
	Explore          string                     // the explorer around its entities, or ""
}

// CypherCell is a value of a result.
type CypherCell struct {
	Text  string
	Label string // of an entity
	URL   string // its page
}

func (r CypherResult) counts() string {
	text := format.Count(len(r.Rows), "row", "rows")
	if r.More {
		text = "The first " + text
	}
	return text + " in " + format.Duration(r.Took)
}

// asks tells what the page reads, and what keeps it from writing.
func (p CypherProps) asks() string {
	text := "A statement reads the whole database: every workspace, and whatever else the database holds. It changes nothing: it runs only if Neo4j says that it reads, in a transaction that may only read"
	if p.Restricted {
		return text + ", as a user of its own."
	}
	return text + ". The user is the one with which Clew writes; with Neo4j Enterprise, NEO4J_READ_USER can name one who may only read."
}
