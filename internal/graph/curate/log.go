package curate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection"
	"github.com/clewhq/clew/internal/projection/fold"
)

// latest is higher than every number of the log.
const latest = math.MaxInt64

// Changed is a change of the graph, or of tags, by hand.
type Changed struct {
	Change int64               `json:"change" trail:""`
	At     time.Time           `json:"at"`
	Who    string              `json:"who,omitempty"`
	Kind   ledger.CurationKind `json:"kind"`
	Text   string              `json:"text"` // a sentence without its full stop
	Entity domain.EntityID     `json:"entity,omitempty"`
	Undoes int64               `json:"undoes,omitempty"`
	Undone bool                `json:"undone"`
	Inert  bool                `json:"no_effect"`

	Shows domain.EntityID `json:"-"` // the entity to look at; "" if it is hidden or gone
}

// Which selects entries of the log.
type Which struct {
	Who  string // "" selects everybody's
	Kind ledger.CurationKind
}

// KindNames lists the kinds of entries.
func KindNames() string {
	return strings.Join(lists.Map(Kinds, func(k Kind) string { return string(k.Kind) }), ", ")
}

// Changes lists entries of the log, newest first, and the number of all that
// are selected. A limit of 0 lists all.
func (c *Curator) Changes(ctx context.Context, w domain.WorkspaceID, which Which, offset, limit int) ([]Changed, int, error) {
	if which.Kind != "" && kindOf(which.Kind).InWords == "" {
		return nil, 0, domain.Errorf(domain.Invalid, "There is no kind of change %q. The kinds are %s.", which.Kind, KindNames())
	}
	log, err := c.log(ctx, w, latest)
	if err != nil {
		return nil, 0, err
	}
	log = slices.DeleteFunc(log, func(e ledger.Curation) bool {
		return which.Who != "" && e.Who != which.Who || which.Kind != "" && e.Kind != which.Kind
	})
	total := len(log)
	if limit <= 0 {
		limit = total
	}
	slices.Reverse(log)
	lines, err := c.lines(ctx, w, log[min(offset, total):min(offset+limit, total)])
	return lines, total, err
}

// sight returns the projector of what the reader of ctx sees.
func (c *Curator) sight(ctx context.Context, w domain.WorkspaceID) (*projection.Projector, error) {
	if c.Sight == nil {
		return c.Projector, nil
	}
	return c.Sight(ctx, w)
}

// log returns the entries of the log up to a number, in order, without those about what is hidden from the reader of ctx.
func (c *Curator) log(ctx context.Context, w domain.WorkspaceID, last int64) ([]ledger.Curation, error) {
	log, err := c.Ledger.Curations(ctx, w, last)
	if err != nil || len(log) == 0 {
		return log, err
	}
	sight, err := c.sight(ctx, w)
	if err != nil || sight == c.Projector {
		return log, err
	}
	tags, err := c.Ledger.HiddenTags(ctx, w)
	if err != nil {
		return nil, err
	}
	whole, err := c.Projector.Effects(ctx, w, log)
	if err != nil {
		return nil, err
	}
	seen, err := sight.Effects(ctx, w, log)
	return slices.DeleteFunc(log, func(e ledger.Curation) bool { return tags[e.Seq] || tags[e.Undoes] || hides(whole[e.Seq], seen[e.Seq]) }), err
}

// hides reports whether an entry is about something that is in the whole graph and is not seen.
func hides(whole, seen fold.Effect) bool {
	names := func(t fold.Effect) []string {
		all := []string{t.Entity.Name, t.Target.Name, t.NewName}
		for _, o := range t.Others {
			all = append(all, o.Name)
		}
		return all
	}
	theirs, ours := names(whole), names(seen)
	for i, name := range theirs {
		if name != "" && (i >= len(ours) || ours[i] == "") {
			return true
		}
	}
	return false
}

// mostJoined is the maximum number of merges by rule listed for one entity.
const mostJoined = 3

// Joined is a merge by rule, with the proposal that explains it.
type Joined struct {
	Changed
	Pair domain.ProposalID
}

// Joined lists the latest merges by rule that made others part of an entity, newest
// first, without those that were undone.
func (c *Curator) Joined(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) ([]Joined, error) {
	log, err := c.live(ctx, w)
	log = slices.DeleteFunc(log, func(e ledger.Curation) bool {
		return e.Kind != ledger.CurationMerge || e.Who != ledger.Rule || e.Entity != id || len(e.Others) == 0
	})
	if err != nil || len(log) == 0 {
		return nil, err
	}
	slices.Reverse(log)
	log = log[:min(len(log), mostJoined)]
	lines, err := c.lines(ctx, w, log)
	all := make([]Joined, len(lines))
	for i, l := range lines {
		all[i] = Joined{l, domain.NewProposalID(w, id, log[i].Others[0])}
	}
	return all, err
}

