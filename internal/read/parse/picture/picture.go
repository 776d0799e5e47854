// Package picture makes small, plain files of pictures: they are decoded under limits, turned upright,
// placed on white, and encoded again, so that only pixels of the file are kept.
package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/gif" // decodes
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/bmp" // decodes
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // decodes
	_ "golang.org/x/image/webp" // decodes
)

// The limits of pictures.
const (
	MaxPixels = 50_000_000 // of one picture, before decoding
	MaxSide   = 1600       // in pixels, as stored
	minSide   = 48         // pixels; smaller pictures are ornaments
	maxRatio  = 15         // of the sides; longer pictures are ornaments
	maxPNG    = 1 << 20    // bytes; larger pictures become a JPEG
	quality   = 85         // of a JPEG
)

// Why a picture can't be decoded.
var (
	ErrUnread = errors.New("the picture is damaged, or its format is not read")
	ErrLarge  = errors.New("the picture has too many pixels")
)

// Size returns the width and the height of a picture without decoding it. The error is ErrUnread, or ErrLarge.
func Size(data []byte) (width, height int, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil || c.Width < 1 || c.Height < 1:
		return 0, 0, ErrUnread
	case c.Width > MaxPixels/c.Height:
		return c.Width, c.Height, ErrLarge
	}
	return c.Width, c.Height, nil
}

// Decode returns a picture upright on white, at most MaxSide pixels wide and high, and whether it is a photo, which loses
// nothing as a JPEG. The error is that of Size.
func Decode(data []byte) (fitted *image.RGBA, photo bool, err error) {
	if _, _, err := Size(data); err != nil {
		return nil, false, err
	}
	decoded, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, false, ErrUnread
	}
	return Turned(Fit(decoded, MaxSide), Stated(data).Orientation), format == "jpeg", nil
}

// Fit returns a picture on white, at most side pixels wide and high.
func Fit(m image.Image, side int) *image.RGBA {
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	if most := max(w, h); most > side {
		w, h = max(1, w*side/most), max(1, h*side/most)
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	if w == b.Dx() && h == b.Dy() {
		draw.Draw(out, out.Rect, m, b.Min, draw.Over)
	} else {
		draw.BiLinear.Scale(out, out.Rect, m, b, draw.Over, nil)
	}
	return out
}

// Turned returns a picture in the orientation in which it is to be shown, a number from 1 to 8 as in EXIF.
func Turned(m *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	from := map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x },
		7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x },
	}[orientation]
	if orientation >= 5 {
		w, h = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		w, h = h, w // as in from
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.SetRGBA(x, y, m.RGBAAt(from(x, y)))
		}
	}
	return out
}

// Encode returns a picture as a file, and its media type.
func Encode(m *image.RGBA, photo bool) (data []byte, media string, err error) {
	var b bytes.Buffer
	if !photo && !isColourful(m) {
		if err := png.Encode(&b, m); err != nil {
			return nil, "", err
		}
		if b.Len() <= maxPNG {
			return b.Bytes(), "image/png", nil
		}
		b.Reset()
	}
	err = jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
	return b.Bytes(), "image/jpeg", err
}

// isColourful reports whether a large picture has so many colours that a PNG of it would be large and slow to write.
func isColourful(m *image.RGBA) bool {
	const large, samples, many = 1 << 20, 4096, 1000
	pixels := m.Rect.Dx() * m.Rect.Dy()
	if pixels < large {
		return false
	}
	seen := make(map[color.RGBA]bool)
	for i := 0; i < pixels && len(seen) <= many; i += pixels / samples {
		seen[m.RGBAAt(i%m.Rect.Dx(), i/m.Rect.Dx())] = true
	}
	return len(seen) > many
}

// IsOrnament reports whether a picture of a width and a height in pixels is a line, a bullet or an icon.
func IsOrnament(width, height int) bool {
	return min(width, height) < minSide || max(width, height) > maxRatio*min(width, height)
}

// IsPlain reports whether a picture shows one colour.
func IsPlain(m *image.RGBA) bool {
	const tolerance = 8
	first := m.RGBAAt(0, 0)
	stepX, stepY := max(1, m.Rect.Dx()/100), max(1, m.Rect.Dy()/100)
	for y := 0; y < m.Rect.Dy(); y += stepY {
		for x := 0; x < m.Rect.Dx(); x += stepX {
			if far(first, m.RGBAAt(x, y)) > tolerance {
				return false
			}
		}
	}
	return true
}

// far returns the distance of two colours in the component in which they differ most.
func far(a, b color.RGBA) int {
	apart := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return max(apart(a.R, b.R), apart(a.G, b.G), apart(a.B, b.B))
}

// Grey returns a picture in grey, on white, at most side pixels wide and high.
func Grey(data []byte, side int) (*image.Gray, error) {
	if _, _, err := Size(data); err != nil {
		return nil, err
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, ErrUnread
	}
	m := Turned(Fit(decoded, side), Stated(data).Orientation)
	out := image.NewGray(m.Rect)
	draw.Draw(out, out.Rect, m, image.Point{}, draw.Src)
	return out, nil
}
