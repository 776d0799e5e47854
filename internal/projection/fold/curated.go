package fold

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
)

// Curated is the part of the graph that the curation log speaks of, while the
// log is applied to it.
type Curated struct {
	Folder
	Made   map[int64]Made // by the number of the entry
	groups map[domain.EntityID]*group
	stands map[domain.EntityID]domain.EntityID // the entity that an id without a group refers to
	ends   map[endRef]*fact
	claims []*claim
}

// fact is one statement of a chunk about an entity. One of mention, title and titleMention is set.
type fact struct {
	key          string
	mention      *ledger.MentionRow
	title        *Title
	titleMention *TitleMention
	leads        bool   // its form may become the entity's name
	group        *group // the entity it belongs to
	edits
}

// group is an entity while the log is applied.
type group struct {
	id      domain.EntityID
	label   string
	key     string // "" for an entity that was split off
	facts   []*fact
	name    string   // typed by a curator
	form    string   // domain.Hash of the form that a curator chose
	aliases []string // typed names of entities merged into it
	given   domain.Properties
	hidden  bool
	named   bool   // a curator made it, or stated something about it, so it is listed regardless of who names it
	into    *group // the one it was merged into
}

// now returns the entity that the group has become part of.
func (g *group) now() *group {
	for g.into != nil {
		g = g.into
	}
	return g
}

// claim is a statement with its ends resolved.
type claim struct {
	*ledger.StatementRow
	kind           string
	source, target *fact  // nil for an end that the log does not name
	from, to       *group // the ends instead, if a curator made the statement
	given          domain.Properties
	hidden         bool
	edits
}

// ends returns the entities at the ends, nil for one that the log does not
// name.
func (c *claim) ends() (source, target *group) {
	if c.from != nil {
		return c.from.now(), c.to.now()
	}
	if c.source != nil {
		source = c.source.group
	}
	if c.target != nil {
		target = c.target.group
	}
	return source, target
}

// endRef identifies an end of a statement: the mention in the same chunk.
type endRef struct {
	key, label string
	chunk      domain.ChunkID
}

// NewCurated returns a state without any facts. Its user sets Made before the
// log is applied.
func NewCurated(f Folder) *Curated {
	return &Curated{
		Folder: f, groups: map[domain.EntityID]*group{},
		stands: map[domain.EntityID]domain.EntityID{}, ends: map[endRef]*fact{},
	}
}

// Add adds the sources of a key. As in Folder.Entities, mentions without a label
// belong to the best one.
func (s *Curated) Add(key string, from Sources) {
	said := BestLabel(from.Mentions)
	best := said
	if best == domain.UnknownLabel {
		best = BestLabel(from.Made)
	}
	id := domain.NewEntityID(s.Workspace, best, key)
	s.stands[domain.NewEntityID(s.Workspace, domain.UnknownLabel, key)] = id
	for i := range from.Mentions {
		m := &from.Mentions[i]
		label := joined(m.Label, said)
		if label == domain.UnknownLabel {
			label = best
			s.stands[domain.NewEntityID(s.Workspace, m.Label, key)] = id
		}
		f := s.put(label, &fact{key: key, mention: m})
		ref := endRef{key, m.Label, m.Chunk}
		if s.ends[ref] == nil {
			s.ends[ref] = f
		}
	}
	for i := range from.Made {
		m := &from.Made[i]
		label := m.Label
		if label == domain.UnknownLabel {
			label = best
		}
		s.put(label, &fact{key: key, mention: m})
	}
	for i := range from.Titles {
		s.put(best, &fact{key: key, title: &from.Titles[i]})
	}
	for i := range from.TitleMentions {
		s.put(best, &fact{key: key, titleMention: &from.TitleMentions[i]})
	}
}

func (s *Curated) put(label string, f *fact) *fact {
	id := domain.NewEntityID(s.Workspace, label, f.key)
	g := s.groups[id]
	if g == nil {
		g = &group{id: id, label: label, key: f.key}
		s.groups[id] = g
	}
	f.leads, f.group = true, g
	g.facts = append(g.facts, f)
	return f
}

// AddStatements adds statements, which stay as they are. Their ends are resolved
// among the sources added before.
func (s *Curated) AddStatements(rows []ledger.StatementRow) {
	claims := make([]claim, len(rows))
	for i := range rows {
		row := &rows[i]
		claims[i] = claim{
			StatementRow: row, kind: row.Type,
			source: s.ends[endRef{row.SourceKey, row.SourceLabel, row.Chunk}],
			target: s.ends[endRef{row.TargetKey, row.TargetLabel, row.Chunk}],
		}
		s.claims = append(s.claims, &claims[i])
	}
}

// Apply applies the live entries of the log that are about the state's
// entities.
func (s *Curated) Apply(l *CurationLog) {
	for _, entry := range l.of(slices.AppendSeq(slices.Collect(maps.Keys(s.groups)), maps.Keys(s.stands))) {
		s.apply(entry)
	}
}

// find returns an entity that exists at this point of the log, or nil.
func (s *Curated) find(id domain.EntityID) *group {
	for _, g := range []*group{s.groups[id], s.groups[s.stands[id]]} {
		if g != nil && len(g.facts) > 0 {
			return g
		}
	}
	return nil
}

// Entities returns the entities that are not hidden.
func (s *Curated) Entities() map[domain.EntityID]graphstore.Entity {
	all := map[domain.EntityID]graphstore.Entity{}
	for id, g := range s.groups {
		if len(g.facts) > 0 && !g.hidden {
			all[id] = g.entity(s.Key)
		}
	}
	return all
}

// FactKey returns the key of an entity's first fact.
func (s *Curated) FactKey(id domain.EntityID) string { return s.groups[id].facts[0].key }
