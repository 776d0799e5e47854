package intent

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
)

//go:embed words.txt
var wordsFile string

//go:embed forms.txt
var formsFile string

//go:embed examples.txt
var examplesFile string

// section is a part of a data file: the words in brackets above it, and its lines.
type section struct{ head, lines []string }

func sections(file string) []section {
	var out []section
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			out = append(out, section{head: strings.Fields(strings.Trim(line, "[]"))})
		default:
			out[len(out)-1].lines = append(out[len(out)-1].lines, line)
		}
	}
	return out
}

// words are the words of a kind.
type words struct {
	cues, words, must map[string]bool
	of                map[string]string   // the list that a cue names
	languages         map[string][]string // of the words of greetings
}

// covers reports whether words are all of the kind, one of them a cue.
func (w *words) covers(all []string) bool {
	cue := false
	for _, word := range all {
		if !w.cues[word] && !w.words[word] {
			return false
		}
		cue = cue || w.cues[word]
	}
	return cue
}

// language returns the language of most words of a greeting, of several the first that
// the data names.
func (w *words) language(all []string) string {
	votes, best := map[string]int{}, ""
	for _, word := range all {
		for _, l := range w.languages[word] {
			if votes[l]++; best == "" || votes[l] > votes[best] {
				best = l
			}
		}
	}
	return best
}

// vocabulary returns the words of each kind.
var vocabulary = sync.OnceValue(func() map[Kind]*words {
	all := map[Kind]*words{}
	for _, s := range sections(wordsFile) {
		kind := Kind(s.head[0])
		if all[kind] == nil {
			all[kind] = &words{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}, map[string][]string{}}
		}
		w := all[kind]
		for word := range strings.FieldsSeq(strings.Join(s.lines, " ")) {
			if len(s.head) > 2 && kind != List {
				w.languages[word] = append(w.languages[word], s.head[2])
			}
			switch s.head[1] {
			case "cues":
				w.cues[word] = true
				if kind == List {
					w.of[word] = s.head[2]
				}
			case "words":
				w.words[word] = true
			case "must":
				w.must[word] = true
			}
		}
	}
	return all
})

// example is a question with its kind.
type example struct {
	text string
	ask  Ask
}

// examples returns the examples of all kinds.
var examples = sync.OnceValue(func() []example {
	var out []example
	for _, s := range sections(examplesFile) {
		ask := Ask{Kind: Kind(s.head[0])}
		if len(s.head) > 1 {
			ask.Of = s.head[1]
		}
		for _, line := range s.lines {
			out = append(out, example{line, ask})
		}
	}
	return out
})

// orders holds the forms of orders and the words around them.
type orders struct {
	before, after *regexp.Regexp
	forms         map[Kind][]*regexp.Regexp
	asking        map[Kind][]*regexp.Regexp // that must follow something polite
}

// order returns the forms of orders.
var order = sync.OnceValue(func() orders {
	o := orders{forms: map[Kind][]*regexp.Regexp{}, asking: map[Kind][]*regexp.Regexp{}}
	for _, s := range sections(formsFile) {
		var all []string
		for _, line := range s.lines {
			all = append(all, pattern(line))
		}
		switch {
		case s.head[0] == "polite" && s.head[1] == "before":
			o.before = regexp.MustCompile(`^(?:\s*(?:` + strings.Join(all, "|") + `)\s)+`)
			continue
		case s.head[0] == "polite":
			o.after = regexp.MustCompile(`(?:\s(?:` + strings.Join(all, "|") + `)\s*)+$`)
			continue
		}
		kind := Kind(s.head[0])
		for i, line := range s.lines {
			form := regexp.MustCompile(`^\s*` + all[i] + `\s*$`)
			if strings.HasPrefix(line, "*") {
				o.asking[kind] = append(o.asking[kind], form)
			} else {
				o.forms[kind] = append(o.forms[kind], form)
			}
		}
	}
	return o
})

var (
	optionalLast = regexp.MustCompile(` \(([^()]*)\)\?$`)
	optional     = regexp.MustCompile(`\(([^()]*)\)\? `)
	oneOf        = regexp.MustCompile(`\(([^()?][^()]*)\)`)
)

// pattern returns the regular expression of a form.
func pattern(form string) string {
	form = optionalLast.ReplaceAllString(form, `<< <<$1>>>>?`)
	form = optional.ReplaceAllString(form, `<<<<$1>> >>?`)
	form = oneOf.ReplaceAllString(form, `<<$1>>`)
	return strings.NewReplacer("<<", "(?:", ">>", ")", "*", `(\S.*?)`, " ", `\s+`).Replace(form)
}

// form is a question in its original form and in lower case without punctuation, letter for letter.
type form struct {
	text   []rune
	plain  string // without polite words around it
	from   int    // that letter
	polite bool
}

func formed(question string) form {
	f := form{text: []rune(question)}
	f.plain = strings.Map(func(r rune) rune {
		if strings.ContainsRune("?!,;:.'’\"“”„«»¿¡()", r) || unicode.IsSpace(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, string(f.text))
	o := order()
	if at := o.after.FindStringIndex(f.plain); at != nil {
		f.plain = f.plain[:at[0]]
	}
	if at := o.before.FindStringIndex(f.plain); at != nil {
		f.from, f.polite = domain.Runes(f.plain[:at[1]]), true
		f.plain = f.plain[at[1]:]
	}
	return f
}

// match returns the object of an order of a kind, as written in the question.
func (f form) match(kind Kind) (object string, ok bool) {
	o := order()
	forms := o.forms[kind]
	if f.polite {
		forms = append(slices.Clip(forms), o.asking[kind]...)
	}
	for _, form := range forms {
		at := form.FindStringSubmatchIndex(f.plain)
		switch {
		case at == nil:
		case len(at) < 4:
			return "", true
		default:
			from := f.from + domain.Runes(f.plain[:at[2]])
			to := from + domain.Runes(f.plain[at[2]:at[3]])
			return strings.Trim(string(f.text[from:to]), " ?!,;:.\"“”„«»¿¡"), true
		}
	}
	return "", false
}

// Words between the two sides of a comparison, surest first.
var between = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\s+(with|against|vs\.?|versus|mit|avec|contre|con|com|met)\s+`),
	regexp.MustCompile(`(?i)\s+(and|und|et|y|e|en|to)\s+`),
}

// sidesOf returns the two sides of a comparison, nil unless there are two.
func sidesOf(object string) []string {
	for _, words := range between {
		if sides := words.Split(object, 2); len(sides) == 2 && sides[0] != "" && sides[1] != "" {
			return sides
		}
	}
	return nil
}

// and separates the names of several things.
var and = regexp.MustCompile(`(?i)\s*(?:,|;|&)\s*|\s+(?:and|und|et|y|e|en)\s+`)

// Parts returns the things that an object names.
func Parts(object string) []string {
	return slices.DeleteFunc(and.Split(object, -1), func(part string) bool { return part == "" })
}

// inside matches the words between the things to list and their place.
var inside = regexp.MustCompile(`(?i)\s+(in|of|from|im|aus|von|dans|du|de|des|en|del|nel|nella|di|no|na|do|da|van|uit)\s+`)

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, text))
}
