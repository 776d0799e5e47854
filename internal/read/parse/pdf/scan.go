package pdf

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"math"

	"golang.org/x/image/ccitt"
)

// ErrPicture means that the images of a page are coded in a way that is not read,
// such as JBIG2 or JPEG 2000, are damaged, or are too large.
var ErrPicture = errors.New("the images of the page can't be read")

// The limits of a scan: pixels of an image and of what is drawn, and images of a
// page.
const (
	maxPixels = 64 << 20
	maxDrawn  = 12 << 20 // a page of A4 at 340 dots per inch
	maxPlaced = 200
)

// A placed image is drawn on the unit square, as m moves it.
type placed struct {
	image *stream
	m     matrix
}

// Scan draws the images of a page in grey, as the page shows them.
func (f *File) Scan(ctx context.Context, p Page) (*image.Gray, error) {
	in := interpreter{ctx: ctx, file: f, state: initialState()}
	in.run(f.content(p), f.dict(p.resources), 0)
	var pictures []picture
	for _, i := range in.placed {
		if g := f.picture(i.image); g != nil {
			pictures = append(pictures, picture{g, i.m.then(quarters(p.rotate / 90))})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if f.Exceeded() || len(pictures) == 0 {
		return nil, ErrPicture
	}
	return drawn(ctx, pictures)
}

// quarters returns the rotation by a number of clockwise quarter turns.
func quarters(n int) matrix {
	m := identity()
	for range (n%4 + 4) % 4 {
		m = m.then(matrix{0, -1, 1, 0, 0, 0})
	}
	return m
}

// A picture is an image with its place.
type picture struct {
	*image.Gray
	m matrix
}

// bounds returns the smallest box around all pictures, and the most dots that one
// has for a unit of length.
func bounds(pictures []picture) (x0, y0, x1, y1, scale float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range pictures {
		for _, corner := range []matrix{p.m, p.m.moved(1, 0), p.m.moved(0, 1), p.m.moved(1, 1)} {
			x0, y0, x1, y1 = min(x0, corner.e), min(y0, corner.f), max(x1, corner.e), max(y1, corner.f)
		}
	}
	for _, p := range pictures {
		width, height := math.Hypot(p.m.a, p.m.b), math.Hypot(p.m.c, p.m.d)
		if width*height*4 >= (x1-x0)*(y1-y0) || scale == 0 {
			scale = max(scale, float64(p.Rect.Dx())/width)
		}
	}
	return x0, y0, x1, y1, scale
}

// drawn draws pictures one over the other.
func drawn(ctx context.Context, pictures []picture) (*image.Gray, error) {
	x0, y0, x1, y1, scale := bounds(pictures)
	width, height := x1-x0, y1-y0
	if !finite(x0, y0, x1, y1) || !finite(scale) || width <= 0 || height <= 0 {
		return nil, ErrPicture
	}
	scale = min(scale, math.Sqrt(maxDrawn/(width*height)))
	w, h := int(width*scale), int(height*scale)
	if w < 1 || h < 1 || w > maxDrawn || h > maxDrawn {
		return nil, ErrPicture
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	for i := range out.Pix {
		out.Pix[i] = 255
	}
	for _, p := range pictures {
		back, ok := p.m.inverse()
		if !ok {
			continue
		}
		for y := range h {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for x := range w {
				if v, ok := p.at(back, x0+float64(x)/scale, y1-float64(y)/scale, 1/scale); ok {
					out.Pix[y*out.Stride+x] = v
				}
			}
		}
	}
	return out, nil
}

// at returns what a picture shows in a small square of the page, from four points
// in it.
func (p picture) at(back matrix, x, y, side float64) (uint8, bool) {
	sum, n := 0, 0
	for i := range 4 {
		at := back.moved(0, 0)
		px, py := x+side*(0.25+0.5*float64(i%2)), y-side*(0.25+0.5*float64(i/2))
		u, v := at.a*px+at.c*py+at.e, at.b*px+at.d*py+at.f
		if u < 0 || u >= 1 || v <= 0 || v > 1 {
			continue
		}
		sum += int(p.Pix[int((1-v)*float64(p.Rect.Dy()))*p.Stride+int(u*float64(p.Rect.Dx()))])
		n++
	}
	if n == 0 {
		return 0, false
	}
	return uint8(sum / n), true
}

// inverse returns the matrix that undoes m, if there is one.
func (m matrix) inverse() (matrix, bool) {
	d := m.a*m.d - m.b*m.c
	if d == 0 || math.IsNaN(d) || math.IsInf(1/d, 0) {
		return matrix{}, false
	}
	return matrix{m.d / d, -m.b / d, -m.c / d, m.a / d, (m.c*m.f - m.d*m.e) / d, (m.b*m.e - m.a*m.f) / d}, true
}

// picture decodes an image (section 8.9.5), or returns nil.
func (f *File) picture(s *stream) *image.Gray {
	width, height := integer(f.resolve(s.dict["Width"])), integer(f.resolve(s.dict["Height"]))
	data, coding, params := f.unfilter(s)
	if width < 1 || height < 1 || width > maxPixels/height || !f.spend(width*height) {
		return nil
	}
	switch coding {
	case "DCTDecode", "DCT":
		return photo(data)
	case "CCITTFaxDecode", "CCF":
		return f.fax(data, params, width, height)
	case "":
		return f.raster(s.dict, data, width, height)
	}
	return nil
}

// photo decodes a JPEG.
func photo(data []byte) *image.Gray {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width > maxPixels/max(1, c.Height) {
		return nil
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	switch d := decoded.(type) {
	case *image.Gray:
		return d
	case *image.YCbCr: // whose first part is the grey
		return &image.Gray{Pix: d.Y, Stride: d.YStride, Rect: d.Rect}
	}
	out := image.NewGray(decoded.Bounds())
	for y := range c.Height {
		for x := range c.Width {
			out.Set(x, y, decoded.At(x, y))
		}
	}
	return out
}

// fax decodes the coding of fax machines (section 7.4.6).
func (f *File) fax(data []byte, params dict, width, height int) *image.Gray {
	k := integer(f.resolve(params["K"]))
	if k > 0 { // lines of both kinds
		return nil
	}
	format := ccitt.Group3
	if k < 0 {
		format = ccitt.Group4
	}
	black, _ := f.resolve(params["BlackIs1"]).(bool)
	aligned, _ := f.resolve(params["EncodedByteAlign"]).(bool)
	if columns := integer(f.resolve(params["Columns"])); columns > 0 && columns != width {
		return nil
	}
	out := image.NewGray(image.Rect(0, 0, width, height))
	if ccitt.DecodeIntoGray(out, bytes.NewReader(data), ccitt.MSB, format, &ccitt.Options{Align: aligned, Invert: black}) != nil {
		return nil
	}
	return out
}

// A colour says how samples are to be read (section 8.6).
type colour struct {
	parts   int     // samples of a pixel
	palette []uint8 // grey of each index
	ink     bool    // 0 is white
}

// colourOf reads a colour space.
func (f *File) colourOf(o object, depth int) colour {
	switch o := f.resolve(o).(type) {
	case name:
		switch o {
		case "DeviceRGB", "RGB", "CalRGB", "Lab":
			return colour{parts: 3}
		case "DeviceCMYK", "CMYK":
			return colour{parts: 4, ink: true}
		}
	case array:
		if len(o) < 2 || depth > 2 {
			break
		}
		switch kind, _ := f.resolve(o[0]).(name); kind {
		case "ICCBased":
			n := integer(f.resolve(f.dict(o[1])["N"]))
			return colour{parts: min(max(n, 1), 4), ink: n == 4}
		case "Indexed", "I":
			if len(o) == 4 {
				return colour{parts: 1, palette: f.palette(f.colourOf(o[1], depth+1), o[3])}
			}
		case "Separation":
			return colour{parts: 1, ink: true}
		default:
			return f.colourOf(kind, depth+1)
		}
	}
	return colour{parts: 1}
}

// palette returns the greys of a table of colours.
func (f *File) palette(base colour, table object) (greys []uint8) {
	var data []byte
	switch t := f.resolve(table).(type) {
	case text:
		data = []byte(t)
	case *stream:
		data = f.decode(t)
	}
	for ; len(data) >= base.parts && len(greys) < 256; data = data[base.parts:] {
		greys = append(greys, base.grey(data[:base.parts]))
	}
	return greys
}

// grey returns the grey of a pixel's samples.
func (c colour) grey(samples []uint8) uint8 {
	grey := int(samples[0])
	switch len(samples) {
	case 3:
		grey = (299*int(samples[0]) + 587*int(samples[1]) + 114*int(samples[2])) / 1000
	case 4:
		grey = min(255, (299*int(samples[0])+587*int(samples[1])+114*int(samples[2]))/1000+int(samples[3]))
	}
	if c.ink {
		grey = 255 - grey
	}
	return uint8(grey)
}

// raster reads samples that are not coded.
func (f *File) raster(d dict, data []byte, width, height int) *image.Gray {
	bits := integer(f.resolve(d["BitsPerComponent"]))
	c := f.colourOf(d["ColorSpace"], 0)
	if mask, _ := f.resolve(d["ImageMask"]).(bool); mask {
		bits, c = 1, colour{parts: 1}
	}
	if bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 {
		return nil
	}
	decode := f.array(d["Decode"])
	inverted := c.palette == nil && len(decode) >= 2 && number(f.resolve(decode[0])) > number(f.resolve(decode[1]))
	row := (width*c.parts*bits + 7) / 8
	out := image.NewGray(image.Rect(0, 0, width, height))
	samples := make([]uint8, c.parts)
	for y := range min(height, len(data)/max(1, row)) {
		line := data[y*row : (y+1)*row]
		for x := range width {
			for i := range samples {
				samples[i] = sample(line, (x*c.parts+i)*bits, bits, c.palette == nil)
			}
			grey := uint8(255)
			switch {
			case c.palette == nil:
				grey = c.grey(samples)
			case int(samples[0]) < len(c.palette):
				grey = c.palette[samples[0]]
			}
			if inverted {
				grey = 255 - grey
			}
			out.Pix[y*out.Stride+x] = grey
		}
	}
	return out
}

// sample returns the bits at a place of a line, stretched to eight if asked for.
func sample(line []byte, at, bits int, stretched bool) uint8 {
	if bits >= 8 {
		return line[at/8]
	}
	v := line[at/8] >> (8 - bits - at%8) & (1<<bits - 1)
	if stretched {
		v *= 255 / (1<<bits - 1)
	}
	return v
}
