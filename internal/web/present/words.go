package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
)

// Said returns what a reader calls a step of a run with the given loop, and what came of it:
// "Judged 8 passages: 2 relevant".
func Said(v *trace.View, s *trace.Step, loop Loop) string {
	name := called(v, s)
	switch s.State {
	case trace.Failed:
		return name + ": failed"
	case trace.Stopped:
		return name + ": stopped"
	case trace.Done:
	default:
		if count := counted(s); count != "" {
			return name + ": " + count
		}
		return name
	}
	switch {
	case len(s.Grades) > 0:
		return judged(s) + ": " + verdicts(s)
	case s.Node == answer.NodeRetrieve:
		if found := passagesFound(s); found != "" {
			return name + ", " + found
		}
	case s.Node == loop.Node && loop.round(v, s) != "":
		return fmt.Sprintf("%s (%s)", name, loop.round(v, s))
	case slices.Contains(s.Notes, answer.SaysNoClaims):
		return "Nothing to check"
	case s.Node == answer.NodeSupport && s.Claims != nil && s.Claims.All > 0:
		return fmt.Sprintf("%s: %d of %d hold", name, s.Claims.Held, s.Claims.All)
	case s.Total() > 1 || s.Progress != nil && s.Progress.Total > 0:
		return name + ": " + counted(s)
	}
	return name
}

// widened reports whether a step left the words of the question as they are.
func widened(s *trace.Step) bool {
	return len(s.Rewrites) > 0 && !slices.ContainsFunc(s.Rewrites, func(r domain.Rewrite) bool { return !r.SameWords() })
}

// called returns the plain name of a step as far as it has come, without what came of it.
func called(v *trace.View, s *trace.Step) string {
	if s.State == trace.Done {
		switch {
		case s.Node == answer.NodeRetrieve && len(s.Methods) > 0:
			return searchedIn(s.Methods)
		case s.Node == answer.NodeTransform && widened(s):
			return "Widened the search"
		case len(s.Grades) > 0:
			return judged(s)
		case s.Node == answer.NodeGrade && len(s.Path) == 0:
			return "Nothing to judge"
		case onlyQuotes(s):
			return quotedBest(s)
		case s.Node == answer.NodeGenerate && s.Claims != nil && s.Claims.All == 0 && len(v.Figures) == 0:
			return "Found no answer"
		}
	}
	return diagram.Plain(v.Graph, s.Name()).In(state(s.State))
}

// counted says how many parts of a step are done.
func counted(s *trace.Step) string {
	switch {
	case s.Progress != nil && s.Progress.Total > 0:
		return progress(s)
	case s.Total() > 1:
		return fmt.Sprintf("%d of %d", s.TasksDone, s.Total())
	}
	return ""
}

// searchedIn says in how many ways was searched: those that were left out don't count.
func searchedIn(methods []domain.Method) string {
	n := 0
	for _, m := range methods {
		if m.Name != domain.MethodRerank && m.Missing == "" && !strings.HasPrefix(m.Reason, leftOut) {
			n++
		}
	}
	switch n {
	case 0:
		return "Searched"
	case 1:
		return "Searched one way"
	}
	return fmt.Sprintf("Searched %d ways", n)
}

// leftOut begins the reason of a method that was not used.
const leftOut = "left out"

// passagesFound says how many passages a search found.
func passagesFound(s *trace.Step) string {
	if len(s.Notes) > 0 {
		return s.Notes[len(s.Notes)-1]
	}
	return ""
}

// judged says how many passages a step graded.
func judged(s *trace.Step) string {
	passages := format.Count(len(s.Grades), "passage", "passages")
	if byNearness(s) {
		return "Compared " + passages
	}
	return "Judged " + passages
}

// byNearness reports whether no model gave the grades of a step.
func byNearness(s *trace.Step) bool {
	return slices.ContainsFunc(s.Grades, func(g domain.Grading) bool { return g.Nearest != nil })
}

// verdicts says how many passages of a step are relevant, or near.
func verdicts(s *trace.Step) string {
	word := "relevant"
	if byNearness(s) {
		word = "near"
	}
	yes, _ := graded(s)
	if yes == 0 {
		return "none " + word
	}
	return fmt.Sprintf("%d %s", yes, word)
}

// onlyQuotes reports whether a step wrote nothing but words of documents.
func onlyQuotes(s *trace.Step) bool {
	return s.Node == answer.NodeGenerate && s.Claims != nil && s.Claims.Quoted > 0
}

func quotedBest(s *trace.Step) string {
	if s.Cites != nil && s.Cites.Close > 0 {
		return fmt.Sprintf("Quoted the best, and %d more", s.Cites.Close)
	}
	return "Quoted the best"
}

