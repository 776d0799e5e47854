package retrieve

import (
	"github.com/clewhq/clew/internal/domain"
)

// DefaultLimit is the number of passages returned if a query sets no limit.
const DefaultLimit = 8

// A Query asks for passages.
type Query struct {
	Text   string
	Asked  string // the question that Text rewords, to which passages have to come near; Text if empty
	Method domain.MethodName
	Limit  int // maximum number of passages; DefaultLimit if not positive
	// Wider searches further after a query that found too little: twice as
	// many passages, the names of more sentences, a longer walk.
	Wider     bool
	Documents []domain.DocumentID // restricts passages and the walk to these; empty means all

	Report func(domain.Method) // is told of each method once it is done; may be nil
}

func (q Query) limit() int {
	n := q.Limit
	if n <= 0 {
		n = DefaultLimit
	}
	if q.Wider {
		n *= 2
	}
	return n
}

// A Result lists the passages found and the methods tried.
type Result struct {
	// Passages are best first. The path of one is the walk's route from the
	// question to it: over a name in the question to a passage that mentions
	// it, over a name in that passage to the next. If From is set on the first
	// hop, the route starts at a passage found by its words.
	Passages []domain.FoundPassage
	Methods  []domain.Method // in the order they ran, skipped ones included
}
