package answer

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/prose"
)

// Words for yes and no, as keys without case and accents.
var (
	yesWords = prose.KeySet("yes true y 1 relevant ja oui si sim sí tak da да 是 はい evet wahr vrai verdadero vero waar")
	noWords  = prose.KeySet("no false n 0 irrelevant nein non nao nie net нет 否 いいえ hayir falsch faux falso nee onwaar")
)

// parseGrade returns the grade in a model's answer.
func parseGrade(said string) (domain.Grade, bool) {
	o, whole, ok := llm.ReadObject(said, gradeNames...)
	if ok && whole {
		return gradeIn(o)
	}
	if at := cutGrade.FindStringSubmatch(said); at != nil {
		v, ok := verdictOf(at[1])
		return domain.Grade{Verdict: v, Reason: orNone(at[2])}, ok
	}
	if g, ok := parsePlainGrade(said); ok {
		return g, true
	}
	return parseSentenceGrade(said)
}

// gradeNames lists the JSON members in which models write a grade.
var gradeNames = []string{"binary_score", "score", "grade", "relevant", "relevance"}

// cutGrade matches a truncated object: small models repeat themselves in the reason until their server stops them.
var cutGrade = regexp.MustCompile(`^[^{]*\{\s*"(?:binary_score|score|grade|relevant)"\s*:\s*"?([^"\s,}]+)"?\s*,?\s*(?:"reason"\s*:\s*"([^"]*))?`)

func gradeIn(o llm.Object) (domain.Grade, bool) {
	for _, name := range gradeNames {
		if v, ok := verdictOf(o.Text(name)); ok {
			return domain.Grade{Verdict: v, Reason: orNone(o.Text("reason"))}, true
		}
	}
	return domain.Grade{}, false
}

var (
	namedGrade   = regexp.MustCompile(`(?i)\b(?:binary[_ ]score|score|grade|verdict|answer|relevan(?:t|ce))["'*` + "`" + `]*\s*(?:=|:|\bis\b|\bwould be\b)\s*["'*` + "`" + `“]*(yes|no|true|false|relevant|irrelevant|1|0)\b`)
	endsInGrade  = regexp.MustCompile(`(?i)(?:^|[\s:,.*"'“(])(yes|no)["'”*.!)]*\s*$`)
	saysNoHelp   = regexp.MustCompile(`(?i)\b(?:not (?:\w+ )?relevant|isn['’]t (?:\w+ )?relevant|irrelevant|unrelated|no relevan(?:t|ce)|of no (?:help|use)|(?:does not|doesn['’]t|did not|cannot|can['’]t|fails to|not) (?:\w+ )?(?:answer|help|address|contain|provide|mention|state|relate))\b`)
	saysItHelps  = regexp.MustCompile(`(?i)\b(?:relevant|answers|helps|helpful|is useful)\b`)
	doubleDenial = regexp.MustCompile(`(?i)\bnot (irrelevant|unrelated)\b`)
)

// parseSentenceGrade parses a grade given in a sentence: by its name, as the last word, or in words. It fails if the
// sentence gives both.
func parseSentenceGrade(said string) (domain.Grade, bool) {
	reason := orNone(said)
	if all := namedGrade.FindAllStringSubmatch(said, -1); len(all) > 0 {
		v, ok := verdictOf(all[len(all)-1][1])
		return domain.Grade{Verdict: v, Reason: reason}, ok
	}
	plain := doubleDenial.ReplaceAllString(said, "relevant")
	denied := saysNoHelp.MatchString(plain)
	helps := saysItHelps.MatchString(saysNoHelp.ReplaceAllString(plain, ""))
	if at := endsInGrade.FindStringSubmatch(said); at != nil {
		if v, ok := verdictOf(at[1]); ok && (v == domain.Relevant || !helps) && (v != domain.Relevant || !denied) {
			return domain.Grade{Verdict: v, Reason: reason}, true
		}
	}
	switch {
	case denied && !helps:
		return domain.Grade{Verdict: domain.Irrelevant, Reason: reason}, true
	case helps && !denied:
		return domain.Grade{Verdict: domain.Relevant, Reason: reason}, true
	}
	return domain.Grade{}, false
}

