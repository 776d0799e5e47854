package answer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer/intent"
	"github.com/clewhq/clew/internal/chart"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prompts"
)

// Model is a language model and the mode of asking that it is fit for.
type Model struct {
	Chat    llm.Chat
	Fitness *llm.Fitness
}

// ModelParams assign models to roles. All are required and may be the same.
type ModelParams struct {
	Answer  Model // writes, and specifies charts
	Grade   Model // grades, ranks, and checks support
	Rewrite Model // rewords
	Prompts *prompts.Book
}

// ModelRoles returns roles over language models. An answer that can't be read is
// asked for once more, and then ignored.
func ModelRoles(p ModelParams) (Roles, error) {
	for _, m := range []Model{p.Answer, p.Grade, p.Rewrite} {
		if m.Chat == nil || m.Fitness == nil {
			return Roles{}, errors.New("answer: a role has no model")
		}
	}
	answers, grades, rewrites := caller{p.Answer, p.Prompts}, caller{p.Grade, p.Prompts}, caller{p.Rewrite, p.Prompts}
	only := modelOnly{modelCondenser{rewrites}, modelGrader{grades}, modelRanker{grades}, modelDecomposer{rewrites}, modelWriter{answers}}
	return Roles{
		Condenser: only.modelCondenser, Grader: only.modelGrader, Rewriter: modelRewriter{rewrites}, Writer: only.modelWriter,
		Supporter: modelSupporter{grades}, Model: only, Specifier: chart.ModelSpecifier(p.Answer.Chat, p.Answer.Fitness, p.Prompts),
	}, nil
}

// modelOnly holds the roles that have no rule-based implementation.
type modelOnly struct {
	modelCondenser
	modelGrader
	modelRanker
	modelDecomposer
	modelWriter
}

// caller fills in prompts and calls a model.
type caller struct {
	Model
	prompts *prompts.Book
}

// ask asks for a form, in a mode that the model supports, up to twice until accept returns true. If it never does, ask
// returns how the last answer ended, or "" if it was whole.
func (c caller) ask(ctx context.Context, asked Asked, role string, data any, f llm.Form, accept func(string) bool, emit Emit) (accepted bool, cut string, err error) {
	err = c.Fitness.Ask(ctx, noting(emit), func(mode llm.Mode) error {
		r, err := c.request(ctx, asked, role, modeData{mode == llm.ModePrompt}, data)
		if err != nil {
			return err
		}
		f.Apply(&r, mode)
		accepted, cut, err = c.askTwice(ctx, r, f, accept, emit)
		return err
	})
	return accepted, cut, err
}

func (c caller) askTwice(ctx context.Context, r llm.Request, f llm.Form, accept func(string) bool, emit Emit) (accepted bool, cut string, err error) {
	for range 2 {
		answer, err := llm.Ask(ctx, c.Chat, r, emit)
		if err != nil {
			return false, "", err
		}
		said := f.Output(answer)
		accepted = accept(said)
		if cut = answer.Cut(); cut != "" {
			noting(emit)(cut)
		}
		if accepted || answer.Refused() {
			return accepted, cut, nil
		}
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.Assistant, Text: said},
			llm.Message{Role: llm.User, Text: "That could not be read, or was tried before. Answer again, in exactly the form asked for."})
	}
	return false, cut, nil
}

// noting returns a function that puts a sentence into the trace.
func noting(emit Emit) func(string) {
	return func(sentence string) { emit(domain.EventNote, domain.Note{Text: sentence}) }
}

// request fills in the system and the user message of a role.
func (c caller) request(ctx context.Context, asked Asked, role string, system, user any) (llm.Request, error) {
	text, err := c.prompts.Text(ctx, asked.Workspace, role, asked.Prompts)
	if err != nil {
		return llm.Request{}, err
	}
	messages, err := llm.Messages(text, prompts.SystemPart, system, prompts.UserPart, user)
	return llm.Request{
		Messages: messages,
		Prompt:   role + "/" + text.Version,
		Salt:     asked.Salt,
		Owner:    domain.CallOwner{Workspace: asked.Workspace, Run: asked.Run},
	}, err
}

// modelGrader is a Grader over a model.
type modelGrader struct{ caller }

var gradeForm = llm.Form{
	Name:        "grade_passage",
	Description: "Reports whether the passage helps to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"binary_score":{"type":"string","enum":["yes","no"],"description":"yes when the passage helps to answer the question"},` +
		`"reason":{"type":"string","description":"why, in a few words"}},` +
		`"required":["binary_score","reason"],"additionalProperties":false}`),
}

