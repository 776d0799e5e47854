package parse

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/picture"
)

// readMail reads a message: its subject, sender, receivers and date, and its text. Its attachments become separate
// documents.
func readMail(ctx context.Context, w *writer, data []byte) error {
	m, err := openMail(ctx, data, w.encoding)
	if err != nil {
		return err
	}
	w.name(m.subject)
	w.know(domain.Facts{Author: m.sender, Published: m.day})
	for name, value := range map[string]string{"from": m.from, "to": m.to, "subject": m.subject, "date": m.day} {
		w.states(name, value)
	}
	return m.write(ctx, w)
}

// readMailbox reads the messages of a mailbox, one after the other.
func readMailbox(ctx context.Context, w *writer, data []byte) error {
	number := 0
	for raw := range messagesOf(data) {
		number++
		m, err := openMail(ctx, raw, w.encoding)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			w.warn(fmt.Sprintf("Message %d is damaged and was left out.", number))
			continue
		}
		w.unit(domain.UnitMessage, "", number)
		if err := m.write(ctx, w); err != nil {
			return err
		}
		if w.full || w.crowded {
			break
		}
	}
	return nil
}

// messagesOf yields the messages of a mailbox (RFC 4155): each begins after a
// line that begins with "From ".
func messagesOf(data []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		start, blank := -1, true
		for at := 0; at < len(data); {
			end := len(data)
			if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
			line := data[at:end]
			if blank && bytes.HasPrefix(line, []byte("From ")) {
				if start >= 0 && !yield(data[start:at]) {
					return
				}
				start = end
			}
			blank = len(bytes.TrimSpace(line)) == 0
			at = end
		}
		if start >= 0 {
			yield(data[start:])
		}
	}
}

// A message is a mail that was read.
type message struct {
	subject, from, to, date string
	sender, day             string // only the name, and only the date
	plain, html             []part // bodies by kind
	attached                []part
	shown                   []part       // pictures shown in the text
	placed                  map[int]bool // those that a body has shown in place
	calendars               []part
	parts                   int
	warnings                []string
	headers                 headerDecoder
}

// A part is a decoded part of a message.
type part struct {
	name    string // of its file; "" for a body
	id      string // by which a body refers to it; "" if it has none
	kind    string // its media type
	charset string // declared charset
	data    []byte
}

// The bounds of a message.
const (
	maxMailParts = 1000
	maxMailDepth = 20
)

// openMail reads a message with all its parts.
func openMail(ctx context.Context, data []byte, chosen *Encoding) (*message, error) {
	raw, err := mail.ReadMessage(bufio.NewReader(bytes.NewReader(bytes.TrimLeft(data, "\r\n"))))
	if err != nil {
		return nil, domain.Because(domain.Invalid, err, "This mail is damaged: its headers, which name the sender, could not be read.")
	}
	m := &message{placed: map[int]bool{}, headers: headerDecoder{data: data, chosen: chosen}, date: tidyLine(raw.Header.Get("Date"))}
	_, params, _ := mime.ParseMediaType(raw.Header.Get("Content-Type"))
	m.headers.declared = params["charset"]
	m.subject, m.from, m.to = m.headers.decode(raw.Header.Get("Subject")), m.headers.decode(raw.Header.Get("From")), m.headers.decode(raw.Header.Get("To"))
	if t, err := raw.Header.Date(); err == nil {
		m.date, m.day = t.Format("2 January 2006, 15:04 -0700"), t.Format(time.DateOnly)
	}
	m.sender = m.from
	if name, _, named := strings.Cut(m.from, "<"); named && strings.TrimSpace(name) != "" {
		m.sender = strings.Trim(name, ` "`)
	}
	if err := m.read(ctx, textproto.MIMEHeader(raw.Header), raw.Body, 0); err != nil {
		return nil, err
	}
	return m, nil
}

