// Package curate lets curators correct the graph: create, merge, split, rename,
// delete, edit properties, and undo any of it. Every decision is an entry of the curation log in the ledger;
// the graph and the search index follow the log.
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
	"github.com/clewhq/clew/internal/mine/extract"
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

// Params are the dependencies of a Curator. All are required.
type Params struct {
	Ledger    *ledger.Ledger
	Graph     graphstore.Store
	Projector *projection.Projector
	Log       *slog.Logger
}

// A Curator makes decisions and returns their log entries. Errors are NotFound
// for an entity that does not exist and Invalid for an unusable name, label or
// type. who is the curator's account, "" where there are no accounts.
type Curator struct {
	Params

	seen int64 // the last change that whoever decides knows of; 0 for all
}

// New returns a curator.
func New(p Params) *Curator { return &Curator{Params: p} }

// Knowing returns the curator for decisions of somebody who has seen the graph
// at a change (see graphstore.Reader.Cursor). A decision that a later one has
// overtaken is refused with a Conflict error that says what happened meanwhile.
func (c *Curator) Knowing(seq int64) *Curator { return &Curator{c.Params, max(0, seq)} }

// Merge makes others part of an entity, which takes the given name unless that is
// "". The error is Conflict when some of them were decided to be apart.
func (c *Curator) Merge(ctx context.Context, w domain.WorkspaceID, who string, into domain.EntityID, others []domain.EntityID, name string) (ledger.Curation, error) {
	others = slices.Compact(slices.Sorted(slices.Values(others)))
	if len(others) == 0 || len(others) > maxOthers || slices.Contains(others, into) {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "Choose between one and %d other entities to merge.", maxOthers)
	}
	if err := c.checkApart(ctx, w, into, others); err != nil {
		return ledger.Curation{}, err
	}
	op := ledger.Operation{Entity: into, Others: others}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationMerge, Operation: op}, name)
}

// checkApart refuses to merge entities that were decided to be apart.
func (c *Curator) checkApart(ctx context.Context, w domain.WorkspaceID, into domain.EntityID, others []domain.EntityID) error {
	live, err := c.live(ctx, w)
	if err != nil {
		return err
	}
	all := append([]domain.EntityID{into}, others...)
	for _, e := range live {
		if e.Kind == ledger.CurationApart && slices.Contains(all, e.Entity) &&
			slices.ContainsFunc(e.Others, func(id domain.EntityID) bool { return slices.Contains(all, id) }) {
			return domain.Errorf(domain.Conflict, "It was decided to keep these apart. Undo that on the page of changes, then merge them.")
		}
	}
	return nil
}

// Split moves the mentions of an entity in some chunks, or under some forms of
// its name, to a new entity. With name "" the mentions give it its name.
func (c *Curator) Split(ctx context.Context, w domain.WorkspaceID, who string, from domain.EntityID, chunks []domain.ChunkID, forms []string, name string) (ledger.Curation, error) {
	if len(chunks)+len(forms) == 0 || len(chunks) > maxChosen || len(forms) > maxChosen {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "Choose what to take out: at least one name or passage, at most %d.", maxChosen)
	}
	op := ledger.Operation{Entity: from, Chunks: chunks}
	for _, form := range forms {
		op.Forms = append(op.Forms, domain.Hash([]byte(form)))
	}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationSplit, Operation: op}, name)
}

// Rename shows an entity under another name.
func (c *Curator) Rename(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID, name string) (ledger.Curation, error) {
	if strings.TrimSpace(name) == "" {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "A name needs at least one character.")
	}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationRename, Operation: ledger.Operation{Entity: id}}, name)
}

// Relabel gives an entity another label.
func (c *Curator) Relabel(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID, label string) (ledger.Curation, error) {
	if err := short(label, "A label"); err != nil {
		return ledger.Curation{}, err
	}
	op := ledger.Operation{Entity: id, Label: extract.Label(label)}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationRelabel, Operation: op}, "")
}

// Hide deletes an entity and its relations from the graph. The documents keep
// what they say.
func (c *Curator) Hide(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID) (ledger.Curation, error) {
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationHide, Operation: ledger.Operation{Entity: id}}, "")
}

// Apart records that two entities are not the same, however alike.
func (c *Curator) Apart(ctx context.Context, w domain.WorkspaceID, who string, a, b domain.EntityID) (ledger.Curation, error) {
	if a == b {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "Choose two entities to keep apart.")
	}
	op := ledger.Operation{Entity: a, Others: []domain.EntityID{b}}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationApart, Operation: op}, "")
}

// HideRelation leaves a relation of an entity out of the graph.
func (c *Curator) HideRelation(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID, relation domain.RelationID) (ledger.Curation, error) {
	return c.relation(ctx, w, who, id, relation, ledger.CurationHideRelation, "")
}

