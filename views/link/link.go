// Package link builds the addresses of all pages. Templates and handlers use it, so that each address
// is written only once.
package link

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
)

// Addresses without parameters, with the effect of a POST.
const (
	Home            = "/"
	Find            = "/find"                  // results for the parameter q, for the palette
	Ask             = "/ask"                   // POST: ask a question
	CountWithin     = "/ask/within/count"      // how much of the library the parameters within select
	Within          = "/ask/within"            // the tags and documents that begin with the parameter q
	Documents       = "/documents"             // POST: upload files
	AddedDocuments  = "/documents/added"       // a summary of the documents that an upload has added, see Added
	Bill            = "/documents/bill"        // form that asks for the cost of reading files; POST: estimate it
	PasteText       = "/documents/text"        // POST: add pasted text
	AddFromWeb      = "/documents/web"         // POST: fetch documents from the web
	DocumentsEvents = "/documents/events"      // server-sent events of the list
	ReadAgain       = "/documents/again"       // POST: read again the documents that another model or prompt has read
	RetryFailed     = "/documents/failed"      // POST: retry everything that failed, in whole or in part, or was stopped
	ReadHeld        = "/documents/held"        // POST: read all documents that are held with their bill
	Chosen          = "/documents/chosen"      // actions for chosen documents; POST: carry one out
	PauseReading    = "/documents/pause"       // POST: start no waiting document
	GoOnReading     = "/documents/go-on"       // POST: start them again
	Undelete        = "/documents/undo"        // POST: undo a deletion
	LeaveRereading  = "/documents/again/leave" // POST: leave documents of a rereading that have not begun as they were
	Sample          = "/sample"                // POST: load the sample library
	Entities        = Graph + "?view=table"    // all of them, in pages
	Themes          = "/themes"
	Timeline        = "/timeline"
	OldEntities     = "/entities"         // earlier address of the list; redirects to Entities
	NewEntity       = "/entities/new"     // form to add an entity by hand; POST: add it
	MergeEntities   = "/entities/merge"   // the entities with the ids of the parameters id; POST: merge them
	NewRelation     = "/relations/new"    // form to add a relation by hand; POST: add it
	Changes         = Review + "/changes" // changes by curators
	Summaries       = "/summaries"        // POST: order a summary
	Researches      = "/research"         // POST: order research
	Study           = "/study"            // POST: order a study set
	Runs            = "/runs"
	Names           = "/names"                    // POST: show the steps of runs by Plain or Technical names
	Evaluation      = "/evaluation"               // POST: ask the kept questions under a setting
	KeptQuestions   = "/evaluation/questions"     // POST: keep a question, or change one
	NewQuestion     = "/evaluation/questions/new" // form to keep a question
	Fields          = "/fields"                   // POST: define a field of documents
	ImportValues    = "/fields/import"            // POST: preview a CSV file with values, or set them
	ExportValues    = "/fields/export"
	Columns         = "/fields/columns"    // POST: choose which fields the list of documents shows
	ImportQuestions = "/evaluation/import" // POST: keep the questions of a CSV file
	QuestionsCSV    = "/evaluation/questions.csv"
	QuestionSets    = "/evaluation/sets" // POST: add a set of questions
	Settings        = "/settings"
	SetSettings     = "/settings/set"                    // POST: apply the settings in a form
	UndoSettings    = "/settings/undo"                   // POST: restore the previous values
	ConnectForm     = "/settings?role=answer#row-answer" // form that connects a model for answers
	TestModel       = "/settings/test"                   // POST: test the models in use
	ConnectModel    = "/settings/model"                  // POST: connect one
	TryModel        = "/settings/model/test"             // POST: test one that is not connected yet
	OfferedModels   = "/settings/model/list"             // POST: list those of a server
	ForgetModel     = "/settings/model/forget"           // POST: forget one
	Prompts         = Settings + "/prompts"
	Usage           = "/usage"
	UsageCSV        = "/usage/usage.csv"
	Caps            = "/usage/caps" // POST: set some
	Prices          = "/prices"     // POST: set one
	Alive           = "/healthz"    // for probes, and for pages that ask whether the server answers
	Health          = "/health"
	CheckStores     = "/health/check"     // POST: compare the stores with the ledger
	RebuildStores   = "/health/rebuild"   // POST: rebuild the stores
	Backup          = "/health/backup"    // POST: download everything
	People          = "/people"           // members of the workspace; POST: add one
	Accounts        = "/accounts"         // POST: add one
	Account         = "/account"          // of the person signed in
	Password        = "/account/password" // POST: change it
	Sessions        = "/account/sessions" // POST: end one or all others
	Tokens          = "/tokens"           // POST: make one
	Audit           = "/audit"            // who did what
	AuditExport     = "/audit/export"     // the same as JSON lines
	Reference       = "/api"
	Webhooks        = "/webhooks"             // POST: add one
	Sources         = "/sources"              // places that are followed; POST: add one
	NewSource       = Sources + "/new"        // POST: preview its items
	Workspaces      = "/workspaces"           // POST: make one
	ImportWorkspace = "/workspaces/import"    // POST: add the one of a backup
	Invitations     = "/invitations"          // POST: make one
	SecondStep      = Account + "/codes"      // the app that shows codes; POST: begin
	Language        = Account + "/language"   // POST: choose the language of the pages
	ConfirmStep     = SecondStep + "/confirm" // POST: require codes from now on
	StopStep        = SecondStep + "/off"     // POST: stop requiring them
	Setup           = "/setup"                // who will use it, on the first day; POST: make the owner's account
	Alone           = Setup + "/alone"        // POST: no accounts
	Login           = "/login"                // POST: sign in
	Code            = Login + "/code"         // asks for a code, after the password; POST: check it
	Logout          = "/logout"               // POST: sign out
	SignOn          = "/sign-on"              // begins at the provider
	SignOnCallback  = SignOn + "/callback"
	SignOnLink      = Account + "/link"   // POST: link one's own account to the provider
	SignOnUnlink    = Account + "/unlink" // POST: unlink it
	SignedOut       = SignOn + "/out"
	SignOnSettings  = Settings + "/sign-on"        // POST: link an account
	SignOnUnlinkOf  = Settings + "/sign-on/unlink" // POST: unlink one
)