// read reads a part and those within it.
func (m *message) read(ctx context.Context, header textproto.MIMEHeader, body io.Reader, depth int) error {
	if m.parts++; m.parts > maxMailParts || depth > maxMailDepth {
		return domain.Errorf(domain.TooLarge, "This mail has more than %d parts, or parts nested more than %d levels deep; it was not read.", maxMailParts, maxMailDepth)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		kind = cmp.Or(kind, "text/plain")
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" {
		return m.readParts(ctx, multipart.NewReader(body, params["boundary"]), depth)
	}
	data, err := io.ReadAll(decoded(header.Get("Content-Transfer-Encoding"), body))
	if err != nil && len(data) == 0 {
		m.warnings = append(m.warnings, "Parts of a message are damaged and were left out.")
		return nil
	}
	_, disposition, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
	name := m.headers.decode(cmp.Or(disposition["filename"], params["name"]))
	attached := strings.HasPrefix(strings.ToLower(header.Get("Content-Disposition")), "attachment")
	if kind == "message/rfc822" {
		name, attached = cmp.Or(name, "message.eml"), true
	}
	p := part{charset: params["charset"], id: strings.Trim(header.Get("Content-Id"), "<> "), name: path.Base("/" + strings.ReplaceAll(cmp.Or(name, "without a name"), `\`, "/")), kind: kind, data: data}
	switch {
	case !attached && strings.HasPrefix(kind, "image/"):
		m.shown = append(m.shown, p)
	case isTNEF(p):
		m.unpackTNEF(p)
	case kind == "text/calendar":
		m.calendars = append(m.calendars, p)
	case attached || name != "" && kind != "text/plain" && kind != "text/html":
		m.attached = append(m.attached, p)
	case kind == "text/plain":
		m.plain = append(m.plain, p)
	case kind == "text/html":
		m.html = append(m.html, p)
	}
	return nil
}

func (m *message) readParts(ctx context.Context, r *multipart.Reader, depth int) error {
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			m.warnings = append(m.warnings, "A message is cut off, or damaged; parts of it may be missing.")
			return nil //nolint:nilerr // what was read until then stands
		}
		if err := m.read(ctx, p.Header, p, depth+1); err != nil {
			return err
		}
	}
}

// decoded returns a reader of a body without its transfer encoding.
func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &withoutSpace{body})
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}

// withoutSpace removes the white space between the letters of Base64.
type withoutSpace struct{ r io.Reader }

// Read implements io.Reader.
func (w *withoutSpace) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	kept := 0
	for _, c := range b[:n] {
		if c > ' ' {
			b[kept] = c
			kept++
		}
	}
	return kept, err
}

// write adds the message to the text.
func (m *message) write(ctx context.Context, w *writer) error {
	w.heading(1, m.subject)
	var head []string
	for _, line := range [][2]string{{"From", m.from}, {"To", m.to}, {"Date", m.date}} {
		if line[1] != "" {
			head = append(head, line[0]+": "+line[1])
		}
	}
	for i, a := range m.attached {
		if i == 0 {
			head = append(head, "Attached: "+a.name)
		} else if i < 50 {
			head[len(head)-1] += ", " + a.name
		}
	}
	w.lines(head)
	for _, warning := range m.warnings {
		w.warn(warning)
	}
	return m.bodies(ctx, w)
}

// bodies adds the text of the message, and its calendars.
func (m *message) bodies(ctx context.Context, w *writer) error {
	bodies := m.plain
	if len(bodies) == 0 || len(m.html) > 0 && !saysMore(bodies) {
		bodies = m.html
	}
	for _, b := range bodies {
		if err := m.body(ctx, w, b); err != nil {
			return err
		}
	}
	for i, p := range m.shown {
		width, height, err := picture.Size(p.data)
		switch {
		case err == nil && isLogo(width, height):
			if !picture.IsOrnament(width, height) { // left out of all documents
				w.gallery.logos++
			}
		case !m.placed[i]:
			w.shows(p.data, "")
		}
	}
	for i, b := range m.calendars {
		if s, err := decodeDeclared(w, b.data, b.charset); err == nil && (i == 0 || !bytes.Equal(b.data, m.calendars[i-1].data)) {
			writeCalendar(w, s)
		}
	}
	return nil
}

// leastInMail is how many pixels one side of a picture in mail has at least. Smaller ones belong to signatures.
const leastInMail = 200

// isLogo reports whether a picture is so small that it belongs to a signature.
func isLogo(width, height int) bool { return max(width, height) < leastInMail }

// besideBody are the pictures of a message, by the addresses in its body.
type besideBody struct{ *message }

func (besideBody) sheet(string) string { return "" }

func (b besideBody) picture(address string) []byte {
	id, _ := strings.CutPrefix(address, contentID)
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	i := slices.IndexFunc(b.shown, func(p part) bool { return p.id != "" && p.id == id })
	if i < 0 {
		return nil
	}
	b.placed[i] = true
	if width, height, err := picture.Size(b.shown[i].data); err == nil && isLogo(width, height) {
		return nil
	}
	return b.shown[i].data
}

// saysMore reports whether plain bodies have any content: some programs leave them empty beside HTML.
func saysMore(plain []part) bool {
	return slices.ContainsFunc(plain, func(p part) bool { return len(bytes.TrimSpace(p.data)) > 0 })
}

func (m *message) body(ctx context.Context, w *writer, b part) error {
	text, err := "", error(nil)
	if b.kind == "text/html" && b.charset == "" {
		var page []byte
		page, err = decodeHTML(w, b.data)
		text = string(page)
	} else {
		text, err = decodeDeclared(w, b.data, b.charset)
	}
	if err != nil {
		w.warn("Parts of a message hold binary data and were left out.")
		return nil //nolint:nilerr // the warning says it
	}
	if b.kind == "text/html" {
		filter := newMarkupFilter(ctx, []byte(text))
		filter.beside = besideBody{m}
		return filter.write(w)
	}
	for _, p := range plainParagraphs(text) {
		w.lines(p.lines())
	}
	return nil
}

// A headerDecoder reads the headers of a message. Those with bytes beyond ASCII, which no
// header should have, are in the encoding of its body or in one that the message suggests.
type headerDecoder struct {
	data     []byte // the message
	declared string // the encoding of its body
	chosen   *Encoding
	raw      *Encoding // of headers; nil until needed
}

// decode returns the words of a header in UTF-8.
func (d *headerDecoder) decode(s string) string {
	decoder := mime.WordDecoder{CharsetReader: d.reader}
	words, err := decoder.DecodeHeader(s)
	if err != nil {
		words = s
	}
	if !utf8.ValidString(words) {
		words = d.encoding().decode([]byte(words))
	}
	return shorten(tidyLine(words), 1000)
}

// reader returns a reader of a word with a named encoding.
func (d *headerDecoder) reader(label string, in io.Reader) (io.Reader, error) {
	e := encodingOf(label)
	if e == nil {
		e = d.encoding()
	}
	data, err := io.ReadAll(in)
	return strings.NewReader(e.decode(data)), err
}

func (d *headerDecoder) encoding() *Encoding {
	if d.raw != nil {
		return d.raw
	}
	d.raw = d.chosen
	if said := encodingOf(d.declared); d.raw == nil && said != nil && said.Name != "utf-8" {
		d.raw = said
	}
	if d.raw == nil {
		d.raw = compare(sampleOf(d.data), encodings()).of
	}
	return d.raw
}

// isTNEF reports whether a part of a mail is a file into which Outlook packs attachments.
func isTNEF(p part) bool {
	return p.kind == "application/ms-tnef" || p.kind == "application/vnd.ms-tnef" || strings.EqualFold(p.name, "winmail.dat")
}

// The attributes of a TNEF file that are read.
const (
	tnefSignature  = 0x223E9F78
	tnefAttachment = 0x00069002 // another one begins
	tnefTitle      = 0x00018010
	tnefData       = 0x0006800F
	tnefBody       = 0x0002800C
)

// unpackTNEF adds the attachments in a TNEF file, and its text if the mail has no other. Parts that can't be read are
// noted.
func (m *message) unpackTNEF(p part) {
	if len(p.data) < 6 || binary.LittleEndian.Uint32(p.data) != tnefSignature {
		m.warnings = append(m.warnings, "The file winmail.dat, in which Outlook packs attachments, is damaged and was left out.")
		return
	}
	found, cut := 0, false
	var open *part
	for data := p.data[6:]; len(data) > 0; {
		if cut = len(data) < 11; cut {
			break
		}
		id, size := binary.LittleEndian.Uint32(data[1:]), int64(binary.LittleEndian.Uint32(data[5:]))
		if id == 0 {
			break
		}
		if cut = size > int64(len(data)-11); cut {
			break
		}
		value := data[9 : 9+size]
		data = data[11+size:]
		switch {
		case id == tnefAttachment && len(m.attached) < maxMailParts:
			m.attached = append(m.attached, part{name: "without a name"})
			open = &m.attached[len(m.attached)-1]
			found++
		case id == tnefTitle && open != nil:
			name := m.headers.decode(string(bytes.TrimRight(value, "\x00")))
			open.name = path.Base("/" + strings.ReplaceAll(name, `\`, "/"))
		case id == tnefData && open != nil:
			open.data = value
		case id == tnefBody && !saysMore(m.plain):
			m.plain = append(m.plain, part{kind: "text/plain", data: bytes.TrimRight(value, "\x00")})
			found++
		}
	}
	if found == 0 || cut {
		m.warnings = append(m.warnings, "The file winmail.dat, in which Outlook packs text and attachments, could not be read to its end; parts of this mail may be missing. Ask for it without rich text.")
	}
}
