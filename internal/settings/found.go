package settings

import "strings"

// Found returns what there is on the machine, in pairs of a name and a value.
func (o *Overview) Found() [][2]string {
	model, scans := "none yet: sentences are quoted, answers are not written", "no tesseract: scans are not read"
	if len(o.Models) > 0 {
		model = strings.Join(o.Models, ", ")
	}
	if o.Scanner {
		scans = "tesseract is here"
	}
	return [][2]string{{"Data folder", o.Used.Data}, {"Model", model}, {"Scans", scans}, {"Pictures", o.drawn().Value}, {"Listens on", o.Used.Listen}}
}
