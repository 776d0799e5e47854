package document

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/documents"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/parse"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/format"
	"github.com/clewhq/clew/views/link"
	"github.com/clewhq/clew/views/partial"
)

// Add adds the files of a form, each as it arrives, so that nothing is held in
// memory. A refused file does not stop the others, unless too much of it would have
// to be read first. It fails with kind Invalid when the form holds no file.
func (h *Handler) Add(c echo.Context) error {
	reader, err := h.files(c)
	if err != nil {
		return err
	}
	var results []partial.UploadResult
	var full error // why the queue takes no more
	how, left, fields, cut := documents.How{}, 0, 0, false
	for parts := (form{reader: reader}); !cut; {
		part, err := parts.next()
		header, bad := errors.AsType[textproto.ProtocolError](err)
		if err == io.EOF { //nolint:errorlint // a wrapped EOF is no end
			break
		}
		if err != nil && !bad {
			results = append(results, refused("The upload",
				domain.Because(domain.Invalid, err, "The upload was interrupted. The files listed above were added. Add the rest again.")))
			break
		}
		name, ok := "", bad
		if !bad {
			name, ok = fileName(part.Header.Get("Content-Disposition"))
		}
		if !bad && !ok { // fields stand before the files
			if err := h.field(c, &how, &fields, part); err != nil {
				return err
			}
		}
		switch {
		case !ok:
		case len(results) >= h.Limits.MaxFiles:
			left++ // read to the end: a client that still sends does not see the response
		case bad:
			results = append(results, unreadable(header))
		default:
			added, err := h.addFile(c, name, from(how, part.FormName()), part)
			results = append(results, added...)
			if domain.KindOf(err) == domain.TooMany {
				full = err
			}
			cut = err != nil && !skip(part)
		}
	}
	if cut && !respond.WantsJSON(c) { // the page's script sends files one by one
		results = append(results, refused("What came after it",
			domain.Errorf(domain.Invalid, "It was not read, because a large file before it was refused. Add it without that one.")))
	}
	if left > 0 {
		results = append(results, refused(format.Count(left, "file", "files"),
			domain.Errorf(domain.TooLarge, "At most %d files can be added at once. Add the rest separately.", h.Limits.MaxFiles)))
	}
	if len(results) == 0 {
		return domain.Errorf(domain.Invalid, "Choose at least one file to add.")
	}
	return h.answer(c, results, full, cut)
}

// maxFields is the most fields of a form beside its files, more than the page has.
const maxFields = 100

// formRoom is how many bytes a form may hold beside its files.
const formRoom = 1 << 20

// files returns the parts of a form with files. One that holds more than a file may
// is refused before any of it is read.
func (h *Handler) files(c echo.Context) (*multipart.Reader, error) {
	r := c.Request()
	most := h.Limits.MaxBytes + formRoom
	if r.ContentLength > most {
		return nil, domain.Errorf(domain.TooLarge, "The upload has %s, and at most %s can be sent at once (MAX_UPLOAD_MB). Nothing of it was read. Leave out larger files, or send fewer together.",
			format.Bytes(r.ContentLength), format.Bytes(h.Limits.MaxBytes))
	}
	r.Body = http.MaxBytesReader(c.Response(), r.Body, most)
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "Choose at least one file to add.")
	}
	return reader, nil
}

// skip reads a refused file to its end, so that the next can be read, and reports
// whether that was near.
func skip(part *multipart.Part) bool {
	n, _ := io.CopyN(io.Discard, part, formRoom)
	return n < formRoom
}

// folderField is the name of the field whose files come from a folder: they are
// called by their paths there.
const folderField = "folder"

// from returns how a file of a field is added.
func from(how documents.How, field string) documents.How {
	if field == folderField {
		how.Source = domain.SourceFolder
	}
	return how
}

// The fields of a form that say how its files are read.
const (
	schemaField = "schema" // name of the schema
	holdField   = "hold"   // set: show the bill first
	namedField  = "named"  // see namedAs

	chunkField    = "chunk" // what their text is cut by
	tokensField   = "chunk-tokens"
	textField     = "text-field" // of records in JSON
	encodingField = "encoding"   // of text, and of names in archives
)

// field counts a field of a form and notes what it says.
func (h *Handler) field(c echo.Context, how *documents.How, count *int, part *multipart.Part) error {
	if *count++; *count > maxFields {
		return domain.Errorf(domain.TooLarge, "The form has more than %d fields beside its files. Reload the page and add the files again.", maxFields)
	}
	return h.how(c, how, part.FormName(), part)
}

// how notes what a field of a form says about the reading of its files.
func (h *Handler) how(c echo.Context, how *documents.How, field string, value io.Reader) (err error) {
	switch field {
	case schemaField:
		how.Schema, err = h.chosen(c, value)
	case holdField:
		how.Hold = true
	case chunkField, tokensField, textField, encodingField:
		how.Chunking, err = chunking(how.Chunking, field, value)
	case namedField:
		text, err := io.ReadAll(io.LimitReader(value, 1<<10))
		how.Named = namedAs[string(text)]
		return err
	}
	return err
}

