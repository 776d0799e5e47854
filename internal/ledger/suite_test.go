package ledger_test

import (
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// A Bench is a ledger under test over an empty database, with the queue over
// the same database and the clock of both.
type Bench struct {
	Writer *sql.DB // the database
	Ledger *ledger.Ledger
	Queue  queue
	Clock  *Clock
}

// run runs the suite that every database of the ledger has to pass. open returns a new bench for each topic.
func run(t *testing.T, open func(t *testing.T) Bench) {
	topics := []struct {
		name string
		test func(*testing.T, Bench)
	}{
		{"documents are kept once", documentsAreKeptOnce},
		{"documents are listed", documentsAreListed},
		{"documents are sorted", documentsAreSorted},
		{"a deletion is taken back", deletionTakenBack},
		{"stubs in answers", stubsInAnswers},
		{"stubs where it was read", stubsWhereItWasRead},
		{"what is being written is taken back", takesBackWhatIsBeingWritten},
		{"documents are updated", documentsAreUpdated},
		{"identities", identities},
		{"tags", tags},
		{"tags of many documents", tagsOfMany},
		{"fields", fields},
		{"values of fields", fieldValues},
		{"fields of a new version", fieldsOfVersion},
		{"facts", facts},
		{"texts and chunks", textsAndChunks},
		{"chunks replaced", chunksReplaced},
		{"passages", passages},
		{"contributions", contributions},
		{"dropped items", droppedItems},
		{"folds", folds},
		{"folds are complete", foldsAreComplete},
		{"outbox", outbox},
		{"workspaces are closed", workspacesAreClosed},
		{"workspaces and members", workspacesAndMembers},
		{"a workspace like another", beginsLike},
		{"each chunk", eachChunk},
		{"chunks that may hold words", chunksHolding},
		{"titles by key and words", titleForms},
		{"embeddings", embeddings},
		{"study sets", studySets},
		{"model calls", modelCalls},
		{"counted calls", countedCalls},
		{"gathered calls", gatheredCalls},
		{"usage", usage},
		{"events", events},
		{"events added in another store's transaction", eventsAdded},
		{"conversations", conversations},
		{"renamed and pinned conversations", changedConversations},
		{"searched conversations", searchedConversations},
		{"conversations of their makers", makers},
		{"shared conversations", shared},
		{"shared answers", sharedAnswers},
		{"folders", folders},
		{"conversations of a removed account", left},
		{"feedback", feedback},
		{"messages", messages},
		{"lists of documents", documentLists},
		{"documents that are all unread", allUnread},
		{"what is being read", reading},
		{"tokens", tokens},
		{"requests that are repeated", repeats},
		{"webhooks", hooks},
		{"rights of readers", rightsOfReaders},
		{"divisions", divisions},
		{"lists of messages", messageLists},
		{"lists of events", eventLists},
		{"lists of summaries", summaryLists},
		{"summaries", summaries},
		{"branches", branches},
		{"branches of a deleted document", branchesOfDeleted},
		{"deleted conversations", deletesConversations},
		{"kept questions", keptQuestions},
		{"evaluations", evaluations},
		{"sets of questions", questionSets},
		{"together with something else", together},
		{"users", users},
		{"last owners", lastOwners},
		{"sessions", sessions},
		{"what is too old", tooOld},
		{"the trail", trail},
		{"the trail of several writers", trailAtOnce},
		{"a trail that was tampered with", trailTampered},
		{"a trail that was shortened", trailPruned},
		{"invitations", invitations},
		{"passes", passes},
		{"second steps", secondSteps},
		{"settings", settings},
		{"prompts", prompts},
		{"connections", connections},
		{"outdated chunks", outdatedChunks},
		{"curations", curations},
		{"curated names", curatedNames},
		{"schemas", schemas},
		{"schemas saved at once", schemasAtOnce},
		{"proposals", proposals},
		{"created by hand", createdByHand},
		{"overtaken decisions", overtaken},
		{"deletion", deletion},
		{"versions", versions},
		{"overtaken versions", overtakenVersions},
		{"versions keep rows", versionsKeepRows},
		{"removed versions", removedVersions},
		{"versions keep what was marked", versionsKeepStretches},
		{"the same at once", sameAtOnce},
		{"changes appear in order", changesInOrder},
		{"deleted while others write", deletedMeanwhile},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.test(t, open(t))
		})
	}
}

// A Clock stands still until Advance moves it. It is safe for concurrent use.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock set to a whole second.
func NewClock() *Clock { return &Clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const ws domain.WorkspaceID = "w1"

// add stores a document made of texts, one chunk each, and returns it.
func (b Bench) add(t *testing.T, w domain.WorkspaceID, name string, texts ...string) domain.Document {
	t.Helper()
	hash := domain.Hash([]byte(name + strings.Join(texts, "")))
	d := domain.Document{
		Workspace: w, ID: domain.NewDocumentID(w, hash), Name: name + ".txt", Title: name,
		Format: domain.FormatText, Hash: hash, Status: domain.DocumentWaiting,
	}
	stored, _, err := b.Ledger.AddDocument(t.Context(), d)
	must(t, err)
	must(t, b.Ledger.SaveText(t.Context(), w, d.ID, domain.Text{Content: strings.Join(texts, "\n\n")}))
	must(t, b.Ledger.SaveChunks(t.Context(), w, d.ID, split(d.ID, texts)))
	return stored
}

// split returns one chunk per text, as in a document with a blank line between
// them.
func split(id domain.DocumentID, texts []string) []domain.Chunk {
	chunks := make([]domain.Chunk, len(texts))
	at := 0
	for i, text := range texts {
		n := domain.Runes(text)
		chunks[i] = domain.Chunk{
			ID: domain.NewChunkID(id, domain.Hash([]byte(text)), 0), Document: id, Ordinal: i,
			Span: domain.Span{Start: at, End: at + n}, Text: text, Tokens: len(strings.Fields(text)), Headings: []string{"Top"},
		}
		at += n + 2
	}
	return chunks
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantKind fails unless err is of kind k.
func wantKind(t *testing.T, err error, k domain.Kind) {
	t.Helper()
	if err == nil || domain.KindOf(err) != k {
		t.Errorf("got error %v of kind %s, want kind %s", err, domain.KindOf(err), k)
	}
}
