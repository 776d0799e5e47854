package curate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/mine/extract"
)

// Knowing is the state of the graph that a decision is based on.
type Knowing struct {
	Seen int64 `json:"seen" doc:"refuse if a later change has altered the same thing"`
}

func (k Knowing) since() int64 { return k.Seen }

// One names an entity to decide about.
type One struct {
	Name string `json:"entity" arg:"NAME" doc:"name or id of an entity"`
	Knowing
}

// keyed are the entities that an entry names, with their normalised names.
type keyed = map[domain.EntityID]string

// Renaming shows an entity under another name.
type Renaming struct {
	One
	To string `json:"new" arg:"NEW" doc:"its new name"`
}

func (d Renaming) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	if strings.TrimSpace(d.To) == "" {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "A name needs at least one character.")
	}
	return c.about(ctx, d.Name, ledger.CurationRename, ledger.Operation{Name: d.To})
}

// Relabelling gives an entity another label.
type Relabelling struct {
	One
	Label string `json:"label" arg:"LABEL" doc:"its new label"`
}

func (d Relabelling) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	if err := checkShort(d.Label, "A label"); err != nil {
		return ledger.Curation{}, nil, err
	}
	return c.about(ctx, d.Name, ledger.CurationRelabel, ledger.Operation{Label: extract.Label(d.Label)})
}

// Merging makes all others part of an entity, which takes another name unless that is "". The error is Conflict when some of
// them were decided to be apart.
type Merging struct {
	One
	Others []string `json:"others" arg:"OTHER..." doc:"names or ids of the entities that become part of it"`
	To     string   `json:"name" doc:"the new name"`
}

func (d Merging) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	few := domain.Errorf(domain.Invalid, "Choose between one and %d other entities to merge.", maxOthers)
	if d.Name == "" || len(d.Others) == 0 {
		return ledger.Curation{}, nil, few
	}
	w, all, op := domain.WorkspaceOf(ctx), []domain.EntityID{}, ledger.Operation{Name: d.To}
	for _, name := range append([]string{d.Name}, d.Others...) {
		e, err := c.One(ctx, w, name)
		if err != nil {
			return ledger.Curation{}, nil, err
		}
		all = append(all, e.ID)
	}
	op.Entity, op.Others = all[0], slices.Compact(slices.Sorted(slices.Values(all[1:])))
	op.Others = slices.DeleteFunc(op.Others, func(id domain.EntityID) bool { return id == op.Entity })
	if len(op.Others) == 0 || len(op.Others) > maxOthers {
		return ledger.Curation{}, nil, few
	}
	live, err := c.live(ctx, w)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	for _, e := range live {
		if e.Kind == ledger.CurationApart && slices.Contains(all, e.Entity) &&
			slices.ContainsFunc(e.Others, func(id domain.EntityID) bool { return slices.Contains(all, id) }) {
			return e, nil, domain.Errorf(domain.Conflict, "Somebody decided to keep these apart. Undo that on the page of changes, then merge them.")
		}
	}
	return c.about(ctx, "", ledger.CurationMerge, op)
}

// Splitting moves the mentions of an entity in some chunks, or under some forms of
// its name, to a new entity. Without a name the mentions give it its name.
type Splitting struct {
	One
	Forms  []string `json:"form" whole:"" doc:"take out all mentions with this spelling; can be repeated"`
	Chunks []string `json:"chunk" whole:"" doc:"take out all mentions in the passage with this id, as printed by clew entities show; can be repeated"`
	To     string   `json:"name" doc:"name of the new entity; by default the spelling of its mentions"`
}

func (d Splitting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	if len(d.Chunks)+len(d.Forms) == 0 || len(d.Chunks) > maxChosen || len(d.Forms) > maxChosen {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "Choose what to take out: at least one name or passage, at most %d.", maxChosen)
	}
	op := ledger.Operation{Name: d.To}
	for _, id := range d.Chunks {
		op.Chunks = append(op.Chunks, domain.ChunkID(id))
	}
	for _, form := range d.Forms {
		op.Forms = append(op.Forms, domain.Hash([]byte(form)))
	}
	return c.about(ctx, d.Name, ledger.CurationSplit, op)
}

// Deleting leaves an entity with its relations, or one of them, out of the graph. The documents keep what they say.
type Deleting struct {
	One
	Relation domain.RelationID `json:"relation" doc:"delete only this relation, by its id as printed by clew entities show"`
}

func (d Deleting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	if d.Relation != "" {
		return c.aboutRelation(ctx, d.One, d.Relation, ledger.CurationHideRelation, "")
	}
	return c.about(ctx, d.Name, ledger.CurationHide, ledger.Operation{})
}

