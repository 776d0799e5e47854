package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/run/job"
	"github.com/clewhq/clew/internal/run/outline"
	"github.com/clewhq/clew/internal/run/trace"
	"github.com/clewhq/clew/views/diagram"
	"github.com/clewhq/clew/views/format"
)

// Said returns the plain name of a step of a run with the given loop, and its result: "Judged 8 passages: 2 relevant".
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

// called returns the plain name of a step, by its progress, without its result.
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
	return diagram.Plain(v.Graph, s.Name()).In(drawn(s.State))
}

// counted describes how many parts of a step are done.
func counted(s *trace.Step) string {
	switch {
	case s.Progress != nil && s.Progress.Total > 0:
		return progress(s)
	case s.Total() > 1:
		return fmt.Sprintf("%d of %d", s.TasksDone, s.Total())
	}
	return ""
}

// searchedIn names the number of search methods used, not counting skipped ones.
func searchedIn(methods []domain.Method) string {
	n := lists.CountFunc(methods, func(m domain.Method) bool {
		return m.Name != domain.MethodRerank && m.Missing == "" && !strings.HasPrefix(m.Reason, leftOut)
	})
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

// passagesFound describes how many passages a search found.
func passagesFound(s *trace.Step) string {
	if len(s.Notes) > 0 {
		return s.Notes[len(s.Notes)-1]
	}
	return ""
}

// judged describes how many passages a step graded.
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

// verdicts counts the relevant or near passages that a step graded, or returns "" if it graded none.
func verdicts(s *trace.Step) string {
	word := "relevant"
	if byNearness(s) {
		word = "near"
	}
	yes := relevant(s)
	if len(s.Grades) == 0 {
		return ""
	}
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

// Gist describes in a sentence or two how a run went, or what it is doing.
func Gist(v *trace.View) string {
	begins := ""
	if v.Forked() {
		begins = "It runs on from a step of an earlier run. "
	}
	return strings.TrimSpace(begins + went(v))
}

func went(v *trace.View) string {
	switch {
	case v.Withheld:
		return "It read documents that you may not read, so its steps are not shown."
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

// atStep names the step at which a run ended.
func atStep(v *trace.View) string {
	for _, s := range slices.Backward(v.Steps) {
		if len(s.Path) == 0 {
			return " at “" + diagram.Plain(v.Graph, s.Node).Later + "”" + nth(v, s)
		}
	}
	return ""
}

// nth returns the ordinal of a run's visit to a node, or "" for the first.
func nth(v *trace.View, at *trace.Step) string {
	n := lists.CountFunc(v.Steps, func(s *trace.Step) bool { return s.Name() == at.Name() && s.N <= at.N })
	if n < 2 {
		return ""
	}
	return ", the " + ordinal(n) + " time"
}

// working describes what a run is doing.
func working(v *trace.View) string {
	for _, s := range slices.Backward(v.Steps) {
		if len(s.Path) == 0 && s.State == trace.Working {
			return diagram.Plain(v.Graph, s.Node).Now + nth(v, s) + "."
		}
	}
	return ""
}

// did describes what a run that answers no question did.
func did(v *trace.View) string {
	for _, s := range v.Steps {
		if p := s.Progress; p != nil && p.Entities > 0 {
			return fmt.Sprintf("Read %s: %s and %s found.", format.Count(p.Total, "passage", "passages"),
				format.Count(p.Entities, "name", "names"), format.Count(p.Relations, "relation", "relations"))
		}
	}
	steps := lists.CountFunc(v.Steps, func(s *trace.Step) bool { return len(s.Path) == 0 })
	return "Done in " + format.Count(steps, "step", "steps") + "."
}

// searches counts the searches of a run, and the passages that were judged after them.
func searches(v *trace.View) (searched, passages int) {
	for _, s := range v.Steps {
		if len(s.Path) == 0 && s.Node == answer.NodeRetrieve {
			searched++
		}
		passages += len(s.Grades)
	}
	return searched, passages
}

// nearness counts the passages of a run that are near the question, and reports whether any was compared with it, not judged.
func nearness(v *trace.View) (near int, compared bool) {
	for _, s := range v.Steps {
		if byNearness(s) {
			near, compared = near+relevant(s), true
		}
	}
	return near, compared
}

// drew reports whether an answer has a chart of numbers in documents.
func drew(v *trace.View) bool {
	return slices.ContainsFunc(v.Figures, func(f domain.Figure) bool {
		return f.Status == domain.FigureDone && f.Chart != nil && slices.ContainsFunc(f.Chart.Series, func(s domain.Series) bool {
			return slices.ContainsFunc(s.Points, func(p domain.Point) bool { return p.Count == nil })
		})
	})
}

// answered describes how an answer came about.
func answered(v *trace.View) string {
	searched, passages := searches(v)
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
	near, compared := nearness(v)
	switch {
	case passages == 0:
		return fmt.Sprintf("Searched %s and found no passage.", times(searched))
	case quotes:
		return at + " Nothing was written: each line stands in a document word for word."
	case relied == 0 && drew(v):
		return at + " Each number of the chart stands in a document."
	case relied == 0 && compared && near == 0:
		return fmt.Sprintf("Searched %s. %s compared, none close to the question.", times(searched), of)
	case relied == 0 && compared:
		return fmt.Sprintf("Searched %s. %s compared, %d close to the question.", times(searched), of, near)
	case relied == 0:
		return fmt.Sprintf("Searched %s and found no answer. %s judged, none was used.", times(searched), of)
	}
	said := fmt.Sprintf("%s %s judged, %d %s used.", at, of, relied, were(relied))
	if weak := claims.All - claims.Held; weak > 0 {
		said += fmt.Sprintf(" %s of the answer without support.", format.Count(weak, "sentence", "sentences"))
	}
	return said
}

// notSearched describes how an answer came about without a search.
func notSearched(v *trace.View) string {
	read := slices.ContainsFunc(v.Steps, func(s *trace.Step) bool {
		return len(s.Path) == 0 && s.Node != answer.NodeRoute && s.Node != answer.NodeGreet && s.Node != answer.NodeWhich
	})
	if routed := slices.ContainsFunc(v.Steps, func(s *trace.Step) bool { return s.Node == answer.NodeRoute }); routed && read {
		return "Read as a whole, not searched."
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

// unwritten reports whether an answer was not written for lack of a model.
func unwritten(v *trace.View) bool {
	_, compared := nearness(v)
	return v.State == trace.Done && v.Graph == answer.Name && (compared || slices.ContainsFunc(v.Steps, onlyQuotes))
}

// needsModel is the last row of a run whose answer was not written.
const needsModel = "Write the answer: needs a model"

// wrote reports whether the grades of a step were the last before the answer.
func wrote(s *trace.Step) bool {
	return len(s.Grades) > 0 && slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return slices.Contains(b.Targets, answer.NodeGenerate) })
}

// capped reports whether the searches ended after a step because the limit was reached.
func capped(s *trace.Step) bool {
	return slices.ContainsFunc(s.Branches, func(b trace.Branch) bool { return b.Label == answer.CaseCap })
}

// note returns the remark next to a step's name.
func note(s *trace.Step) string {
	if len(s.Grades) > 0 {
		said := fmt.Sprintf("%d of %d", relevant(s), len(s.Grades))
		if capped(s) {
			said += ", cap"
		}
		return said
	}
	for _, said := range []string{answer.SaysClosest, answer.SaysNoneNear, answer.SaysNoClaims, answer.SaysVerbatim} {
		if slices.Contains(s.Notes, said) {
			return said
		}
	}
	switch {
	case len(s.Methods) > 0 && len(s.Notes) > 0:
		return s.Notes[len(s.Notes)-1]
	case len(s.Methods) > 0:
		return soFar(s.Methods)
	case s.Progress != nil:
		return progress(s)
	case s.TasksDone < s.Total() && s.Total() > 1:
		return fmt.Sprintf("%d of %d", s.TasksDone, s.Total())
	case s.State == trace.Stopped:
		return stopped
	case s.State == trace.Working && s.Node == answer.NodeGenerate:
		return "writing"
	}
	return ""
}

// stopped is the remark on a step that a person stopped.
const stopped = "stopped"

// soFar describes what the methods of a search in progress have found.
func soFar(methods []domain.Method) string {
	parts := lists.Map(methods, func(m domain.Method) string { return fmt.Sprintf("%s %d", m.Name, m.Candidates) })
	return strings.Join(parts, ", ")
}

// nodeNote returns the text a node shows in place of its duration.
func nodeNote(s *trace.Step) string {
	switch {
	case s.Progress != nil:
		return progress(s)
	case s.State == trace.Stopped:
		return stopped
	case slices.Contains(s.Notes, answer.SaysNoClaims):
		return outline.NothingToCheck
	case s.Node == answer.NodeSupport && s.Claims != nil && s.Claims.All > 0:
		return fmt.Sprintf("%d of %d", s.Claims.Held, s.Claims.All)
	}
	return ""
}

// progress returns how far a step has come, by its own count or by the finished
// tasks of its fan-out.
func progress(s *trace.Step) string {
	return fmt.Sprintf("%d of %d", max(s.Progress.Done, s.TasksDone), s.Progress.Total)
}

// relevant counts the passages that a step graded relevant.
func relevant(s *trace.Step) (n int) {
	return lists.CountFunc(s.Grades, func(g domain.Grading) bool { return g.Verdict == domain.Relevant })
}

// slowest is the maximum number of a step's active sends that are listed.
const slowest = 3

// Working lists the sends of a step in progress, slowest first, and what they wait for. For other steps it returns only
// what they wait for.
func Working(s *trace.Step) (said []string) {
	if s.Total() <= 1 {
		for _, t := range s.Open {
			if waits := waits(t); waits != "" {
				said = append(said, "It "+waits)
			}
		}
		return said
	}
	if n := len(s.Open); n > slowest {
		said = append(said, fmt.Sprintf("%s at work, the slowest:", format.Count(n, "task", "tasks")))
	}
	for _, t := range s.Slowest(slowest) {
		line := fmt.Sprintf("Task %d, at work since %s", t.N+1, format.Clock(t.Began))
		if waits := waits(t); waits != "" {
			said = append(said, line+", "+waits)
		} else {
			said = append(said, line+".")
		}
	}
	return said
}

// waits describes what a task waits for, or "" if it waits for nothing. Pauses with a known end come first.
func waits(t trace.Task) string {
	said := ""
	for _, w := range t.Waits {
		switch {
		case w.For == domain.WaitSlot && said == "":
			said = "waits until the model is free."
		case w.For == domain.WaitModel && said == "":
			said = "waits for the model, " + w.Why + "."
		case w.For == domain.WaitRetry && !w.Until.IsZero():
			return strings.TrimSpace(fmt.Sprintf("is tried again at %s. %s", format.Clock(w.Until), w.Why))
		case w.For == domain.WaitRetry:
			return strings.TrimSpace("is tried again. " + w.Why)
		}
	}
	return said
}

// Waits describes until when a run waits to be retried, and why, or returns "" if it does not.
func Waits(r job.Run) string {
	if r.Status != job.Waiting && r.Status != job.Capped || r.Problem == "" {
		return ""
	}
	return fmt.Sprintf("Waits until %s. %s", format.Moment(r.NextTry), r.Problem)
}
