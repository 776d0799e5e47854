package document

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/read/parse"
	"github.com/clewhq/clew/internal/web/frame"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/partial"
)

// The fields of a form that say how its files are read.
const (
	schemaField = "schema" // name of the schema
	holdField   = "hold"   // set: show the bill first
	namedField  = "named"  // see namedAs

	chunkField    = "chunk" // how their text is split
	tokensField   = "chunk-tokens"
	textField     = "text-field" // of records in JSON
	encodingField = "encoding"   // of text, and of names in archives

	limitField = "limit_to" // the accounts and groups that may read them, if limited

	// folderField is the name of the field whose files come from a folder, and are named by their paths in it.
	folderField = "folder"
)

// The bounds of a form beside its files, more than the page needs.
const (
	maxFields = 100
	maxField  = 4 << 10 // bytes
	formRoom  = 1 << 20 // bytes
)

// form reads a form with files part by part. The standard library stops at a header with a control character; form
// continues after that part.
type form struct {
	reader   *multipart.Reader
	skipping bool       // a part whose header could not be read
	fields   url.Values // that came before the file
	count    int        // of fields
}

// form returns a form with files. It refuses one larger than a file may be before reading any of it.
func (h *Handler) form(c echo.Context) (*form, error) {
	r := c.Request()
	most := h.Limits.MaxBytes + formRoom
	if r.ContentLength > most {
		return nil, domain.Errorf(domain.TooLarge, "The upload has %s, but at most %s can be sent at once (MAX_UPLOAD_MB). None of it was read. Leave out larger files, or send fewer at once.",
			lang.Bytes(c.Request().Context(), r.ContentLength), lang.Bytes(c.Request().Context(), h.Limits.MaxBytes))
	}
	r.Body = http.MaxBytesReader(c.Response(), r.Body, most)
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "Choose at least one file to add.")
	}
	return &form{reader: reader, fields: url.Values{}}, nil
}

// next returns the next file with its name as sent, nil at the end. A
// textproto.ProtocolError concerns only one part.
func (f *form) next() (name string, file *multipart.Part, err error) {
	for {
		part, err := f.reader.NextPart()
		for f.skipping && skipsLine(err) {
			part, err = f.reader.NextPart()
		}
		header, bad := errors.AsType[textproto.ProtocolError](err)
		f.skipping = bad
		switch {
		case bad:
			return "", nil, header
		case err == io.EOF: //nolint:errorlint // a wrapped EOF is no end
			return "", nil, nil
		case err != nil:
			return "", nil, domain.Because(domain.Invalid, err, "The upload was interrupted. The files listed above were added. Add the rest again.")
		}
		if name, ok := request.FileName(part.Header.Get("Content-Disposition")); ok {
			return name, part, nil
		}
		if f.count++; f.count > maxFields {
			return "", nil, domain.Errorf(domain.TooLarge, "The form has more than %d fields besides its files. Reload the page and add the files again.", maxFields)
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField))
		if err == nil && len(value) > 0 {
			f.fields.Set(part.FormName(), string(value))
		}
	}
}

// how returns the form's options for reading its files.
func (h *Handler) how(c echo.Context, field func(name string) string) (how documents.How, err error) {
	if how, err = h.Library.Limited(c.Request().Context(), how, []string{field(limitField)}); err != nil {
		return how, err
	}
	how.Hold, how.Named = field(holdField) != "", namedAs[field(namedField)]
	if how.Schema, err = h.chosen(c, field(schemaField)); err != nil {
		return how, err
	}
	how.Chunking, err = domain.ParseChunking(field(chunkField), field(tokensField), field(textField))
	if err != nil {
		return how, err
	}
	how.Chunking.Encoding, err = parse.EncodingNamed(field(encodingField))
	return how, err
}

// chosen returns the name of the schema that a form's field chooses, "" for the
// library's. It fails with kind NotFound for one that can't be chosen.
func (h *Handler) chosen(c echo.Context, name string) (string, error) {
	if name = strings.TrimSpace(name); name == "" {
		return "", nil
	}
	return h.Schemas.Choose(c.Request().Context(), request.Workspace(c), name, frame.User(c))
}

// skip reads a refused file to its end, so that the next can be read, and reports whether the end was near.
func skip(part *multipart.Part) bool {
	n, _ := io.CopyN(io.Discard, part, formRoom)
	return n < formRoom
}

// skipsLine reports whether the reader found a single line, or the beginning of a long one, instead of a part, and has
// read it. Other errors wrap a cause.
func skipsLine(err error) bool {
	if _, header := errors.AsType[textproto.ProtocolError](err); header || err == nil || err == io.EOF { //nolint:errorlint // a wrapped EOF is no end
		return false
	}
	return errors.Unwrap(err) == nil || errors.Is(err, bufio.ErrBufferFull)
}

// quotedName finds the name of a file in a header that the standard library quotes.
var quotedName = regexp.MustCompile(`filename=\\"(.*?)\\"`)

// unreadable refuses the file of a part with an unreadable header.
func unreadable(ctx context.Context, header textproto.ProtocolError) partial.UploadResult {
	name := quotedName.FindStringSubmatch(header.Error())
	if name == nil {
		return refused(lang.T(ctx, "A file"), domain.Because(domain.Invalid, header, "It was sent with an unreadable header. Add it again, or use another browser."))
	}
	return refused(name[1], domain.Because(domain.Invalid, header, "The file's name contains a control character. Rename the file and add it again."))
}
