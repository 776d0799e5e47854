package pdf

// annotations draws the appearances of form fields and of text typed onto the
// page (section 12.5.5).
func (in *interpreter) annotations(p Page) {
	const hidden = 1 << 1
	in.page = box{} // forms that are fitted to their rectangle are not followed so far
	annotations := in.file.array(p.dict["Annots"])
	for _, o := range annotations[:min(len(annotations), maxFormsDrawn)] {
		d := in.file.dict(o)
		kind := in.file.resolve(d["Subtype"])
		if integer(in.file.resolve(d["F"]))&hidden != 0 {
			continue
		}
		if kind == name("StrikeOut") {
			in.strikeOut(in.file.array(d["QuadPoints"]))
		}
		if kind != name("FreeText") && kind != name("Widget") {
			continue
		}
		appearance := in.file.resolve(in.file.dict(d["AP"])["N"])
		if states, ok := appearance.(dict); ok {
			state, _ := in.file.resolve(d["AS"]).(name)
			appearance = in.file.resolve(states[state])
		}
		rect := in.file.array(d["Rect"])
		if s, ok := appearance.(*stream); ok && len(rect) == 4 {
			box := in.file.array(s.dict["BBox"])
			at := identity().moved(min(number(rect[0]), number(rect[2])), min(number(rect[1]), number(rect[3])))
			if len(box) == 4 {
				at = at.moved(-min(number(box[0]), number(box[2])), -min(number(box[1]), number(box[3])))
			}
			in.form(s, at, nil, 0)
		}
	}
}

// strikeOut notes the lines of an annotation that crosses text out, in the middle
// of each quadrilateral.
func (in *interpreter) strikeOut(points array) {
	for ; len(points) >= 8; points = points[8:] {
		var p [8]float64
		for i := range p {
			p[i] = number(in.file.resolve(points[i]))
		}
		in.canvas.rule(rule{(p[0] + p[4]) / 2, (p[1] + p[5]) / 2, (p[2] + p[6]) / 2, (p[3] + p[7]) / 2, 0})
	}
}
