package domain

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// A DocumentFilter selects documents of the library and orders them. The zero value
// selects all, the newest first.
type DocumentFilter struct {
	Text    string        `json:"text,omitempty"` // part of the name, title or a tag, in any case, or words of a passage
	Tag     string        `json:"tag,omitempty"`
	State   DocumentState `json:"state,omitempty"`
	Formats []Format      `json:"formats,omitempty"` // any of them
	From    string        `json:"from,omitempty"`    // the first day on which they were added, in UTC: 2024-01-31
	To      string        `json:"to,omitempty"`      // the last day
	Sort    DocumentSort  `json:"sort,omitempty"`
	FactFilter

	SortField FieldID `json:"-"` // named by Sort, once it is resolved
}

// A DocumentState selects documents by one status or a named set of statuses.
type DocumentState string

// The states that stand for several statuses.
const (
	StateReading DocumentState = "working" // waiting or being read
	StateLook    DocumentState = "look"    // needs a person to look at it
	StatePaused  DocumentState = "paused"  // waiting until a person resumes it or raises a cap
	StateGone    DocumentState = "gone"    // no longer where it was fetched from
)

// Statuses returns the statuses that s stands for, or none if s is "" or unknown.
func (s DocumentState) Statuses() []DocumentStatus {
	switch s {
	case StateReading, StatePaused:
		return []DocumentStatus{DocumentWaiting, DocumentWorking}
	case StateGone:
		return statuses
	case StateLook:
		return []DocumentStatus{DocumentFailed, DocumentStopped, DocumentEmpty}
	}
	if one := DocumentStatus(s); slices.Contains(statuses, one) {
		return []DocumentStatus{one}
	}
	return nil
}

var statuses = []DocumentStatus{DocumentWaiting, DocumentWorking, DocumentReady, DocumentEmpty, DocumentFailed, DocumentStopped}

// DocumentStates lists the states by which documents can be selected.
var DocumentStates = []DocumentState{StateReading, StatePaused, StateLook, StateGone, "waiting", "ready", "empty", "failed", "stopped"}

// A DocumentSort is the sort key of a list of documents; a leading minus sign means descending. The zero value sorts by
// newest first.
type DocumentSort string

// What documents can be sorted by.
const (
	SortAdded    DocumentSort = "added"
	SortName     DocumentSort = "name"
	SortSize     DocumentSort = "size"
	SortPassages DocumentSort = "passages"
	SortEntities DocumentSort = "entities"
	SortState    DocumentSort = "state"
)

// DocumentSorts lists what documents can be sorted by.
var DocumentSorts = []DocumentSort{SortAdded, SortName, SortSize, SortPassages, SortEntities, SortState}

// By returns the key and whether the order is descending.
func (s DocumentSort) By() (by DocumentSort, down bool) {
	key, down := strings.CutPrefix(string(s), "-")
	if slices.Contains(DocumentSorts, DocumentSort(key)) || DocumentSort(key).Field() != "" {
		return DocumentSort(key), down
	}
	return SortAdded, true
}

// Field returns the name of the field that s sorts by, or "" if it sorts by something else.
func (s DocumentSort) Field() string {
	name, is := strings.CutPrefix(strings.TrimPrefix(string(s), "-"), WithinField+":")
	if !is {
		return ""
	}
	return name
}

// SortByField returns the sort key of a field.
func SortByField(name string) DocumentSort { return DocumentSort(WithinField + ":" + name) }

// Resolve finds the fields that the filter names among those that there are, see FactFilter.Resolve.
func (f *DocumentFilter) Resolve(fields []Field) error {
	if name := f.Sort.Field(); name != "" {
		field, err := FieldNamed(fields, name)
		if err != nil {
			return Because(Invalid, err, "%s", InWords(err))
		}
		f.SortField = field.ID
	}
	return f.FactFilter.Resolve(fields)
}

// Resolved reports whether the fields that the filter names were found.
func (f DocumentFilter) Resolved() bool {
	return (f.Sort.Field() == "" || f.SortField != "") && !slices.ContainsFunc(f.Fields, func(t FieldTerm) bool { return t.Field == "" })
}

// Reversed returns s in the opposite order.
func (s DocumentSort) Reversed() DocumentSort {
	by, down := s.By()
	if down {
		return by
	}
	return "-" + by
}

// ParseDocumentFilter reads a filter from URL parameters. It ignores malformed ones.
func ParseDocumentFilter(q url.Values) DocumentFilter {
	f := DocumentFilter{
		Text: strings.TrimSpace(q.Get("q")), Tag: Tag(q.Get("tag")), State: DocumentState(q.Get("tab")), From: q.Get("from"), To: q.Get("to"),
		Sort: DocumentSort(q.Get("sort")),
	}
	for _, name := range q["format"] {
		if name != "" {
			f.Formats = with(f.Formats, Format(name))
		}
	}
	for _, kind := range factKinds {
		for _, value := range q[kind] {
			_, _ = f.add(kind, strings.TrimSpace(value)) // malformed values narrow nothing
		}
	}
	if f.State.Statuses() == nil {
		f.State = ""
	}
	if by, down := f.Sort.By(); by == SortAdded && down {
		f.Sort = ""
	}
	for _, day := range []*string{&f.From, &f.To} {
		if _, err := time.Parse(time.DateOnly, *day); err != nil {
			*day = ""
		}
	}
	return f
}

// factKinds lists the parameters that select documents by facts.
var factKinds = []string{WithinLanguage, WithinSource, WithinAuthor, WithinPublished, WithinField}

// AddFact narrows f by a fact: lang, source, author or published. The error is of kind
// Invalid.
func (f *DocumentFilter) AddFact(kind, value string) error {
	_, err := f.add(kind, strings.TrimSpace(value))
	return err
}

// Check returns an error of kind Invalid for parameters that ParseDocumentFilter would ignore.
func (f DocumentFilter) Check() error {
	if f.State != "" && f.State.Statuses() == nil {
		return Errorf(Invalid, "There is no state %q. The states are %s.", f.State, listed(DocumentStates))
	}
	if by, _ := f.Sort.By(); f.Sort != "" && string(by) != strings.TrimPrefix(string(f.Sort), "-") {
		return Errorf(Invalid, "Documents can't be sorted by %q. Sort them by %s, or by a field as field:NAME.", f.Sort, listed(DocumentSorts))
	}
	for _, day := range []string{f.From, f.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return Errorf(Invalid, "%q is not a day. Write it as 2024-01-31.", Cut(day, MaxTag))
		}
	}
	return nil
}

func listed[V ~string](names []V) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// Values returns the filter as URL parameters.
func (f DocumentFilter) Values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"q": f.Text, "tag": f.Tag, "tab": string(f.State), "from": f.From, "to": f.To, "sort": string(f.Sort),
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for _, format := range f.Formats {
		q.Add("format", string(format))
	}
	for _, term := range f.terms() {
		kind, value, _ := strings.Cut(term, ":")
		q.Add(kind, value)
	}
	return q
}

// Narrows reports whether f selects less than the whole library.
func (f DocumentFilter) Narrows() bool {
	return f.Text != "" || f.Tag != "" || f.State != "" || len(f.Formats) > 0 || f.From != "" || f.To != "" || !f.Empty()
}
