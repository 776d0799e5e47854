// Package source follows places that change: folders, sites, feeds, buckets, mail boxes and Git
// repositories. A look at one reads new and changed items, and reports missing ones, whose documents
// stay until a person deletes them.
//
//	start → list → compare → (send per item) fetch → compare → report → end
//
// A look is a run of a state graph. The listed items are compared with the known ones, and only items
// that are new or have another stamp are opened; if their content is unchanged, it is not read again.
package source

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/read/folder"
)

// A Place is the place that a source follows.
type Place struct {
	Address string
	Rules   ledger.SourceRules
	Secret  string // a password, if it needs one
}

// An Item is something that a place holds, of which a document can be made.
type Item struct {
	Name  string `json:"name"`            // stays the same while the item changes
	Stamp string `json:"stamp,omitempty"` // changes with the item; "" leaves that to Open
	Size  int64  `json:"size,omitempty"`
	Title string `json:"title,omitempty"`
}

// A Listing is a part of a place's list of items.
type Listing struct {
	Items   []Item
	LeftOut int    // items that can't be read or that the rules leave out
	Next    string // where the list continues; "" at its end
}

// Content is the content of an item.
type Content struct {
	Name   string        // of the file, with an ending for its format
	Source domain.Source // how it came in
	Link   string        // its address, if on the web
	Stamp  string        // of the item when it was opened; "" for the listed one
	Body   io.ReadSeekCloser
	Leads  []Item // further items found through it; their stamps are unknown
}

// ErrSame is the error of Open for an item that still matches its stamp.
var ErrSame = errors.New("the same")

// A Kind lists and opens the items of places of one kind. All kinds pass the same conformance suite. Its methods return an
// error of kind Invalid for a malformed address, Forbidden if access is denied, NotFound for a missing item, and Unavailable if
// a later try may succeed.
type Kind interface {
	// Check returns a place in canonical form.
	Check(ctx context.Context, p Place) (Place, error)
	// List lists a part of the items: the first for "", or the one that the previous part's Next
	// names. Each item is listed once, and unreadable ones are left out.
	List(ctx context.Context, p Place, at string) (Listing, error)
	// Open opens an item. It may fail with ErrSame if stamp is not empty and still the item's.
	Open(ctx context.Context, p Place, i Item, stamp string) (Content, error)
	// Traits describes how places of the kind are followed.
	Traits() Traits
}

// A Noticer is a Kind whose places can be looked at whenever something changes there.
type Noticer interface {
	// Listen rings a bell whenever something changes at a place.
	Listen(p Place, bell folder.Bell) error
}

// Traits say how places of a kind are followed.
type Traits struct {
	Complete bool // items that List omits don't exist
	Asks     bool // known items that List omits are opened too, to check whether they exist
	Locks    bool // places with a user need a password
}

// The kinds of source.
const (
	OfFolder = "folder"
	OfSite   = "site"
	OfFeed   = "feed"
	OfBucket = "bucket"
	OfMail   = "mail"
	OfGit    = "git"
)

// A Task is an item to open, with its state as known before.
type Task struct {
	Item
	Was Known `json:"was,omitzero"`
}

// Known is a [ledger.SourceItem] as the state of a look holds it.
type Known struct {
	Workspace  domain.WorkspaceID  `json:"workspace"`
	Source     string              `json:"source"`
	Name       string              `json:"name"`
	Stamp      string              `json:"stamp,omitempty"`
	Hash       string              `json:"hash,omitempty"`
	Title      string              `json:"title,omitempty"`
	File       string              `json:"file,omitempty"`
	From       string              `json:"from,omitempty"`
	Documents  []domain.DocumentID `json:"documents,omitempty"`
	Look       domain.RunID        `json:"look,omitempty"`
	Change     string              `json:"change,omitempty"`
	ChangeLook domain.RunID        `json:"change_look,omitempty"`
	ChangeAt   time.Time           `json:"change_at,omitzero"`
	Problem    string              `json:"problem,omitempty"`
}

// Compare returns the listed items to open, because they are unknown or no longer match their stamps, and the names of
// the unchanged ones. known holds the known items by name.
func Compare(known map[string]ledger.SourceItem, listed []Item) (open []Task, same []string) {
	for _, i := range listed {
		was, is := known[i.Name]
		if is && i.Stamp != "" && i.Stamp == was.Stamp {
			same = append(same, i.Name)
		} else {
			open = append(open, Task{i, Known(was)})
		}
	}
	return open, same
}
