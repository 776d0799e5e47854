package domain

import (
	"errors"
	"sync"
)

// ErrForeign is wrapped by errors of stores that belong to another library.
var ErrForeign = errors.New("the store belongs to another ledger")

// Foreign returns the error for a store that belongs to another library. place names the store, and remedy says how this
// library can get one.
func Foreign(place, remedy string) error {
	return Because(Invalid, ErrForeign, "%s belongs to another library, and nothing was changed there. %s Or have this library replace its content: clew rebuild --take-over.", place, remedy)
}

// Owners are the ledgers whose projection a store's handle writes, by workspace.
// The zero value is ready for use.
type Owners struct {
	mu sync.RWMutex
	of map[WorkspaceID]string
}

// Set names the ledger of a workspace.
func (o *Owners) Set(w WorkspaceID, owner string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[WorkspaceID]string{}
	}
	o.of[w] = owner
}

// Of returns the ledger of a workspace, or "" if none was named.
func (o *Owners) Of(w WorkspaceID) string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.of[w]
}

// Differ reports whether stored, the owner recorded in a store, is another ledger than this one's. A store without an
// owner belongs to anyone.
func (o *Owners) Differ(w WorkspaceID, stored string) bool {
	mine := o.Of(w)
	return mine != "" && stored != "" && mine != stored
}
