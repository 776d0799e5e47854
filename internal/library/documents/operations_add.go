package documents

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
)

// Adding are documents to be added: files, or a text under a name.
type Adding struct {
	Files  []operation.File `json:"files" doc:"files to add"`
	Name   string           `json:"name" doc:"name of a text, such as note.md"`
	Text   string           `json:"text" doc:"a text to add, in place of files"`
	Base64 string           `json:"base64" doc:"a small file to add, encoded as base64, in place of files"`
	Schema string           `json:"schema" doc:"name of the schema that guides the reading; by default that of the library"`
	Cutting
	Hold     bool   `json:"hold" doc:"hold them with their bills until they are read by documents retry"`
	Of       string `json:"new_version" xor:"version" doc:"add one file as the next version of this document, given by name or id, whatever the file is called"`
	Separate bool   `json:"separate" xor:"version" doc:"add changed files as separate documents rather than as the next versions of the documents of their names"`
	For
	Wait operation.Wait `json:"wait" doc:"them to be read"`
}

// AddedFile is the outcome for a file that was added, or for a file within one.
type AddedFile struct {
	Name     string                `json:"name"`
	ID       domain.DocumentID     `json:"id,omitempty"`
	Status   domain.DocumentStatus `json:"status,omitempty"`
	Run      domain.RunID          `json:"run,omitempty"`
	Existing bool                  `json:"existing,omitempty"` // the library already had the same content
	Of       domain.DocumentID     `json:"new_version_of,omitempty"`
	Problem  string                `json:"problem,omitempty"` // why it was refused, or could not be read
}

// AddedFiles are the outcome of adding documents.
type AddedFiles struct {
	Documents []AddedFile `json:"documents"`
}

// At implements operation.Begun.
func (a AddedFiles) At() string {
	for _, f := range a.Documents {
		switch {
		case f.ID == "" || f.Status.Settled():
		case f.Of != "": // its id is gone once it has replaced the document
			return "/runs/" + string(f.Run)
		default:
			return "/documents/" + string(f.ID)
		}
	}
	return ""
}

// Passage is a chunk of a document with the text around it. Positions count code points of the document's text.
type Passage struct {
	ID       domain.ChunkID    `json:"id"`
	Document domain.DocumentID `json:"document_id"`
	Name     string            `json:"document"`
	Title    string            `json:"title"`
	Page     int               `json:"page,omitempty"`
	Place    string            `json:"place,omitempty"`
	Headings []string          `json:"headings,omitempty"`
	Start    int               `json:"start"`
	End      int               `json:"end"`
	Text     string            `json:"text"`
	Address  string            `json:"address"` // of the words in the pages
}

func (p Passage) String() string { return p.Name + domain.Where("", p.Page, p.Place) + "\n\n" + p.Text }

type onePassage struct {
	ID     domain.ChunkID `json:"passage" arg:"PASSAGE" doc:"id of a passage"`
	Around int            `json:"around" doc:"how many passages before and after it belong to the text, at most 5"`
}

// maxAround is the most passages on each side that a Passage is read with.
const maxAround = 5

type passagesWanted struct {
	One
	Limit  int `json:"limit" default:"50" doc:"list at most this many; 0 lists all"`
	Offset int `json:"offset" doc:"leave out this many first"`
}

type textWanted struct {
	One
	Start int `json:"start" doc:"position of the first character, in code points"`
	Limit int `json:"limit" default:"20000" doc:"most characters"`
}

// A TextPart is a part of a document's text. Positions count code points.
type TextPart struct {
	ID      domain.DocumentID `json:"id"`
	Name    string            `json:"name"`
	Title   string            `json:"title"`
	Start   int               `json:"start"`
	End     int               `json:"end"`
	Total   int               `json:"total"` // characters in the whole text
	Text    string            `json:"text"`
	Address string            `json:"address"` // of the document in the pages
}

func (p TextPart) String() string { return p.Text }

type originalWanted struct {
	One
	Output string `json:"output" letter:"o" to:"" default:"-" doc:"the file to write; - for standard output"`
}