// Gist says in a sentence or two how a run went, or what it does.
func Gist(v *trace.View) string {
	begins := ""
	if v.Forked() {
		begins = "It runs on from a step of an earlier run. "
	}
	return strings.TrimSpace(begins + went(v))
}

func went(v *trace.View) string {
	switch {
	case v.Asks:
		return "It waits for you."
	case v.State == trace.Done && v.Graph == answer.Name:
		return answered(v)
	case v.State == trace.Done && len(v.Steps) > 0:
		return did(v)
	case v.State == trace.Failed:
		return "It failed" + atStep(v) + "."
	case v.State == trace.Stopped:
		return "It was stopped" + atStep(v) + ". What it had found is kept."
	case v.State == trace.Working:
		return working(v)
	}
	return ""
}

// atStep says where a run ended: at its last step.
func atStep(v *trace.View) string {
	for _, s := range slices.Backward(v.Steps) {
		if len(s.Path) == 0 {
			return " at “" + diagram.Plain(v.Graph, s.Node).Later + "”" + nth(v, s)
		}
	}
	return ""
}

// nth says the how manieth time a run was at a node, "" for the first time.
func nth(v *trace.View, at *trace.Step) string {
	n := 0
	for _, s := range v.Steps {
		if s.Name() == at.Name() && s.N <= at.N {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	return ", the " + ordinal(n) + " time"
}

// working says what a run does.
func working(v *trace.View) string {
	for _, s := range slices.Backward(v.Steps) {
		if len(s.Path) == 0 && s.State == trace.Working {
			return diagram.Plain(v.Graph, s.Node).Now + nth(v, s) + "."
		}
	}
	return ""
}

// did says what a run did that answers no question.
func did(v *trace.View) string {
	for _, s := range v.Steps {
		if p := s.Progress; p != nil && p.Entities > 0 {
			return fmt.Sprintf("Read %s: %s and %s found.", format.Count(p.Total, "passage", "passages"),
				format.Count(p.Entities, "name", "names"), format.Count(p.Relations, "relation", "relations"))
		}
	}
	steps := 0
	for _, s := range v.Steps {
		if len(s.Path) == 0 {
			steps++
		}
	}
	return "Done in " + format.Count(steps, "step", "steps") + "."
}

// searches counts the searches of a run, the passages that were judged after them, and whether
// by their nearness.
func searches(v *trace.View) (searched, passages int, near bool) {
	for _, s := range v.Steps {
		if len(s.Path) == 0 && s.Node == answer.NodeRetrieve {
			searched++
		}
		passages += len(s.Grades)
		near = near || byNearness(s)
	}
	return searched, passages, near
}

// answered says how an answer came about.
func answered(v *trace.View) string {
	searched, passages, near := searches(v)
	if searched == 0 {
		return notSearched(v)
	}
	relied, quotes := 0, false
	var claims trace.Claims
	for _, s := range v.Steps {
		if s.Cites != nil {
			relied = s.Cites.Relied
		}
		if s.Claims != nil {
			claims = *s.Claims
			quotes = claims.Quoted > 0
		}
	}
	at := "Found at the " + ordinal(searched) + " search."
	of := "Of " + format.Count(passages, "passage", "passages")
	switch {
	case passages == 0:
		return fmt.Sprintf("Searched %s and found no passage.", times(searched))
	case quotes:
		return at + " Nothing was written: each line stands in a document word for word."
	case relied == 0 && near:
		return fmt.Sprintf("Searched %s. %s compared, none comes near the question.", times(searched), of)
	case relied == 0:
		return fmt.Sprintf("Searched %s and found no answer. %s judged, none was relied on.", times(searched), of)
	}
	said := fmt.Sprintf("%s %s judged, %d %s relied on.", at, of, relied, were(relied))
	if weak := claims.All - claims.Held; weak > 0 {
		said += fmt.Sprintf(" %s of the answer without support.", format.Count(weak, "sentence", "sentences"))
	}
	return said
}

// notSearched says how an answer came about without a search.
func notSearched(v *trace.View) string {
	for _, s := range v.Steps {
		if s.Node == answer.NodeRoute {
			return "Read as a whole, not searched."
		}
	}
	return "Answered without a search."
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// ordinal writes a number of an order in words, a large one in figures.
func ordinal(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n >= 1 && n <= len(words) {
		return words[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

// unwritten reports whether an answer was not written because no model is there to write it.
func unwritten(v *trace.View) bool {
	_, _, near := searches(v)
	return v.State == trace.Done && v.Graph == answer.Name && (near || slices.ContainsFunc(v.Steps, onlyQuotes))
}

// needsModel is the last row of a run whose answer was not written.
const needsModel = "Write the answer: needs a model"
