package document

import (
	"bufio"
	"errors"
	"io"
	"mime/multipart"
	"net/textproto"
	"regexp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/partial"
)

// form reads the parts of a form one after the other. The standard library stops
// at a header with a control character; form goes on behind that part.
type form struct {
	reader   *multipart.Reader
	skipping bool // a part whose header could not be read
}

// next returns the next part. A textproto.ProtocolError concerns only one part;
// io.EOF is the end.
func (f *form) next() (*multipart.Part, error) {
	part, err := f.reader.NextPart()
	for f.skipping && skipsLine(err) {
		part, err = f.reader.NextPart()
	}
	_, f.skipping = errors.AsType[textproto.ProtocolError](err)
	return part, err
}

// skipsLine reports whether the reader only found a line in the place of a part, or
// the beginning of a long line, which it has read. Other errors wrap a cause.
func skipsLine(err error) bool {
	if _, header := errors.AsType[textproto.ProtocolError](err); header || err == nil || err == io.EOF { //nolint:errorlint // a wrapped EOF is no end
		return false
	}
	return errors.Unwrap(err) == nil || errors.Is(err, bufio.ErrBufferFull)
}

// quotedName finds the name of a file in a header that the standard library quotes.
var quotedName = regexp.MustCompile(`filename=\\"(.*?)\\"`)

// unreadable refuses the file of a part whose header can't be read.
func unreadable(header textproto.ProtocolError) partial.UploadResult {
	name := quotedName.FindStringSubmatch(header.Error())
	if name == nil {
		return refused("A file", domain.Because(domain.Invalid, header, "It was sent with a header that can't be read. Add it again, or from another browser."))
	}
	return refused(name[1], domain.Because(domain.Invalid, header, "The file's name contains a control character. Rename the file and add it again."))
}