// live returns the entries that are not undone, in order.
func (c *Curator) live(ctx context.Context, w domain.WorkspaceID) ([]ledger.Curation, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return nil, err
	}
	undone := ledger.Undone(log)
	return slices.DeleteFunc(log, func(e ledger.Curation) bool { return undone[e.Seq] || e.Kind == ledger.CurationUndo }), nil
}

// Curators lists who made changes, by name.
func (c *Curator) Curators(ctx context.Context, w domain.WorkspaceID) ([]string, error) {
	log, err := c.log(ctx, w, latest)
	var all []string
	for _, e := range log {
		if e.Who != "" && !slices.Contains(all, e.Who) {
			all = append(all, e.Who)
		}
	}
	slices.Sort(all)
	return all, err
}

// result returns the entity that a decision made or altered, "" for an undo.
func result(e ledger.Curation) domain.EntityID {
	if e.Kind == ledger.CurationSplit {
		return domain.NewSplitID(e.Entity, e.Seq)
	}
	return e.Entity
}

// Change returns an entry of the log, or an error of kind NotFound.
func (c *Curator) Change(ctx context.Context, w domain.WorkspaceID, seq int64) (Changed, error) {
	log, err := c.log(ctx, w, seq)
	if err != nil {
		return Changed{}, err
	}
	if len(log) == 0 || log[len(log)-1].Seq != seq {
		return Changed{}, domain.Errorf(domain.NotFound, "The list of changes has no entry %d.", seq)
	}
	lines, err := c.lines(ctx, w, log[len(log)-1:])
	if err != nil {
		return Changed{}, err
	}
	return lines[0], nil
}

// Describe returns the sentence of an entry, and whether it is undone.
func (c *Curator) Describe(ctx context.Context, w domain.WorkspaceID, seq int64) (text string, undone bool, err error) {
	line, err := c.Change(ctx, w, seq)
	return line.Text, line.Undone, err
}

func (c *Curator) lines(ctx context.Context, w domain.WorkspaceID, entries []ledger.Curation) ([]Changed, error) {
	sight, err := c.sight(ctx, w)
	if err != nil {
		return nil, err
	}
	effects, err := sight.Effects(ctx, w, entries)
	lines := make([]Changed, len(entries))
	for i, e := range entries {
		t := effects[e.Seq]
		l := Changed{t.Seq, t.At, t.Who, t.Kind, inWords(t), result(t.Curation), t.Undoes, t.Undone, t.Inert, t.Entity.ID}
		switch {
		case t.Kind == ledger.CurationHide || t.Entity.Name == "":
			l.Shows = ""
		case t.Kind == ledger.CurationSplit && !t.Undone && !t.Inert:
			l.Shows = l.Entity
		}
		lines[i] = l
	}
	return lines, err
}

// Successor returns the entity that an entity became part of: by a merge, or
// because the split that made it was undone. It returns the entity itself if
// there is none.
func (c *Curator) Successor(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.EntityID, error) {
	log, err := c.Ledger.Curations(ctx, w, latest)
	if err != nil {
		return id, err
	}
	undone := ledger.Undone(log)
	for _, e := range slices.Backward(log) {
		if e.Kind == ledger.CurationSplit && undone[e.Seq] && id == domain.NewSplitID(e.Entity, e.Seq) {
			id = e.Entity
		}
	}
	for _, e := range log {
		if e.Kind == ledger.CurationMerge && !undone[e.Seq] && slices.Contains(e.Others, id) {
			id = e.Entity
		}
	}
	return id, nil
}

// Entity returns an entity. Where curators made it vanish, the error is of kind
// Conflict and says what became of it.
func (c *Curator) Entity(ctx context.Context, w domain.WorkspaceID, id domain.EntityID) (domain.Entity, error) {
	e, err := c.Graph.Entity(ctx, w, id)
	if domain.KindOf(err) != domain.NotFound {
		return e, err
	}
	now, lost := c.Successor(ctx, w, id)
	if lost != nil {
		return e, lost
	}
	if now != id {
		if into, merged := c.Graph.Entity(ctx, w, now); merged == nil {
			return e, domain.Because(domain.Conflict, err, "This entity has since become part of “%s”. Go on from there, or undo that on the page of changes.", into.Name)
		}
	}
	live, lost := c.live(ctx, w)
	if lost != nil {
		return e, lost
	}
	for _, d := range live {
		if d.Kind == ledger.CurationHide && d.Entity == id {
			return e, domain.Because(domain.Conflict, err, "This entity was deleted by hand. Undo change %d on the page of changes to get it back.", d.Seq)
		}
	}
	return e, err
}

