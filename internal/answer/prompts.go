package answer

import (
	_ "embed"

	"github.com/clewhq/clew/internal/prompts"
)

// The built-in texts of the prompts. Their versions are in Prompts.
var (
	//go:embed prompts/condense.tmpl
	condenseText string
	//go:embed prompts/grade.tmpl
	gradeText string
	//go:embed prompts/grade_many.tmpl
	gradeManyText string
	//go:embed prompts/decompose.tmpl
	decomposeText string
	//go:embed prompts/step.tmpl
	stepText string
	//go:embed prompts/revise.tmpl
	reviseText string
	//go:embed prompts/rerank.tmpl
	rerankText string
	//go:embed prompts/rewrite.tmpl
	rewriteText string
	//go:embed prompts/write.tmpl
	writeText string
	//go:embed prompts/support.tmpl
	supportText string
)

// The roles that have prompts.
const (
	RoleCondense = "condense"
	RoleGrade    = "grade"
	RoleRewrite  = "rewrite"
	RoleWrite    = "write"
	RoleSupport  = "support"

	RoleGradeMany = "grade_many"
	RoleRerank    = "rerank"
	RoleDecompose = "decompose"
	RoleStep      = "step"
	RoleRevise    = "revise"
)

// failedPart is a part of the writer's prompt.
const failedPart = "failed"

// Prompts returns the prompts of the roles.
func Prompts() []prompts.Prompt {
	prompt := func(role, about, version, text string, system, user any, more ...prompts.Part) prompts.Prompt {
		return prompts.Prompt{Role: role, About: about, Version: version, Builtin: text, Parts: append(prompts.Message(system, user, "the question and its material"), more...)}
	}
	return []prompts.Prompt{
		prompt(RoleCondense, "Tells what a question asks for, and rewords one that refers to what was said before, so that it is understood alone.", "4", condenseText, modeData{}, condenseData{}),
		prompt(RoleGrade, "Decides whether a passage helps to answer the question.", "3", gradeText, modeData{}, gradeData{}),
		prompt(RoleRewrite, "Rewords a question for another search when nothing that was found is relevant.", "5", rewriteText, modeData{}, rewriteData{}),
		prompt(RoleWrite, "Writes the answer from the relevant passages.", "5", writeText, writeSystemData{}, writeData{},
			prompts.Part{Name: failedPart, About: "what the writer is told when a chart could not be made", Data: failedData{}}),
		prompt(RoleSupport, "Checks whether the sentences of an answer say what their citations say.", "4", supportText, modeData{}, supportData{}),
		prompt(RoleGradeMany, "Decides which of several passages help to answer the question, in one call (GRADE_MANY).", "1", gradeManyText, modeData{}, gradeManyData{}),
		prompt(RoleRerank, "Puts the first passages of a search in order, in one call (RERANK).", "1", rerankText, modeData{}, rankData{}),
		prompt(RoleDecompose, "Takes a question apart into questions to be searched for one after the other (DECOMPOSE).", "1", decomposeText, modeData{}, decomposeData{}),
		prompt(RoleStep, "Says in a few words what the passages of one of these questions answer.", "1", stepText, modeData{}, stepData{}),
		prompt(RoleRevise, "Writes an answer again in which sentences have no support (REGENERATE).", "1", reviseText, noData{}, reviseData{}),
	}
}

type noData struct{}

type modeData struct {
	Plain bool `about:"the model is asked in plain text, without a form, so the message must say how to answer"`
}

type condenseData struct {
	History []exchangeData `about:"earlier questions and answers, oldest first, if any"`

	Question prompts.Outside `about:"the question to understand" need:"yes"`
}

type exchangeData struct {
	Question prompts.Outside `about:"an earlier question" need:"yes"`
	Answer   prompts.Outside `about:"its answer"`
}

