package document

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/web/present"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Add adds the files of a form, each as it arrives, so that nothing is held in
// memory. A refused file does not stop the others, unless too much of it would have
// to be read first. It fails with kind Invalid when the form holds no file.
func (h *Handler) Add(c echo.Context) error {
	form, err := h.form(c)
	if err != nil {
		return err
	}
	var results []partial.UploadResult
	var full error // why the queue accepts no more
	left, cut := 0, false
	for done := false; !done; {
		name, file, err := form.next()
		header, bad := errors.AsType[textproto.ProtocolError](err)
		switch {
		case err != nil && !bad:
			results, done = append(results, refused(lang.T(c.Request().Context(), "The upload"), err)), true
		case file == nil && !bad:
			done = true
		case len(results) >= h.Limits.MaxFiles:
			left++ // read to the end: a client that is still sending does not see the response
		case bad:
			results = append(results, unreadable(c.Request().Context(), header))
		default:
			how, err := h.how(c, form.fields.Get)
			if err != nil {
				return err
			}
			if file.FormName() == folderField {
				how.Source = domain.SourceFolder
			}
			added, err := h.addFile(c, name, how, file)
			results = append(results, added...)
			if domain.KindOf(err) == domain.TooMany {
				full = err
			}
			cut = err != nil && !skip(file)
			done = cut
		}
	}
	if cut && !respond.WantsJSON(c) { // the page's script sends files one by one
		results = append(results, refused(lang.T(c.Request().Context(), "What came after it"),
			domain.Errorf(domain.Invalid, "It was not read, because a large file before it was refused. Add it without that one.")))
	}
	if left > 0 {
		results = append(results, refused(lang.Count(c.Request().Context(), left, "file", "files"),
			domain.Errorf(domain.TooLarge, "At most %d files can be added at once. Add the rest separately.", h.Limits.MaxFiles)))
	}
	if len(results) == 0 {
		return domain.Errorf(domain.Invalid, "Choose at least one file to add.")
	}
	return h.answer(c, results, full, cut)
}

// addFile adds a file with its contents. The error is the last refusal among them.
func (h *Handler) addFile(c echo.Context, name string, how documents.How, r io.Reader) (results []partial.UploadResult, err error) {
	for _, added := range h.Library.Add(c.Request().Context(), request.Workspace(c), name, how, r) {
		if added.Err == nil {
			if !added.Existing {
				audit.About(c.Request().Context(), added.Document.ID)
			}
			results = append(results, resultOf(c.Request().Context(), added.Name, added.Added, how))
			continue
		}
		if err = added.Err; domain.KindOf(err) == domain.Internal {
			h.Log.ErrorContext(c.Request().Context(), "add a document", "err", err)
		}
		results = append(results, refused(added.Name, err))
	}
	return results, err
}

// resultOf says that a file was added as a document, or that one already has its content.
func resultOf(ctx context.Context, name string, added documents.Added, how documents.How) partial.UploadResult {
	doc := added.Document
	result := partial.UploadResult{Name: doc.Name, Outcome: partial.UploadAdded, ID: doc.ID, Message: lang.T(ctx, "Added. It waits to be read.")}
	switch {
	case how.Hold:
		result.Message = lang.T(ctx, "Added. Its bill is in the list: it is read once you agree.")
	case how.Schema != "":
		result.Message = lang.F(ctx, "Added. It waits to be read with the schema %s.", how.Schema)
	}
	if doc.VersionOf != "" && !added.Existing {
		result.ID, result.Hash = doc.VersionOf, doc.Hash
		result.Message = lang.F(ctx, "Added as a new version of the document of this name. Only what changed in it is read%s", map[bool]string{true: lang.T(ctx, " when you say so."), false: "."}[how.Hold])
	}
	if added.Skipped {
		result.Outcome, result.Message = partial.UploadExisting, lang.T(ctx, "Skipped: the library has a document of this name with different content.")
	}
	if added.Existing {
		result.Outcome, result.Message = partial.UploadExisting, lang.F(ctx, "The library already has the same content as %s.", doc.Name)
		if result.Name = name; name != doc.Name {
			result.Same = doc.Name
			result.Message += lang.T(ctx, " Nothing was added.")
		}
		if how.Schema != doc.Chosen {
			result.Message += lang.T(ctx, " It keeps its schema, which can be changed on its page.")
		}
		if how.Limited {
			result.Message += lang.T(ctx, " Who may read it stays as it is.")
		}
		if how.Chunking != doc.Chunking {
			result.Message += lang.T(ctx, " It keeps its chunks: delete it first to have it cut otherwise.")
		}
	}
	return result
}

func refused(name string, err error) partial.UploadResult {
	return partial.UploadResult{Name: name, Outcome: partial.UploadRefused, Message: respond.ProblemOf(err).Message}
}

