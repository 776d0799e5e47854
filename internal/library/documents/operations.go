package documents

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/graph/curate"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/views/format"
)

// A Filter narrows a list of documents.
type Filter struct {
	State     string   `json:"state" doc:"only those in this state: working, paused, look (failed, stopped, or nothing found), gone (no longer where it was fetched from), waiting, ready, empty, failed, stopped"`
	Formats   []string `json:"format" doc:"only those of this format: pdf, docx, markdown, …; can be repeated"`
	Tag       string   `json:"tag" doc:"only those with this tag"`
	From      string   `json:"from" doc:"only those added on or after this day: 2026-03-01"`
	To        string   `json:"to" doc:"only those added on or before this day"`
	Languages []string `json:"lang" doc:"only those in this language: en; can be repeated"`
	Sources   []string `json:"source" doc:"only those from this source: upload, web, folder, s3, archive, mail or git"`
	Authors   []string `json:"author" doc:"only those by an author whose name contains this"`
	Published string   `json:"published" doc:"only those published then: 1924, 1924-05, or 1900..1931"`
	Fields    []string `json:"field" whole:"" doc:"only those with this value of a field: status=final, year>=2020, year=2020..2024, or status for any; can be repeated"`
}

// with returns the filter for documents whose name, title, tags or text hold the words.
func (f Filter) with(words string) (domain.DocumentFilter, error) {
	d := domain.DocumentFilter{Text: words, State: domain.DocumentState(f.State), Tag: domain.Tag(f.Tag), From: f.From, To: f.To}
	for _, name := range f.Formats {
		d.Formats = append(d.Formats, domain.Format(strings.ToLower(name)))
	}
	for kind, values := range map[string][]string{
		domain.WithinLanguage: f.Languages, domain.WithinSource: f.Sources, domain.WithinAuthor: f.Authors, domain.WithinPublished: {f.Published}, domain.WithinField: f.Fields,
	} {
		for _, value := range values {
			if err := d.AddFact(kind, value); err != nil {
				return d, err
			}
		}
	}
	return d, d.Check()
}

// Chosen are several documents: those that are named, or those that match.
type Chosen struct {
	Names []string `json:"documents" arg:"[DOCUMENT…]" doc:"documents, by name or id"`
	Filter
	Match string `json:"match" doc:"only those with these words in their name, title, tags or passages"`
	All   bool   `json:"all" doc:"all documents of the library"`
}

// query returns the query that selects the documents. It fails with kind Invalid if nothing is chosen.
func (s *Service) query(ctx context.Context, ch Chosen) (ledger.DocumentQuery, error) {
	f, err := ch.with(domain.OneLine(ch.Match))
	if err != nil {
		return ledger.DocumentQuery{}, err
	}
	switch {
	case len(ch.Names) > 0 && (f.Narrows() || ch.All):
		return ledger.DocumentQuery{}, domain.Errorf(domain.Invalid, "Name documents or choose them by flags, not both.")
	case len(ch.Names) > 0:
		ids, err := s.Find(ctx, domain.WorkspaceOf(ctx), ch.Names)
		audit.About(ctx, ids...)
		return ledger.DocumentQuery{IDs: ids}, err
	case !f.Narrows() && !ch.All:
		return ledger.DocumentQuery{}, domain.Errorf(domain.Invalid, "Name documents, choose them by flags such as --state failed, or choose all with --all.")
	}
	return s.Selected(ctx, domain.WorkspaceOf(ctx), f)
}

// named returns the document that a person names.
func (s *Service) named(ctx context.Context, name string) (domain.Document, error) {
	ids, err := s.Find(ctx, domain.WorkspaceOf(ctx), []string{name})
	if err != nil {
		return domain.Document{}, err
	}
	return s.Ledger.Document(ctx, domain.WorkspaceOf(ctx), ids[0])
}

// One names a document.
type One struct {
	Name string `json:"document" arg:"DOCUMENT" doc:"name or id of a document, or the end of its name after a slash"`
}

// Changed is how many documents were changed.
type Changed struct {
	Documents int   `json:"documents" trail:""`
	Change    int64 `json:"change,omitempty" trail:""` // by which it can be undone

	did string
}

