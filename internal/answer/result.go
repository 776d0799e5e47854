package answer

import "github.com/clewhq/clew/internal/domain"

// Result is what came of a question.
type Result struct {
	Answer    string // with the marks [1], [2] … of its citations
	Sentences []domain.Sentence
	Citations []domain.Citation
	Figures   []domain.Figure // in the order in which they were asked for
	LoopCount int
	Answered  bool             // false: the library holds nothing on the question
	Documents []domain.Grading // the last verdict on each passage, a relevant one before others
}

// Result reads the outcome off the state of a run that ended.
func (s State) Result() Result {
	r := Result{
		Answer: s.Generation, Sentences: s.Sentences, Citations: s.Citations, Figures: s.Figures,
		LoopCount: s.LoopCount, Answered: s.Answered,
	}
	for _, d := range s.Documents {
		g := d.grading()
		g.Name = s.sourceName(d.Document)
		r.Documents = append(r.Documents, g)
	}
	return r
}

// grading is the verdict that counts: a relevant one, else the last.
func (d Document) grading() domain.Grading {
	g := domain.Grading{Chunk: d.Chunk, Document: d.Document, Page: d.Page}
	for _, a := range d.Appearances {
		if g.Verdict != domain.Relevant {
			g.Grade = domain.Grade{Verdict: a.Verdict, Reason: a.Reason}
		}
	}
	return g
}

// sourceName is the name of a document's file.
func (s State) sourceName(id domain.DocumentID) string {
	for _, source := range s.Sources {
		if source.Document == id {
			return source.Name
		}
	}
	return ""
}