// Grade asks for yes or no with a reason. Two unreadable answers leave the passage
// ungraded.
func (g modelGrader) Grade(ctx context.Context, r GradeRequest, emit Emit) (domain.Grade, error) {
	grade := domain.Grade{Verdict: domain.Ungraded, Reason: "the model's grade could not be read"}
	read, cut, err := g.ask(ctx, r.Asked, RoleGrade, gradingData(r), gradeForm, func(said string) bool {
		read, ok := parseGrade(said)
		if ok {
			grade = read
		}
		return ok
	}, emit)
	if !read && cut != "" {
		grade.Reason = cut
	}
	return grade, err
}

var gradeManyForm = llm.Form{
	Name:        "grade_passages",
	Description: "Reports for each numbered passage whether it helps to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"grades":{"type":"array","items":{"type":"object","properties":{` +
		`"passage":{"type":"integer","description":"number of the passage"},` +
		`"binary_score":{"type":"string","enum":["yes","no"],"description":"yes when the passage helps to answer the question"},` +
		`"reason":{"type":"string","description":"why, in a few words"}},` +
		`"required":["passage","binary_score","reason"],"additionalProperties":false}}},"required":["grades"],"additionalProperties":false}`),
}

// GradeMany implements ModelOnly.
func (g modelGrader) GradeMany(ctx context.Context, asked Asked, passages []GradeRequest, emit Emit) ([]domain.Grade, error) {
	data := gradeManyData{Question: prompts.Fence("question", asked.said())}
	for i, r := range passages {
		one := gradingData(r)
		data.Passages = append(data.Passages, gradedData{Number: i + 1, Title: one.Title, Page: one.Page, Text: one.Text, Names: one.Names})
	}
	grades := make([]domain.Grade, len(passages))
	_, cut, err := g.ask(ctx, asked, RoleGradeMany, data, gradeManyForm, func(said string) bool {
		grades = parseGrades(said, len(passages))
		return slices.ContainsFunc(grades, func(g domain.Grade) bool { return g.Verdict != domain.Ungraded })
	}, emit)
	for i := range grades {
		if grades[i].Verdict == domain.Ungraded && cut != "" {
			grades[i].Reason = cut
		}
	}
	return grades, err
}

// Bounds on the other candidates shown to a grader.
const (
	maxOthers      = 7
	maxOtherLength = 160 // code points
)

// beginning returns the beginning of a text, on one line.
func beginning(text string) string {
	var b strings.Builder
	b.Grow(2 * maxOtherLength)
	n := 0
	for word := range strings.FieldsSeq(text) {
		if n > maxOtherLength+1 {
			break
		}
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		n += domain.Runes(word) + 1
	}
	return domain.Cut(b.String(), maxOtherLength)
}

func gradingData(r GradeRequest) gradeData {
	var names, others []string
	for _, h := range r.Path {
		names = append(names, h.Name)
	}
	for _, p := range r.Candidates {
		if p.ID != r.Passage.ID && len(others) < maxOthers {
			others = append(others, "- "+domain.OneLine(p.Title)+": "+beginning(p.Text))
		}
	}
	return gradeData{
		Question: prompts.Fence("question", r.said()), Title: prompts.Fence("title", r.Passage.Title), Page: r.Passage.PagesOf(r.Passage.Span), Text: prompts.Fence("passage", r.Passage.Text),
		Names: prompts.Fence("names", strings.Join(names, ", ")), Others: prompts.Fence("candidates", strings.Join(others, "\n")),
	}
}

// modelRanker puts passages in order by a model.
type modelRanker struct{ caller }

var rankForm = llm.Form{
	Name:        "order_passages",
	Description: "Puts the passages in the order in which they help to answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"order":{"type":"array","items":{"type":"integer"},` +
		`"description":"numbers of passages, the best first"}},"required":["order"],"additionalProperties":false}`),
}

// Rank asks for the whole order in one call. After two unreadable answers it returns none.
func (m modelRanker) Rank(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) ([]int, error) {
	data := rankData{Question: prompts.Fence("question", asked.said())}
	for i, p := range passages {
		data.Passages = append(data.Passages, rankedData{Number: i + 1, Title: prompts.Fence("title", p.Title), Text: prompts.Fence("passage", p.Text)})
	}
	var order []int
	_, _, err := m.ask(ctx, asked, RoleRerank, data, rankForm, func(said string) bool {
		order, _ = parseNumbers(said, "order", len(passages))
		return len(order) > 0
	}, emit)
	for i := range order {
		order[i]--
	}
	return order, err
}

// modelSupporter is a Supporter over a model.
type modelSupporter struct{ caller }

var supportForm = llm.Form{
	Name:        "report_support",
	Description: "Reports which sentences are supported by their quotations.",
	Schema: json.RawMessage(`{"type":"object","properties":{"supported":{"type":"array","items":{"type":"integer"},` +
		`"description":"numbers of the supported sentences"},` +
		`"problems":{"type":"array","description":"what is wrong with each of the others","items":{"type":"object","properties":{` +
		`"sentence":{"type":"integer"},"problem":{"type":"string","description":"what its quotations don't say, in a few words"}},` +
		`"required":["sentence","problem"],"additionalProperties":false}}},"required":["supported","problems"],"additionalProperties":false}`),
}