// Named returns the entities that a person may mean: the one with the id, those
// with exactly the name, or those with another form of it. The error is as Entity's for an id that is gone.
func (c *Curator) Named(ctx context.Context, w domain.WorkspaceID, name string) ([]domain.Entity, error) {
	e, err := c.Graph.Entity(ctx, w, domain.EntityID(name))
	if err == nil {
		return []domain.Entity{e}, nil
	}
	key := c.Projector.Key(name)
	if domain.KindOf(err) != domain.NotFound || key == "" {
		return nil, err
	}
	found, err := c.Graph.ByKey(ctx, w, []string{key})
	if found = graphstore.Listed(found); len(found) == 0 {
		if _, gone := c.Entity(ctx, w, domain.EntityID(name)); domain.KindOf(gone) == domain.Conflict {
			return nil, gone
		}
	}
	exact := slices.DeleteFunc(slices.Clone(found), func(e domain.Entity) bool { return e.Name != name })
	if len(exact) > 0 {
		return exact, err
	}
	return found, err
}

// One returns the only entity with a name or an id. The error is NotFound if
// there is none, and Conflict with a list of them if there are several.
func (c *Curator) One(ctx context.Context, w domain.WorkspaceID, name string) (domain.Entity, error) {
	found, err := c.Named(ctx, w, name)
	switch {
	case err != nil && domain.KindOf(err) != domain.NotFound:
		return domain.Entity{}, err
	case len(found) == 0:
		return domain.Entity{}, domain.Errorf(domain.NotFound, "No entity is called “%s”.", name)
	case len(found) > 1:
		var lines strings.Builder
		for _, e := range found[:min(len(found), 10)] {
			fmt.Fprintf(&lines, "\n  %s  %s  %s, %d mentions", e.ID, e.Label, e.Name, e.Mentions)
		}
		return domain.Entity{}, domain.Errorf(domain.Conflict, "%d entities are called “%s”. Use the id of one of them:%s", len(found), name, lines.String())
	}
	return found[0], nil
}

// A Kind is a kind of changes.
type Kind struct {
	Kind    ledger.CurationKind
	InWords string                   // what the changes are called
	says    func(fold.Effect) string // describes one in a sentence
}

// Kinds are the kinds of changes.
var Kinds = []Kind{
	{ledger.CurationMerge, "Merged", merged},
	{ledger.CurationSplit, "Split", func(t fold.Effect) string {
		return "Took " + cmp.Or(inQuotes(t.NewName), "a part") + " out of " + quoted(t.Entity)
	}},
	{ledger.CurationRename, "Renamed", func(t fold.Effect) string {
		return fmt.Sprintf("Renamed %s to “%s”", quoted(t.Entity), cmp.Or(t.Name, t.NewName))
	}},
	{ledger.CurationRelabel, "Labelled", func(t fold.Effect) string { return fmt.Sprintf("Labelled %s as %s", quoted(t.Entity), t.Label) }},
	{ledger.CurationSet, "Property set", edited},
	{ledger.CurationUnset, "Property removed", edited},
	{ledger.CurationCreate, "Entity added", func(t fold.Effect) string {
		if t.NewName == "" {
			return "Added an entity that is no longer there" + origin(t)
		}
		return fmt.Sprintf("Added “%s” as %s%s", t.NewName, t.Label, origin(t))
	}},
	{ledger.CurationRelate, "Relation added", func(t fold.Effect) string {
		return fmt.Sprintf("Added that %s %s %s%s", quoted(t.Entity), verb(t.Type), quoted(t.Target), origin(t))
	}},
	{ledger.CurationRetype, "Relation changed", func(t fold.Effect) string {
		return fmt.Sprintf("Changed “%s” between %s and %s to “%s”", verb(t.OldType), quoted(t.Entity), quoted(t.Target), verb(t.Type))
	}},
	{ledger.CurationHide, "Entity deleted", func(t fold.Effect) string { return "Deleted " + quoted(t.Entity) }},
	{ledger.CurationHideRelation, "Relation deleted", func(t fold.Effect) string {
		return fmt.Sprintf("Deleted that %s %s %s", quoted(t.Entity), verb(t.OldType), quoted(t.Target))
	}},
	{ledger.CurationApart, "Kept apart", func(t fold.Effect) string {
		if len(t.Others) == 0 {
			return "Changed " + quoted(t.Entity)
		}
		return fmt.Sprintf("Kept %s and %s apart", quoted(t.Entity), quoted(t.Others[0]))
	}},
	{ledger.CurationTag, "Documents tagged", tagged},
	{ledger.CurationField, "Fields changed", fielded},
	{ledger.CurationUndo, "Undone", nil},
}

