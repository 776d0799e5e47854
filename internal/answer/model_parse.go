package answer

import (
	"encoding/json"
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

// object returns the JSON object in a text; nil if there is none.
func object(text string) map[string]any {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return nil
	}
	var o map[string]any
	if json.Unmarshal([]byte(text[start:end+1]), &o) != nil {
		return nil
	}
	return o
}

// parseGrade returns the grade in a model's answer.
func parseGrade(said string) (domain.Grade, bool) {
	said = llm.WithoutThoughts(said)
	if o := object(said); o != nil {
		return gradeIn(o)
	}
	if at := cutGrade.FindStringSubmatch(said); at != nil {
		v, ok := verdictOf(at[1])
		return domain.Grade{Verdict: v, Reason: orNone(at[2])}, ok
	}
	return parsePlainGrade(said)
}

// cutGrade is an object that was cut off: small models repeat themselves in the reason
// until their server stops them.
var cutGrade = regexp.MustCompile(`^[^{]*\{\s*"(?:binary_score|score|grade|relevant)"\s*:\s*"?([^"\s,}]+)"?\s*,?\s*(?:"reason"\s*:\s*"([^"]*))?`)

func gradeIn(o map[string]any) (domain.Grade, bool) {
	reason, _ := o["reason"].(string)
	for _, name := range []string{"binary_score", "score", "grade", "relevant"} {
		if v, ok := verdictOf(scalar(o[name])); ok {
			return domain.Grade{Verdict: v, Reason: orNone(reason)}, true
		}
	}
	return domain.Grade{}, false
}

// parseGrades returns the grades of most passages in a model's answer. Those that it
// does not name are Ungraded.
func parseGrades(said string, most int) []domain.Grade {
	said = llm.WithoutThoughts(said)
	grades := make([]domain.Grade, most)
	for i := range grades {
		grades[i].Verdict = domain.Ungraded
	}
	set := func(number string, g domain.Grade, ok bool) {
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 1 && n <= most && grades[n-1].Verdict == domain.Ungraded {
			grades[n-1] = g
		}
	}
	if o := object(said); o != nil {
		list, _ := o["grades"].([]any)
		for i, v := range list {
			one, _ := v.(map[string]any)
			number := scalar(one["passage"])
			if number == "" { // some leave it out
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

// scalar returns a JSON value as text; "" for lists and objects.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

func orNone(reason string) string {
	if reason = oneLine(reason); reason == "" {
		return "the model gave no reason"
	}
	return reason
}

// parseNumbers returns the numbers from 1 to most in a model's answer; "none" is an
// empty list.
func parseNumbers(said, name string, most int) ([]int, bool) {
	said = llm.WithoutThoughts(said)
	if o := object(said); o != nil {
		list, ok := o[name].([]any)
		if !ok {
			return nil, false
		}
		said = ""
		for _, v := range list {
			said += " " + scalar(v)
		}
		if said == "" {
			return nil, true
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

// beforeProblems returns what a model said up to the first line that says what is wrong
// with a sentence.
func beforeProblems(said string) string {
	if object(said) != nil {
		return said
	}
	var out strings.Builder
	for line := range strings.Lines(llm.WithoutThoughts(said)) {
		if problemLine.MatchString(line) {
			break
		}
		out.WriteString(line)
	}
	return out.String()
}

// problemLine is a line such as "2: says 1812, the quotation 1821".
var problemLine = regexp.MustCompile(`^\W*(\d+)\s*[:.)-]+\s*(\p{L}.*)`)

// parseProblems returns what is wrong with sentences, by their numbers from 1 to most.
func parseProblems(said string, most int) map[int]string {
	said = llm.WithoutThoughts(said)
	problems := map[int]string{}
	set := func(number, problem string) {
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= most && problem != "" {
			problems[n] = problem
		}
	}
	if o := object(said); o != nil {
		list, _ := o["problems"].([]any)
		for _, v := range list {
			one, _ := v.(map[string]any)
			set(scalar(one["sentence"]), oneLine(scalar(one["problem"])))
		}
		return problems
	}
	for line := range strings.Lines(said) {
		if at := problemLine.FindStringSubmatch(line); at != nil {
			set(at[1], oneLine(at[2]))
		}
	}
	return problems
}

var (
	digitRuns = regexp.MustCompile(`\d+`)
	noneSaid  = regexp.MustCompile(`(?i)^\W*(none|\[\s*\])\W*$`)
)
