// Package link holds the addresses of all pages. Templates and handlers name
// them through it, so that an address is written once.
package link

import (
	"net/url"
	"strconv"

	"github.com/clewhq/clew/internal/domain"
)

// Addresses without parameters. A form that posts to one is named beside it.
const (
	Home            = "/"
	Ask             = "/ask"              // POST: ask a question
	Documents       = "/documents"        // POST: upload files
	PasteText       = "/documents/text"   // POST: add pasted text
	DocumentsEvents = "/documents/events" // server-sent events of the list
	ReadAgain       = "/documents/again"  // POST: read again what was read without a model
	RetryFailed     = "/documents/failed" // POST: try again what failed, in whole or in part
	Sample          = "/sample"           // POST: load the sample library
	Entities        = "/entities"
	Changes         = "/changes"   // what curators decided
	Summaries       = "/summaries" // POST: order a summary
	Runs            = "/runs"
	Settings        = "/settings"
	TestModel       = "/settings/test" // POST: test the connection
	Health          = "/health"
	CheckStores     = "/health/check"   // POST: compare the stores with the ledger
	RebuildStores   = "/health/rebuild" // POST: fill the stores anew
	Backup          = "/health/backup"  // POST: download everything
	Login           = "/login"          // POST: sign in
	Logout          = "/logout"         // POST: sign out
)

// Question is the address that begins a conversation with a question already
// in the field.
func Question(text string) string { return Ask + "?q=" + url.QueryEscape(text) }

// Conversation is a conversation's page.
func Conversation(id domain.ConversationID) string { return Ask + "/" + url.PathEscape(string(id)) }

// Turn is the place of one question on its conversation's page.
func Turn(c domain.ConversationID, m domain.MessageID) string {
	return Conversation(c) + "#turn-" + url.PathEscape(string(m))
}

// Source is a conversation's page with the n-th citation of a message open.
func Source(c domain.ConversationID, m domain.MessageID, n int) string {
	return Conversation(c) + "/source/" + url.PathEscape(string(m)) + "/" + strconv.Itoa(n)
}

// figure is where what belongs to a chart of a message's answer lies.
func figure(c domain.ConversationID, m domain.MessageID, id string) string {
	return Conversation(c) + "/figures/" + url.PathEscape(string(m)) + "/" + url.PathEscape(id)
}

// FigureSource is a conversation's page with the n-th source of a chart open.
func FigureSource(c domain.ConversationID, m domain.MessageID, id string, n int) string {
	return figure(c, m, id) + "/source/" + strconv.Itoa(n)
}

// FigureCSV is the table of a chart as comma-separated values.
func FigureCSV(c domain.ConversationID, m domain.MessageID, id string) string {
	return figure(c, m, id) + "/table.csv"
}

// Counted is the page that shows what was counted: the entities of a label, the
// document whose mentions they are, or all entities or documents.
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

// Document is a document's page.
func Document(id domain.DocumentID) string { return Documents + "/" + url.PathEscape(string(id)) }

// Passage is a document's page with the characters of s marked.
func Passage(id domain.DocumentID, s domain.Span) string {
	return Document(id) + "?start=" + strconv.Itoa(s.Start) + "&end=" + strconv.Itoa(s.End) + "#hit"
}

// Part is a document's page from the code point at on.
func Part(id domain.DocumentID, at int) string { return Document(id) + "?at=" + strconv.Itoa(at) }

// DeleteDocument asks whether to delete a document; a POST does it.
func DeleteDocument(id domain.DocumentID) string { return Document(id) + "/delete" }

// RetryDocument reads a document again, by POST: after a failure or a stop, or
// because its owner wants it.
func RetryDocument(id domain.DocumentID) string { return Document(id) + "/again" }

// Entity is an entity's page.
func Entity(id domain.EntityID) string { return Entities + "/" + url.PathEscape(string(id)) }

// RenameEntity asks for another name or label of an entity; a POST gives it.
func RenameEntity(id domain.EntityID) string { return Entity(id) + "/rename" }

// MergeEntity finds what to merge an entity with, and shows both side by side;
// a POST merges them.
func MergeEntity(id domain.EntityID) string { return Entity(id) + "/merge" }

// KeepApart says, by POST, that an entity is not the one of the form field
// "with".
func KeepApart(id domain.EntityID) string { return Entity(id) + "/apart" }

// SplitEntity asks what to take out of an entity; a POST takes it out.
func SplitEntity(id domain.EntityID) string { return Entity(id) + "/split" }

// HideEntity leaves an entity out of the graph, by POST.
func HideEntity(id domain.EntityID) string { return Entity(id) + "/hide" }

// Relation asks what to change of an entity's relation; a POST changes it.
func Relation(e domain.EntityID, r domain.RelationID) string {
	return Entity(e) + "/relations/" + url.PathEscape(string(r))
}

// Changed is an address with the number of a curator's change that led to it.
func Changed(address string, seq int64) string {
	return With(address, "change", strconv.FormatInt(seq, 10))
}

// UndoChange takes a curator's change back, by POST.
func UndoChange(seq int64) string { return Changes + "/" + strconv.FormatInt(seq, 10) + "/undo" }

// TagDocument gives a document its tags by POST.
func TagDocument(id domain.DocumentID) string { return Document(id) + "/tags" }

// NewSummary is the page that asks what to summarise: documents, or the whole
// library when none is named.
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

// Summary is a summary's page.
func Summary(id domain.SummaryID) string { return Summaries + "/" + url.PathEscape(string(id)) }

// ContinueSummary goes on with what a person left of its draft, by POST.
func ContinueSummary(id domain.SummaryID) string { return Summary(id) + "/continue" }

// SummariseAgain orders the same summary once more, by POST.
func SummariseAgain(id domain.SummaryID) string { return Summary(id) + "/again" }

// DeleteSummary asks whether to delete a summary; a POST does it.
func DeleteSummary(id domain.SummaryID) string { return Summary(id) + "/delete" }

// Run is a run's page.
func Run(id domain.RunID) string { return Runs + "/" + url.PathEscape(string(id)) }

// RunEvents are the server-sent events of a run after the event numbered after.
func RunEvents(id domain.RunID, after int) string {
	return Run(id) + "/events?after=" + strconv.Itoa(after)
}

// StopRun ends a run, by POST. The form field "back" names the page to return
// to.
func StopRun(id domain.RunID) string { return Run(id) + "/stop" }

// With adds query parameters, given as name and value in turn, to an address.
// Empty values are left out.
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
	return address + "?" + q.Encode()
}