// Addresses with a number, with the names of their parameters in place of values.
const (
	AnyVersion       = Documents + "/:id/versions/:n" // an earlier version of a document, see Version
	AnyPictureFile   = Documents + "/:id/pictures/:n" // see PictureFile
	RemoveAnyVersion = AnyVersion + "/remove"
	AnySource        = Ask + "/:id/source/:message/:n"                 // see Source
	AnyFigureSource  = Ask + "/:id/figures/:message/:figure/source/:n" // see FigureSource
	AnyVerdict       = Evaluation + "/:id/questions/:n/verdict"        // see Verdict
	UndoAnyChange    = Changes + "/:seq/undo"                          // see UndoChange
)

// BackupOf returns the address that downloads a backup of the named workspace alone, by POST.
func BackupOf(name string) string { return Backup + "?workspace=" + url.QueryEscape(name) }

// WorkspaceOf returns the address that changes the named workspace, by POST.
func WorkspaceOf(name string) string { return Workspaces + "/" + url.PathEscape(name) }

// ArchiveWorkspace returns the address that archives the named workspace, by POST.
func ArchiveWorkspace(name string) string { return WorkspaceOf(name) + "/archive" }

// Join returns the link of an invitation; POST accepts it.
func Join(secret string) string { return "/join/" + url.PathEscape(secret) }

// Reset returns the link that resets a password, by POST.
func Reset(secret string) string { return "/reset/" + url.PathEscape(secret) }

// RevokeInvitation returns the address that revokes an invitation, by POST.
func RevokeInvitation(id string) string { return Invitations + "/" + url.PathEscape(id) + "/revoke" }

// MakeReset returns the address that makes a link for somebody who has forgotten their password, by POST.
func MakeReset(account string) string { return ManageAccount(account) + "/reset" }

