package parse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/picture"
)

// The limits of the pictures of a file.
const (
	MaxPictures     = 200
	MaxPictureBytes = 32 << 20    // of all, as stored
	MaxPicture      = 8 << 20     // of one
	MaxPictureWords = 500         // code points of a caption, and of words in place of a picture
	maxDecoded      = 300_000_000 // pixels of all, decoded
	maxRepeated     = 2           // occurrences of a picture; more frequent ones are ornaments
)

// A gallery counts what the pictures of a file cost.
type gallery struct {
	bytes, pixels int
	unread        int               // damaged, or in an unsupported format
	left          int               // beyond the limits
	logos         int               // of mail
	undrawn       int               // line drawings, which a program could draw
	seen          map[string]*plate // by their content
}

// A plate is a picture that was made, without bytes if it is not kept.
type plate struct {
	data          []byte
	media         string
	width, height int
}

// shows adds a picture at the current end of the text. Alt is its alternative text.
func (w *writer) shows(data []byte, alt string) {
	width, height, err := picture.Size(data)
	switch {
	case len(data) == 0:
		return
	case errors.Is(err, picture.ErrLarge):
		w.gallery.left++
		return
	case err != nil:
		w.gallery.unread++
		return
	case picture.IsOrnament(width, height):
		return
	}
	w.show(domain.Picture{Alt: altWords(alt), At: domain.Span{Start: w.runes, End: w.runes}}, domain.Hash(data), width*height, func() (*image.RGBA, bool, error) { return picture.Decode(data) })
}

// show adds a picture of a number of pixels, which made creates, unless one was created before under the same key.
func (w *writer) show(p domain.Picture, key string, pixels int, made func() (*image.RGBA, bool, error)) {
	g := &w.gallery
	d, again := g.seen[key]
	if !again {
		if len(g.seen) >= MaxPictures || g.pixels+pixels > maxDecoded || g.bytes > MaxPictureBytes {
			g.left++
			return
		}
		g.pixels += pixels
		d = &plate{}
		if g.seen == nil {
			g.seen = map[string]*plate{}
		}
		g.seen[key] = d
		m, photo, err := made()
		if err != nil {
			g.unread++
			return
		}
		if !picture.IsPlain(m) {
			d.width, d.height = m.Rect.Dx(), m.Rect.Dy()
			d.data, d.media, err = picture.Encode(m, photo)
		}
		if err != nil {
			g.unread++
		}
	}
	if d.data == nil || len(d.data) > MaxPicture || len(w.pictures) > 10*MaxPictures {
		return
	}
	if g.bytes += len(d.data); g.bytes > MaxPictureBytes {
		g.left++
		return
	}
	if n := len(w.pages); n > 0 && p.Page == 0 && (w.pages[n-1].Unit == domain.UnitPage || w.pages[n-1].Unit == domain.UnitSlide) {
		p.Page = w.pages[n-1].Number
	}
	p.Data, p.Media, p.Width, p.Height, p.Hash = d.data, d.media, d.width, d.height, key
	w.pictures = append(w.pictures, p)
}

