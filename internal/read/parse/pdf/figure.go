package pdf

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
)

// Limits of figures. Images beyond the first three are part of the layout.
const (
	leastFigure = 36   // points of a side
	mostFigure  = 0.85 // share of the page; larger images are a background or a scan
	mostShown   = 2    // pages that show an image; on more pages it is a logo or a rule
	touching    = 2    // points between images of one figure
	maxFigures  = 40   // of a page
)

// A Figure is a picture on a page: images that touch one another.
type Figure struct {
	Left, Right, Top, Bottom float64    // in points, like upright paragraphs on the page as shown
	Box                      [4]float64 // left, top, right and bottom, as fractions of the page as shown

	images  []placed
	caption int // of a drawing: the number of its paragraph
	turn    int // clockwise quarter turns of the page when its images are drawn
}

// ForFigures prepares for the figures of all pages, which may read as many bytes again as Open allows. It notes the
// images that occur on many pages.
func (f *File) ForFigures(contents []Content, maxExpanded int64) {
	f.budget = maxExpanded
	f.onPages = make(map[ref]int)
	for _, c := range contents {
		here := make(map[ref]bool)
		for _, p := range c.placed {
			if !here[p.image.of] {
				here[p.image.of] = true
				f.onPages[p.image.of]++
			}
		}
	}
}

// Figures returns the figures of a page, from top to bottom.
func (f *File) Figures(p Page, c Content) []Figure {
	page, turn := p.box(), p.turn()
	width, height := page.x1-page.x0, page.y1-page.y0
	if width < 1 || height < 1 || len(c.placed) > maxPlaced/2 && len(c.Paragraphs) == 0 {
		return nil
	}
	var all []Figure
	for _, i := range c.placed {
		b := boxOf(i.m)
		mask, _ := f.resolve(i.image.dict["ImageMask"]).(bool)
		shown := box{max(b.x0, page.x0), max(b.y0, page.y0), min(b.x1, page.x1), min(b.y1, page.y1)}
		switch {
		case mask, f.onPages[i.image.of] > mostShown, !finite(b.x0, b.y0, b.x1, b.y1), shown.x1 <= shown.x0, shown.y1 <= shown.y0:
		case (shown.x1-shown.x0)*(shown.y1-shown.y0) > mostFigure*width*height:
		default:
			all = joined(all, Figure{Left: b.x0, Right: b.x1, Top: b.y1, Bottom: b.y0, images: []placed{i}, turn: turn})
		}
	}
	all = slices.DeleteFunc(all, func(g Figure) bool {
		w, h := g.Right-g.Left, g.Top-g.Bottom
		return w < leastFigure || h < leastFigure || w*h > mostFigure*width*height // or a scan in strips
	})
	page = page.turned(turn)
	for i := range all {
		g := &all[i]
		b := box{g.Left, g.Bottom, g.Right, g.Top}.turned(turn)
		g.Left, g.Right, g.Top, g.Bottom, g.Box = b.x0, b.x1, b.y1, b.y0, b.on(page)
	}
	slices.SortStableFunc(all, func(a, b Figure) int { return cmp.Compare(b.Top, a.Top) })
	return all[:min(len(all), maxFigures)]
}

// turned rotates a box clockwise by a number of quarter turns.
func (b box) turned(quarters int) box {
	x0, y0 := turned(b.x0, b.y0, quarters)
	x1, y1 := turned(b.x1, b.y1, quarters)
	return nowhere().with(x0, y0).with(x1, y1)
}

// on returns the left, top, right and bottom of a box as parts of a page, within it.
func (b box) on(page box) [4]float64 {
	width, height := page.x1-page.x0, page.y1-page.y0
	at := [4]float64{(b.x0 - page.x0) / width, (page.y1 - b.y1) / height, (b.x1 - page.x0) / width, (page.y1 - b.y0) / height}
	for i := range at {
		at[i] = math.Round(10_000*min(1, max(0, at[i]))) / 10_000
	}
	return at
}

