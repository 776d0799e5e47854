// Package curate carries out curators' decisions about the graph: to create, merge, split, rename or delete entities, to
// edit properties, and to undo any of it. Each decision is an entry of the curation log in the ledger; the graph and the
// search index follow the log.
package curate

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
)

// Limits of one decision.
const (
	MaxName   = 200  // code points of a name
	maxLabel  = 60   // code points of a label or a type
	maxOthers = 50   // entities merged in one go
	maxChosen = 2000 // chunks or forms taken out in one go
	MaxValue  = 500  // code points of a property's value
)

// Params are the dependencies of a Curator. All are required but Sight.
type Params struct {
	Ledger    *ledger.Ledger
	Graph     graphstore.Store
	Projector *projection.Projector
	Sight     func(ctx context.Context, w domain.WorkspaceID) (*projection.Projector, error) // of the view of ctx's reader; nil if everybody sees all
	Log       *slog.Logger
}

// A Curator makes the decisions of the person of a context (see domain.PersonOf).
type Curator struct{ Params }

// New returns a curator.
func New(p Params) *Curator { return &Curator{p} }

// A Decision is one of the types of this package that describe a decision. Its fields are what a form, a command or a
// program says; its method checks them.
type Decision interface {
	// entry returns the log entry and the normalised names of its entities. It returns NotFound if an
	// entity does not exist and Invalid if a name, label or type is unusable.
	entry(ctx context.Context, c *Curator) (ledger.Curation, map[domain.EntityID]string, error)
	// since returns the last change that the person has seen; 0 for the current graph.
	since() int64
}

// Make makes a decision and returns its entry of the log. A decision that a later one has overtaken is refused with a
// Conflict error that says what happened meanwhile.
func (c *Curator) Make(ctx context.Context, d Decision) (ledger.Curation, error) {
	w := domain.WorkspaceOf(ctx)
	seen, err := c.Graph.Cursor(ctx, w) // nobody can have seen a change that the graph lacks
	if err != nil {
		return ledger.Curation{}, err
	}
	entry, keys, err := d.entry(ctx, c)
	if err != nil {
		return entry, err
	}
	if entry.Seen = seen; d.since() > 0 {
		entry.Seen = min(seen, d.since())
	}
	return c.store(ctx, w, entry, keys)
}

// Decide makes a decision and describes the change.
func (c *Curator) Decide(ctx context.Context, d Decision) (Changed, error) {
	entry, err := c.Make(ctx, d)
	return c.decided(ctx, entry, err)
}

// Undo undoes any entry, also an earlier undo. The error is Conflict when it is
// undone already.
func (c *Curator) Undo(ctx context.Context, seq int64) (ledger.Curation, error) {
	return c.store(ctx, domain.WorkspaceOf(ctx), ledger.Curation{Kind: ledger.CurationUndo, Undoes: seq}, nil)
}

// Tag gives tags to the documents that a query selects and takes others off them. A tag in both is taken off. The entry is
// the zero one if all tags were so before.
func (c *Curator) Tag(ctx context.Context, q ledger.DocumentQuery, add, remove []string) (ledger.Curation, error) {
	w := domain.WorkspaceOf(ctx)
	add = slices.DeleteFunc(slices.Clone(add), func(tag string) bool { return slices.Contains(remove, tag) })
	entry, err := c.Ledger.TagDocuments(ctx, w, domain.PersonOf(ctx), q, add, remove)
	if err != nil || entry.Seq == 0 {
		return entry, err
	}
	return entry, c.project(ctx, w)
}

// ChangeField defines, alters or deletes a field of documents, see ledger.ChangeField, and returns its entry in the log.
func (c *Curator) ChangeField(ctx context.Context, f domain.Field) (ledger.Curation, domain.Field, error) {
	w := domain.WorkspaceOf(ctx)
	entry, f, err := c.Ledger.ChangeField(ctx, w, domain.PersonOf(ctx), f)
	if err != nil || entry.Seq == 0 {
		return entry, f, err
	}
	return entry, f, c.project(ctx, w)
}

// SetFields changes the values that an origin gives fields of documents, see ledger.SetFields, and returns its entry in
// the log.
func (c *Curator) SetFields(ctx context.Context, origin domain.FieldOrigin, value string, sets []ledger.FieldSet) (ledger.Curation, error) {
	w := domain.WorkspaceOf(ctx)
	entry, err := c.Ledger.SetFields(ctx, w, domain.PersonOf(ctx), origin, value, sets)
	if err != nil || entry.Seq == 0 {
		return entry, err
	}
	return entry, c.project(ctx, w)
}

func (c *Curator) store(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation, keys map[domain.EntityID]string) (ledger.Curation, error) {
	entry.Who = domain.PersonOf(ctx)
	entry, err := c.Ledger.Curate(ctx, w, entry, keys)
	if err != nil {
		return entry, err
	}
	return entry, c.project(ctx, w)
}

// project brings the stores up to date. A store that doesn't answer follows
// later: the decision is stored.
func (c *Curator) project(ctx context.Context, w domain.WorkspaceID) error {
	err := c.Projector.Apply(context.WithoutCancel(ctx), w)
	if domain.KindOf(err) == domain.Unavailable {
		c.Log.WarnContext(ctx, "the stores follow a curator's decision later", "err", err)
		return nil
	}
	return err
}

// about returns the entry of a decision about an entity, and the keys of all entities that it names. A name that
// one of them has already comes from documents: the log gets only its hash.
func (c *Curator) about(ctx context.Context, entity string, kind ledger.CurationKind, op ledger.Operation) (ledger.Curation, map[domain.EntityID]string, error) {
	entry, w := ledger.Curation{Kind: kind, Operation: op}, domain.WorkspaceOf(ctx)
	if entity != "" {
		e, err := c.One(ctx, w, entity)
		if err != nil {
			return entry, nil, err
		}
		entry.Entity = e.ID
	}
	name, err := oneLine(op.Name, "A name", MaxName)
	if err != nil {
		return entry, nil, err
	}
	keys := map[domain.EntityID]string{}
	entry.Name = name
	for _, id := range entry.Entities() {
		e, err := c.Entity(ctx, w, id)
		if err != nil {
			return entry, nil, err
		}
		keys[id] = e.Key
		if name != "" && (e.Name == name || slices.Contains(e.Aliases, name)) {
			entry.Name, entry.Form = "", domain.Hash([]byte(name))
		}
	}
	return entry, keys, nil
}

// checkShort refuses a label, a type or a key that is empty, too long or more than a line.
func checkShort(words, what string) error {
	if strings.TrimSpace(words) == "" || domain.Runes(words) > maxLabel || strings.ContainsFunc(words, unicode.IsControl) {
		return domain.Errorf(domain.Invalid, "%s must have between 1 and %d characters, on one line.", what, maxLabel)
	}
	return nil
}

// oneLine returns words with single spaces.
func oneLine(words, what string, most int) (string, error) {
	words = domain.OneLine(words)
	if domain.Runes(words) > most || strings.ContainsFunc(words, unicode.IsControl) {
		return words, domain.Errorf(domain.Invalid, "%s must have at most %d characters, on one line.", what, most)
	}
	return words, nil
}