// chunking returns c with what a field of a form says of it.
func chunking(c domain.Chunking, field string, value io.Reader) (domain.Chunking, error) {
	text, err := io.ReadAll(io.LimitReader(value, 1<<12))
	if err != nil {
		return c, err
	}
	by, tokens, name, encoding := "", "", "", ""
	switch field {
	case chunkField:
		by = string(text)
	case tokensField:
		tokens = string(text)
	case textField:
		name = string(text)
	case encodingField:
		if encoding, err = parse.EncodingNamed(string(text)); err != nil {
			return c, err
		}
	}
	said, err := domain.ParseChunking(by, tokens, name)
	return domain.Chunking{By: cmp.Or(said.By, c.By), Tokens: cmp.Or(said.Tokens, c.Tokens), Field: cmp.Or(said.Field, c.Field), Encoding: cmp.Or(encoding, c.Encoding)}, err
}

// chunkingOf returns how a form without files has its text cut.
func chunkingOf(c echo.Context) (domain.Chunking, error) {
	how, err := domain.ParseChunking(c.FormValue(chunkField), c.FormValue(tokensField), c.FormValue(textField))
	if err != nil {
		return how, err
	}
	how.Encoding, err = parse.EncodingNamed(c.FormValue(encodingField))
	return how, err
}

// chosen returns the name of the schema that a form's field chooses, "" for the
// library's. It fails with kind NotFound for one that can't be chosen.
func (h *Handler) chosen(c echo.Context, field io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(field, 1<<10))
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return h.Schemas.Choose(c.Request().Context(), request.Workspace(c), name, frame.User(c))
	}
	return "", err
}

// fileName returns the name of a part that is a file, as sent:
// multipart.Part.FileName would cut it at a slash, and the library cleans names
// itself. The name is empty, and the file refused later, when it can't be read.
// ok is false for other fields and for a file field without a choice.
func fileName(disposition string) (name string, ok bool) {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return "", strings.Contains(disposition, "filename")
	}
	return params["filename"], params["filename"] != ""
}

// addFile adds a file with what is in it. The error is the last for which one of
// them was refused.
func (h *Handler) addFile(c echo.Context, name string, how documents.How, r io.Reader) (results []partial.UploadResult, err error) {
	for _, added := range h.Library.AddFile(c.Request().Context(), request.Workspace(c), name, how, r) {
		if added.Err == nil {
			results = append(results, resultOf(added.Name, added.Added, how))
			continue
		}
		if err = added.Err; domain.KindOf(err) == domain.Internal {
			h.Log.ErrorContext(c.Request().Context(), "add a document", "err", err)
		}
		results = append(results, refused(added.Name, err))
	}
	return results, err
}

// resultOf says that a file was added as a document, or that one has its content.
func resultOf(name string, added documents.Added, how documents.How) partial.UploadResult {
	doc := added.Document
	result := partial.UploadResult{Name: doc.Name, Outcome: partial.UploadAdded, ID: doc.ID, Message: "Added. It waits to be read."}
	switch {
	case how.Hold:
		result.Message = "Added. Its bill stands in the list: it is read when you say so."
	case how.Schema != "":
		result.Message = "Added. It waits to be read with the schema " + how.Schema + "."
	}
	if doc.VersionOf != "" && !added.Existing {
		result.ID, result.Hash = doc.VersionOf, doc.Hash
		result.Message = "Added as a new version of the document of this name. Only what changed in it is read" + map[bool]string{true: " when you say so.", false: "."}[how.Hold]
	}
	if added.Skipped {
		result.Outcome, result.Message = partial.UploadExisting, "Skipped: the library has a document of this name, with another content."
	}
	if added.Existing {
		result.Outcome, result.Message = partial.UploadExisting, "The library already has the same content as "+doc.Name+"."
		if result.Name = name; name != doc.Name {
			result.Same = doc.Name
			result.Message += " Nothing was added."
		}
		if how.Schema != doc.Chosen {
			result.Message += " It keeps its schema, which can be changed on its page."
		}
		if how.Chunking != doc.Chunking {
			result.Message += " It keeps its chunks: delete it first to have it cut otherwise."
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
	if name == "" {
		name = "Pasted text"
	}
	if !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".md") {
		name += ".txt"
	}
	schema, err := h.chosen(c, strings.NewReader(c.FormValue(schemaField)))
	if err != nil {
		return err
	}
	cut, err := chunkingOf(c)
	if err != nil {
		return err
	}
	results, err := h.addFile(c, name, documents.How{Schema: schema, Chunking: cut, Hold: c.FormValue(holdField) != "", Named: namedAs[c.FormValue(namedField)]}, strings.NewReader(text))
	if domain.KindOf(err) != domain.TooMany {
		err = nil
	}
	return h.answer(c, results, err, false)
}

// LoadSample adds the sample library and returns to the list, or goes to the
// chosen sample question, which waits for what is read.
func (h *Handler) LoadSample(c echo.Context) error {
	for _, f := range h.Sample {
		if _, err := h.Library.Add(c.Request().Context(), request.Workspace(c), f.Name, bytes.NewReader(f.Data)); err != nil {
			return err
		}
	}
	if question := c.FormValue("question"); question != "" {
		return respond.SeeOther(c, link.QuestionWhenRead(question))
	}
	return respond.SeeOther(c, link.With(link.Documents, "done", "sample"))
}