// kept returns the pictures without ornaments, with their captions, numbered in the order of the text.
func (w *writer) kept() []domain.Picture {
	shown := map[string]int{}
	for _, p := range w.pictures {
		shown[p.Hash]++
	}
	all := slices.DeleteFunc(w.pictures, func(p domain.Picture) bool { return shown[p.Hash] > maxRepeated })
	if more := len(all) - MaxPictures; more > 0 {
		w.gallery.left, all = w.gallery.left+more, all[:MaxPictures]
	}
	slices.SortStableFunc(all, func(a, b domain.Picture) int { return cmp.Compare(a.At.Start, b.At.Start) })
	captions := captionsIn(w.text.String())
	for i := range all {
		p := &all[i]
		if p.Caption == "" {
			captions.give(p)
		}
		p.Number, p.Hash = i+1, ""
		if words := tidyLine(p.Caption); strings.EqualFold(words, p.Alt) || strings.Contains(words, cmp.Or(p.Alt, "\x00")) {
			p.Alt = "" // the text already has it
		}
	}
	if n := w.gallery.unread; n > 0 {
		w.warn(fmt.Sprintf("%s left out: damaged, or of a format that is not read, such as EMF, JPEG 2000 or JBIG2.", domain.Counted(n, "picture was", "pictures were")))
	}
	if n := w.gallery.logos; n > 0 {
		w.warn(fmt.Sprintf("%s left out as part of a signature: smaller than %d pixels.", domain.Counted(n, "picture was", "pictures were"), leastInMail))
	}
	if n := w.gallery.undrawn; n > 0 {
		w.warn(fmt.Sprintf("%s left out: install pdftoppm where Clew runs (on Debian and Ubuntu the package poppler-utils), and read the document again.", domain.Counted(n, "drawing made of lines was", "drawings made of lines were")))
	}
	if n := w.gallery.left; n > 0 {
		w.warn(fmt.Sprintf("%s left out: a document keeps at most %d, none of more than %d million pixels, and %d million in all.", domain.Counted(n, "picture was", "pictures were"), MaxPictures, picture.MaxPixels/1_000_000, maxDecoded/1_000_000))
	}
	return all
}

// altWords tidies alternative text. It drops names of files and phrases that programs insert.
func altWords(alt string) string {
	alt = tidyLine(alt)
	before, _, _ := strings.Cut(alt, "Description automatically generated")
	alt = strings.TrimRight(before, " ,;.")
	if !strings.Contains(alt, " ") && path.Ext(alt) != "" || utf8.RuneCountInString(alt) < 3 || domain.IsFileName(alt) {
		return ""
	}
	return shorten(strings.NewReplacer("[", "(", "]", ")").Replace(alt), MaxPictureWords)
}

// label matches how captions begin.
var label = regexp.MustCompile(`(?i)^(figure|fig\.?|abbildung|abb\.|bild|diagram|diagramm|schema|scheme|chart|graph|photo(?:graph)?|foto|image|picture|plate|tafel|illustration|exhibit|map|karte|grafik|schaubild|figura|ilustración|imagen|рис(?:унок|\.)|図)\s*[A-Z]?\.?\d{0,3}(?:[.\-–]\d+)*[a-z]?\s*(?:[:.|–—-]|\s[A-ZÄÖÜ“„"(])`)

// tableLabel matches how captions of tables begin.
var tableLabel = regexp.MustCompile(`(?i)^(table|tabelle|tab\.|tabla|tableau|tabella)\s*(\d|[IVX]+\b)`)

// isCaption reports whether a paragraph reads like the caption of a picture: a word for one with a number, or with a colon.
func isCaption(paragraph string) bool {
	begins := label.FindString(paragraph)
	return begins != "" && utf8.RuneCountInString(paragraph) <= 2*MaxPictureWords && (strings.ContainsFunc(begins, unicode.IsDigit) || strings.HasSuffix(begins, ":"))
}

// captions are the paragraphs of a text that read like captions, by where they begin, and all paragraphs in order.
type captions struct {
	paragraphs []domain.Span
	text       map[int]string // of captions, by their number
	taken      map[int]bool
}

func captionsIn(text string) captions {
	c := captions{text: map[int]string{}, taken: map[int]bool{}}
	at := 0
	for part := range strings.SplitSeq(text, "\n\n") {
		end := at + utf8.RuneCountInString(part)
		if isCaption(part) {
			c.text[len(c.paragraphs)] = tidyLine(part)
		}
		c.paragraphs = append(c.paragraphs, domain.Span{Start: at, End: end})
		at = end + 2
	}
	return c
}

// give gives a picture its caption: the paragraph after it, or else the one before it, if that reads like one and no other
// picture has it.
func (c captions) give(p *domain.Picture) {
	next, _ := slices.BinarySearchFunc(c.paragraphs, p.At.Start, func(s domain.Span, at int) int { return cmp.Compare(s.Start, at) })
	for _, i := range []int{next, next - 1} {
		words, is := c.text[i]
		if is && !c.taken[i] {
			c.taken[i] = true
			p.At, p.Caption = c.paragraphs[i], shorten(words, MaxPictureWords)
			return
		}
	}
}

