// Package summaries makes summaries of documents: it takes orders, queues and carries out the runs that summarise, and
// lets a person edit a draft before the last step. It also takes orders of study sets, which package studies carries out.
package summaries

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prompts"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/stategraph"
	"github.com/clewhq/clew/internal/summarize"
	"github.com/clewhq/clew/internal/summarize/study"
)

// MaxFocus is the longest focus in code points.
const MaxFocus = 500

// The least and the most tokens that an Order may ask for.
const (
	LeastTokens = 200
	MostTokens  = 8000
)

// priority puts summaries behind questions and before documents.
const priority = 5

// attempts limits how often a run is tried while a model does not answer.
const attempts = 4

// Params configures a Service. All fields are required but MaxWaiting.
type Params struct {
	Ledger  *ledger.Ledger
	Queue   *job.Queue
	Graph   stategraph.Runnable[summarize.State]
	Prompts *prompts.Book
	AtOnce  int // parts summarised at the same time

	MaxWaiting int // summaries of one person in the queue; 0 means no limit
	IDs        domain.IDs
	Now        domain.Clock
}

// A Service makes summaries.
type Service struct{ Params }

// New returns a Service.
func New(p Params) *Service { return &Service{p} }

// An Order is a request for a summary.
type Order struct {
	Workspace domain.WorkspaceID
	Documents []domain.DocumentID
	Whole     bool             // the whole library; overrides Tag and Documents
	Tag       string           // all documents with the tag; overrides Documents unless ""
	Focus     string           // its readers or subject; may be ""
	Length    summarize.Length // "" means Medium
	TokenMax  int              // maximum tokens of the summaries that are reduced to one; 0 means summarize.TokenMax
	Review    bool             // stop before the last step, for a person to edit
	Strict    bool             // fail if the summaries can't be condensed further

	Kind domain.StudyKind // of a study set; "" for a summary
	Most int              // maximum of items in a study set

	Form domain.FormKey // of the form that orders it; "" if there is none
	Runs job.Adder      // nil means the queue
}

// Start stores an order together with the run that carries it out, and does not wait. Errors are Invalid or TooLarge for a
// wrong order, NotFound for a missing document, Conflict for one that has not been read, and TooMany when the queue has no
// room.
func (s *Service) Start(ctx context.Context, o Order) (ledger.Summary, error) {
	var sum ledger.Summary
	before, err := s.Queue.Once(ctx, o.Workspace, o.formKey(), func() (err error) {
		sum, err = s.start(ctx, o)
		return err
	})
	if err != nil || before == "" {
		return sum, err
	}
	if o.Kind != "" {
		return s.Ledger.StudySet(ctx, o.Workspace, domain.SummaryID(before))
	}
	return s.Ledger.Summary(ctx, o.Workspace, domain.SummaryID(before))
}

// formKey identifies the form that orders a summary.
func (o Order) formKey() string {
	contents := []string{o.run(), string(o.Kind), strconv.Itoa(o.Most), strconv.FormatBool(o.Whole), o.Tag, o.Focus, string(o.Length), strconv.Itoa(o.TokenMax), strconv.FormatBool(o.Review)}
	for _, d := range o.Documents {
		contents = append(contents, string(d))
	}
	return o.Form.Of(contents...)
}

// run returns the kind of run that carries the order out.
func (o Order) run() string {
	if o.Kind != "" {
		return StudyKind
	}
	return Kind
}

