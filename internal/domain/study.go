package domain

// StudyKind is the kind of items in a study set.
type StudyKind string

// The kinds of study set.
const (
	Glossary StudyKind = "glossary" // terms with their definitions
	FAQ      StudyKind = "faq"      // questions with their answers
	Cards    StudyKind = "cards"    // both, and sentences with a gap
)

// StudyKinds lists the kinds.
func StudyKinds() []StudyKind { return []StudyKind{Glossary, FAQ, Cards} }

// Known reports whether k is one of the kinds.
func (k StudyKind) Known() bool { return k == Glossary || k == FAQ || k == Cards }

// A StudyItem is one item of a study set.
type StudyItem struct {
	N       int    `json:"n"`     // from 1; does not change when other items are removed
	Front   string `json:"front"` // a term, a question, or a sentence with a gap
	Back    string `json:"back"`
	Source  int    `json:"source"`            // number of the citation of its sentence
	Removed bool   `json:"removed,omitempty"` // a reader found it wrong
}
