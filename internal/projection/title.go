package projection

import (
	"cmp"
	"maps"
	"slices"
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

// readOthers reads the titles of other documents that may stand in the texts of
// the changed ones.
func (w *work) readOthers() error {
	if w.fresh {
		return nil // the graph holds no others
	}
	found := map[ledger.Words]bool{}
	for _, d := range w.documents {
		for _, c := range d.Chunks {
			for _, words := range wordsOf(c.Text) {
				found[words], found[words.First()] = true, true
			}
		}
	}
	rows, err := w.Ledger.TitlesIn(w.ctx, w.workspace, slices.Sorted(maps.Keys(found)))
	w.others = w.unchanged(rows)
	return err
}

// titlesOfKeys are the titles that have one of keys.
func (w *work) titlesOfKeys(keys []string) ([]title, error) {
	titles := slices.Clone(w.titles)
	if !w.fresh {
		rows, err := w.Ledger.TitlesByKey(w.ctx, w.workspace, keys)
		if err != nil {
			return nil, err
		}
		titles = append(titles, w.unchanged(rows)...)
	}
	return slices.DeleteFunc(titles, func(t title) bool {
		_, ok := slices.BinarySearch(keys, t.key)
		return !ok
	}), nil
}

// unchanged are the titles of those of rows, each once, whose documents have
// not changed: of the changed ones there are w.titles.
func (w *work) unchanged(rows []ledger.TitleRow) []title {
	slices.SortFunc(rows, func(a, b ledger.TitleRow) int { return cmp.Compare(a.Document, b.Document) })
	rows = slices.CompactFunc(rows, func(a, b ledger.TitleRow) bool { return a.Document == b.Document })
	var titles []title
	for _, row := range rows {
		if !w.changed[row.Document] {
			titles = append(titles, w.titlesOf(row)...)
		}
	}
	return titles
}

// index has the ledger note the words of the texts and titles that are new. It
// is no part of what is folded: a text whose words are not noted is searched
// for every title.
func (w *work) index() error {
	if w.fresh {
		return nil // no words are looked up
	}
	err := w.Ledger.IndexTitles(w.ctx, w.workspace, func(row ledger.TitleRow) []ledger.TitleForm {
		var forms []ledger.TitleForm
		for _, t := range w.titlesOf(row) {
			forms = append(forms, ledger.TitleForm{Key: t.key, Words: wordsOfTitle(t.form)})
		}
		return forms
	})
	if err != nil {
		return err
	}
	return w.Ledger.IndexChunks(w.ctx, w.workspace, wordsOf)
}

// minTitle is how many characters a title needs to be looked for in texts.
const minTitle = 4

// searchable reports whether a title tells enough to be looked for in the text
// of other documents: "notes" or "It" would be found everywhere.
func searchable(form string) bool {
	if utf8.RuneCountInString(form) < minTitle {
		return false
	}
	return slices.ContainsFunc(tokenize(form), token.isName)
}