func (s *Service) start(ctx context.Context, o Order) (ledger.Summary, error) {
	key := o.formKey()
	o.Tag = domain.Tag(o.Tag)
	if o.Whole {
		o.Tag = ""
	}
	o.Focus = domain.OneLine(strings.ToValidUTF8(o.Focus, ""))
	o.Length = cmp.Or(o.Length, summarize.Medium)
	switch {
	case !o.Length.Known():
		return ledger.Summary{}, domain.Errorf(domain.Invalid, "The length is %q, but should be short, medium or long.", o.Length)
	case o.TokenMax != 0 && (o.TokenMax < LeastTokens || o.TokenMax > MostTokens):
		return ledger.Summary{}, domain.Errorf(domain.Invalid, "The summaries of the parts can be condensed to %d to %s tokens, not %d.", LeastTokens, domain.Thousands(MostTokens), o.TokenMax)
	case o.Kind != "" && !o.Kind.Known():
		return ledger.Summary{}, domain.Errorf(domain.Invalid, "A study set is a glossary, faq or cards, not %q.", domain.Cut(string(o.Kind), domain.MaxTag))
	case o.Kind != "" && (o.Most < 1 || o.Most > study.MaxItems):
		return ledger.Summary{}, domain.Errorf(domain.Invalid, "A study set has 1 to %d items, not %d.", study.MaxItems, o.Most)
	case domain.Runes(o.Focus) > MaxFocus:
		return ledger.Summary{}, domain.Errorf(domain.TooLarge, "The focus has %d characters; the limit is %d. Say in one line what matters.", domain.Runes(o.Focus), MaxFocus)
	}
	docs, err := s.documents(ctx, o)
	if err != nil {
		return ledger.Summary{}, err
	}
	sum := ledger.Summary{
		Workspace: o.Workspace, Whole: o.Whole, Tag: o.Tag, Focus: o.Focus, Length: string(o.Length), Review: o.Review,
		Status: ledger.SummaryWaiting, CreatedAt: s.Now(), Kind: o.Kind, Most: o.Most,
	}
	for _, doc := range docs {
		sum.Documents = append(sum.Documents, ledger.SummaryDocument{ID: doc.ID, Name: doc.Name})
	}
	if !o.Strict {
		sum.MaxCollapses = summarize.DefaultMaxCollapses(parts(docs))
	}
	if sum.ID, err = s.IDs.Summary(); err != nil {
		return sum, err
	}
	if sum.Run, err = s.IDs.Run(); err != nil {
		return sum, err
	}
	return sum, s.add(ctx, sum, o, key)
}

// add stores a summary together with its run, by the queue when o.Runs is nil.
func (s *Service) add(ctx context.Context, sum ledger.Summary, o Order, key string) error {
	with, err := input{TokenMax: o.TokenMax}.encoded()
	if err != nil {
		return err
	}
	runs, limit := o.Runs, job.Limit{}
	if runs == nil {
		runs, limit = s.Queue, job.Limit{Workspace: sum.Workspace, Kind: o.run(), Each: s.MaxWaiting, Waiting: "summaries wait to be made", Setting: "MAX_WAITING_QUESTIONS"}
	}
	err = s.Ledger.AddSummaryTx(ctx, sum, func(tx *sql.Tx) error {
		if err := s.Queue.AdmitTx(ctx, tx, limit); err != nil {
			return err
		}
		_, err := runs.AddTx(ctx, tx, job.Run{
			Workspace: sum.Workspace, ID: sum.Run, Kind: o.run(), Subject: string(sum.ID), Title: Title(sum), Input: with, Priority: priority, MaxAttempts: attempts, CreatedAt: sum.CreatedAt, FormKey: key,
		})
		return err
	})
	if err == nil {
		runs.Announce()
	}
	return err
}

// readable lists the states of documents that have been read.
var readable = []domain.DocumentStatus{domain.DocumentReady, domain.DocumentEmpty}

// Count returns how many documents can be summarised: with the tag, or in the whole library when it is "".
func (s *Service) Count(ctx context.Context, w domain.WorkspaceID, tag string) (int, error) {
	_, n, err := s.Ledger.Documents(ctx, w, ledger.DocumentQuery{Tag: tag, Status: readable, Limit: 1})
	return n, err
}