// boxOf returns the box around an image, which fills the unit square.
func boxOf(m matrix) box {
	b := nowhere()
	for _, p := range []matrix{m, m.moved(1, 0), m.moved(0, 1), m.moved(1, 1)} {
		b = b.with(p.e, p.f)
	}
	return b
}

// joined adds a figure to others, as one with those that it touches.
func joined(all []Figure, g Figure) []Figure {
	for again := true; again; {
		again = false
		for i, o := range all {
			if g.Left <= o.Right+touching && o.Left <= g.Right+touching && g.Bottom <= o.Top+touching && o.Bottom <= g.Top+touching {
				g.Left, g.Right, g.Bottom, g.Top = min(g.Left, o.Left), max(g.Right, o.Right), min(g.Bottom, o.Bottom), max(g.Top, o.Top)
				g.images = append(slices.Clone(o.images), g.images...)
				all, again = slices.Delete(all, i, i+1), true
				break
			}
		}
	}
	return append(all, g)
}

// Caption returns which paragraph of its page is the caption of a drawing. Of a figure made of images it reports false.
func (g Figure) Caption() (paragraph int, known bool) { return g.caption, len(g.images) == 0 }

// Shows reports whether the place of a figure contains nearly all of another's on the same page.
func (g Figure) Shows(o Figure) bool {
	return len(g.images) == 0 && len(o.images) > 0 && coveredBy(box{o.Left, o.Bottom, o.Right, o.Top}, []box{{g.Left, g.Bottom, g.Right, g.Top}}) > 0.9
}

// Decodes reports whether DrawFigure can decode the images of a figure, according to their dictionaries. It can't for a
// drawing, which has none.
func (f *File) Decodes(g Figure) bool {
	return len(g.images) > 0 && !slices.ContainsFunc(g.images, func(i placed) bool {
		filter := f.resolve(i.image.dict["Filter"])
		if list, is := filter.(array); is && len(list) > 0 {
			filter = f.resolve(list[len(list)-1])
		}
		return filter == name("JPXDecode") || filter == name("JBIG2Decode")
	})
}

// Key names what a figure is made of.
func (g Figure) Key() string {
	key := fmt.Appendf(nil, "%.0f %.0f", g.Right-g.Left, g.Top-g.Bottom)
	for _, i := range g.images {
		key = fmt.Append(key, " ", i.image.of)
	}
	return string(key)
}

// drawnAt is the resolution at which a program draws, in dots per inch.
const drawnAt = 150

// PixelsDrawn returns the width and the height at which a program draws the place of a figure, neither of them above
// most.
func (g Figure) PixelsDrawn(most int) (width, height int) {
	w, h := g.Right-g.Left, g.Top-g.Bottom
	scale := min(drawnAt/72.0, float64(most)/max(w, h, 1))
	return max(1, int(w*scale)), max(1, int(h*scale))
}

// Pixels returns the width and the height of the largest image of a figure, as its file states them.
func (g Figure) Pixels() (width, height int) {
	for _, i := range g.images {
		w, _ := i.image.dict["Width"].(float64)
		h, _ := i.image.dict["Height"].(float64)
		if w*h > float64(width)*float64(height) && w*h <= maxPixels {
			width, height = int(w), int(h)
		}
	}
	if n := len(g.images); n > 1 { // strips of one picture
		width, height = max(width, int(g.Right-g.Left)), max(height, int(g.Top-g.Bottom))
	}
	return width, height
}