func (c Changed) String() string {
	return c.did + " " + domain.Counted(c.Documents, "document", "documents") + "."
}

// Operations returns the operations on documents.
func Operations() []operation.Operation[*Service] {
	return slices.Concat(looking(), []operation.Operation[*Service]{tables(), pictures()}, adding(), pricing(), versioning(), limiting(), []operation.Operation[*Service]{
		operation.Op[*Service, renaming, Renamed]{
			Name: "documents rename", Short: "Rename a document", Scope: operation.WriteDocuments, Routes: []string{"PATCH /documents/{document}"}, Example: "  clew documents rename draft.txt final.txt",
			Long: `Give a document another name, as when its content was added once more under
another one. It keeps its versions, tags and links. A title that came from the name
follows, for which the document is read again; no model is asked for that.`,
			Do:   (*Service).renamed,
			Text: operation.Line(func(r Renamed) string { return r.was + " is called " + r.Name + " now." }),
		},
		operation.Op[*Service, rereading, Changed]{
			Name: "documents retry", Short: "Read documents again, optionally in another encoding", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/retry"},
			Long: `Queue documents to be read again: those named, or those that match the flags.
What the model in use has read already is kept and not paid for twice. They are
read by clew serve or clew work. Documents that are being read are left alone.
It first says what that would take, and asks unless --yes is given.

clew documents reading says how far they have come. --leave-rest leaves those that
no worker has begun to read as they were.`,
			Example: `  clew documents retry --state failed --yes
  clew documents retry --tag minutes
  clew documents retry names.csv --encoding gb18030
  clew documents retry --leave-rest`,
			Ask: func(s *Service, ctx context.Context, in rereading) (string, error) {
				if in.Leave {
					return "", nil
				}
				q, err := s.query(ctx, in.Chosen)
				if err != nil {
					return "", err
				}
				bill, err := s.BillFor(ctx, domain.WorkspaceOf(ctx), q)
				return "Reading again would take " + bill.String() + ". Read them again?", err
			},
			Do: (*Service).reread,
		},
		operation.Op[*Service, deleting, Changed]{
			Name: "documents delete", Short: "Delete documents, with everything only they contributed", Scope: operation.DeleteDocuments, Routes: []string{"DELETE /documents/{documents}", "POST /documents/delete"},
			Long: `Delete documents for good: those named, or those that match the flags. It first
says what goes with them, and asks unless --yes is given. Unlike in the pages
this can't be undone. A note stands in old answers where a whole sentence of a
deleted document stood, unless --keep-quoted is given.`,
			Example: `  clew documents delete draft.docx
  clew documents delete --tag inbox --to 2025-12-31 --yes`,
			Ask: func(s *Service, ctx context.Context, in deleting) (string, error) {
				q, err := s.query(ctx, in.Chosen)
				if err != nil {
					return "", err
				}
				t, err := s.Ledger.Toll(ctx, domain.WorkspaceOf(ctx), q)
				if err != nil || t.Documents == 0 {
					return "", err
				}
				return tollWords(t) + " Delete them?", nil
			},
			Do: func(s *Service, ctx context.Context, in deleting) (Changed, error) {
				q, err := s.query(ctx, in.Chosen)
				if err != nil {
					return Changed{}, err
				}
				n, err := s.DeleteNow(ctx, domain.WorkspaceOf(ctx), q, in.Keep)
				return Changed{Documents: n, did: "Deleted"}, err
			},
		},
		turning(PauseThem, "Paused", "Pause the reading of waiting documents until clew documents go-on", "  clew documents pause --tag inbox"),
		turning(GoOnThem, "Going on with", "Resume the reading of paused documents", "  clew documents go-on --state paused"),
		turning(ReadFirst, "First are", "Move waiting documents to the front of the queue", "  clew documents first minutes.docx"),
		turning(StopThem, "Stopped", "Stop reading documents; what was read of them stays", "  clew documents stop --state working"),
	})
}