// answer reports what became of each file: as JSON to a script, else as the
// list of documents. The status is 422 when all were refused or the rest of the form
// was not read (cut), which browsers need to show the answer, and 429 when the queue
// was full, in which case full says so.
func (h *Handler) answer(c echo.Context, results []partial.UploadResult, full error, cut bool) error {
	status, refusals, known := http.StatusOK, 0, 0
	for _, r := range results {
		switch r.Outcome {
		case partial.UploadRefused:
			refusals++
		case partial.UploadExisting:
			known++
		}
	}
	if cut || refusals == len(results) {
		status = http.StatusUnprocessableEntity
	}
	if full != nil {
		status = respond.Refusal(c, full).Status
	}
	if respond.WantsJSON(c) {
		return c.JSON(status, map[string]any{"results": results})
	}
	if refusals+known == 0 {
		return respond.SeeOther(c, link.Documents)
	}
	return h.list(c, status, results)
}

// Paste adds pasted text as a document. It fails with kind Invalid for blank
// text.
func (h *Handler) Paste(c echo.Context) error {
	text, name := c.FormValue("text"), strings.TrimSpace(c.FormValue("name"))
	if strings.TrimSpace(text) == "" {
		return domain.Errorf(domain.Invalid, "The text is empty. Paste some text first.")
	}
	name = cmp.Or(name, "Pasted text")
	if !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".md") {
		name += ".txt"
	}
	how, err := h.how(c, c.FormValue)
	if err != nil {
		return err
	}
	results, err := h.addFile(c, name, how, strings.NewReader(text))
	if domain.KindOf(err) != domain.TooMany {
		err = nil
	}
	return h.answer(c, results, err, false)
}

// LoadSample adds the sample library and returns to the list, or goes to the
// chosen sample question, which waits for what is read.
func (h *Handler) LoadSample(c echo.Context) error {
	for _, f := range h.Sample {
		added, err := h.Library.Add(c.Request().Context(), request.Workspace(c), f.Name, documents.How{}, bytes.NewReader(f.Data)).One()
		if err != nil {
			return err
		}
		if !added.Existing {
			audit.About(c.Request().Context(), added.Document.ID)
		}
	}
	if question := c.FormValue("question"); question != "" {
		return respond.SeeOther(c, link.QuestionWhenRead(question))
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "sample"))
}

// Fetched answers the form that has documents fetched from the web: with the run that does it.
func Fetched(c echo.Context, f crawl.Fetching) error { return respond.SeeOther(c, link.Run(f.Run)) }

const (
	maxAdded   = 400 // documents of an upload that are summed up
	askedAfter = 4   // questions suggested after they are read
)

// Added sums up the documents that an upload has added, by kind: reading progress, what is to come, and, once all are
// read, what to ask.
func (h *Handler) Added(c echo.Context) error {
	ctx, w := c.Request().Context(), request.Workspace(c)
	ids := c.QueryParams()["id"]
	if len(ids) == 0 {
		return domain.Errorf(domain.Invalid, "Name the documents that were added.")
	}
	query := ledger.DocumentQuery{}
	query.IDs = lists.Map(ids[:min(len(ids), maxAdded)], func(id string) domain.DocumentID { return domain.DocumentID(id) })
	docs, err := h.Ledger.ListDocuments(ctx, w, query)
	if err != nil {
		return err
	}
	rows, err := h.Rows(ctx, w, docs)
	if err != nil {
		return err
	}
	p := partial.AddedProps{Left: len(ids) - len(query.IDs)}
	if p.Again = link.Added(query.IDs); len(docs) == 0 {
		return respond.HTML(c, http.StatusOK, partial.Added(p))
	}
	for _, row := range rows {
		count(&p, row)
	}
	slices.SortFunc(p.Kinds, func(a, b partial.AddedKind) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Format, b.Format))
	})
	held, err := h.held(c, rows)
	if err != nil {
		return err
	}
	p.Held, p.HeldSaid, p.Warning = held.Count, held.Said, held.Warning
	if p.Sum.Read < p.Sum.Documents {
		reading, err := h.Library.Progress(ctx, w)
		if err != nil {
			return err
		}
		p.Reading = reading.String()
	} else {
		p.Questions = present.Suggested(ctx, h.Suggest, w, askedAfter, query.IDs...)
	}
	return respond.HTML(c, http.StatusOK, partial.Added(p))
}

// count adds a document to its kind and to the sum.
func count(p *partial.AddedProps, row partial.DocumentRowProps) {
	d := row.Document
	at := slices.IndexFunc(p.Kinds, func(k partial.AddedKind) bool { return k.Format == d.Format })
	if at < 0 {
		at = len(p.Kinds)
		p.Kinds = append(p.Kinds, partial.AddedKind{Format: d.Format})
	}
	for _, k := range []*partial.AddedKind{&p.Kinds[at], &p.Sum} {
		k.Documents++
		k.Bytes += d.Size
		k.Passages += d.Chunks
		if d.Status.Settled() {
			k.Read++
		}
		switch {
		case d.Status == domain.DocumentFailed:
			k.Failed++
		case row.Held != "":
			k.Held++
		}
	}
}
