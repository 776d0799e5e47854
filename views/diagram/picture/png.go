package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/clewhq/clew/views/diagram"
)

// scale is how many pixels a unit of a drawing has.
const scale = 2.0

// maxSide is the longest side of a picture in pixels.
const maxSide = 8000

// PNG writes a drawing as PNG, twice its size.
func PNG(to io.Writer, d diagram.Drawing) error {
	c := &canvas{image.NewRGBA(image.Rect(0, 0, side(d.Width), side(d.Height)))}
	draw.Draw(c.RGBA, c.Bounds(), image.NewUniform(colour(paper)), image.Point{}, draw.Src)
	for _, s := range shapes(d) {
		c.shape(s)
	}
	for _, t := range texts(d) {
		if err := c.text(t); err != nil {
			return err
		}
	}
	return png.Encode(to, c)
}

func side(units float64) int { return min(maxSide, int(math.Ceil((units+2*margin)*scale))) }

// canvas is a picture in the making.
type canvas struct{ *image.RGBA }

// colour returns the colour of a hexadecimal name.
func colour(name string) color.RGBA {
	var c color.RGBA
	_, _ = fmt.Sscanf(name, "#%02x%02x%02x", &c.R, &c.G, &c.B) // the names are ours
	c.A = 255
	return c
}

func (c *canvas) shape(s shape) {
	lines := diagram.Flatten(s.d)
	if s.fill != "" {
		c.fill(s.fill, lines)
	}
	if s.stroke == "" {
		return
	}
	for _, line := range lines {
		if !s.dashed {
			c.stroke(s.look, line)
			continue
		}
		for _, dash := range dashed(line) {
			c.stroke(s.look, dash)
		}
	}
}

// fill fills areas.
func (c *canvas) fill(name string, areas [][]point) {
	box := around(areas).Intersect(c.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, area := range areas {
		for i, p := range area {
			x, y := float32((p.X+margin)*scale)-float32(box.Min.X), float32((p.Y+margin)*scale)-float32(box.Min.Y)
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.Draw(c.RGBA, box, image.NewUniform(colour(name)), image.Point{})
}

// around returns the pixels that areas may touch.
func around(areas [][]point) image.Rectangle {
	var box image.Rectangle
	for _, area := range areas {
		for _, p := range area {
			x, y := (p.X+margin)*scale, (p.Y+margin)*scale
			box = box.Union(image.Rect(int(math.Floor(x)), int(math.Floor(y)), int(math.Floor(x))+1, int(math.Floor(y))+1))
		}
	}
	return box
}

// stroke draws a line with round joints.
func (c *canvas) stroke(l look, line []point) {
	half := l.width / 2
	var areas [][]point
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length == 0 {
			continue
		}
		nx, ny := (b.Y-a.Y)/length*half, -(b.X-a.X)/length*half
		areas = append(areas, []point{xy(a.X+nx, a.Y+ny), xy(b.X+nx, b.Y+ny), xy(b.X-nx, b.Y-ny), xy(a.X-nx, a.Y-ny)})
		if !l.dashed && i < len(line)-1 {
			areas = append(areas, circle(b, half))
		}
	}
	c.fill(l.stroke, areas)
}

// circle returns a circle, turned like the sides of a stroke.
func circle(at point, radius float64) []point {
	const corners = 12
	list := make([]point, corners)
	for i := range list {
		angle := 2 * math.Pi * float64(i) / corners
		list[i] = xy(at.X+radius*math.Cos(angle), at.Y+radius*math.Sin(angle))
	}
	return list
}

// text writes a word, on a background of paper if it is on a line.
func (c *canvas) text(t text) error {
	ttf := goregular.TTF
	switch {
	case t.bold:
		ttf = gobold.TTF
	case t.italic:
		ttf = goitalic.TTF
	}
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return fmt.Errorf("read a font: %w", err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: t.size * scale, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return fmt.Errorf("make a font: %w", err)
	}
	defer face.Close()
	d := font.Drawer{Dst: c.RGBA, Face: face, Src: image.NewUniform(colour(t.colour))}
	x := fixed.Int26_6((t.X + margin) * scale * 64)
	if t.End {
		x -= d.MeasureString(t.Text)
	}
	at := fixed.Point26_6{X: x, Y: fixed.Int26_6((t.Y + margin) * scale * 64)}
	if t.italic {
		ground := d
		ground.Src = image.NewUniform(colour(paper))
		for _, by := range []fixed.Point26_6{{X: -128}, {X: 128}, {Y: -128}, {Y: 128}} {
			ground.Dot = at.Add(by)
			ground.DrawString(t.Text)
		}
	}
	d.Dot = at
	d.DrawString(t.Text)
	return nil
}
