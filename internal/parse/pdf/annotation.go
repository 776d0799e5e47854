package pdf

// annotations draws the appearances of form fields and of text typed onto the
// page (section 12.5.5).
func (in *interpreter) annotations(p Page) {
	const hidden = 1 << 1
	annotations := in.file.array(p.dict["Annots"])
	for _, o := range annotations[:min(len(annotations), maxFormsDrawn)] {
		d := in.file.dict(o)
		kind := in.file.resolve(d["Subtype"])
		if integer(in.file.resolve(d["F"]))&hidden != 0 || kind != name("FreeText") && kind != name("Widget") {
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