// documents returns the documents of an order, each once: chosen ones as chosen, those of a tag or the library oldest first.
func (s *Service) documents(ctx context.Context, o Order) ([]domain.Document, error) {
	if o.Whole || o.Tag != "" {
		docs, _, err := s.Ledger.Documents(ctx, o.Workspace, ledger.DocumentQuery{Tag: o.Tag, Status: readable})
		if err == nil && len(docs) == 0 {
			err = nothing(o)
		}
		slices.Reverse(docs)
		return docs, err
	}
	var docs []domain.Document
	seen := map[domain.DocumentID]bool{}
	for _, id := range o.Documents {
		if seen[id] {
			continue
		}
		seen[id] = true
		doc, err := s.Ledger.Document(ctx, o.Workspace, id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(readable, doc.Status) {
			return nil, domain.Errorf(domain.Conflict, "%s has not been read yet. Wait until it has, or leave it out.", doc.Name)
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		return nil, domain.Errorf(domain.Invalid, "Choose at least one document, or the whole library.")
	}
	return docs, nil
}

// nothing returns the error of an order of a tag without documents, or of an empty library.
func nothing(o Order) error {
	switch {
	case o.Tag != "" && !o.Whole:
		return domain.Errorf(domain.Invalid, "No documents with the tag %q have been read.", o.Tag)
	case o.Kind != "":
		return domain.Errorf(domain.Invalid, "No documents have been read yet, so there is nothing to study. Add some, and order it again once they are read.")
	}
	return domain.Errorf(domain.Invalid, "No documents have been read yet, so there is nothing to summarise.")
}

// charsAPart is a low estimate of the characters in a part: 1,000 tokens are some 4,000 characters of English and 1,000 of
// Chinese.
const charsAPart = 1500

// parts estimates the number of parts of documents, generously: limits derive from it.
func parts(docs []domain.Document) int {
	return lists.Sum(docs, func(d domain.Document) int { return 1 + d.Chars/charsAPart })
}

// Again repeats an order on the current documents. Recorded summaries of parts are reused.
func (s *Service) Again(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID) (ledger.Summary, error) {
	sum, err := s.Ledger.Summary(ctx, w, id)
	if err != nil {
		return sum, err
	}
	return s.Repeat(ctx, sum)
}

// Repeat repeats the order of a summary or a study set on the current documents.
func (s *Service) Repeat(ctx context.Context, sum ledger.Summary) (ledger.Summary, error) {
	o := Order{Workspace: sum.Workspace, Whole: sum.Whole, Tag: sum.Tag, Focus: sum.Focus, Length: summarize.Length(sum.Length), Review: sum.Review, Strict: sum.MaxCollapses == 0, Kind: sum.Kind, Most: sum.Most}
	var err error
	if o.TokenMax, err = s.TokenMax(ctx, sum); err != nil {
		return sum, err
	}
	for _, doc := range sum.Documents {
		if doc.Name != "" {
			o.Documents = append(o.Documents, doc.ID)
		}
	}
	return s.Start(ctx, o)
}

// Delete removes a summary. One that is not finished is a Conflict.
func (s *Service) Delete(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID) error {
	sum, err := s.Ledger.Summary(ctx, w, id)
	if err != nil {
		return err
	}
	return s.Remove(ctx, sum)
}

// Remove removes a summary or a study set, as Delete does.
func (s *Service) Remove(ctx context.Context, sum ledger.Summary) error {
	switch sum.Status {
	case ledger.SummaryDone, ledger.SummaryStopped, ledger.SummaryFailed:
		return s.Ledger.DeleteSummary(ctx, sum.Workspace, sum.ID)
	}
	if sum.Kind != "" {
		return domain.Errorf(domain.Conflict, "The study set is still being made. Stop it first, then delete it.")
	}
	return domain.Errorf(domain.Conflict, "The summary is still being made. Stop it first, then delete it.")
}

// question returns the question that the run of a summary asks, and reports whether it asks any.
func (s *Service) question(ctx context.Context, sum ledger.Summary) (stategraph.Question, bool, error) {
	if !sum.Review || sum.Status != ledger.SummaryWorking && sum.Status != ledger.SummaryAsking && sum.Status != ledger.SummaryWaiting {
		return stategraph.Question{}, false, nil
	}
	open, err := s.Graph.Questions(ctx, string(sum.Run))
	if err != nil || len(open) == 0 {
		return stategraph.Question{}, false, err
	}
	return open[0], true, nil
}

// Draft returns what a person edits before the last step: the summaries with the numbers of their parts. It is nil when the
// run asks nothing, or the answer is on its way.
func (s *Service) Draft(ctx context.Context, sum ledger.Summary) ([]string, error) {
	q, asks, err := s.question(ctx, sum)
	if err != nil || !asks || sum.Edits != nil {
		return nil, err
	}
	var draft summarize.Draft
	if err := json.Unmarshal(q.Payload, &draft); err != nil {
		return nil, fmt.Errorf("decode the draft of summary %s: %w", sum.ID, err)
	}
	return draft.Summaries, nil
}

// Continue resumes a summary with a person's edits of the draft, one text each; an empty text leaves its summary out.
// Conflict means that the run asks nothing any more, Invalid that no text is left.
func (s *Service) Continue(ctx context.Context, w domain.WorkspaceID, id domain.SummaryID, texts []string) error {
	sum, err := s.Ledger.Summary(ctx, w, id)
	if err != nil {
		return err
	}
	draft, err := s.Draft(ctx, sum)
	if err != nil {
		return err
	}
	if draft == nil {
		return nothingAsked()
	}
	if err := (summarize.Draft{Summaries: draft}).Check(texts); err != nil {
		return err
	}
	r, err := s.Queue.Get(ctx, w, sum.Run)
	if err != nil {
		return err
	}
	var in input
	if err := in.decode(r); err != nil {
		return err
	}
	in.Edited = s.Now() // new input, so a run about to sleep continues
	after, err := in.encoded()
	if err != nil {
		return err
	}
	_, err = s.Ledger.UpdateSummary(ctx, w, id, func(sum *ledger.Summary) {
		sum.Status, sum.Edits = ledger.SummaryWaiting, texts
	}, func(tx *sql.Tx) error {
		replied, err := s.Queue.ReplyTx(ctx, tx, w, r.ID, r.Input, after)
		if err == nil && !replied {
			err = nothingAsked()
		}
		return err
	})
	if err == nil {
		s.Queue.Announce()
	}
	return err
}

func nothingAsked() error {
	return domain.Errorf(domain.Conflict, "This summary no longer waits for an edit.")
}

// Title returns the title of a summary or a study set, with the current names of its documents.
func Title(s ledger.Summary) string {
	said := map[domain.StudyKind]string{"": "Summary", domain.Glossary: "Glossary", domain.FAQ: "FAQ", domain.Cards: "Cards"}[s.Kind]
	if n := len(s.Documents); !s.Whole && s.Tag == "" && (n == 0 || n > 2) {
		return fmt.Sprintf("%s of %d documents", said, n)
	}
	return said + " of " + Subject(s)
}

// Subject describes the documents of a summary or a study set.
func Subject(s ledger.Summary) string {
	n := len(s.Documents)
	switch {
	case s.Whole:
		return "the library"
	case s.Tag != "":
		return "what is tagged " + s.Tag
	case n == 1:
		return name(s.Documents[0])
	case n == 2:
		return name(s.Documents[0]) + " and " + name(s.Documents[1])
	}
	return fmt.Sprintf("%d documents", n)
}

func name(d ledger.SummaryDocument) string {
	return cmp.Or(d.Name, "a deleted document")
}

// Outdated returns, for each finished summary that no longer matches its documents, a sentence with the reason.
func (s *Service) Outdated(ctx context.Context, w domain.WorkspaceID, list ...ledger.Summary) (map[domain.SummaryID]string, error) {
	ids := lists.Map(list, func(sum ledger.Summary) domain.SummaryID { return sum.ID })
	texts, err := s.Ledger.RewrittenTexts(ctx, w, ids)
	if err != nil {
		return nil, err
	}
	all, byTag := 0, map[string]int(nil)
	if slices.ContainsFunc(list, func(sum ledger.Summary) bool { return sum.Whole || sum.Tag != "" }) {
		if all, byTag, err = s.Ledger.CountReadable(ctx, w); err != nil {
			return nil, err
		}
	}
	why := map[domain.SummaryID]string{}
	for _, sum := range list {
		added := 0
		switch {
		case sum.Status != ledger.SummaryDone:
			continue
		case sum.Whole:
			added = all - len(sum.Documents)
		case sum.Tag != "":
			added = byTag[sum.Tag] - len(sum.Documents)
		}
		if reason := outdated(sum, texts, added); reason != "" {
			why[sum.ID] = reason
		}
	}
	return why, nil
}

// outdated describes why a summary is outdated, given the hashes of rewritten texts and the number of documents added
// since, or "" if it is not.
func outdated(s ledger.Summary, texts map[domain.DocumentID]string, added int) string {
	gone, changed := 0, 0
	for _, doc := range s.Documents {
		hash, rewritten := texts[doc.ID]
		switch {
		case doc.Name == "":
			gone++
		case rewritten && hash != doc.Hash:
			changed++
		}
	}
	switch {
	case gone > 0:
		return fmt.Sprintf("%s deleted since. Sentences that came only from it were removed.", domain.Counted(gone, "document of it was", "documents of it were"))
	case changed > 0:
		return domain.Counted(changed, "document of it has", "documents of it have") + " changed since."
	case added > 0 && s.Tag != "":
		return domain.Counted(added, "document has", "documents have") + " been added to the tag since."
	case added > 0:
		return domain.Counted(added, "document has", "documents have") + " been added to the library since."
	}
	return ""
}
