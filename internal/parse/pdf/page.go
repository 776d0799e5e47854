package pdf

import "strings"

// Page is a page of a file with its inherited attributes.
type Page struct {
	dict      dict
	resources object
	rotate    int
	media     box
	crop      box
}

// box returns the part of a page that is shown.
func (p Page) box() box {
	b := box{max(p.media.x0, p.crop.x0), max(p.media.y0, p.crop.y0), min(p.media.x1, p.crop.x1), min(p.media.y1, p.crop.y1)}
	if p.crop == (box{}) || b.x1 <= b.x0 || b.y1 <= b.y0 {
		return p.media
	}
	return b
}

const maxTreeDepth = 64

// Pages returns the pages of the file in order. It stops at limit+1, so that a
// caller can tell that there are more.
func (f *File) Pages(limit int) []Page {
	w := pageWalk{file: f, limit: limit + 1, seen: make(map[ref]bool)}
	w.walk(f.dict(f.trailer["Root"])["Pages"], Page{}, 0)
	return w.pages
}

// maxNodes bounds the nodes of the page tree, which may share branches.
const maxNodes = 1 << 20

// A pageWalk collects the leaves of the page tree (section 7.7.3).
type pageWalk struct {
	file  *File
	limit int
	seen  map[ref]bool
	nodes int
	pages []Page
}

// walk collects the pages at and below a node that inherits from parent.
func (w *pageWalk) walk(o object, parent Page, depth int) {
	if r, ok := o.(ref); ok {
		if w.seen[r] {
			return
		}
		w.seen[r] = true
	}
	w.nodes++
	if depth > maxTreeDepth || len(w.pages) >= w.limit || w.nodes > maxNodes {
		return
	}
	d := w.file.dict(o)
	if d == nil {
		return
	}
	page := parent
	page.dict = d
	if resources := d["Resources"]; resources != nil {
		page.resources = resources
	}
	if rotate := w.file.resolve(d["Rotate"]); rotate != nil {
		page.rotate = integer(rotate)
	}
	page.media = w.file.boxIn(d, "MediaBox", parent.media)
	page.crop = w.file.boxIn(d, "CropBox", parent.crop)
	kids := w.file.array(d["Kids"])
	if kids == nil {
		w.pages = append(w.pages, page)
	}
	for _, kid := range kids {
		w.walk(kid, page, depth+1)
	}
}

// boxIn returns a rectangle of a dictionary, or the one it inherits.
func (f *File) boxIn(d dict, key name, inherited box) box {
	a := f.array(d[key])
	if len(a) != 4 {
		return inherited
	}
	b := nowhere()
	for i := 0; i < 4; i += 2 {
		b = b.with(number(f.resolve(a[i])), number(f.resolve(a[i+1])))
	}
	return b
}

// content concatenates the page's content streams, up to maxStream.
func (f *File) content(p Page) []byte {
	streams := f.list(p.dict["Contents"])
	var out []byte
	for _, o := range streams {
		s, ok := f.resolve(o).(*stream)
		if !ok {
			continue
		}
		data := f.decode(s)
		if len(streams) == 1 {
			return data
		}
		if len(out)+len(data) > maxStream {
			f.cut = true
			break
		}
		out = append(append(out, data...), '\n')
	}
	return out
}

// Title returns the title in the document's information dictionary, or "".
func (f *File) Title() string {
	return f.textIn("Info", "Title")
}

// Facts returns the author and the time of making in the document's information
// dictionary, and the language of its catalogue, each "" if there is none.
func (f *File) Facts() (author, made, language string) {
	return f.textIn("Info", "Author"), f.textIn("Info", "CreationDate"), f.textIn("Root", "Lang")
}

// textIn returns a text string of one of the trailer's dictionaries.
func (f *File) textIn(dictionary, key name) string {
	s, _ := f.resolve(f.dict(f.trailer[dictionary])[key]).(text)
	return textString(s)
}

// textString decodes a text string (section 7.9.2.2).
func textString(s text) string {
	switch {
	case len(s) >= 2 && s[0] == 0xFE && s[1] == 0xFF:
		return decodeUTF16(s[2:])
	case len(s) >= 3 && s[:3] == "\xEF\xBB\xBF":
		return string(s[3:])
	}
	var t font
	standardEncoding(&t)
	t.chars['\''], t.chars['`'] = "'", "`"
	var out strings.Builder
	for _, b := range []byte(s) {
		if b >= 0xA0 { // PDFDocEncoding is Latin-1 there
			out.WriteRune(rune(b))
		} else {
			out.WriteString(t.chars[b])
		}
	}
	return out.String()
}