// StopCodes returns the address that lets an account sign in without a code, by POST.
func StopCodes(account string) string { return ManageAccount(account) + "/codes-off" }

// RevokeToken returns the address that revokes a token, by POST.
func RevokeToken(id string) string { return Tokens + "/" + url.PathEscape(id) + "/revoke" }

// Webhook returns the address of the page with the deliveries of a webhook.
func Webhook(id string) string { return Webhooks + "/" + url.PathEscape(id) }

// TryWebhook returns the address that sends a webhook a test, by POST.
func TryWebhook(id string) string { return Webhook(id) + "/test" }

// SendAgain returns the address that sends a delivery of a webhook again, by POST.
func SendAgain(delivery string) string {
	return Webhooks + "/deliveries/" + url.PathEscape(delivery) + "/again"
}

// fill puts values in the place of a route's parameters.
func fill(route string, values ...string) string {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i], values = url.PathEscape(values[0]), values[1:]
		}
	}
	return strings.Join(parts, "/")
}

// Delete returns the address that deletes the thing at an address, by POST.
func Delete(address string) string { return address + "/delete" }

// Restore returns the address that undoes such a deletion, by POST.
func Restore(address string) string { return address + "/restore" }

// Question returns the address of a new conversation with a question filled in.
func Question(text string) string { return Ask + "?q=" + url.QueryEscape(text) }

// QuestionWhenRead returns the address of a question that asks itself once all documents are read.
func QuestionWhenRead(text string) string { return Question(text) + "&when=read" }

// Conversation returns the address of a conversation.
func Conversation(id domain.ConversationID) string { return Ask + "/" + url.PathEscape(string(id)) }

// OneEvaluation returns the address of an evaluation.
func OneEvaluation(id domain.EvaluationID) string {
	return Evaluation + "/" + url.PathEscape(string(id))
}

// EvaluationReply returns the address of the n-th reply of an evaluation.
func EvaluationReply(id domain.EvaluationID, n int) string {
	return OneEvaluation(id) + "#question-" + strconv.Itoa(n)
}

// Verdict returns the address for a person's verdict on the n-th reply of an evaluation, by POST.
func Verdict(id domain.EvaluationID, n int) string {
	return fill(AnyVerdict, string(id), strconv.Itoa(n))
}

// StopEvaluation returns the address that stops an evaluation, by POST.
func StopEvaluation(id domain.EvaluationID) string { return OneEvaluation(id) + "/stop" }

// GoOnEvaluating returns the address that continues a stopped evaluation, by POST.
func GoOnEvaluating(id domain.EvaluationID) string { return OneEvaluation(id) + "/go-on" }

// RepliesCSV returns the replies of an evaluation as comma-separated values.
func RepliesCSV(id domain.EvaluationID) string { return OneEvaluation(id) + "/replies.csv" }

// QuestionSet returns the address for a new name of a set of kept questions, by POST.
func QuestionSet(id domain.SetID) string { return QuestionSets + "/" + url.PathEscape(string(id)) }

// OfSet adds a set of kept questions to an address.
func OfSet(address string, id domain.SetID) string { return With(address, "set", string(id)) }

// CompareEvaluations returns the address of two evaluations side by side.
func CompareEvaluations(a, b domain.EvaluationID) string {
	return With(Evaluation, "a", string(a), "b", string(b))
}

// KeptQuestion returns the form to change a question that is kept for evaluations.
func KeptQuestion(id domain.QuestionID) string {
	return KeptQuestions + "/" + url.PathEscape(string(id))
}

// KeepQuestion returns the form to keep the question that a run has answered.
func KeepQuestion(m domain.MessageID, run domain.RunID) string {
	return With(NewQuestion, "message", string(m), "run", string(run))
}

// Turn returns the address of one question within its conversation.
func Turn(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "#turn-" + url.PathEscape(string(m))
}

// TurnAt returns the address of a conversation by way of an answer, with the steps
// of that answer beside it: a branch's, or without one the answer as asked.
func TurnAt(c domain.ConversationID, m domain.MessageID, b domain.BranchID) string {
	if b != "" {
		return BranchTurn(c, m, b)
	}
	return With(Conversation(c), "turn", string(m)) + "#turn-" + url.PathEscape(string(m))
}