// Retyping gives a relation of an entity another type.
type Retyping struct {
	One
	Relation domain.RelationID `json:"relation" arg:"RELATION" doc:"id of the relation"`
	Type     string            `json:"type" arg:"TYPE" doc:"its new type"`
}

func (d Retyping) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	if err := checkShort(d.Type, "A relation's type"); err != nil {
		return ledger.Curation{}, nil, err
	}
	return c.aboutRelation(ctx, d.One, d.Relation, ledger.CurationRetype, extract.Type(d.Type))
}

func (c *Curator) aboutRelation(ctx context.Context, of One, relation domain.RelationID, kind ledger.CurationKind, to string) (ledger.Curation, keyed, error) {
	e, err := c.One(ctx, domain.WorkspaceOf(ctx), of.Name)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	edge, err := c.Relation(ctx, domain.WorkspaceOf(ctx), e.ID, relation)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if edge.Type == to {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "The relation already has that type.")
	}
	return c.about(ctx, "", kind, ledger.Operation{Entity: edge.Source, Target: edge.Target, Relation: relation, Type: to})
}

// Relation returns a relation with the entity at one end.
func (c *Curator) Relation(ctx context.Context, w domain.WorkspaceID, id domain.EntityID, relation domain.RelationID) (graphstore.Edge, error) {
	edges, err := c.Graph.Relations(ctx, w, id, 0)
	if err != nil {
		return graphstore.Edge{}, err
	}
	i := slices.IndexFunc(edges, func(e graphstore.Edge) bool { return e.ID == relation })
	if i < 0 {
		return graphstore.Edge{}, domain.Errorf(domain.NotFound, "That relation is not in the graph, or no longer.")
	}
	return edges[i], nil
}

// Parting records that two entities are not the same, however alike.
type Parting struct {
	One
	Other string `json:"other" arg:"OTHER" doc:"name or id of the other entity"`
}

func (d Parting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	other, err := c.One(ctx, domain.WorkspaceOf(ctx), d.Other)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	entry, keys, err := c.about(ctx, d.Name, ledger.CurationApart, ledger.Operation{Others: []domain.EntityID{other.ID}})
	if err == nil && entry.Entity == other.ID {
		err = domain.Errorf(domain.Invalid, "Choose two entities to keep apart.")
	}
	return entry, keys, err
}

// Creating adds an entity, or a mention of one: the words of a source, under
// another name unless that is "", or a name without a source. It goes with the
// source's document; without a source it stays until it is undone. The error is
// Conflict when there is nothing to add.
type Creating struct {
	Name  string `json:"name" arg:"NAME" blank:"" doc:"name of the entity; the words of the document if it is empty"`
	Label string `json:"label" doc:"its label, for instance Person; unlabelled by default"`
	Marking
	Knowing
}

func (d Creating) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	w, entry := domain.WorkspaceOf(ctx), ledger.Curation{Kind: ledger.CurationCreate}
	name, err := oneLine(d.Name, "A name", MaxName)
	if err != nil {
		return entry, nil, err
	}
	if err := checkShort(cmp.Or(d.Label, domain.UnknownLabel), "A label"); err != nil {
		return entry, nil, err
	}
	at, words, err := c.stretch(ctx, w, d.Marking, false)
	if err != nil {
		return entry, nil, err
	}
	if words, err = oneLine(words, "A name", MaxName); err != nil {
		return entry, nil, err
	}
	if name == words {
		name = "" // the words belong to the document
	}
	key := c.Projector.Key(cmp.Or(name, words))
	if key == "" || !strings.ContainsFunc(key, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return entry, nil, domain.Errorf(domain.Invalid, "A name needs at least one letter or digit.")
	}
	entry.Stretch, entry.Name, entry.Label = at, name, domain.UnknownLabel
	if d.Label != "" {
		entry.Label = extract.Label(d.Label)
	}
	entry.Entity = domain.NewEntityID(w, entry.Label, key)
	return entry, keyed{entry.Entity: key}, c.isNew(ctx, w, entry)
}

// isNew refuses an entity or a mention that is there already.
func (c *Curator) isNew(ctx context.Context, w domain.WorkspaceID, entry ledger.Curation) error {
	e, err := c.Entity(ctx, w, entry.Entity)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if entry.Stretch.Chunk == "" {
		return domain.Errorf(domain.Conflict, "“%s” is already in the graph with this label. Open it to change it.", e.Name)
	}
	links, err := c.Graph.Links(ctx, w, e.ID, 0)
	if slices.ContainsFunc(links, func(l graphstore.Link) bool {
		return l.Chunk == entry.Stretch.Chunk && slices.ContainsFunc(l.Spans, entry.Stretch.Span.Overlaps)
	}) {
		return domain.Errorf(domain.Conflict, "These words already stand for “%s”.", e.Name)
	}
	return err
}

