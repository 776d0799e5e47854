package explore

import "math"

// rounds is how long a community is moved before it is drawn.
const rounds = 70

// settle lays out n items by springs: connected ones attract, near ones repel
// each other. The heaviest item comes first and starts in the middle. Items
// repel only within the grid's neighbouring cells, so that a round takes time
// in proportion to n. Positions fill a disc of radius 1.
func settle(n int, pairs [][2]int32) []Point {
	at := sunflower(n)
	if n < 3 {
		return at
	}
	force := make([]Point, n)
	heat := math.Sqrt(float64(n)) / 4
	for round := range rounds {
		for i := range force {
			force[i] = Point{-at[i].X * 0.02, -at[i].Y * 0.02}
		}
		repel(at, force)
		for _, p := range pairs {
			dx, dy := at[p[1]].X-at[p[0]].X, at[p[1]].Y-at[p[0]].Y
			pull := math.Min(math.Hypot(dx, dy), 6) / 6
			force[p[0]].X += dx * pull
			force[p[0]].Y += dy * pull
			force[p[1]].X -= dx * pull
			force[p[1]].Y -= dy * pull
		}
		limit := heat*(1-float64(round)/rounds) + 0.02
		for i, f := range force {
			if size := math.Hypot(f.X, f.Y); size > limit {
				f.X, f.Y = f.X*limit/size, f.Y*limit/size
			}
			at[i].X += f.X
			at[i].Y += f.Y
		}
	}
	return fit(at)
}

// sunflower spreads n points evenly over a disc, from the middle outwards, one
// to a unit of area.
func sunflower(n int) []Point {
	golden := math.Pi * (3 - math.Sqrt(5))
	at := make([]Point, n)
	for i := range at {
		r, turn := math.Sqrt(float64(i)/math.Pi), float64(i)*golden
		at[i] = Point{r * math.Cos(turn), r * math.Sin(turn)}
	}
	return at
}

// reach is how far items repel each other, and the size of the grid's cells.
const reach = 2.5

// repel adds the repulsion between near items.
func repel(at, force []Point) {
	cells := make(map[[2]int32][]int32, len(at))
	for i, p := range at {
		c := cell(p)
		cells[c] = append(cells[c], int32(i))
	}
	for i, p := range at {
		c := cell(p)
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				for _, j := range cells[[2]int32{c[0] + dx, c[1] + dy}] {
					push(p, at[j], &force[i])
				}
			}
		}
	}
}

func cell(p Point) [2]int32 {
	return [2]int32{int32(math.Floor(p.X / reach)), int32(math.Floor(p.Y / reach))}
}

// push adds to force what drives p away from q.
func push(p, q Point, force *Point) {
	dx, dy := p.X-q.X, p.Y-q.Y
	d := dx*dx + dy*dy
	if d == 0 || d > reach*reach {
		return
	}
	strength := 1/(d+0.1) - 1/(reach*reach+0.1)
	force.X += dx * strength
	force.Y += dy * strength
}

// fit moves points into the disc of radius 1, about their middle.
func fit(at []Point) []Point {
	var middle Point
	for _, p := range at {
		middle.X += p.X / float64(len(at))
		middle.Y += p.Y / float64(len(at))
	}
	far := 0.0
	for _, p := range at {
		far = math.Max(far, math.Hypot(p.X-middle.X, p.Y-middle.Y))
	}
	if far == 0 {
		far = 1
	}
	for i := range at {
		at[i] = Point{(at[i].X - middle.X) / far, (at[i].Y - middle.Y) / far}
	}
	return at
}