// AnswerGraph returns the picture of the part of the graph that an answer's
// evidence came from.
func AnswerGraph(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "/graph/" + url.PathEscape(string(m))
}

// DeleteConversation returns the page that confirms a deletion; a POST deletes.
func DeleteConversation(c domain.ConversationID) string { return Conversation(c) + "/delete" }

// RestoreConversation returns the address that takes a deletion back, by POST.
func RestoreConversation(c domain.ConversationID) string { return Conversation(c) + "/restore" }

// RenameConversation returns the address for another title, by POST.
func RenameConversation(c domain.ConversationID) string { return Conversation(c) + "/rename" }

// PinConversation returns the address that pins or unpins a conversation.
func PinConversation(c domain.ConversationID) string { return Conversation(c) + "/pin" }

// ShareConversation returns the address that shares a conversation, by POST.
func ShareConversation(c domain.ConversationID) string { return Conversation(c) + "/share" }

// UnshareConversation returns the address that stops sharing a conversation, by POST.
func UnshareConversation(c domain.ConversationID) string { return Conversation(c) + "/unshare" }

// SearchWeb returns the address that searches the web for what a run did not find, by POST.
func SearchWeb(run domain.RunID) string { return Run(run) + "/web" }

// ShareAnswer returns the address that shares the answer of a run, by POST.
func ShareAnswer(run domain.RunID) string { return Run(run) + "/share" }

// CopyConversation returns the address that copies a conversation and asks further in the copy, by POST.
func CopyConversation(c domain.ConversationID) string { return Conversation(c) + "/copy" }

// The pages of conversations and their folders.
const (
	Conversations      = "/conversations"
	MoveConversations  = Conversations + "/move"
	ClearConversations = Conversations + "/clear"
	Folders            = Conversations + "/folders"
)

// InFolder returns the page of the conversations in a folder.
func InFolder(f domain.FolderID) string { return With(Conversations, "folder", string(f)) }

// MoveToFolder returns the address of the page on which a conversation is chosen to be put into a folder.
func MoveToFolder(c domain.ConversationID) string { return With(Conversations, "choose", string(c)) }

// RenameFolder returns the address for another name of a folder, by POST.
func RenameFolder(f domain.FolderID) string {
	return Folders + "/" + url.PathEscape(string(f)) + "/rename"
}

// DeleteFolder returns the address that deletes a folder, by POST.
func DeleteFolder(f domain.FolderID) string {
	return Folders + "/" + url.PathEscape(string(f)) + "/delete"
}

// ConversationFile returns the address of a conversation as a file: md or json.
func ConversationFile(c domain.ConversationID, format string) string {
	return Conversation(c) + "/file/" + url.PathEscape(format)
}

// AskAgain returns the address for a question that replaces a message's, by POST.
func AskAgain(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "/again/" + url.PathEscape(string(m))
}

// Judge returns the address for a person's judgement of an answer, by POST.
func Judge(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "/judge/" + url.PathEscape(string(m))
}

// Reply returns the address for a reply to the run of a question, by POST.
func Reply(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "/reply/" + url.PathEscape(string(m))
}

// Source returns the address of a conversation with the n-th citation of a
// message open.
func Source(c domain.ConversationID, m domain.MessageID, n int) string {
	return fill(AnySource, string(c), string(m), strconv.Itoa(n))
}

// FigureSource returns the address of a conversation with the n-th source of a
// chart open.
func FigureSource(c domain.ConversationID, m domain.MessageID, id string, n int) string {
	return fill(AnyFigureSource, string(c), string(m), id, strconv.Itoa(n))
}

// FigureCSV returns the address of a chart's table as comma-separated values.
func FigureCSV(c domain.ConversationID, m domain.MessageID, id string) string {
	return Conversation(c) + "/figures/" + url.PathEscape(string(m)) + "/" + url.PathEscape(id) + "/table.csv"
}