// Retype gives a relation of an entity another type.
func (c *Curator) Retype(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID, relation domain.RelationID, kind string) (ledger.Curation, error) {
	if err := short(kind, "A relation's type"); err != nil {
		return ledger.Curation{}, err
	}
	return c.relation(ctx, w, who, id, relation, ledger.CurationRetype, extract.Type(kind))
}

func (c *Curator) relation(ctx context.Context, w domain.WorkspaceID, who string, id domain.EntityID, relation domain.RelationID, kind ledger.CurationKind, to string) (ledger.Curation, error) {
	edge, err := c.Relation(ctx, w, id, relation)
	if err != nil {
		return ledger.Curation{}, err
	}
	if edge.Type == to {
		return ledger.Curation{}, domain.Errorf(domain.Invalid, "The relation has that type already.")
	}
	op := ledger.Operation{Entity: edge.Source, Target: edge.Target, Relation: relation, Type: to}
	return c.decide(ctx, w, ledger.Curation{Who: who, Kind: kind, Operation: op}, "")
}

// Relation returns a relation with the entity at one end.
func (c *Curator) Relation(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, relation domain.RelationID) (graphstore.Edge, error) {
	edges, err := c.Graph.Relations(ctx, w, id, 0)
	if err != nil {
		return graphstore.Edge{}, err
	}
	i := slices.IndexFunc(edges, func(e graphstore.Edge) bool { return e.ID == relation })
	if i < 0 {
		return graphstore.Edge{}, domain.Errorf(domain.NotFound, "That relation is not in the graph (any more).")
	}
	return edges[i], nil
}

// Tag gives tags to the documents that a query selects and takes others off them. A tag in both is taken off. The entry is
// the zero one if all tags were so before.
func (c *Curator) Tag(ctx context.Context, w domain.WorkspaceID, who string, q ledger.DocumentQuery, add, remove []string) (ledger.Curation, error) {
	add = slices.DeleteFunc(slices.Clone(add), func(tag string) bool { return slices.Contains(remove, tag) })
	entry, err := c.Ledger.TagDocuments(ctx, w, who, q, add, remove)
	if err != nil || entry.Seq == 0 {
		return entry, err
	}
	return entry, c.project(ctx, w)
}

// Undo undoes any entry, also an earlier undo. The error is Conflict when it is
// undone already.
func (c *Curator) Undo(ctx context.Context, w domain.WorkspaceID, who string, seq int64) (ledger.Curation, error) {
	entry, err := c.Ledger.Curate(ctx, w, ledger.Curation{Who: who, Kind: ledger.CurationUndo, Undoes: seq}, nil)
	if err != nil {
		return entry, err
	}
	return entry, c.project(ctx, w)
}

// decide checks that the entities of an entry exist and stores it. A name that
// one of them has already comes from documents: the log gets only its hash.
func (c *Curator) decide(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation, name string) (ledger.Curation, error) {
	name, err := oneLine(name, "A name", MaxName)
	if err != nil {
		return entry, err
	}
	if entry.Seen, err = c.known(ctx, w); err != nil {
		return entry, err
	}
	keys := map[domain.EntityID]string{}
	entry.Name = name
	for _, id := range entry.Entities() {
		e, err := c.Entity(ctx, w, id)
		if err != nil {
			return entry, err
		}
		keys[id] = e.Key
		if name != "" && (e.Name == name || slices.Contains(e.Aliases, name)) {
			entry.Name, entry.Form = "", domain.Hash([]byte(name))
		}
	}
	return c.store(ctx, w, entry, keys)
}

// known returns the last change that a decision may be based on. A change that
// the graph lacks is unknown to everybody.
func (c *Curator) known(ctx context.Context, w domain.WorkspaceID) (int64, error) {
	at, err := c.Graph.Cursor(ctx, w)
	if c.seen > 0 {
		at = min(at, c.seen)
	}
	return at, err
}

func (c *Curator) store(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation, keys map[domain.EntityID]string) (ledger.Curation, error) {
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

func short(words, what string) error {
	if strings.TrimSpace(words) == "" || domain.Runes(words) > maxLabel || strings.ContainsFunc(words, unicode.IsControl) {
		return domain.Errorf(domain.Invalid, "%s has between 1 and %d characters, on one line.", what, maxLabel)
	}
	return nil
}

// oneLine returns words with single spaces.
func oneLine(words, what string, most int) (string, error) {
	words = strings.Join(strings.Fields(words), " ")
	if domain.Runes(words) > most || strings.ContainsFunc(words, unicode.IsControl) {
		return words, domain.Errorf(domain.Invalid, "%s has at most %d characters, on one line.", what, most)
	}
	return words, nil
}

// live returns the entries in force, in order.
func (c *Curator) live(ctx context.Context, w domain.WorkspaceID) ([]ledger.Curation, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return nil, err
	}
	undone := ledger.Undone(log)
	return slices.DeleteFunc(log, func(e ledger.Curation) bool { return undone[e.Seq] || e.Kind == ledger.CurationUndo }), nil
}