// Relating adds a relation between two entities. A source states it, with the
// whole sentence; it goes with the source's document. Without a source it stays
// until it is undone. The error is Conflict when there is nothing to add.
type Relating struct {
	One
	Type   string `json:"type" arg:"TYPE" doc:"type of the relation"`
	Target string `json:"target" arg:"TARGET" doc:"name or id of the entity to which it leads"`
	Marking
}

func (d Relating) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	w := domain.WorkspaceOf(ctx)
	source, err := c.One(ctx, w, d.Name)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	target, err := c.One(ctx, w, d.Target)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if source.ID == target.ID {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "Choose two different entities to relate.")
	}
	if err := checkShort(d.Type, "A relation's type"); err != nil {
		return ledger.Curation{}, nil, err
	}
	at, _, err := c.stretch(ctx, w, d.Marking, true)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	op := ledger.Operation{Entity: source.ID, Target: target.ID, Type: extract.Type(d.Type), Stretch: at}
	edge, err := c.Relation(ctx, w, source.ID, domain.NewRelationID(source.ID, op.Type, target.ID))
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return ledger.Curation{}, nil, err
	}
	if err == nil && (at.Chunk == "" || slices.ContainsFunc(edge.Evidence, func(e domain.Evidence) bool {
		return e.Chunk == at.Chunk && slices.ContainsFunc(e.Spans, at.Span.Overlaps)
	})) {
		return ledger.Curation{}, nil, domain.Errorf(domain.Conflict, "The graph already has this relation.")
	}
	return c.about(ctx, "", ledger.CurationRelate, op)
}

// Setting gives a property of an entity, or of one of its relations, a value in place of the value Was or, if that is "",
// of all others. The library's schema says of which type it has to be.
type Setting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY" doc:"name of the property"`
	Value    string            `json:"value" arg:"VALUE" doc:"its value"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by its id as printed by clew entities show"`
	Was      string            `json:"was" doc:"replace only this one of several values"`
}

func (d Setting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	p, err := c.property(ctx, d.One, d.Relation, d.Key)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if err := checkShort(p.key, "The name of a property"); err != nil {
		return ledger.Curation{}, nil, err
	}
	value, err := oneLine(d.Value, "A value", MaxValue)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if value == "" {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "Write a value, or remove the property.")
	}
	if d.Relation != "" && p.key == domain.ValidKey {
		periods, err := domain.ParsePeriods(value)
		if err != nil {
			return ledger.Curation{}, nil, err
		}
		value = written(periods)
	}
	g, err := LibraryGuide(ctx, c.Ledger, domain.WorkspaceOf(ctx))
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if err := g.Schema.CheckValue(p.of, p.key, value); err != nil {
		return ledger.Curation{}, nil, err
	}
	if slices.Contains(p.values, value) && (d.Was != "" || len(p.values) == 1) {
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "The property already has that value.")
	}
	if d.Was != "" && !slices.Contains(p.values, d.Was) {
		return ledger.Curation{}, nil, domain.Errorf(domain.Conflict, "Somebody changed this property in the meantime. Look at it again, then decide.")
	}
	return c.edit(ctx, ledger.CurationSet, p, d.Was, value)
}

// Succeeding records that a relation of an entity ended when another one of its type began. The error is Invalid if
// that time is unknown.
type Succeeding struct {
	One
	Earlier domain.RelationID `json:"earlier" arg:"EARLIER" doc:"id of the relation that ended"`
	Later   domain.RelationID `json:"later" arg:"LATER" doc:"id of the relation that took its place"`
}

func (d Succeeding) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	w := domain.WorkspaceOf(ctx)
	e, err := c.One(ctx, w, d.Name)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	earlier, err := c.Relation(ctx, w, e.ID, d.Earlier)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	later, err := c.Relation(ctx, w, e.ID, d.Later)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	held := domain.Period{From: earlier.Begins(), Until: later.Begins()}
	switch {
	case earlier.ID == later.ID || earlier.Type != later.Type:
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "Choose two relations of the same type.")
	case !held.Until.Known() || held.From.Known() && held.From.First() >= held.Until.First():
		return ledger.Curation{}, nil, domain.Errorf(domain.Invalid, "It is not known that the one began after the other. Give them their times first, as the property %s.", domain.ValidKey)
	}
	return Setting{One: One{Name: string(e.ID)}, Key: domain.ValidKey, Value: held.String(), Relation: earlier.ID}.entry(ctx, c)
}

// Keeping records that a relation holds for its present time beside others of its type.
type Keeping struct {
	One
	Relation domain.RelationID
}

