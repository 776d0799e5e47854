package projection

import (
	"unicode"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// title is a form of a document's title.
type title struct {
	key      string
	form     string
	document domain.DocumentID
}

// titlesOf are the forms of a document's title.
func (p *Projector) titlesOf(row ledger.TitleRow) []title {
	var titles []title
	for _, form := range domain.TitleForms(row.Title) {
		key := p.Key(form)
		if key != "" && (len(titles) == 0 || titles[0].key != key) {
			titles = append(titles, title{key, form, row.Document})
		}
	}
	return titles
}

// minTitle is how many characters a title needs to be looked for in texts.
const minTitle = 4

// searchable reports whether a title tells enough to be looked for in the text
// of other documents: "notes" or "It" would be found everywhere.
func searchable(form string) bool {
	if utf8.RuneCountInString(form) < minTitle {
		return false
	}
	for _, w := range tokenize(form) {
		if r, _ := utf8.DecodeRuneInString(w.word); unicode.IsUpper(r) {
			return true
		}
	}
	return false
}