// adding are the operations by which documents come in, and those that give back their words.
func adding() []operation.Operation[*Service] {
	return []operation.Operation[*Service]{
		operation.Op[*Service, Adding, AddedFiles]{
			Name: "ingest", Short: "Add documents and read them", Scope: operation.WriteDocuments, Routes: []string{"POST /documents"}, Own: true,
			Tool: operation.Tool{Name: "add_document", Title: "Add a document", Fields: "name text base64 wait",
				About: "Add a text, or a small file as base64, to the library under a name, and wait until it is read."},
			Do: (*Service).addGiven,
		},
		operation.Op[*Service, originalWanted, operation.Made]{
			Name: "documents original", Short: "Write the file of a document as it was added", Scope: operation.Read, Routes: []string{"GET /documents/{document}/original"},
			Long: `Write the file of a document, given by name or id, byte for byte as it was added:
to standard output, or with --output to a file.`,
			Example: `  clew documents original minutes.docx -o copy.docx
  clew documents original minutes.docx | sha256sum`,
			Do: func(s *Service, ctx context.Context, in originalWanted) (operation.Made, error) {
				doc, err := s.named(ctx, in.Name)
				if err != nil {
					return operation.Made{}, err
				}
				_, file, err := s.Original(ctx, doc.Workspace, doc.ID)
				return operation.Made{Name: path.Base(doc.Name), Type: "application/octet-stream", Write: func(w io.Writer) error {
					_, err := io.Copy(w, file)
					return errors.Join(err, file.Close())
				}}, err
			},
		},
		operation.Op[*Service, textWanted, TextPart]{
			Name: "documents text", Short: "Print the text of a document, or a part of it", Scope: operation.Read, Routes: []string{"GET /documents/{document}/text"}, Example: "  clew documents text minutes.docx --start 4000 --limit 2000",
			Tool: operation.Tool{Name: "read_document", Title: "Read a document", Fields: "id=document start limit",
				About: "Read the text of a document, or a part of it from a position on."},
			Do: (*Service).textPart,
		},
		operation.Op[*Service, passagesWanted, operation.Page[Passage]]{
			Name: "documents passages", Short: "List the passages of a document, in order", Scope: operation.Read, Routes: []string{"GET /documents/{document}/passages"}, Example: "  clew documents passages minutes.docx --offset 20 --limit 10",
			Do: (*Service).passages,
			Text: func(w io.Writer, list operation.Page[Passage]) error {
				for _, p := range list.Items {
					if _, err := fmt.Fprintf(w, "%s%s\n%s\n\n", p.ID, domain.Where("", p.Page, p.Place), p.Text); err != nil {
						return err
					}
				}
				return nil
			},
		},
		operation.Op[*Service, onePassage, Passage]{
			Name: "documents passage", Short: "Print a passage by its id, with those around it", Scope: operation.Read, Routes: []string{"GET /passages/{passage}"}, Example: "  clew documents passage c0a1b2c3d4e5f60718293 --around 1",
			Tool: operation.Tool{Name: "read_passage", Title: "Read a passage", Fields: "id=passage around",
				About: "Read a passage by its id, with some before and after it."},
			Do: (*Service).passage,
		},
	}
}

// sources counts those that are given.
func sources(given ...bool) (n int) {
	return lists.CountFunc(given, func(g bool) bool { return g })
}

// wayOf adds to how documents are added who may read them, and of what they are versions.
func (s *Service) wayOf(ctx context.Context, in Adding, by How) (_ How, err error) {
	if by, err = s.Limited(ctx, by, in.Limit); err != nil {
		return by, err
	}
	switch {
	case in.Separate:
		by.Named = Apart
	case in.Of == "":
	case len(in.Files) > 1:
		return by, domain.Errorf(domain.Invalid, "Name a single file as the next version of %s.", in.Of)
	default:
		doc, err := s.named(ctx, in.Of)
		if err != nil {
			return by, err
		}
		by.Of = doc.ID
	}
	return by, nil
}

// sent returns how a file that was sent with others is added. again reports that an earlier one has the same name: then
// the file is not a version of that one.
func (h How) sent(name string, again bool) How {
	if again && h.Named == Next {
		h.Named = Apart
	}
	if strings.Contains(name, "/") {
		h.Source = domain.SourceFolder
	}
	return h
}

func (s *Service) addGiven(ctx context.Context, in Adding) (AddedFiles, error) {
	none := AddedFiles{}
	switch {
	case sources(len(in.Files) > 0, in.Text != "", in.Base64 != "") != 1:
		return none, domain.Errorf(domain.Invalid, "Send files, as multipart/form-data in the field files, or a text with a name, or a file as base64 with a name.")
	case in.Name == "" && len(in.Files) == 0:
		return none, domain.Errorf(domain.Invalid, "A text or a file as base64 needs a name, such as note.md.")
	}
	how, err := in.Chunking()
	if err != nil {
		return none, err
	}
	by, err := s.wayOf(ctx, in, How{Schema: in.Schema, Chunking: how, Hold: in.Hold, Named: Next})
	if err != nil {
		return none, err
	}
	if in.Text != "" {
		name := in.Name
		if path.Ext(name) == "" {
			name += ".md"
		}
		in.Files = []operation.File{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(in.Text)), nil }}}
	}
	if in.Base64 != "" {
		content, err := base64.StdEncoding.DecodeString(in.Base64)
		if err != nil {
			return none, domain.Because(domain.Invalid, err, "The file is not encoded as base64.")
		}
		in.Files = []operation.File{{Name: in.Name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}}
	}
	w, added := domain.WorkspaceOf(ctx), AddedFiles{Documents: []AddedFile{}}
	var refused error
	named := map[string]bool{}
	for _, f := range in.Files {
		by := by.sent(f.Name, named[f.Name])
		named[f.Name] = true
		file, err := f.Open()
		if err != nil {
			return added, err
		}
		for _, r := range s.Add(ctx, w, f.Name, by, file) {
			one := AddedFile{Name: r.Name, ID: r.Document.ID, Status: r.Document.Status, Run: r.Document.Run, Existing: r.Existing, Of: r.Document.VersionOf}
			if r.Err != nil {
				one, refused = AddedFile{Name: r.Name, Problem: domain.InWords(r.Err)}, r.Err
			}
			added.Documents = append(added.Documents, one)
		}
		if err := file.Close(); err != nil {
			return added, err
		}
	}
	if len(added.Documents) == 1 && refused != nil {
		return added, refused
	}
	return added, s.await(ctx, added.Documents, in.Wait.Duration())
}