// turning does something with documents that wait or are being read.
func turning(turn Turn, did, short, example string) operation.Operation[*Service] {
	return operation.Op[*Service, Chosen, Changed]{
		Name: "documents " + string(turn), Short: short, Example: example, Scope: operation.WriteDocuments, Routes: []string{"POST /documents/" + string(turn)},
		Do: func(s *Service, ctx context.Context, in Chosen) (Changed, error) {
			q, err := s.query(ctx, in)
			if err != nil {
				return Changed{}, err
			}
			n, err := s.Turn(ctx, domain.WorkspaceOf(ctx), q, turn)
			return Changed{Documents: n, did: did}, err
		},
	}
}

type renaming struct {
	One
	To string `json:"name" arg:"NAME" doc:"its new name"`
}

// Renamed is a document with its new name.
type Renamed struct {
	ID   domain.DocumentID `json:"id"`
	Name string            `json:"name"`

	was string
}

func (s *Service) renamed(ctx context.Context, in renaming) (Renamed, error) {
	d, err := s.named(ctx, in.Name)
	if err != nil {
		return Renamed{}, err
	}
	name, err := SafePath(in.To)
	if err != nil {
		return Renamed{}, err
	}
	return Renamed{d.ID, name, in.Name}, s.Rename(ctx, domain.WorkspaceOf(ctx), d.ID, name)
}

type rereading struct {
	Chosen
	Encoding string `json:"encoding" doc:"encoding in which to read their text from now on, such as gb18030, shift_jis or windows-1251, or guess to guess it from their bytes"`
	Leave    bool   `json:"leave_rest" doc:"undo the rereading of documents whose turn has not come yet"`
}

func (s *Service) reread(ctx context.Context, in rereading) (Changed, error) {
	w := domain.WorkspaceOf(ctx)
	if in.Leave {
		list, err := s.Ledger.Rereadings(ctx, w)
		left := Changed{did: "Left as before"}
		for _, r := range list {
			n, err := s.LeaveRest(ctx, w, r.ID)
			if left.Documents += n; err != nil {
				return left, err
			}
		}
		return left, err
	}
	q, err := s.query(ctx, in.Chosen)
	if err != nil {
		return Changed{}, err
	}
	if in.Encoding != "" {
		if err := s.SetEncoding(ctx, w, q, in.Encoding); err != nil {
			return Changed{}, err
		}
	}
	_, n, err := s.ReadSelectedAgain(ctx, w, q)
	return Changed{Documents: n, did: "Queued"}, err
}

type deleting struct {
	Chosen
	Keep bool `json:"keep_quoted" doc:"keep sentences of the documents in old answers"`
}

// tollWords lists what is deleted along with documents.
func tollWords(t ledger.Toll) string {
	said := []string{domain.Counted(t.Documents, "document", "documents"), domain.Counted(t.Passages, "passage", "passages")}
	if t.Entities >= 0 {
		said = append(said, domain.Counted(t.Entities, "entity", "entities")+" and "+domain.Counted(t.Relations, "relation", "relations")+" of no other document")
	}
	words := strings.Join(said, ", ") + " would go. " + domain.Counted(t.Answers, "answer", "answers") + " would lose a source."
	if t.Summaries > 0 {
		words += " " + domain.Counted(t.Summaries, "summary", "summaries") + " would lose what came from there."
	}
	return words
}

// A Tagger gives documents tags and values of fields, in the log of changes.
type Tagger struct {
	*Service
	Curator *curate.Curator
}

type tagging struct {
	Chosen
	Add    string `json:"add" doc:"tags to add, separated by commas"`
	Remove string `json:"remove" doc:"tags to remove"`
}