// Support asks about all quoted sentences at once. An unreadable answer supports none.
func (m modelSupporter) Support(ctx context.Context, asked Asked, claims []Claim, emit Emit) ([]Support, error) {
	found := make([]Support, len(claims))
	data := supportData{Question: prompts.Fence("question", asked.Question)}
	for i, c := range claims {
		claim := claimData{Number: i + 1, Text: prompts.Fence("sentence", c.Text)}
		claim.Quotes = lists.Map(c.Quotes, func(q string) prompts.Outside { return prompts.Fence("quotation", q) })
		if len(claim.Quotes) > 0 {
			data.Claims = append(data.Claims, claim)
		}
	}
	if len(data.Claims) == 0 {
		return found, nil
	}
	read, cut, err := m.ask(ctx, asked, RoleSupport, data, supportForm, func(said string) bool {
		numbers, ok := parseNumbers(beforeProblems(said), "supported", len(claims))
		for _, n := range numbers {
			found[n-1].OK = true
		}
		for n, problem := range parseProblems(said, len(claims)) {
			found[n-1].Reason = problem
		}
		return ok
	}, emit)
	for i := range found {
		if err == nil && !read && cut != "" {
			found[i].Reason = cut
		}
	}
	if err == nil && !read {
		emit(domain.EventNote, domain.Note{Text: "the model's check could not be read, so no sentence counts as supported"})
	}
	return found, err
}

// modelRewriter is a Rewriter over a model.
type modelRewriter struct{ caller }

var rewriteForm = llm.Form{
	Name:        "search_again",
	Description: "Searches the library for another wording of the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"the new wording"}},` +
		`"required":["query"],"additionalProperties":false}`),
}

// widerAfter is the number of wordings after which the search becomes wider.
const widerAfter = 3

// Rewrite asks for a new wording. If the model has none, it returns the question itself for a wider search.
func (m modelRewriter) Rewrite(ctx context.Context, r RewriteRequest, emit Emit) (Rewrite, error) {
	next := Rewrite{How: ByModel}
	if len(r.Before) >= widerAfter {
		next.Wide = len(r.Before) - widerAfter + 1
	}
	found, _, err := m.ask(ctx, r.Asked, RoleRewrite, rewritingData(r), rewriteForm, func(said string) bool {
		next.Text = parseQuery(said)
		return next.Text != "" && !Repeats(next, r.Before)
	}, emit)
	if err == nil && !found {
		next = Rewrite{Text: r.Question, How: "the question itself, wider", Wide: next.Wide + 1}
	}
	return next, err
}

func rewritingData(r RewriteRequest) rewriteData {
	data := rewriteData{Question: prompts.Fence("question", r.Question)}
	var titles []string
	data.Before = lists.Map(r.Before, func(b Rewrite) prompts.Outside { return prompts.Fence("wording", b.Text) })
	for _, p := range r.Found {
		titles = lists.AppendOnce(titles, p.Title)
		if len(data.Found) < maxRejected {
			data.Found = append(data.Found, rejectedData{
				Title: prompts.Fence("title", p.Title), Text: prompts.Fence("beginning", beginning(p.Text)), Reason: prompts.Fence("reason", p.Reason),
			})
		}
	}
	data.Titles = prompts.Fence("titles", strings.Join(titles, "; "))
	return data
}

// maxRejected bounds the passages that a rewriter is told of.
const maxRejected = 8

// maxQuery bounds a model's wording, in code points.
const maxQuery = 400

// parseQuery returns the wording in a model's answer.
func parseQuery(said string) string {
	if v, _, err := llm.ReadJSON(said, isObject); err == nil {
		o, _ := v.(llm.Object)
		said = o.Text("query", "question", "rewrite", "text")
	}
	said = llm.Unwrap(said)
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return domain.Cut(strings.Trim(domain.OneLine(line), "\"'`“”"), maxQuery)
}

// modelCondenser is a Condenser over a model.
type modelCondenser struct{ caller }

