// Package titles finds the titles of documents in the texts of other
// documents.
package titles

import (
	"slices"
	"unicode/utf8"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// Title is a form of a document's title.
type Title struct {
	Key      string // its normal form
	Form     string
	Document domain.DocumentID
}

// Of returns the forms of the title that a document states, each with another key. A
// title that comes from the name of a file names nothing.
func Of(row ledger.TitleRow, key func(string) string) []Title {
	var titles []Title
	for _, form := range domain.TitleForms(row.Stated) {
		k := key(form)
		if k != "" && (len(titles) == 0 || titles[0].Key != k) {
			titles = append(titles, Title{k, form, row.Document})
		}
	}
	return titles
}

// minLength is the least number of characters of a searchable title.
const minLength = 4

// searchable reports whether a title is specific enough to be searched for in
// texts: "notes" or "It" would be found everywhere.
func searchable(form string) bool {
	return utf8.RuneCountInString(form) >= minLength && slices.ContainsFunc(tokenize(form), token.capitalised)
}
