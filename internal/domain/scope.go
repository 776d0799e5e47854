package domain

import (
	"slices"
	"strings"
	"time"
)

// A Scope narrows a question to some documents, by name, tag, facts or the days on which they were added, and to a
// time. The zero value is the whole library.
type Scope struct {
	Tags      []string     `json:"tags,omitempty"`
	Documents []DocumentID `json:"documents,omitempty"`
	From      string       `json:"from,omitempty"` // the first day in UTC: 2024-01-31
	To        string       `json:"to,omitempty"`   // the last day
	AsOf      Day          `json:"as_of,omitzero"` // relations that do not hold on that day are not followed
	FactFilter
}

// The kinds of term, see Scope.Add.
const (
	WithinTag      = "tag"
	WithinDocument = "doc"
	WithinFrom     = "from"
	WithinTo       = "to"
	WithinAsOf     = "as_of"
)

// MaxWithin is the maximum number of tags, documents and facts in a scope.
const MaxWithin = 50

// All reports whether s is the whole library.
func (s Scope) All() bool { return s.Everywhere() && !s.AsOf.Known() }

// Everywhere reports whether s selects all documents.
func (s Scope) Everywhere() bool {
	return len(s.Tags)+len(s.Documents) == 0 && s.From == "" && s.To == "" && s.Empty()
}

// Add narrows s by a term: tag:minutes, doc:ID, from:2024-01-31, to:2024-12-31, as_of:1995-06,
// lang:de, source:web, author:NAME, published:2024 or field:status=final. The error is
// of kind Invalid for an empty or unknown term, and TooLarge for one tag, document or fact too many.
func (s *Scope) Add(term string) error {
	kind, value, _ := strings.Cut(strings.TrimSpace(term), ":")
	value = strings.TrimSpace(value)
	fact, err := s.add(kind, value)
	if err != nil {
		return err
	}
	switch {
	case fact:
	case kind == WithinTag && Tag(value) != "":
		s.Tags = with(s.Tags, Tag(value))
	case kind == WithinDocument && value != "":
		s.Documents = with(s.Documents, DocumentID(value))
	case kind == WithinFrom || kind == WithinTo:
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return Errorf(Invalid, "%q is not a day. Write %s:2024-01-31.", Cut(value, MaxTag), kind)
		}
		if kind == WithinFrom {
			s.From = value
		} else {
			s.To = value
		}
	case kind == WithinAsOf:
		if s.AsOf, err = ParseDay(value); err != nil {
			return err
		}
	default:
		return Errorf(Invalid, "%q does not select documents. Write tag:NAME, doc:NAME, from:2024-01-31, to:2024-12-31, lang:de, source:web, author:NAME, published:2024 or field:status=final.", Cut(term, MaxTag))
	}
	if len(s.Tags)+len(s.Documents)+s.count() > MaxWithin {
		return Errorf(TooLarge, "A question can be limited to at most %d tags, documents and other terms.", MaxWithin)
	}
	return nil
}

// with appends v to list, unless list contains it.
func with[V comparable](list []V, v V) []V {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// Terms returns the terms that make up s.
func (s Scope) Terms() []string {
	var terms []string
	for _, t := range s.Tags {
		terms = append(terms, WithinTag+":"+t)
	}
	for _, d := range s.Documents {
		terms = append(terms, WithinDocument+":"+string(d))
	}
	if s.From != "" {
		terms = append(terms, WithinFrom+":"+s.From)
	}
	if s.To != "" {
		terms = append(terms, WithinTo+":"+s.To)
	}
	if s.AsOf.Known() {
		terms = append(terms, WithinAsOf+":"+s.AsOf.String())
	}
	return append(terms, s.terms()...)
}