// Tagging returns the operations on tags.
func Tagging() []operation.Operation[Tagger] {
	return []operation.Operation[Tagger]{operation.Op[Tagger, tagging, Changed]{
		Name: "documents tag", Short: "Add tags to documents, or remove them", Scope: operation.WriteDocuments, Routes: []string{"POST /documents/tag"},
		Example: `  clew documents tag minutes.docx --add "harbour board"
  clew documents tag --match minutes --format docx --add minutes --remove inbox`,
		Do: func(t Tagger, ctx context.Context, in tagging) (Changed, error) {
			given, err := domain.ParseTags(in.Add)
			if err != nil {
				return Changed{}, err
			}
			taken, err := domain.ParseTags(in.Remove)
			if err != nil {
				return Changed{}, err
			}
			if len(given)+len(taken) == 0 {
				return Changed{}, domain.Errorf(domain.Invalid, "Name tags to add with --add or to remove with --remove.")
			}
			q, err := t.query(ctx, in.Chosen)
			if err != nil {
				return Changed{}, err
			}
			entry, err := t.Curator.Tag(ctx, q, given, taken)
			return Changed{Documents: entry.Documents, Change: entry.Seq}, err
		},
		Text: operation.Line(func(c Changed) string {
			if c.Change == 0 {
				return "The documents already have these tags."
			}
			return fmt.Sprintf("Changed the tags of %s. To undo this, run clew changes undo %d.", domain.Counted(c.Documents, "document", "documents"), c.Change)
		}),
	}}
}

// Cutting describes how files are cut into chunks.
type Cutting struct {
	By       string `json:"chunk" doc:"where chunks end: headings, sentences, tokens, or parts (one row, slide, message or page each); by default the format decides"`
	Tokens   string `json:"chunk_tokens" doc:"maximum number of tokens in a chunk, from 32 to 4096; by default CHUNK_TOKENS"`
	Field    string `json:"text_field" doc:"field of JSON records that holds their text, as a name or a path such as body.text; by default the longest"`
	Encoding string `json:"encoding" doc:"encoding of text, and of names in ZIP archives, such as gb18030, shift_jis or windows-1251; by default what the file says or its bytes suggest"`
}

// Chunking returns the checked choice.
func (c Cutting) Chunking() (domain.Chunking, error) {
	how, err := domain.ParseChunking(c.By, c.Tokens, c.Field)
	if err != nil {
		return how, err
	}
	how.Encoding, err = parse.EncodingNamed(c.Encoding)
	return how, err
}

type previewing struct {
	File operation.File `json:"file" arg:"FILE" doc:"file to be cut"`
	Cutting
}

// Previewed are the first chunks of a file.
type Previewed struct {
	Name     string          `json:"name"`
	Format   domain.Format   `json:"format"`
	Chunks   int             `json:"chunks"` // total
	First    []PreviewedPart `json:"first"`
	Warnings []string        `json:"warnings,omitempty"`
}

// PreviewedPart is one of them.
type PreviewedPart struct {
	Tokens   int      `json:"tokens"`
	Page     int      `json:"page,omitempty"`
	Place    string   `json:"place,omitempty"`
	Headings []string `json:"headings"`
	Text     string   `json:"text"`
}

func (s *Service) previewed(ctx context.Context, in previewing) (Previewed, error) {
	how, err := in.Chunking()
	if err != nil {
		return Previewed{}, err
	}
	file, err := in.File.Open()
	if err != nil {
		return Previewed{}, err
	}
	defer file.Close()
	b, err := s.Preview(ctx, domain.WorkspaceOf(ctx), in.File.Name, how, file)
	if err != nil {
		return Previewed{}, err
	}
	p := Previewed{Name: b.Name, Format: b.Format, Chunks: b.Chunks, First: []PreviewedPart{}, Warnings: b.Warnings}
	for _, c := range b.First {
		p.First = append(p.First, PreviewedPart{c.Tokens, c.Page, c.Place(c.Span), c.Headings, c.Text})
	}
	return p, nil
}

func printPreview(w io.Writer, p Previewed) error {
	fmt.Fprintf(w, "%s: %s\n", p.Name, format.Count(p.Chunks, "chunk", "chunks"))
	for _, warning := range p.Warnings {
		fmt.Fprintln(w, "  "+warning)
	}
	for i, c := range p.First {
		said := []string{fmt.Sprintf("%d", i+1), format.Count(c.Tokens, "token", "tokens")}
		if where := domain.Where("", c.Page, c.Place); where != "" {
			said = append(said, strings.TrimPrefix(where, ", "))
		}
		if len(c.Headings) > 0 {
			said = append(said, strings.Join(c.Headings, " › "))
		}
		fmt.Fprintf(w, "\n%s\n%s\n", strings.Join(said, " · "), c.Text)
	}
	return nil
}