// Counted returns the page with the things counted: the entities of a label,
// the document with the mentions, or all entities or documents.
func Counted(c domain.Count) string {
	switch {
	case c.Of == domain.CountEntities:
		return With(Entities, "label", c.Key)
	case c.Document != "":
		return Document(c.Document)
	case c.Of == domain.CountMentions:
		return Documents
	}
	return Entities
}

// DocumentList returns the list of the documents that a filter selects.
func DocumentList(f domain.DocumentFilter) string { return withValues(Documents, f.Values()) }

// DocumentPage returns a page of such a list: what comes after a place, or before one.
func DocumentPage(f domain.DocumentFilter, after, before string) string {
	q := f.Values()
	for name, place := range map[string]string{"after": after, "before": before} {
		if place != "" {
			q.Set(name, place)
		}
	}
	return withValues(Documents, q)
}

// DocumentListEvents returns the stream of such a list.
func DocumentListEvents(f domain.DocumentFilter) string {
	return withValues(DocumentsEvents, f.Values())
}

func withValues(address string, q url.Values) string {
	if len(q) == 0 {
		return address
	}
	return address + "?" + q.Encode()
}

// Document returns the address of a document.
func Document(id domain.DocumentID) string { return Documents + "/" + url.PathEscape(string(id)) }

// Passage returns the address of a document with the characters of s marked.
func Passage(id domain.DocumentID, s domain.Span) string {
	return Document(id) + "?start=" + strconv.Itoa(s.Start) + "&end=" + strconv.Itoa(s.End) + "#hit"
}

// Version returns the page of an earlier version of a document, from 0, beside the present
// one.
func Version(id domain.DocumentID, number int) string {
	return fill(AnyVersion, string(id), strconv.Itoa(number+1))
}

// RemoveVersion removes an earlier version of a document. POST only.
func RemoveVersion(id domain.DocumentID, number int) string { return Version(id, number) + "/remove" }

// Part returns the address of a document shown from code point at.
func Part(id domain.DocumentID, at int) string { return Document(id) + "?at=" + strconv.Itoa(at) }

// PartBefore returns the address of a document with the part of its text that ends at a code point.
func PartBefore(id domain.DocumentID, end int) string {
	return Document(id) + "?before=" + strconv.Itoa(end)
}

// Found returns the address of a document with the n-th occurrence of words marked.
func Found(id domain.DocumentID, words string, n int) string {
	return With(Document(id), "find", words, "n", strconv.Itoa(n)) + "#hit"
}

// Chunks returns the address of the list of a document's chunks with the results of mining each.
func Chunks(id domain.DocumentID) string { return Document(id) + "/chunks" }

// Tables returns the list of a document's tables.
func Tables(id domain.DocumentID) string { return Document(id) + "/tables" }

// Table returns a table of a document as CSV.
func Table(id domain.DocumentID, number int) string {
	return Tables(id) + "?table=" + strconv.Itoa(number)
}

// Pictures returns the list of a document's pictures.
func Pictures(id domain.DocumentID) string { return Document(id) + "/pictures" }

// Picture returns the page that shows a picture of a document in full.
func Picture(id domain.DocumentID, number int) string {
	return Pictures(id) + "?picture=" + strconv.Itoa(number)
}

// PictureFile returns a picture of a document as a file.
func PictureFile(id domain.DocumentID, number int) string {
	return Pictures(id) + "/" + strconv.Itoa(number)
}

// Cited returns the list of the questions whose answers cite a document.
func Cited(id domain.DocumentID) string { return Document(id) + "/cited" }

// ChunksFrom returns the list of a document's chunks from an ordinal on.
func ChunksFrom(id domain.DocumentID, ordinal int) string {
	return Chunks(id) + "?from=" + strconv.Itoa(ordinal)
}

// Original returns the address of a document's file as it was added, to be viewed.
func Original(id domain.DocumentID) string { return Document(id) + "/original" }

// SaveOriginal returns the address at which a document's file is downloaded.
func SaveOriginal(id domain.DocumentID) string { return Original(id) + "?save=1" }

// ReadNext returns the address that lets a waiting document go first, by POST.
func ReadNext(id domain.DocumentID) string { return Document(id) + "/next" }