// DrawFigure draws a figure as its page shows it, at most side pixels wide and high, and reports whether it consists of photos.
func (f *File) DrawFigure(ctx context.Context, g Figure, side int) (*image.RGBA, bool, error) {
	var parts []tinted
	photo := true
	for _, i := range g.images {
		if t, ok := f.tints(i.image); ok {
			t.m = i.m.then(quarters(g.turn))
			parts, photo = append(parts, t), photo && t.photo
		}
	}
	if len(parts) == 0 || ctx.Err() != nil {
		return nil, false, ErrPicture
	}
	b, scale := nowhere(), 0.0
	for _, t := range parts {
		at := boxOf(t.m)
		b = b.with(at.x0, at.y0).with(at.x1, at.y1)
		scale = max(scale, float64(t.width)/math.Hypot(t.m.a, t.m.b))
	}
	width, height := b.x1-b.x0, b.y1-b.y0
	scale = min(scale, float64(side)/max(width, height))
	w, h := int(math.Round(width*scale)), int(math.Round(height*scale))
	if !finite(width, height, scale) || w < 1 || h < 1 {
		return nil, false, ErrPicture
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range out.Pix {
		out.Pix[i] = 255
	}
	for _, t := range parts {
		if err := t.draw(ctx, out, b, scale); err != nil {
			return nil, false, err
		}
	}
	return out, photo, nil
}

// A tinted is an image in colours with its place.
type tinted struct {
	width, height int
	dots          dots
	mask          *image.Gray // its opacity, or nil
	photo         bool
	m             matrix
}

// dots are the samples of an image.
type dots interface {
	dot(x, y int) (r, g, b uint8)
}

// draw draws an image on a picture of a box of the page.
func (t tinted) draw(ctx context.Context, out *image.RGBA, b box, scale float64) error {
	back, ok := t.m.inverse()
	if !ok {
		return nil
	}
	finer := 1 // samples per dot along each side
	if float64(t.width) > 1.3*scale*math.Hypot(t.m.a, t.m.b) {
		finer = 2
	}
	at := boxOf(t.m)
	bound := func(v float64, most int) int { return min(max(0, int(v*scale)), most) }
	left, right := bound(at.x0-b.x0, out.Rect.Dx()), bound(at.x1-b.x0+1/scale, out.Rect.Dx())
	for y := bound(b.y1-at.y1, out.Rect.Dy()); y < bound(b.y1-at.y0+1/scale, out.Rect.Dy()); y++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for x := left; x < right; x++ {
			t.dot(out.Pix[y*out.Stride+4*x:], back, b, scale, x, y, finer)
		}
	}
	return nil
}

// dot mixes an image into a dot.
func (t tinted) dot(dot []uint8, back matrix, b box, scale float64, x, y, finer int) {
	var red, green, blue, weight int
	for i := range finer * finer {
		px := b.x0 + (float64(x)+(float64(i%finer)+0.5)/float64(finer))/scale
		py := b.y1 - (float64(y)+(float64(i/finer)+0.5)/float64(finer))/scale
		u, v := back.a*px+back.c*py+back.e, back.b*px+back.d*py+back.f
		if u < 0 || u >= 1 || v <= 0 || v > 1 {
			continue
		}
		opaque := 255
		if t.mask != nil {
			opaque = int(t.mask.Pix[int((1-v)*float64(t.mask.Rect.Dy()))*t.mask.Stride+int(u*float64(t.mask.Rect.Dx()))])
		}
		r, g, bl := t.dots.dot(int(u*float64(t.width)), int((1-v)*float64(t.height)))
		red, green, blue, weight = red+opaque*int(r), green+opaque*int(g), blue+opaque*int(bl), weight+opaque
	}
	all := 255 * finer * finer
	mix := func(i, sum int) { dot[i] = uint8((sum + (all-weight)*int(dot[i])) / all) }
	mix(0, red)
	mix(1, green)
	mix(2, blue)
}

// tints decodes an image in colours.
func (f *File) tints(s *stream) (t tinted, ok bool) {
	t.width, t.height = integer(f.resolve(s.dict["Width"])), integer(f.resolve(s.dict["Height"]))
	if t.width < 1 || t.height < 1 || t.width > maxPixels/t.height || !f.spend(t.width*t.height) {
		return t, false
	}
	data, coding, params := f.unfilter(s)
	switch coding {
	case "DCTDecode", "DCT":
		t.photo = true
		t.width, t.height, t.dots = photoDots(data)
	case "CCITTFaxDecode", "CCF":
		if g := f.fax(data, params, t.width, t.height); g != nil {
			t.dots = decodedDots{g}
		}
	case "":
		t.dots = f.rasterDots(s.dict, data, t.width, t.height)
	}
	if mask, is := f.resolve(s.dict["SMask"]).(*stream); is && t.dots != nil {
		t.mask = f.picture(mask)
	}
	return t, t.dots != nil
}

