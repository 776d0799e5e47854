package intent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Who does what the things that are counted are counted by.
const (
	DoerNamed   = "named"   // the doer that the question names: the bridges that Aldous designed
	DoerCounted = "counted" // the doers themselves: the people who worked at the foundry
)

// A Counting is what a question wants counted, besides the noun.
type Counting struct {
	Noun string `json:"noun"`           // as written in the question
	Doer string `json:"doer,omitempty"` // DoerNamed, DoerCounted, or "" if the question leaves it open
}

// Kinds returns what a noun stands for in a list or a count: Person, Place, Organisation, Any, or the noun.
func Kinds(noun string) string { return cmp.Or(listed(wordsOf(noun)), noun) }

var (
	counts     = regexp.MustCompile(`^\s*(?:how many|(?:what is )?the number of|count)\s+(?:(?:all|of|the|different|distinct|other)\s+)*(\S.*?)\s*$`)
	auxiliary  = regexp.MustCompile(`\s(did|does|do|has|have|had|was|were|is|are|that|which|who)(\s|$)`)
	everywhere = regexp.MustCompile(`^(?:there|mentioned|named|there mentioned|there named)(?:\s+(?:in|by)\s+(.+))?$`)
	says       = regexp.MustCompile(`^(.+?)\s+(?:mention|name|list|contain|have|know)s?(?:\s+of)?$`)
)

// neverEntities are measures and parts, which no graph has as entities.
var neverEntities = prose.KeySet(`seconds minutes hours days nights weeks months years decades centuries times ages
	metres meters feet inches miles kilometres kilometers yards acres pounds grams kilograms tons tonnes litres liters degrees percent
	dollars euros crowns pence cents watts volts bits bytes kilobytes megabytes gigabytes pixels points stars likes votes lines words letters
	characters pages chapters sections rows columns values spaces steps stitches sides surfaces files threads tokens calls requests retries
	bugs issues commits releases versions downloads copies units items things ways kinds types`)

// states matches words that describe how a number is or should be, which relations don't record: modal verbs, "I" and
// "we", and adverbs of time and manner.
var states = regexp.MustCompile(`\s(can|could|may|might|must|should|shall|will|would|i|we|you|am|today|now|currently|still|always|usually|yet|at (?:most|least|once)|by default|per|since|have|has|had|contain|contains|hold|holds|cover|covers|split|wide|long|high|deep|old|left|allowed|needed|required|tested|published)\s`)

// counted reads a request to count the things that a noun names: all that the graph has, or those that meet a
// condition, which stays in the words of the question.
func counted(f form) (Ask, bool) {
	at := counts.FindStringSubmatchIndex(f.plain)
	if at == nil {
		return Ask{}, false
	}
	said := f.plain[at[2]:at[3]]
	noun, aux, rest := said, "", ""
	if cut := auxiliary.FindStringSubmatchIndex(said); cut != nil {
		noun, aux, rest = said[:cut[0]], said[cut[2]:cut[3]], strings.TrimSpace(said[cut[1]:])
	} else if first, more, ok := strings.Cut(said, " "); ok {
		noun, rest = first, strings.TrimSpace(more)
	}
	if len(strings.Fields(noun)) != 1 || vocabulary()[Whole].cues[noun] || neverEntities[noun] || states.MatchString(" "+rest+" ") || strings.ContainsAny(rest, "0123456789") {
		return Ask{}, false
	}
	ask := Ask{Kind: Count, Of: Kinds(noun), Counting: &Counting{Noun: noun}}
	all := rest == ""
	if m := everywhere.FindStringSubmatch(rest); m != nil {
		if all = m[1] == "" || allWhole(m[1]); !all && strings.HasPrefix(rest, "there ") {
			return Ask{}, false // a sentence may state how many live there
		}
		ask.Where = f.after(m[1])
		if all {
			ask.Where = ""
		}
		return ask, true
	}
	if m := says.FindStringSubmatch(rest); m != nil && allWhole(m[1]) {
		all = true
	}
	if all {
		return ask, true
	}
	if slices.Contains([]string{"have", "has", "had"}, rest[strings.LastIndex(rest, " ")+1:]) {
		return Ask{}, false // no relation states it
	}
	ask.Objects = []string{f.after(rest)}
	switch by := strings.Contains(" "+rest+" ", " by "); {
	case by || aux == "did" || aux == "does" || aux == "do":
		ask.Counting.Doer = DoerNamed
	case aux == "" || aux == "was" || aux == "were" || aux == "is" || aux == "are" || aux == "who":
		ask.Counting.Doer = DoerCounted
	}
	return ask, true
}

// after returns the end of the question as it is written, given in small letters.
func (f form) after(plain string) string {
	at := strings.LastIndex(f.plain, plain)
	if at < 0 || plain == "" {
		return ""
	}
	from := f.from + domain.Runes(f.plain[:at])
	return strings.Trim(string(f.text[from:min(len(f.text), from+domain.Runes(plain))]), " ?!,;:.\"“”")
}