// DeleteDocument returns the page that confirms a deletion; a POST deletes.
func DeleteDocument(id domain.DocumentID) string { return Document(id) + "/delete" }

// RenameDocument returns the address that gives a document another name, by POST.
func RenameDocument(id domain.DocumentID) string { return Document(id) + "/rename" }

// RetryDocument returns the address that reads a document again, by POST.
func RetryDocument(id domain.DocumentID) string { return Document(id) + "/again" }

// Entity returns the address of an entity.
func Entity(id domain.EntityID) string { return OldEntities + "/" + url.PathEscape(string(id)) }

// RenameEntity returns the form for an entity's name and label; a POST saves
// it.
func RenameEntity(id domain.EntityID) string { return Entity(id) + "/rename" }

// MergeEntity returns the page to find and compare an entity to merge with; a
// POST merges them.
func MergeEntity(id domain.EntityID) string { return Entity(id) + "/merge" }

// KeepApart returns the address that records, by POST, that an entity differs
// from the one in the form field "with".
func KeepApart(id domain.EntityID) string { return Entity(id) + "/apart" }

// SplitEntity returns the form to split an entity; a POST splits it.
func SplitEntity(id domain.EntityID) string { return Entity(id) + "/split" }

// Properties returns the form for an entity's properties; a POST changes one.
func Properties(id domain.EntityID) string { return Entity(id) + "/properties" }

// HideEntity returns the address that deletes an entity from the graph, by POST.
func HideEntity(id domain.EntityID) string { return Entity(id) + "/hide" }

// Relation returns the form for a relation of an entity; a POST saves it.
func Relation(e domain.EntityID, r domain.RelationID) string {
	return Entity(e) + "/relations/" + url.PathEscape(string(r))
}

// RelationProperty returns the address that changes a property of a relation,
// by POST.
func RelationProperty(e domain.EntityID, r domain.RelationID) string {
	return Relation(e, r) + "/properties"
}

// Changed adds to an address the number of the curator's change that led to it.
func Changed(address string, seq int64) string {
	u, err := url.Parse(address)
	if err != nil {
		return With(Changes, "change", strconv.FormatInt(seq, 10))
	}
	q := u.Query()
	q.Set("change", strconv.FormatInt(seq, 10))
	u.RawQuery = q.Encode()
	return u.String()
}

// LeaveRest returns the address that leaves what has not begun of a rereading as it was, by POST.
func LeaveRest(id domain.RereadingID) string { return With(LeaveRereading, "rereading", string(id)) }

// UndoChange returns the address that undoes a curator's change, by POST.
func UndoChange(seq int64) string { return fill(UndoAnyChange, strconv.FormatInt(seq, 10)) }

// TagDocument returns the address that sets a document's tags, by POST.
func TagDocument(id domain.DocumentID) string { return Document(id) + "/tags" }

// SetFields returns the address that sets fields of a document by hand, by POST.
func SetFields(id domain.DocumentID) string { return Document(id) + "/fields" }

// Field returns the address that alters a field, by POST.
func Field(id domain.FieldID) string { return Fields + "/" + url.PathEscape(string(id)) }

// LimitDocument returns the address that limits a document to some readers, by POST.
func LimitDocument(id domain.DocumentID) string { return Document(id) + "/limit" }

// LimitedDocuments is the list of documents that not every member may read.
const LimitedDocuments = Documents + "/limited"

// UnlimitDocument returns the address that lets every member read a document, by POST.
func UnlimitDocument(id domain.DocumentID) string { return Document(id) + "/unlimit" }

// GuideDocument returns the address that chooses the schema of a document, by
// POST.
func GuideDocument(id domain.DocumentID) string { return Document(id) + "/schema" }

// AskIn returns the form that asks a question within a scope.
func AskIn(s domain.Scope) string { return withValues(Ask, url.Values{"within": s.Terms()}) }

// TimelineOf returns the timeline of a scope.
func TimelineOf(s domain.Scope) string { return withValues(Timeline, url.Values{"within": s.Terms()}) }