// decodedDots are the samples of a picture that was decoded.
type decodedDots struct{ image.Image }

func (d decodedDots) dot(x, y int) (uint8, uint8, uint8) {
	if of, is := d.Image.(*image.YCbCr); is {
		c := of.YCbCrAt(x, y)
		return color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
	}
	r, g, b, _ := d.At(x, y).RGBA()
	return uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)
}

// photoDots decodes a JPEG in colours. The dots are nil if that fails.
func photoDots(data []byte) (width, height int, all dots) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 || c.Width > maxPixels/c.Height {
		return 0, 0, nil
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, 0, nil
	}
	return c.Width, c.Height, decodedDots{decoded}
}

// rasterDots are uncompressed samples.
type rasterDots struct {
	data      []byte
	row, bits int // bytes per line, bits per sample
	colour    colour
	hues      [][3]uint8 // of an indexed colour space
	inverted  bool
	samples   []uint8 // of the current pixel
}

// rasterDots reads uncompressed samples in colours. It returns nil if there are not as many as there should be.
func (f *File) rasterDots(d dict, data []byte, width, height int) dots {
	r := rasterDots{data: data, bits: integer(f.resolve(d["BitsPerComponent"])), colour: f.colourOf(d["ColorSpace"], 0)}
	indexed := r.colour.palette != nil
	if indexed {
		r.hues = f.hues(d["ColorSpace"])
	}
	r.row = (width*r.colour.parts*r.bits + 7) / 8
	if b := r.bits; b != 1 && b != 2 && b != 4 && b != 8 && b != 16 || len(data) < r.row*height || len(data) > 2*r.row*height+r.row {
		return nil
	}
	decode := f.array(d["Decode"])
	r.inverted = !indexed && len(decode) >= 2 && number(f.resolve(decode[0])) > number(f.resolve(decode[1]))
	r.samples = make([]uint8, r.colour.parts)
	return r
}

func (r rasterDots) dot(x, y int) (uint8, uint8, uint8) {
	line := r.data[y*r.row : (y+1)*r.row]
	for i := range r.samples {
		r.samples[i] = sample(line, (x*r.colour.parts+i)*r.bits, r.bits, r.hues == nil)
		if r.inverted {
			r.samples[i] = 255 - r.samples[i]
		}
	}
	if r.hues == nil {
		return r.colour.hue(r.samples)
	}
	if i := int(r.samples[0]); i < len(r.hues) {
		return r.hues[i][0], r.hues[i][1], r.hues[i][2]
	}
	return 255, 255, 255
}

// hues returns the colours of an indexed colour space.
func (f *File) hues(space object) (hues [][3]uint8) {
	o := f.array(space)
	if len(o) != 4 {
		return nil
	}
	base := f.colourOf(o[1], 1)
	var data []byte
	switch t := f.resolve(o[3]).(type) {
	case text:
		data = []byte(t)
	case *stream:
		data = f.decode(t)
	}
	for ; len(data) >= base.parts && len(hues) < 256; data = data[base.parts:] {
		r, g, b := base.hue(data[:base.parts])
		hues = append(hues, [3]uint8{r, g, b})
	}
	return hues
}

// hue returns the colour of a pixel's samples.
func (c colour) hue(samples []uint8) (r, g, b uint8) {
	switch len(samples) {
	case 3:
		return samples[0], samples[1], samples[2]
	case 4:
		return color.CMYKToRGB(samples[0], samples[1], samples[2], samples[3])
	}
	grey := samples[0]
	if c.ink {
		grey = 255 - grey
	}
	return grey, grey, grey
}
