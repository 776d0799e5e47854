package domain

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WorkspaceID names a workspace: a closed set of documents that shares nothing
// with others. Every stored row and every query carries it.
type WorkspaceID string

// DefaultWorkspace is the workspace that an installation begins with. Work is done in it only where it is named.
const DefaultWorkspace WorkspaceID = "default"

// Installation is under which what is set for all workspaces is stored, in tables that have a workspace.
const Installation = DefaultWorkspace

// moved separates the original id of a workspace from the suffix that distinguishes it from another workspace with that
// id.
const moved = "~"

// Moved returns the id of the imported workspace w in an installation where that id is taken. Ids derived from a
// workspace stay the same, so references to them can move too.
func (w WorkspaceID) Moved(as string) WorkspaceID { return WorkspaceID(w.origin() + moved + as) }

// origin returns the id that the workspace had where it was made.
func (w WorkspaceID) origin() string {
	origin, _, _ := strings.Cut(string(w), moved)
	return origin
}

// Ids are short and URL-safe. Those of documents, chunks, entities and relations
// are derived from their content, so that the same input always gets the same id;
// the others are drawn, see IDs.
type (
	// DocumentID names a document; see NewDocumentID.
	DocumentID string
	// ChunkID names a chunk of a document; see NewChunkID.
	ChunkID string
	// EntityID names an entity; see NewEntityID.
	EntityID string
	// RelationID names a relation between two entities; see NewRelationID.
	RelationID string
	// RunID names one piece of work in the queue.
	RunID string
	// ConversationID names a conversation.
	ConversationID string
	// MessageID names a question and its answer in a conversation.
	MessageID string
	// BranchID names a branch of a message.
	BranchID string
	// SummaryID names a summary.
	SummaryID string
	// ResearchID names a research.
	ResearchID string
	// DeletionID names documents that were deleted together.
	DeletionID string
	// FolderID names a folder of conversations.
	FolderID string
	// RereadingID names documents that were chosen together to be read again.
	RereadingID string
	// FieldID names a field of documents; see NewFieldID.
	FieldID string
	// QuestionID names a question that is kept to be asked in evaluations.
	QuestionID string
	// SetID names a set of such questions.
	SetID string
	// EvaluationID names an evaluation.
	EvaluationID string
	// ProposalID names a pair of entities that may be the same; see NewProposalID.
	ProposalID string
)

// NewDocumentID derives a document's id from its workspace and the SHA-256 of its
// bytes, so that a file uploaded twice is one document.
func NewDocumentID(w WorkspaceID, hash string) DocumentID {
	return DocumentID(digest("d", w.origin(), hash))
}

// NewVersionID derives the id under which the next version of a document is read, from
// the SHA-256 of its bytes.
func NewVersionID(of DocumentID, hash string) DocumentID {
	return DocumentID(digest("d", "version", string(of), hash))
}

// NewPageID derives the id of a web page from its run and address. It never equals the id of a document.
func NewPageID(run RunID, address string) DocumentID {
	return DocumentID(digest("w", string(run), address))
}

// NewChunkID derives a chunk's id from its document, its text and the number of earlier chunks of the document with the
// same text, so a chunk keeps its id when the document is edited elsewhere.
func NewChunkID(d DocumentID, textHash string, occurrence int) ChunkID {
	return ChunkID(digest("c", string(d), textHash, strconv.Itoa(occurrence)))
}

// NewKeptChunkID derives the id that an unchanged chunk has while the next version of
// its document is read.
func NewKeptChunkID(d DocumentID, kept ChunkID) ChunkID {
	return ChunkID(digest("c", "kept", string(d), string(kept)))
}

// NewEntityID derives an entity's id from its workspace, its label and its
// normalised name (see the prose package for the normal form).
func NewEntityID(w WorkspaceID, label, key string) EntityID {
	return EntityID(digest("e", w.origin(), label, key))
}