// NewSummary returns the form for a new summary of the given documents, or of
// the whole library if there are none.
func NewSummary(documents ...domain.DocumentID) string {
	q := url.Values{}
	for _, id := range documents {
		q.Add("document", string(id))
	}
	if len(q) == 0 {
		return Summaries + "/new"
	}
	return Summaries + "/new?" + q.Encode()
}

// StudyOf returns the address of the page with everything that can be studied in documents, in those with one tag, or
// in the library.
func StudyOf(s domain.Scope) string {
	q := url.Values{}
	for _, d := range s.Documents {
		q.Add("document", string(d))
	}
	for _, t := range s.Tags {
		q.Set("tag", t)
	}
	return withValues(Study, q)
}

// StudySet returns the address of a study set.
func StudySet(id domain.SummaryID) string { return Study + "/" + url.PathEscape(string(id)) }

// StudyFile returns the address of a study set as a file in a format.
func StudyFile(id domain.SummaryID, format string) string { return StudySet(id) + "/export/" + format }

// StudyAgain returns the address that makes the same study set again, by POST.
func StudyAgain(id domain.SummaryID) string { return StudySet(id) + "/again" }

// RemoveItem returns the address that takes an item out of a study set, by POST.
func RemoveItem(id domain.SummaryID, item string) string {
	return StudySet(id) + "/items/" + item + "/remove"
}

// RestoreItem returns the address that puts an item back, by POST.
func RestoreItem(id domain.SummaryID, item string) string {
	return StudySet(id) + "/items/" + item + "/restore"
}

// ResearchOf returns the address of the form for research with a question filled in, and the terms of what to ask only within.
func ResearchOf(question string, within ...string) string {
	return With(Researches, "q", question, "within", strings.Join(within, "\n"))
}

// Research returns the address of a research.
func Research(id domain.ResearchID) string { return Researches + "/" + url.PathEscape(string(id)) }

// ContinueResearch returns the address that lets a research go on with its plan, by POST.
func ContinueResearch(id domain.ResearchID) string { return Research(id) + "/continue" }

// ResearchFile returns the address of a report in a format.
func ResearchFile(id domain.ResearchID, format string) string {
	return Research(id) + "/report." + format
}

// Summary returns the address of a summary.
func Summary(id domain.SummaryID) string { return Summaries + "/" + url.PathEscape(string(id)) }

// ContinueSummary returns the address that continues with a reviewed draft, by
// POST.
func ContinueSummary(id domain.SummaryID) string { return Summary(id) + "/continue" }

// SummariseAgain returns the address that orders the same summary again, by
// POST.
func SummariseAgain(id domain.SummaryID) string { return Summary(id) + "/again" }

// DeleteSummary returns the page that confirms a deletion; a POST deletes.
func DeleteSummary(id domain.SummaryID) string { return Summary(id) + "/delete" }

// By which names the steps of runs are called.
const (
	Plain     = "plain"     // in plain words
	Technical = "technical" // as in their graph
)

// Run returns the address of a run.
func Run(id domain.RunID) string { return Runs + "/" + url.PathEscape(string(id)) }

// RunAt returns the address of a run at its moment n.
func RunAt(id domain.RunID, n int) string { return Run(id) + "?step=" + strconv.Itoa(n) }

// RunFile returns the address of a run as a file.
func RunFile(id domain.RunID) string { return Run(id) + "/file" }

// RunPicture returns the drawing of a run at its moment n, in the format svg or png.
func RunPicture(id domain.RunID, format string, n int) string {
	return Run(id) + "/graph/" + format + "?step=" + strconv.Itoa(n)
}

// RunRow returns the address of a run at the moment after the n-th of its steps.
func RunRow(id domain.RunID, n int) string { return Run(id) + "?row=" + strconv.Itoa(n) }

// RunChanges returns the address of the changes of a run's n-th step to the state.
func RunChanges(id domain.RunID, n int) string { return Run(id) + "/changes?row=" + strconv.Itoa(n) }

// Replay returns the address of a run's replay.
func Replay(id domain.RunID) string { return Run(id) + "/replay" }

