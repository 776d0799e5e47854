package projection

import (
	"maps"
	"slices"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graphstore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/projection/fold"
	"github.com/clewhq/clew/internal/projection/titles"
)

// update is a batch of changes to the graph while it is worked out: plain
// values that a reader fills round by round. Its methods are pure.
//
// The ledger is read as it is now, which may be later than the changes. What
// chunks say that neither the graph nor this batch has is left out: it belongs
// to a later change, and would never be taken back if that is a deletion.
type update struct {
	fold.Folder
	tallied       int
	after, cursor int64
	empty         bool // the graph has nothing yet
	curating      bool // the changes have entries of the curation log
	most          int  // number of chunks of changed documents after which no more documents are taken

	// The changed documents.
	documents []document // that are published
	deleted   []domain.DocumentID
	changed   map[domain.DocumentID]bool
	earlier   []domain.DocumentID     // those that also changed earlier, sorted
	titles    []titles.Title          // of documents
	stated    map[statement]bool      // in documents
	present   map[domain.ChunkID]bool // whether the graph has the chunk after the update, if known
	others    []titles.Title          // of other documents; may occur in the texts
	log       *fold.CurationLog       // up to the last change

	// What the changes affect.
	keys      []string                   // of names, sorted
	before    map[string][]domain.Entity // the graph's entities of these keys
	tallies   map[domain.EntityID]string // of entities of the graph
	touched   []domain.EntityID          // subjects of new log entries, and entities linked to changed documents
	mentioned []domain.EntityID          // mentioned by an old version of a changed document
	linked    map[string]bool            // keys of entities linked to changed documents, unless that can be subtracted
	additions map[string]*fold.Tally     // keys that are only added to, with the resulting tally
	sources   map[string]*fold.Sources   // by key; for an addition only new ones
	fresh     map[string]bool            // keys that nothing in the graph mentions except the changed documents

	notes map[domain.DocumentID]notes           // about deleted documents
	lost  map[domain.EntityID]loss              // along with these documents
	minus map[string][]*fold.Tally              // what the deleted documents said, by key
	taken map[domain.DocumentID]map[string]bool // documents included in minus

	packer packer // of the notes about documents

	made map[int64]fold.Made // what creating entries are based on, by number

	// The result.
	entities   []graphstore.Entity
	names      map[string]fold.Namesakes
	relations  map[domain.RelationID]domain.Relation // that may go
	statements []ledger.StatementRow
	neighbours []string // further keys of curated entities that are ends of statements
}

// document is a published document with its chunks.
type document struct {
	ledger.TitleRow
	chunks []domain.Chunk
	said   map[string]*fold.Sources // what its contributions say, by key, until added to the sources; nil for an empty graph
	notes  []byte                   // see notes
}

// statement identifies the statements that make one relation: the keys of its
// ends and its type.
type statement struct {
	Source string `json:"s"`
	Kind   string `json:"k"`
	Target string `json:"t"`
}

func newUpdate(ws domain.WorkspaceID, key func(string) string, tallied int) *update {
	return &update{
		Folder: fold.Folder{Workspace: ws, Key: key}, tallied: tallied,
		changed: map[domain.DocumentID]bool{}, stated: map[statement]bool{}, present: map[domain.ChunkID]bool{},
		before: map[string][]domain.Entity{}, tallies: map[domain.EntityID]string{}, linked: map[string]bool{}, additions: map[string]*fold.Tally{},
		sources: map[string]*fold.Sources{}, notes: map[domain.DocumentID]notes{}, lost: map[domain.EntityID]loss{},
		minus: map[string][]*fold.Tally{}, taken: map[domain.DocumentID]map[string]bool{}, made: map[int64]fold.Made{}, names: map[string]fold.Namesakes{},
	}
}

// upTo returns the changes before the first about a document that is not among the
// changed ones, and moves the update's cursor there.
func (u *update) upTo(changes []ledger.Change) []ledger.Change {
	for i, c := range changes {
		if c.Document != "" && !c.Vectors && !u.changed[c.Document] {
			changes = changes[:i]
			break
		}
	}
	u.cursor = changes[len(changes)-1].Seq
	return changes
}

// affects reports whether the update changes a key.
func (u *update) affects(key string) bool {
	_, ok := slices.BinarySearch(u.keys, key)
	return ok
}

// sourcesOf returns the sources of a key, to be added to.
func (u *update) sourcesOf(key string) *fold.Sources {
	s := u.sources[key]
	if s == nil {
		s = &fold.Sources{}
		u.sources[key] = s
	}
	return s
}

// contribute records the keys that a contribution names, and its statements.
func (u *update) contribute(c ledger.Contribution, keys map[string]bool) {
	for _, n := range slices.Concat(c.Graph.Nodes, c.Graph.Names) {
		keys[u.Key(n.Name)] = true
	}
	for _, s := range u.statedIn(c) {
		u.stated[s] = true
	}
}

// link records an entity of the graph that is linked to a changed document, with the links to it.
func (u *update) link(id domain.DocumentID, e graphstore.Entity, keys map[string]bool) {
	keys[e.Key] = true
	u.touched = append(u.touched, e.ID)
	if u.lose(id, e) {
		return
	}
	u.linked[e.Key] = true
	if slices.ContainsFunc(e.Links, func(l graphstore.Link) bool { return l.Kind&graphstore.LinkMention != 0 }) {
		u.mentioned = append(u.mentioned, e.ID)
	}
}

// titleWords returns the words that lead to titles in the documents' texts.
func (u *update) titleWords() []ledger.Words {
	found := map[ledger.Words]bool{}
	for _, d := range u.documents {
		for _, c := range d.chunks {
			for _, words := range titles.TextWords(c.Text) {
				found[words], found[words.First()] = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// matchDocuments adds where the documents contain the matcher's titles.
func (u *update) matchDocuments(m *titles.Matcher) {
	for _, d := range u.documents {
		for _, c := range d.chunks {
			u.match(m, c)
		}
	}
}

func (u *update) match(m *titles.Matcher, c domain.Chunk) {
	for key, spans := range m.Find(c) {
		s := u.sourcesOf(key)
		s.TitleMentions = append(s.TitleMentions, fold.TitleMention{Place: fold.PlaceOf(c), Spans: spans})
	}
}