var understandForm = llm.Form{
	Name:        "understand_question",
	Description: "Reports what the last question asks for, and its wording without the conversation before it.",
	Schema: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"the question, understood alone"},` +
		`"asks_for":{"type":"string","enum":["` + strings.Join(intent.Says(), `","`) + `"]},` +
		`"about":{"type":"array","items":{"type":"string"},"description":"what to summarise, the two sides to compare, or the document to list from, in the words of the question; empty for all documents"},` +
		`"of":{"type":"string","description":"what to list: person, place, organisation, any, or a noun of the question; else empty"}},` +
		`"required":["question","asks_for","about","of"],"additionalProperties":false}`),
}

// Condense asks for a wording of the question that needs no history. An empty answer leaves it unchanged.
func (m modelCondenser) Condense(ctx context.Context, asked Asked, history []Exchange, emit Emit) (string, error) {
	text, _, err := m.Understand(ctx, asked, history, emit)
	return text, err
}

// Understand implements ModelOnly. An answer other than a JSON object is taken as a wording.
func (m modelCondenser) Understand(ctx context.Context, asked Asked, history []Exchange, emit Emit) (text string, ask *intent.Ask, err error) {
	data := condenseData{Question: prompts.Fence("question", asked.Question)}
	for _, e := range history {
		data.History = append(data.History, exchangeData{prompts.Fence("question", e.Question), prompts.Fence("answer", e.Answer)})
	}
	_, _, err = m.ask(ctx, asked, RoleCondense, data, understandForm, func(said string) bool {
		text, ask = parseQuery(said), parseAsk(said)
		return text != ""
	}, emit)
	return cmp.Or(text, asked.Question), ask, err
}

// parseAsk parses a model's classification of a question. It returns nil if there is none.
func parseAsk(said string) *intent.Ask {
	o, _, ok := llm.ReadObject(said, "asks_for")
	if !ok {
		return nil
	}
	ask, ok := intent.Said(o.Text("asks_for"), lists.Map(o.List("about"), llm.Scalar), o.Text("of"))
	if !ok {
		return nil
	}
	return &ask
}

// modelDecomposer splits questions with a model.
type modelDecomposer struct{ caller }

var decomposeForm = llm.Form{
	Name:        "plan_searches",
	Description: "Lists the questions to search for one after the other. None, if one search can answer the question.",
	Schema: json.RawMessage(`{"type":"object","properties":{"questions":{"type":"array","items":{"type":"string"},` +
		`"description":"the questions in order; #1 stands for the answer to the first"}},"required":["questions"],"additionalProperties":false}`),
}

var stepForm = llm.Form{
	Name:        "report_finding",
	Description: "Reports what the passages answer.",
	Schema: json.RawMessage(`{"type":"object","properties":{"finding":{"type":"string",` +
		`"description":"the answer in a few words, empty if the passages don't hold it"}},"required":["finding"],"additionalProperties":false}`),
}

// Decompose asks for the sub-questions. An unreadable answer leaves the question whole.
func (m modelDecomposer) Decompose(ctx context.Context, asked Asked, emit Emit) ([]string, error) {
	var questions []string
	data := decomposeData{Question: prompts.Fence("question", asked.Question)}
	read, _, err := m.ask(ctx, asked, RoleDecompose, data, decomposeForm, func(said string) (ok bool) {
		questions, ok = parseQuestions(said)
		return ok
	}, emit)
	if !read {
		return nil, err
	}
	return questions, err
}

// Settle asks for the finding. It returns "" if the answer can't be read.
func (m modelDecomposer) Settle(ctx context.Context, asked Asked, passages []domain.Passage, emit Emit) (string, error) {
	finding := ""
	_, _, err := m.ask(ctx, asked, RoleStep, stepData{prompts.Fence("question", asked.said()), numbered(passages)}, stepForm, func(said string) (ok bool) {
		finding, ok = parseFinding(said)
		return ok
	}, emit)
	return finding, err
}

// listed is a line of a list: "1. Who built it?" or "- Who built it?".
var listed = regexp.MustCompile(`^\s*(?:\d+[.):]|[-*•])\s*(.+)`)

// parseQuestions returns the questions in a model's answer; "none" is an empty list.
func parseQuestions(said string) ([]string, bool) {
	if o, whole, ok := llm.ReadObject(said, "questions"); ok {
		var questions []string
		for _, v := range o.List("questions") {
			if q := llm.Scalar(v); q != "" {
				questions = append(questions, q)
			}
		}
		return questions, whole
	}
	var questions []string
	for line := range strings.Lines(said) {
		if at := listed.FindStringSubmatch(line); at != nil {
			questions = append(questions, at[1])
		}
	}
	return questions, len(questions) > 0 || noneSaid.MatchString(said)
}

// parseFinding returns the finding in a model's answer; "none" becomes "".
func parseFinding(said string) (string, bool) {
	said = strings.TrimSpace(said)
	ok := said != ""
	if v, whole, err := llm.ReadJSON(said, isObject); err == nil {
		o, _ := v.(llm.Object)
		said, ok = o.Text("finding"), whole && o.Has("finding")
	}
	said = llm.Unwrap(said)
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if noneSaid.MatchString(line) {
		return "", ok
	}
	return strings.TrimRight(strings.Trim(domain.OneLine(line), "\"'`“”"), "."), ok
}