// await waits until documents are read, for some time at most, and notes how far they are.
func (s *Service) await(ctx context.Context, files []AddedFile, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	w := domain.WorkspaceOf(ctx)
	for i := range files {
		f := &files[i]
		if wait <= 0 || f.ID == "" || f.Status.Settled() {
			continue
		}
		for _, err := range s.Hub.Watch(ctx, w, f.Run, 0) {
			if err != nil {
				return err
			}
		}
		d, err := s.Ledger.Document(context.WithoutCancel(ctx), w, f.ID)
		if f.Of != "" && domain.KindOf(err) == domain.NotFound { // it has replaced the document
			f.ID = f.Of
			d, err = s.Ledger.Document(context.WithoutCancel(ctx), w, f.ID)
		}
		if f.Status, f.Problem = d.Status, d.Problem; err != nil { // for instance deleted in the meantime
			f.Problem = domain.InWords(err)
		}
	}
	return nil
}

func (s *Service) textPart(ctx context.Context, in textWanted) (TextPart, error) {
	doc, err := s.named(ctx, in.Name)
	if err != nil {
		return TextPart{}, err
	}
	text, err := s.Ledger.Text(ctx, doc.Workspace, doc.ID)
	if err != nil {
		return TextPart{}, err
	}
	total := domain.Runes(text.Content)
	if in.Start < 0 || in.Start > total || in.Limit < 1 {
		return TextPart{}, domain.Errorf(domain.Invalid, "The text has the characters 0 to %s; start there, with a limit of at least 1.", format.Int(total))
	}
	part := domain.Span{Start: in.Start, End: min(total, in.Start+in.Limit)}
	return TextPart{doc.ID, doc.Name, doc.Title, part.Start, part.End, total, part.Slice(text.Content), link.At(ctx, link.Document(doc.ID))}, nil
}

func (s *Service) passages(ctx context.Context, in passagesWanted) (list operation.Page[Passage], err error) {
	doc, err := s.named(ctx, in.Name)
	if err != nil {
		return list, err
	}
	all, err := s.Ledger.Chunks(ctx, doc.Workspace, doc.ID)
	list = operation.Page[Passage]{Items: []Passage{}, Total: len(all)}
	all = all[min(max(in.Offset, 0), len(all)):]
	if in.Limit > 0 {
		all = all[:min(in.Limit, len(all))]
	}
	for _, c := range all {
		list.Items = append(list.Items, Passage{
			ID: c.ID, Document: doc.ID, Name: doc.Name, Title: doc.Title, Page: c.Page, Place: c.Place(c.Span), Headings: c.Headings,
			Start: c.Span.Start, End: c.Span.End, Text: c.Text, Address: link.At(ctx, link.Passage(doc.ID, c.Span)),
		})
	}
	return list, err
}

func (s *Service) passage(ctx context.Context, in onePassage) (Passage, error) {
	w := domain.WorkspaceOf(ctx)
	if in.Around < 0 || in.Around > maxAround {
		return Passage{}, domain.Errorf(domain.Invalid, "A passage can be read with 0 to %d around it.", maxAround)
	}
	found, err := s.Ledger.Passages(ctx, w, []domain.ChunkID{in.ID})
	if err != nil {
		return Passage{}, err
	}
	if len(found) == 0 {
		return Passage{}, domain.Errorf(domain.NotFound, "There is no passage %s here. Its document may have been deleted or read again.", in.ID)
	}
	p, span, text := found[0], found[0].Span, found[0].Text
	if in.Around > 0 {
		all, err := s.Ledger.Chunks(ctx, w, p.Document)
		if err != nil {
			return Passage{}, err
		}
		whole, err := s.Ledger.Text(ctx, w, p.Document)
		if err != nil {
			return Passage{}, err
		}
		span = domain.Span{Start: all[max(0, p.Ordinal-in.Around)].Span.Start, End: all[min(len(all)-1, p.Ordinal+in.Around)].Span.End}
		text = span.Slice(whole.Content)
	}
	return Passage{p.ID, p.Document, p.Name, p.Title, p.Page, p.Place(p.Span), p.Headings, span.Start, span.End, text, link.At(ctx, link.Passage(p.Document, span))}, nil
}