// altOf returns the words that the text has for a picture with alternative text.
func altOf(p domain.Picture) string {
	if p.Alt == "" {
		return ""
	}
	return "[Picture: " + p.Alt + "]"
}

// DescribedAs returns the words that the text has for a picture described by a model. They are one sentence, so that every
// quotation of them names the model.
func DescribedAs(p domain.Picture) string {
	if p.Description == "" {
		return ""
	}
	return "[Described by " + p.Model + ": " + p.Description + "]"
}

// NamedAs returns a function that describes a picture by the name of its file.
func NamedAs(name string) func(domain.Picture) string {
	return func(domain.Picture) string {
		return "[Picture: " + tidyLine(strings.NewReplacer("[", "(", "]", ")").Replace(name)) + "]"
	}
}

// An insertion is a paragraph that is added to a text for a picture.
type insertion struct {
	at      int // where a paragraph ends, or 0
	picture int
	words   string
	span    domain.Span // of the words in the new text
}

// WithWords returns a text with a paragraph below each picture for which say returns words, on the page of the picture.
// The text behind it moves.
func WithWords(t domain.Text, say func(domain.Picture) string) domain.Text {
	var all []insertion
	for i, p := range t.Pictures {
		if words := say(p); words != "" {
			all = append(all, insertion{at: p.At.End, picture: i, words: words})
		}
	}
	if len(all) == 0 {
		return t
	}
	slices.SortStableFunc(all, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	shift := func(at int) int {
		by := 0
		for _, in := range all {
			if t.Content != "" && (in.at < at || in.at == 0) {
				by += utf8.RuneCountInString(in.words) + len(paragraphEnd)
			}
		}
		return at + by
	}
	moved := func(s domain.Span) domain.Span { return domain.Span{Start: shift(s.Start), End: shift(s.End)} }
	t.Pages, t.Headings, t.Pictures = slices.Clone(t.Pages), slices.Clone(t.Headings), slices.Clone(t.Pictures)
	for i, h := range t.Headings {
		t.Headings[i].Span = moved(h.Span)
	}
	for i, p := range t.Pages {
		t.Pages[i].Span = moved(p.Span)
	}
	for i, p := range t.Pictures {
		t.Pictures[i].At = moved(p.At)
	}
	t.Content = inserted(t.Content, all)
	for _, in := range all {
		t.Pictures[in.picture].At = covered(t.Pictures[in.picture].At, in.span)
	}
	t.Pages = reaching(t.Pages, t.Pictures, all)
	return t
}

const paragraphEnd = "\n\n"

// covered returns the smallest span around two, the second alone if the first is empty.
func covered(a, b domain.Span) domain.Span {
	if a.Empty() {
		return b
	}
	return domain.Span{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// inserted returns a text with paragraphs added, in order, and notes where they are.
func inserted(text string, all []insertion) string {
	var b strings.Builder
	n, done := 0, 0
	write := func(s string) {
		b.WriteString(s)
		n += utf8.RuneCountInString(s)
	}
	rest := text
	for i := range all {
		in := &all[i]
		before := domain.Span{End: in.at - done}.Slice(rest)
		write(before)
		rest, done = rest[len(before):], in.at
		if n > 0 && !(in.at == 0 && text != "") {
			write(paragraphEnd)
		}
		in.span = domain.Span{Start: n, End: n + utf8.RuneCountInString(in.words)}
		write(in.words)
		if in.at == 0 && text != "" {
			write(paragraphEnd)
		}
	}
	write(rest)
	return b.String()
}

// reaching returns pages that hold the paragraphs added for the pictures on them.
func reaching(pages []domain.Page, pictures []domain.Picture, all []insertion) []domain.Page {
	end := 0
	for i := range pages {
		p := &pages[i]
		for _, in := range all {
			if page := pictures[in.picture].Page; page != 0 && page == p.Number && (p.Unit == domain.UnitPage || p.Unit == domain.UnitSlide) {
				p.Span = covered(p.Span, in.span)
			}
		}
		p.Span.Start = max(p.Span.Start, end)
		p.Span.End = max(p.Span.End, p.Span.Start)
		end = p.Span.End
	}
	return pages
}

// figures adds the pictures of a page, whose paragraphs are at spans of the text. A drawing replaces the images in it.
func (w *writer) figures(ctx context.Context, file *pdf.File, page pdf.Page, c pdf.Content, spans []domain.Span) {
	drawings := file.Drawings(page, c, func(s string) bool { return isCaption(tidyLine(s)) }, func(s string) bool { return tableLabel.MatchString(tidyLine(s)) })
	if !w.drawn {
		w.gallery.undrawn += len(drawings)
		drawings = nil
	}
	for _, f := range slices.Concat(drawings, file.Figures(page, c)) {
		if ctx.Err() != nil {
			return
		}
		width, height := f.Pixels()
		toDraw := w.drawn && !file.Decodes(f)
		if toDraw {
			width, height = f.PixelsDrawn(picture.MaxSide)
		}
		if picture.IsOrnament(width, height) || slices.ContainsFunc(drawings, func(d pdf.Figure) bool { return d.Shows(f) }) {
			continue
		}
		p := domain.Picture{Box: f.Box[:], At: domain.Span{Start: w.runes, End: w.runes}}
		i, known := f.Caption()
		if !known {
			i = captionOf(f, c.Paragraphs)
		}
		if i >= 0 && !spans[i].Empty() {
			p.At, p.Caption = spans[i], shorten(tidyLine(c.Paragraphs[i].Text), MaxPictureWords)
		} else if i := aboveOf(f, c.Paragraphs); i >= 0 && !spans[i].Empty() {
			p.At = domain.Span{Start: spans[i].End, End: spans[i].End}
		}
		if toDraw {
			p.Width, p.Height = width, height
			w.toDraw(p)
			continue
		}
		w.show(p, f.Key(), width*height, func() (*image.RGBA, bool, error) {
			return file.DrawFigure(ctx, f, picture.MaxSide)
		})
	}
}

// toDraw adds a picture without bytes, whose place on its page a program draws at the given size.
func (w *writer) toDraw(p domain.Picture) {
	if len(w.pictures) > 10*MaxPictures {
		w.gallery.left++
		return
	}
	p.Page = w.pages[len(w.pages)-1].Number
	p.Hash = fmt.Sprint(p.Page, p.Box)
	w.pictures = append(w.pictures, p)
}

// IsUndrawn reports whether a picture is the place on a page that a program is to draw.
func IsUndrawn(p domain.Picture) bool { return p.Media == "" }

// captionOf returns which paragraph of a page is the caption of a figure: the nearest below it, or else above it, that reads
// like one. It returns -1 if there is none.
func captionOf(f pdf.Figure, paragraphs []pdf.Paragraph) int {
	best, least := -1, 0.0
	for i, p := range paragraphs {
		if !p.Upright || !isCaption(tidyLine(p.Text)) || p.Right < f.Left || p.Left > f.Right {
			continue
		}
		far := f.Bottom - p.Top // below
		if far < -p.Size {
			far = 2 * (p.Bottom - f.Top) // above
		}
		if far > -2*p.Size && far < maxApart && (best < 0 || far < least) {
			best, least = i, far
		}
	}
	return best
}

// maxApart is the maximum distance of a caption from its figure, in points.
const maxApart = 90

// aboveOf returns which paragraph of a page is the nearest above a figure, or -1.
func aboveOf(f pdf.Figure, paragraphs []pdf.Paragraph) int {
	best := -1
	for i, p := range paragraphs {
		if p.Upright && p.Bottom >= f.Top-p.Size && p.Right > f.Left && p.Left < f.Right && (best < 0 || p.Bottom < paragraphs[best].Bottom) {
			best = i
		}
	}
	return best
}

// looksLikeImage reports whether a file begins as an image does.
func looksLikeImage(h head) bool {
	for _, prefix := range []string{"\xFF\xD8\xFF", "\x89PNG\r\n", "GIF8", "BM", "II*\x00", "MM\x00*"} {
		if strings.HasPrefix(string(h.start), prefix) {
			return !h.isText
		}
	}
	return len(h.start) > 12 && string(h.start[:4]) == "RIFF" && string(h.start[8:12]) == "WEBP" || IsHEIC(h.start)
}

// IsHEIC reports whether a file begins like a photo in the format HEIC or AVIF.
func IsHEIC(data []byte) bool {
	return len(data) > 12 && string(data[4:8]) == "ftyp" && slices.Contains([]string{"heic", "heix", "heim", "heis", "hevc", "mif1", "msf1", "avif", "avis"}, string(data[8:12]))
}

// readImage reads an image as a document of one page: the words that it states of itself, and its picture. Its text is
// recognised elsewhere.
func readImage(_ context.Context, w *writer, data []byte) error {
	width, height, err := picture.Size(data)
	switch {
	case IsHEIC(data):
		return domain.Errorf(domain.Unsupported, "Photos in the formats HEIC and AVIF are read where heif-convert is installed. Install it where Clew runs (on Debian and Ubuntu the package libheif-examples) and read this one again, or export it as JPEG and add that.")
	case errors.Is(err, picture.ErrLarge):
		return domain.Errorf(domain.TooLarge, "This image has %d × %d pixels; the limit is %d million in all. Save a smaller copy and add that.", width, height, picture.MaxPixels/1_000_000)
	case err != nil:
		return domain.Errorf(domain.Invalid, "This image is damaged, or of a kind that is not read. Open it in another program, save it as PNG or JPEG, and add that.")
	}
	m, photo, err := picture.Decode(data)
	if err != nil {
		return domain.Errorf(domain.Invalid, "This image is damaged: it could not be decoded. Save it again as PNG or JPEG, and add that.")
	}
	stated := picture.Stated(data)
	w.name(stated.Title)
	w.page(1, nil)
	w.paragraph(shorten(tidy(stated.Description), maxStated))
	if stated.Pages > 1 {
		w.warn(fmt.Sprintf("Only the first of its %d pages was read. Save the pages as a PDF to have them all.", stated.Pages))
	}
	p := domain.Picture{Number: 1, Page: 1, Box: []float64{0, 0, 1, 1}, At: domain.Span{Start: 0, End: w.runes}, Caption: shorten(tidyLine(stated.Description), MaxPictureWords), Width: m.Rect.Dx(), Height: m.Rect.Dy()}
	if p.Data, p.Media, err = picture.Encode(m, photo); err != nil {
		return fmt.Errorf("encode an image: %w", err)
	}
	w.pictures = append(w.pictures, p)
	w.warn(noWords)
	return nil
}

// maxStated bounds what an image states of itself, in code points.
const maxStated = 10_000

// noWords is the warning of an image whose text was not recognised.
const noWords = "The text in this image was not read."

// image passes on an image as a picture in grey (PGM), as the page 1.
func (u *unpacker) image(data []byte) error {
	const side = 4000 // more does not help tesseract
	grey, err := picture.Grey(data, side)
	if err != nil {
		return nil //nolint:nilerr // reading it has said why
	}
	return u.each(File{Name: "1", Data: pgm(grey)})
}

// WithRead returns the text of an image with the paragraphs that were recognised in it.
func WithRead(t domain.Text, paragraphs []string) domain.Text {
	w := &writer{limits: Limits{}.withDefaults()}
	w.page(1, nil)
	w.add(t.Content)
	for _, s := range paragraphs {
		w.paragraph(s)
	}
	w.closePage()
	t.Content, t.Pages = w.text.String(), w.pages
	t.Warnings = slices.DeleteFunc(slices.Clone(t.Warnings), func(s string) bool { return s == noWords })
	if t.Pictures = slices.Clone(t.Pictures); len(t.Pictures) > 0 {
		t.Pictures[0].At.End = w.runes
	}
	return t
}
