package present

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/graph/explore"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/partial"
)

// PictureNodes is the maximum number of entities in a small picture.
const PictureNodes = 18

// The measures of a small picture, in its own units.
const (
	pictureWidth, pictureHeight = 560, 340
	margin                      = 64.0
)

// lettering describes how much room names take.
type lettering struct{ letter, height float64 }

// The lettering of a picture in its own size, and of one that a phone draws at little more than half.
var (
	asDrawn  = lettering{6.8, 15}
	onAPhone = lettering{13.4, 29}
)

// Cited returns the passages that an answer cites; not nil, even if there are
// none.
func Cited(m ledger.Answer) []domain.ChunkID {
	return lists.Map(m.Citations, func(c domain.Citation) domain.ChunkID { return c.Chunk })
}

// Ways returns the paths that led a run to passages: the entities of each in their
// order, as the run has recorded them. What a later search found replaces what an
// earlier one did. from are the passages that the ways go over.
func Ways(v *trace.View, passages []domain.ChunkID) (ways [][]domain.EntityID, from []domain.ChunkID) {
	latest := map[domain.ChunkID][]domain.Hop{}
	for _, s := range v.Steps {
		for _, f := range s.Found {
			latest[f.Chunk] = f.Path
		}
	}
	for _, id := range passages {
		var way []domain.EntityID
		for _, hop := range latest[id] {
			if hop.Entity != "" {
				way = append(way, hop.Entity)
			}
			if hop.From != "" {
				from = append(from, hop.From)
			}
		}
		if len(way) > 0 {
			ways = append(ways, way)
		}
	}
	return ways, from
}

// Light marks the ways in a small picture: their entities, and the lines between
// neighbours on them.
func Light(p *partial.GraphPictureProps, ways [][]domain.EntityID) {
	at := map[domain.EntityID]*partial.GraphDot{}
	for i := range p.Dots {
		at[p.Dots[i].ID] = &p.Dots[i]
	}
	for _, way := range ways {
		for i, id := range way {
			dot := at[id]
			if dot == nil {
				continue
			}
			dot.Lit = true
			if i == 0 || at[way[i-1]] == nil {
				continue
			}
			a, b := at[way[i-1]], dot
			for _, l := range p.Lines {
				if l == [4]int{a.X, a.Y, b.X, b.Y} || l == [4]int{b.X, b.Y, a.X, a.Y} {
					p.Lit = append(p.Lit, l)
				}
			}
		}
	}
}

// Picture returns a small picture of a view around centre, which may be "", or
// nil if the view has nothing to join.
func Picture(v explore.View, centre domain.EntityID, url, label string) *partial.GraphPictureProps {
	if len(v.Edges) == 0 {
		return nil
	}
	low, high := v.Nodes[0].Point, v.Nodes[0].Point
	for _, n := range v.Nodes {
		low = explore.Point{X: min(low.X, n.X), Y: min(low.Y, n.Y)}
		high = explore.Point{X: max(high.X, n.X), Y: max(high.Y, n.Y)}
	}
	scale := min((pictureWidth-2*margin)/max(1, high.X-low.X), (pictureHeight-margin)/max(1, high.Y-low.Y), 1.6)
	height := int((high.Y-low.Y)*scale + margin)
	p := &partial.GraphPictureProps{URL: url, Label: label, Width: pictureWidth, Height: height}
	left := (pictureWidth - (high.X-low.X)*scale) / 2
	for _, n := range v.Nodes {
		p.Dots = append(p.Dots, partial.GraphDot{
			ID: n.ID, Name: n.Name, Label: n.Label, Centre: n.ID == centre,
			X: int(math.Round(left + (n.X-low.X)*scale)), Y: int(math.Round(margin/2 - 8 + (n.Y-low.Y)*scale)),
		})
	}
	for _, e := range v.Edges {
		a, b := p.Dots[e.A], p.Dots[e.B]
		p.Lines = append(p.Lines, [4]int{a.X, a.Y, b.X, b.Y})
	}
	for _, i := range crowded(p.Dots, asDrawn) {
		p.Dots[i].Name = ""
	}
	for _, i := range crowded(p.Dots, onAPhone) {
		p.Dots[i].Tight = true
	}
	return p
}

// crowded returns the dots whose names don't fit; the centre's comes first, then those of the higher dots.
func crowded(dots []partial.GraphDot, l lettering) (out []int) {
	order := make([]int, len(dots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if dots[a].Centre != dots[b].Centre {
			return cmp.Compare(b2i(dots[b].Centre), b2i(dots[a].Centre))
		}
		return cmp.Compare(dots[a].Y, dots[b].Y)
	})
	var taken [][4]float64
	for _, i := range order {
		d := &dots[i]
		half := l.letter * float64(utf8.RuneCountInString(d.Name)) / 2
		box := [4]float64{float64(d.X) - half, float64(d.Y) + 9, float64(d.X) + half, float64(d.Y) + 9 + l.height}
		if box[0] < 0 || box[2] > pictureWidth || slices.ContainsFunc(taken, func(t [4]float64) bool {
			return box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]
		}) {
			out = append(out, i)
			continue
		}
		taken = append(taken, box)
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