// kindOf returns the kind with a name, or the zero Kind if there is none.
func kindOf(name ledger.CurationKind) Kind {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Kind == name })
	if i < 0 {
		return Kind{}
	}
	return Kinds[i]
}

// inWords describes an entry in a sentence.
func inWords(t fold.Effect) string {
	did := ""
	if t.Kind == ledger.CurationUndo {
		did, t.Kind = "Took back: ", t.UndoneKind
		if t.Restored {
			did = "Brought back: "
		}
	}
	says := kindOf(t.Kind).says
	switch {
	case says == nil:
		return did + "Changed " + quoted(t.Entity)
	case did != "":
		return did + lowerFirst(says(t))
	}
	return says(t)
}

func merged(t fold.Effect) string {
	words := fmt.Sprintf("Merged %s into %s", strings.Join(lists.Map(t.Others, quoted), ", "), quoted(t.Entity))
	if t.NewName != t.Entity.Name && t.NewName != "" {
		words += fmt.Sprintf(", now called “%s”", t.NewName)
	}
	return words
}

// origin describes where something created comes from.
func origin(t fold.Effect) string {
	if t.Stretch.Chunk == "" {
		return ", without a source"
	}
	return ", from a document"
}

// tagged describes a change of the tags of documents.
func tagged(t fold.Effect) string {
	list := func(tags []string) string { return "“" + strings.Join(tags, "”, “") + "”" }
	documents := domain.Counted(t.Documents, "document", "documents")
	switch {
	case len(t.Untags) == 0:
		return fmt.Sprintf("Tagged %s %s", documents, list(t.Tags))
	case len(t.Tags) == 0:
		return fmt.Sprintf("Took %s off %s", list(t.Untags), documents)
	}
	return fmt.Sprintf("Tagged %s %s, and took %s off", documents, list(t.Tags), list(t.Untags))
}

// fielded describes a change of a field, or of its values.
func fielded(t fold.Effect) string {
	c := t.Fields
	documents := domain.Counted(t.Documents, "document", "documents")
	names := "“" + strings.Join(c.Names, "”, “") + "”"
	switch {
	case c.Was.ID == "" && c.Is.ID != "":
		return fmt.Sprintf("Defined the field “%s”", c.Is.Name)
	case c.Is.ID == "" && c.Was.ID != "":
		return fmt.Sprintf("Deleted the field “%s”", c.Was.Name)
	case c.Is.Name != c.Was.Name:
		return fmt.Sprintf("Renamed the field “%s” to “%s”", c.Was.Name, c.Is.Name)
	case c.Is.ID != "":
		return fmt.Sprintf("Changed the field “%s”", c.Is.Name)
	case c.Value != "":
		return fmt.Sprintf("Set %s of %s to “%s”", names, documents, c.Value)
	case c.Origin == domain.FieldOfList.String():
		return fmt.Sprintf("Set %s of %s from a list", names, documents)
	}
	return fmt.Sprintf("Changed %s of %s", names, documents)
}

// edited describes a property that was set or removed.
func edited(t fold.Effect) string {
	of := quoted(t.Entity)
	if t.Relation != "" {
		of = fmt.Sprintf("the relation of %s and %s", of, quoted(t.Target))
	}
	key := "a property"
	if t.Key != "" {
		key = strings.ReplaceAll(t.Key, "_", " ")
	}
	if t.Key == domain.ValidKey && t.Relation != "" {
		key = "the time"
	}
	switch {
	case t.Kind == ledger.CurationUnset && t.NewValue != "":
		return fmt.Sprintf("Removed “%s” from %s of %s", t.NewValue, key, of)
	case t.Kind == ledger.CurationUnset:
		return fmt.Sprintf("Removed %s of %s", key, of)
	case t.NewValue == "":
		return fmt.Sprintf("Set %s of %s", key, of)
	case t.OldValue != "":
		return fmt.Sprintf("Changed %s of %s from “%s” to “%s”", key, of, t.OldValue, t.NewValue)
	}
	return fmt.Sprintf("Set %s of %s to “%s”", key, of, t.NewValue)
}

func quoted(n fold.Named) string {
	return cmp.Or(inQuotes(n.Name), "an entity that is no longer there")
}

// inQuotes returns a name in quotes, "" without one.
func inQuotes(name string) string {
	if name == "" {
		return ""
	}
	return "“" + name + "”"
}

func verb(kind string) string {
	if kind == "" {
		return "is related to"
	}
	return strings.ToLower(strings.ReplaceAll(kind, "_", " "))
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