// RunState returns the address of the state at a run's moment n, as JSON.
func RunState(id domain.RunID, n int) string { return Run(id) + "/state.json?step=" + strconv.Itoa(n) }

// Chunk returns the address that redirects to a chunk's place in its document.
func Chunk(id domain.ChunkID) string { return "/chunks/" + url.PathEscape(string(id)) }

// RunEvents returns the address of a run's server-sent events after the event
// numbered after.
func RunEvents(id domain.RunID, after int) string {
	return Run(id) + "/events?after=" + strconv.Itoa(after)
}

// StopRun returns the address that stops a run, by POST. The form field "back"
// names the page to return to.
func StopRun(id domain.RunID) string { return Run(id) + "/stop" }

// Member returns the address of a member of the workspace.
func Member(name string) string { return People + "/" + url.PathEscape(name) }

// MemberRole returns the address that changes the role of a member, by POST.
func MemberRole(name string) string { return Member(name) + "/role" }

// SetGroups returns the address that puts an account into groups, by POST.
func SetGroups(name string) string { return ManageAccount(name) + "/groups" }

// ManageAccount returns the page of an account for owners.
func ManageAccount(name string) string { return Accounts + "/" + url.PathEscape(name) }

// SetRole returns the address that changes an account's role, by POST.
func SetRole(name string) string { return ManageAccount(name) + "/role" }

// SetPassword returns the address that sets an account's password, by POST.
func SetPassword(name string) string { return ManageAccount(name) + "/password" }

// EndSessions returns the address that ends an account's sessions, by POST: the
// one in the form field "session", or all.
func EndSessions(name string) string { return ManageAccount(name) + "/sessions" }

// RemoveAccount returns the address that removes an account, by POST.
func RemoveAccount(name string) string { return ManageAccount(name) + "/remove" }

// And adds a parameter to an address, beside others of its name.
func And(address, name, value string) string { return join(address, url.Values{name: {value}}) }

// Added sums up documents that were added.
func Added(ids []domain.DocumentID) string {
	q := url.Values{}
	for _, id := range ids {
		q.Add("id", string(id))
	}
	return join(AddedDocuments, q)
}

// With adds query parameters, given as alternating names and values, to an
// address. Empty values are left out.
func With(address string, params ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		if params[i+1] != "" {
			q.Set(params[i], params[i+1])
		}
	}
	if len(q) == 0 {
		return address
	}
	return join(address, q)
}

// join adds parameters to an address, which may have some.
func join(address string, q url.Values) string {
	if strings.Contains(address, "?") {
		return address + "&" + q.Encode()
	}
	return address + "?" + q.Encode()
}

// Prompt returns the address of a role's prompt. POST: save it.
func Prompt(role string) string { return Prompts + "/" + url.PathEscape(role) }

// RestorePrompt returns where to post the number of a version to make it the
// current one.
func RestorePrompt(role string) string { return Prompt(role) + "/restore" }

// TryPrompt returns where to post a draft to try it out.
func TryPrompt(role string) string { return Prompt(role) + "/try" }

// PromptDiff returns the address of a role's prompt with the difference of two
// versions.
func PromptDiff(role string, from, to int) string {
	return Prompt(role) + "?from=" + strconv.Itoa(from) + "&to=" + strconv.Itoa(to) + "#diff"
}

// Followed returns the page of a source; POST changes it.
func Followed(id string) string { return Sources + "/" + url.PathEscape(id) }

// LookAt returns the address that looks at a source, by POST.
func LookAt(id string) string { return Followed(id) + "/look" }

// PauseSource returns the address that pauses a source, by POST.
func PauseSource(id string) string { return Followed(id) + "/pause" }

// ResumeSource returns the address that resumes a source, by POST.
func ResumeSource(id string) string { return Followed(id) + "/resume" }

// UnlockSource returns the address that gives a source its password, by POST.
func UnlockSource(id string) string { return Followed(id) + "/unlock" }

// SettleSource returns the address that keeps or deletes documents whose items are gone from a source, by POST.
func SettleSource(id string) string { return Followed(id) + "/settle" }
