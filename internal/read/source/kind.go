// Package source follows places that change: folders, sites, feeds, buckets and mail boxes. A look at one reads
// what is new there or has changed, and tells what is gone, whose documents stay until a person deletes them.
//
//	start → list → compare → (send per item) fetch → compare → report → end
//
// A look is a run of a state graph. What a place lists is compared with what is known of its items, and only what is new or
// stamped anew is opened; what then has the content that it had is not read again.
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
	LeftOut int    // items that can't be read, or that the rules leave out
	Next    string // where the list goes on; "" at its end
}

// Content is the content of an item.
type Content struct {
	Name   string        // of the file, with an ending that tells its format
	Source domain.Source // how it came in
	Link   string        // where people find it, if on the web
	Stamp  string        // of the item as it was opened; "" for the one that was listed
	Body   io.ReadSeekCloser
	Leads  []Item // further items that it leads to; their stamps are not known
}

// ErrSame is the error of Open for an item that still matches its stamp.
var ErrSame = errors.New("the same")

// A Kind lists and opens the items of places of one kind. All kinds pass the same conformance suite. Its methods return an
// error of kind Invalid for a malformed address, Forbidden if access is denied, NotFound for a missing item, and Unavailable if
// a later try may succeed.
type Kind interface {
	// Check returns a place in canonical form.
	Check(ctx context.Context, p Place) (Place, error)
	// List lists a part of the items: the first for "", or what Next of the part before names. Each item is listed once, and
	// what can't be read is left out.
	List(ctx context.Context, p Place, at string) (Listing, error)
	// Open opens an item. It may fail with ErrSame if stamp, which is not empty then, is still its stamp.
	Open(ctx context.Context, p Place, i Item, stamp string) (Content, error)
	// Traits describes how places of the kind are followed.
	Traits() Traits
}

// A Noticer is a Kind whose places can be looked at whenever something changes there.
type Noticer interface {
	// Listen has a bell ring when something changes at a place.
	Listen(p Place, bell folder.Bell) error
}

// Traits say how places of a kind are followed.
type Traits struct {
	Complete bool // what List does not list is not there
	Asks     bool // known items that List does not list are opened too, to see whether they are there
	Locks    bool // places need a password if a user is named
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
