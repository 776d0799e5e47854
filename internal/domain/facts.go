package domain

import (
	"cmp"
	"strings"
	"time"
)

// A Source is how a document came into the library.
type Source string

// The sources. Documents added by earlier versions of the program have none.
const (
	SourceUpload  Source = "upload" // on a page, or as a file given to a command
	SourceWeb     Source = "web"
	SourceFolder  Source = "folder"
	SourceStorage Source = "s3"
	SourceArchive Source = "archive"
	SourceMail    Source = "mail" // attached to a mail
	SourceGit     Source = "git"  // from a repository
)

// sources lists all sources in display order.
var sources = []Source{SourceUpload, SourceWeb, SourceFolder, SourceStorage, SourceArchive, SourceMail, SourceGit}

// Facts describe a document apart from its text. Each may be missing.
type Facts struct {
	Link      string `json:"link,omitempty"`      // address it comes from
	Published string `json:"published,omitempty"` // a year, a month or a day: 2024, 2024-01 or 2024-01-31
	Author    string `json:"author,omitempty"`
	Language  string `json:"language,omitempty"` // by its code: "en"
}

// With returns f completed and corrected by facts found in the file itself. An existing link is kept.
func (f Facts) With(found Facts) Facts {
	if f.Link != "" {
		found.Link = f.Link
	}
	found.Published = cmp.Or(found.Published, f.Published)
	found.Author = cmp.Or(found.Author, f.Author)
	found.Language = cmp.Or(found.Language, f.Language)
	return found
}

// A FactFilter selects documents that have, for each field, one of its values. The zero value selects all.
type FactFilter struct {
	Languages []string `json:"languages,omitempty"`
	Sources   []Source `json:"sources,omitempty"`
	Authors   []string `json:"authors,omitempty"`   // parts of names, in any case
	Published string   `json:"published,omitempty"` // 2024-05, or a range: 2024..2025-06

	Fields []FieldTerm `json:"fields,omitempty"` // values of one field widen the choice, everything else narrows it
}

// The kinds of term of a FactFilter, see Scope.Add.
const (
	WithinLanguage  = "lang"
	WithinSource    = "source"
	WithinAuthor    = "author"
	WithinPublished = "published"
)

// Empty reports whether f selects all documents.
func (f FactFilter) Empty() bool { return f.count() == 0 && f.Published == "" }

func (f FactFilter) count() int {
	return len(f.Languages) + len(f.Sources) + len(f.Authors) + len(f.Fields)
}

// add narrows f by a term, and reports whether it is one of its kinds.
func (f *FactFilter) add(kind, value string) (known bool, err error) {
	if value == "" {
		return false, nil
	}
	switch kind {
	case WithinLanguage:
		f.Languages = with(f.Languages, strings.ToLower(Cut(value, MaxTag)))
	case WithinAuthor:
		f.Authors = with(f.Authors, Cut(value, MaxTag))
	case WithinSource:
		for _, s := range sources {
			if strings.EqualFold(string(s), value) {
				f.Sources = with(f.Sources, s)
				return true, nil
			}
		}
		return true, Errorf(Invalid, "%q is not a source of documents. Write source:upload, source:web, source:folder, source:s3, source:archive, source:mail or source:git.", Cut(value, MaxTag))
	case WithinField:
		terms, err := parseFieldTerms(value)
		for _, t := range terms {
			f.Fields = with(f.Fields, t)
		}
		return true, err
	case WithinPublished:
		from, to := (FactFilter{Published: value}).Between()
		for _, day := range []string{from, to} {
			if day != "" && !isDate(day) {
				return true, Errorf(Invalid, "%q is not a year, month or day. Write published:2024, published:2024-05 or published:2024..2025-06.", Cut(value, MaxTag))
			}
		}
		if from+to == "" {
			return false, nil
		}
		f.Published = value
	default:
		return false, nil
	}
	return true, nil
}

// Between returns the first and last year, month or day of Published. Either may be "".
func (f FactFilter) Between() (from, to string) {
	from, to, two := strings.Cut(f.Published, "..")
	if !two {
		to = from
	}
	return strings.TrimSpace(from), strings.TrimSpace(to)
}

// isDate reports whether s is a year, a month or a day.
func isDate(s string) bool {
	const day = time.DateOnly
	_, err := time.Parse(day[:min(len(s), len(day))], s)
	return err == nil && (len(s) == len("2006") || len(s) == len("2006-01") || len(s) == len(day))
}

// terms returns the terms that make f.
func (f FactFilter) terms() []string {
	var terms []string
	for _, l := range f.Languages {
		terms = append(terms, WithinLanguage+":"+l)
	}
	for _, s := range f.Sources {
		terms = append(terms, WithinSource+":"+string(s))
	}
	for _, a := range f.Authors {
		terms = append(terms, WithinAuthor+":"+a)
	}
	if f.Published != "" {
		terms = append(terms, WithinPublished+":"+f.Published)
	}
	for _, t := range f.Fields {
		terms = append(terms, WithinField+":"+t.String())
	}
	return terms
}
