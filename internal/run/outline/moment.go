package outline

import (
	"time"

	"github.com/clewhq/clew/internal/domain"
)

// A Moment is a run as it was between two super-steps.
type Moment struct {
	Trace Trace // as of the moment
	N     int
	Rail  []Stop   // all moments of the run
	Steps []Step   // that ended in the super-step before the moment
	Reads []string // fields that these declare to read
	State []Field
	Gone  string // why there is no state; "" if there is one
	Forks bool   // a branch can begin at the moment
	Walk  Walk   // of the search that ended before the moment; nil if there was none
}

// A Stop is one moment on the rail.
type Stop struct {
	N     int
	Names []string // of the nodes that ran before it; none at the start
	Took  time.Duration
}

// A Field is a field of the state as people read it.
type Field struct {
	Name   string
	Before Value
	After  Value
	Change string // how the super-step changed it; "" if it did not
	Known  bool   // the page already shows it
	Plain  string // its name for readers; "" for a technical field
}

// A Value is a value of a state. It is one of a text, a list and an object.
type Value struct {
	Text    string
	Quiet   bool // the text means that there is no value
	ID      bool // the text is the id of a document, a chunk or an entity
	Members []Member
	Count   int // of all members, including those not shown
	List    bool
	Name    string   // of an object that is a passage, if it is known
	Decided Decision // of an object that is a passage
}

// Leaf reports whether the value is a text.
func (v Value) Leaf() bool { return v.Text != "" || v.Quiet }

// A Member is a value in an object or a list.
type Member struct {
	Name  string // "" in a list
	Value Value
}

// A Decision is the grade that a person gave a passage.
type Decision struct {
	Grade string // "" if no person decided
	Was   string // its earlier grade; "" if it had none, or the same
	Why   string // the reason for that grade, if there is one
}

// Changes are what a step changed in the state of its run.
type Changes struct {
	Run   domain.RunID
	N     int // of the step's row
	Lines []Change
	Gone  string // why it can't be determined; "" if it can
}

// A Change is a value that a field got or lost.
type Change struct {
	Added bool
	Field string
	Value string
}