type gradeData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
	Title    prompts.Outside `about:"title of the passage's document"`
	Page     string          `about:"page of the passage, or its pages, if any"`
	Text     prompts.Outside `about:"the passage to grade" need:"yes"`
	Names    prompts.Outside `about:"names through which the search came to it, if any"`
	Others   prompts.Outside `about:"beginnings of the other passages found, a line each, if any"`
}

type rewriteData struct {
	Question prompts.Outside   `about:"the question" need:"yes"`
	Before   []prompts.Outside `about:"the wordings that were tried" need:"yes"`
	Titles   prompts.Outside   `about:"titles of what the last search found, if any"`
	Found    []rejectedData    `about:"what the last search found, best first, and why it does not help"`
}

type rejectedData struct {
	Title  prompts.Outside `about:"title of the passage's document"`
	Text   prompts.Outside `about:"the beginning of the passage"`
	Reason prompts.Outside `about:"why it does not help"`
}

type gradeManyData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
	Passages []gradedData    `about:"the passages to grade" need:"yes"`
}

type gradedData struct {
	Number int             `about:"the number by which a grade names the passage" need:"yes"`
	Title  prompts.Outside `about:"title of its document"`
	Page   string          `about:"its page, or its pages, if any"`
	Text   prompts.Outside `about:"the passage" need:"yes"`
	Names  prompts.Outside `about:"names through which the search came to it, if any"`
}

type rankData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
	Passages []rankedData    `about:"the passages to put in order" need:"yes"`
}

type rankedData struct {
	Number int             `about:"the number by which the order names the passage" need:"yes"`
	Title  prompts.Outside `about:"title of its document"`
	Text   prompts.Outside `about:"the passage" need:"yes"`
}

type decomposeData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
}

type stepData struct {
	Question prompts.Outside `about:"one of the questions" need:"yes"`
	Passages []passageData   `about:"the passages that help to answer it" need:"yes"`
}

type reviseData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
	Passages []passageData   `about:"the relevant passages" need:"yes"`
	Draft    prompts.Outside `about:"the answer to write again" need:"yes"`
	Faults   []faultData     `about:"its sentences without support" need:"yes"`
}

type faultData struct {
	Sentence prompts.Outside `about:"the sentence" need:"yes"`
	Reason   prompts.Outside `about:"why nothing supports it"`
}

type writeSystemData struct {
	Charts bool `about:"the model may call the tool chart"`
}

type writeData struct {
	Question prompts.Outside `about:"the question" need:"yes"`
	Passages []passageData   `about:"the relevant passages"`
	Reckoned prompts.Outside `about:"what was reckoned with the cells of a table, if anything"`
	Rows     []rowData       `about:"the rows of a table that answer the question, if there are any"`
	Steps    []settledData   `about:"what was found step by step, for a question that was taken apart"`
}

type rowData struct {
	Number int             `about:"the number of the passage that has the row" need:"yes"`
	Text   prompts.Outside `about:"its cells" need:"yes"`
}

type settledData struct {
	Question prompts.Outside `about:"the question of the step" need:"yes"`
	Finding  prompts.Outside `about:"what was found" need:"yes"`
}

type passageData struct {
	Number   int             `about:"the number by which an answer cites the passage" need:"yes"`
	Title    prompts.Outside `about:"title of its document"`
	Page     string          `about:"its page, or its pages, if any"`
	Headings prompts.Outside `about:"the headings above it, if any"`
	Text     prompts.Outside `about:"the passage" need:"yes"`
}

type failedData struct {
	Task    prompts.Outside `about:"what the chart was to show"`
	Problem prompts.Outside `about:"why there is none"`
	Apology string          `about:"the sentence to begin with" need:"yes"`
}

type supportData struct {
	Question prompts.Outside `about:"the question"`
	Claims   []claimData     `about:"the sentences that cite something"`
}

type claimData struct {
	Number int               `about:"the number by which a verdict names the sentence" need:"yes"`
	Text   prompts.Outside   `about:"the sentence" need:"yes"`
	Quotes []prompts.Outside `about:"what it cites" need:"yes"`
}