func (d Keeping) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	e, err := c.One(ctx, domain.WorkspaceOf(ctx), d.Name)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	edge, err := c.Relation(ctx, domain.WorkspaceOf(ctx), e.ID, d.Relation)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	return Setting{One: One{Name: string(e.ID)}, Key: domain.ValidKey, Value: written(edge.Periods()), Relation: edge.ID}.entry(ctx, c)
}

// written returns periods as the property domain.ValidKey holds them.
func written(periods []domain.Period) string {
	return cmp.Or(domain.WritePeriods(periods), domain.Period{}.String())
}

// Unsetting removes a value of a property, or all its values if Value is "". The error is NotFound when it has none.
type Unsetting struct {
	One
	Key      string            `json:"property" arg:"PROPERTY" doc:"name of the property"`
	Value    string            `json:"value" arg:"[VALUE]" doc:"value to remove (default all)"`
	Relation domain.RelationID `json:"relation" doc:"a property of this relation, by its id as printed by clew entities show"`
}

func (d Unsetting) entry(ctx context.Context, c *Curator) (ledger.Curation, keyed, error) {
	p, err := c.property(ctx, d.One, d.Relation, d.Key)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	if len(p.values) == 0 || d.Value != "" && !slices.Contains(p.values, d.Value) {
		return ledger.Curation{}, nil, domain.Errorf(domain.NotFound, "There is no such property to remove, or no longer.")
	}
	return c.edit(ctx, ledger.CurationUnset, p, "", d.Value)
}

// property is a property of an entity, or of one of its relations.
type property struct {
	subject ledger.Operation // its owner
	of      string           // the label or type of the owner
	key     string           // spelled like other properties, or as written if it is new
	values  []string
}

func (c *Curator) property(ctx context.Context, of One, relation domain.RelationID, key string) (property, error) {
	w := domain.WorkspaceOf(ctx)
	e, err := c.One(ctx, w, of.Name)
	if err != nil {
		return property{}, err
	}
	p, have := property{subject: ledger.Operation{Entity: e.ID}, of: e.Label}, e.Properties
	if relation != "" {
		edge, err := c.Relation(ctx, w, e.ID, relation)
		if err != nil {
			return property{}, err
		}
		p, have = property{subject: ledger.Operation{Entity: edge.Source, Target: edge.Target, Relation: edge.ID}, of: edge.Type}, edge.Properties
	}
	p.key = keyAmong(have, key)
	for _, v := range have {
		if v.Key == p.key {
			p.values = append(p.values, v.Value)
		}
	}
	return p, nil
}

// keyAmong returns the key as the properties spell it, or as it is written for
// a new one.
func keyAmong(have domain.Properties, key string) string {
	key = domain.OneLine(key)
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }
	for _, p := range have {
		if plain(p.Key) == plain(key) {
			return p.Key
		}
	}
	return strings.ReplaceAll(key, " ", "_")
}

// edit returns the entry of an edit. Words that documents say are kept as hashes, unless a
// curator typed them before.
func (c *Curator) edit(ctx context.Context, kind ledger.CurationKind, p property, was, value string) (ledger.Curation, keyed, error) {
	log, err := c.Ledger.Curations(ctx, domain.WorkspaceOf(ctx), latest)
	if err != nil {
		return ledger.Curation{}, nil, err
	}
	typed := map[string]bool{}
	for _, e := range log {
		typed[e.Property.Text], typed[e.Value.Text] = true, true
	}
	word := func(s string, said bool) ledger.Word {
		if said && !typed[s] {
			return ledger.Word{Hash: domain.Hash([]byte(s))}
		}
		return ledger.Word{Text: s}
	}
	op := p.subject
	op.Property = word(p.key, len(p.values) > 0)
	if value != "" {
		op.Value = word(value, slices.Contains(p.values, value))
	}
	if was != "" && len(p.values) > 1 {
		op.Was = word(was, true)
	}
	return c.about(ctx, "", kind, op)
}

// LibraryGuide returns the schema of a library, the zero Guide if it has none.
func LibraryGuide(ctx context.Context, l *ledger.Ledger, w domain.WorkspaceID) (g extract.Guide, err error) {
	versions, err := l.SchemaVersions(ctx, w, ledger.SchemaScope{}, 1)
	if err != nil || len(versions) == 0 || versions[0].Body == "" {
		return g, err
	}
	if err := json.Unmarshal([]byte(versions[0].Body), &g); err != nil {
		return g, fmt.Errorf("read the schema: %w", err)
	}
	return g, nil
}

// Declared returns the properties that the library's schema declares for a label
// or a type.
func (c *Curator) Declared(ctx context.Context, of string) ([]string, error) {
	g, err := LibraryGuide(ctx, c.Ledger, domain.WorkspaceOf(ctx))
	return g.Schema.Keys(of), err
}