// NewSplitID derives the id of an entity that a curator split from another, from
// the other's id and the number of the decision.
func NewSplitID(from EntityID, seq int64) EntityID {
	return EntityID(digest("e", "split", string(from), strconv.FormatInt(seq, 10), ""))
}

// NewFieldID derives a field's id from its workspace and the number of the change that defined it.
func NewFieldID(w WorkspaceID, seq int64) FieldID {
	return FieldID(digest("f", w.origin(), strconv.FormatInt(seq, 10)))
}

// NewRelationID derives a relation's id from its two ends and its type.
func NewRelationID(source EntityID, kind string, target EntityID) RelationID {
	return RelationID(digest("r", string(source), kind, string(target)))
}

// NewProposalID derives the id of the proposal to merge two entities, in
// whichever order they are given.
func NewProposalID(w WorkspaceID, a, b EntityID) ProposalID {
	return ProposalID(digest("p", w.origin(), string(min(a, b)), string(max(a, b))))
}

// Hash returns the lower-case hexadecimal SHA-256 of b.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digest joins parts unambiguously and keeps 80 bits of their SHA-256: up to
// about 10^10 ids a collision is unlikely.
func digest(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return prefix + hex.EncodeToString(h.Sum(nil)[:10])
}

// IDs draws unguessable ids. An id begins with the second it was drawn in, so that rows
// which are written together lie together in tables and indexes, and ends in 64 random
// bits. The methods return the errors of Random.
type IDs struct {
	Random io.Reader
	Now    Clock
}

// Run draws a run's id.
func (d IDs) Run() (RunID, error) { return draw[RunID](d, "run") }

// Conversation draws a conversation's id.
func (d IDs) Conversation() (ConversationID, error) { return draw[ConversationID](d, "k") }

// Message draws a message's id.
func (d IDs) Message() (MessageID, error) { return draw[MessageID](d, "m") }

// Branch draws a branch's id.
func (d IDs) Branch() (BranchID, error) { return draw[BranchID](d, "b") }

// Summary draws a summary's id.
func (d IDs) Summary() (SummaryID, error) { return draw[SummaryID](d, "s") }

// Research draws a research's id.
func (d IDs) Research() (ResearchID, error) { return draw[ResearchID](d, "h") }

// Deletion draws a deletion's id.
func (d IDs) Deletion() (DeletionID, error) { return draw[DeletionID](d, "x") }

// Set draws the id of a set of kept questions.
func (d IDs) Set() (SetID, error) { return draw[SetID](d, "t") }

// Folder draws the id of a folder of conversations.
func (d IDs) Folder() (FolderID, error) { return draw[FolderID](d, "o") }

// Rereading draws a rereading's id.
func (d IDs) Rereading() (RereadingID, error) { return draw[RereadingID](d, "g") }

// Question draws the id of a question that is kept for evaluations.
func (d IDs) Question() (QuestionID, error) { return draw[QuestionID](d, "q") }

// Evaluation draws an evaluation's id.
func (d IDs) Evaluation() (EvaluationID, error) { return draw[EvaluationID](d, "v") }

// Workspace draws a workspace's id.
func (d IDs) Workspace() (WorkspaceID, error) { return draw[WorkspaceID](d, "w") }

// Form draws the key of a page's forms.
func (d IDs) Form() (FormKey, error) { return draw[FormKey](d, "f") }

// A FormKey names the forms of a page as it was drawn once. A form that arrives twice with the
// same key and contents is one request, sent again.
type FormKey string

// Of returns a key for a form with these contents, or "" for a form without a key.
func (k FormKey) Of(contents ...string) string {
	if k == "" {
		return ""
	}
	return digest(string(k)+"-", contents...)
}

func draw[ID ~string](d IDs, prefix string) (ID, error) {
	b := make([]byte, 12)
	binary.BigEndian.PutUint32(b, uint32(d.Now().Unix())) // until 2106
	if _, err := io.ReadFull(d.Random, b[4:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return ID(prefix + hex.EncodeToString(b)), nil
}