// parseGrades returns the grades of most passages in a model's answer. Those that it
// does not name are Ungraded.
func parseGrades(said string, most int) []domain.Grade {
	grades := make([]domain.Grade, most)
	for i := range grades {
		grades[i].Verdict = domain.Ungraded
	}
	set := func(number string, g domain.Grade, ok bool) {
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 1 && n <= most && grades[n-1].Verdict == domain.Ungraded {
			grades[n-1] = g
		}
	}
	if o, _, ok := llm.ReadObject(said, "grades"); ok {
		for i, v := range o.List("grades") {
			one, _ := v.(llm.Object)
			number := strings.Trim(one.Text("passage"), "[]# ")
			if number == "" { // some models leave it out
				number = strconv.Itoa(i + 1)
			}
			g, ok := gradeIn(one)
			set(number, g, ok)
		}
		return grades
	}
	for line := range strings.Lines(said) {
		if at := numberedLine.FindStringSubmatch(line); at != nil {
			g, ok := parsePlainGrade(at[2])
			if !ok {
				g, ok = parseSentenceGrade(at[2])
			}
			set(at[1], g, ok)
		}
	}
	return grades
}

// numberedLine is a line such as "2. yes: names her" or "[2] no".
var numberedLine = regexp.MustCompile(`^[\W_]*(?i:passage)?\s*(\d+)[\s\].:)*,-]+(.*)`)

// parsePlainGrade parses "yes: it says so", with or without a name before it.
func parsePlainGrade(said string) (domain.Grade, bool) {
	said = strings.TrimLeft(said, " \t\r\n\"'`*#-")
	for _, name := range []string{"binary_score", "score", "grade", "answer"} {
		if len(said) > len(name) && strings.EqualFold(said[:len(name)], name) {
			said = strings.TrimLeft(said[len(name):], " :=*\"'`")
		}
	}
	words := prose.Words(said)
	if len(words) == 0 {
		return domain.Grade{}, false
	}
	v, ok := verdictOf(words[0].Text)
	rest := string([]rune(said)[words[0].Span.End:])
	return domain.Grade{Verdict: v, Reason: orNone(strings.TrimLeft(rest, " \t\r\n:,.;–—-*\"'`"))}, ok
}

func verdictOf(word string) (domain.Verdict, bool) {
	key := prose.Key(word)
	switch {
	case yesWords[key]:
		return domain.Relevant, true
	case noWords[key]:
		return domain.Irrelevant, true
	}
	return domain.Ungraded, false
}

func orNone(reason string) string {
	if reason = domain.OneLine(reason); reason == "" {
		return "the model gave no reason"
	}
	return reason
}

// parseNumbers returns the numbers from 1 to most in a model's answer; "none" is an empty list.
func parseNumbers(said, name string, most int) ([]int, bool) {
	if v, whole, err := llm.ReadJSON(said, isObject); err == nil {
		o, _ := v.(llm.Object)
		if !o.Has(name) {
			return nil, false
		}
		said = ""
		for _, v := range o.List(name) {
			said += " " + llm.Scalar(v)
		}
		if said == "" {
			return nil, whole
		}
	}
	var numbers []int
	for _, digits := range digitRuns.FindAllString(said, -1) {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= most {
			numbers = append(numbers, n)
		}
	}
	return numbers, len(numbers) > 0 || noneSaid.MatchString(said)
}

// beforeProblems returns a model's answer up to the first line that describes a problem of a sentence.
func beforeProblems(said string) string {
	if _, _, err := llm.ReadJSON(said, isObject); err == nil {
		return said
	}
	var out strings.Builder
	for line := range strings.Lines(said) {
		if problemLine.MatchString(line) {
			break
		}
		out.WriteString(line)
	}
	return out.String()
}

// problemLine matches a line such as "2: says 1812, the quotation 1821".
var problemLine = regexp.MustCompile(`^\W*(\d+)\s*[:.)-]+\s*(\p{L}.*)`)

// parseProblems returns the problems of sentences, by sentence number from 1 to most.
func parseProblems(said string, most int) map[int]string {
	problems := map[int]string{}
	set := func(number, problem string) {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= most && problem != "" {
			problems[n] = problem
		}
	}
	if o, _, ok := llm.ReadObject(said, "problems", "supported"); ok {
		for _, v := range o.List("problems") {
			one, _ := v.(llm.Object)
			set(one.Text("sentence"), domain.OneLine(one.Text("problem")))
		}
		return problems
	}
	for line := range strings.Lines(said) {
		if at := problemLine.FindStringSubmatch(line); at != nil {
			set(at[1], domain.OneLine(at[2]))
		}
	}
	return problems
}

func isObject(v any) bool {
	_, ok := v.(llm.Object)
	return ok
}

var (
	digitRuns = regexp.MustCompile(`\d+`)
	noneSaid  = regexp.MustCompile(`(?i)^\W*(none|\[\s*\])\W*$`)
)
