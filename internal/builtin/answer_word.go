package builtin

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// formsOf returns the forms of a word: its stem, the stem of its infinitive if
// it is irregular, the stems it derives from, and its group of synonyms. Two
// words can mean the same if they share a form.
func formsOf(word string) []string {
	var forms []string
	for part := range strings.FieldsSeq(prose.Key(word)) {
		forms = append(forms, prose.Stem(part))
		if n := len(part); n > 4 && strings.HasSuffix(part, "ed") && part[n-3] == part[n-4] {
			forms = append(forms, part[:n-2]) // added, missed
		}
		for _, base := range irregular[part] {
			forms = append(forms, prose.Stem(base))
		}
	}
	for _, f := range forms {
		forms = append(forms, bases(f)...)
	}
	for _, f := range forms {
		forms = append(forms, senses[f]...)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// shareForm reports whether two sorted lists of forms intersect.
func shareForm(a, b []string) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			return true
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return false
}

// derivations are endings, as the stemmer leaves them, that derive a word from
// a verb. "ry" is not one: a foundry is not something founded.
var derivations = []string{"er", "or", "ress", "ist", "ment", "it", "at", "ag", "eri", "i", "al", "anc", "enc", "ur", "ion"}

// shortestBase is the minimum length of a base.
const shortestBase = 4

// bases returns the stems that a stem may be derived from.
func bases(stem string) []string {
	var out []string
	for _, ending := range derivations {
		base, ok := strings.CutSuffix(stem, ending)
		if !ok || len(base) < shortestBase {
			continue
		}
		out = append(out, base)
		if n := len(base); base[n-1] == base[n-2] && n > shortestBase {
			out = append(out, base[:n-1])
		}
	}
	return out
}

// irregular maps irregular forms to their infinitives.
var irregular = forms(`
add addition; arise arose arisen; awake awoke awoken; bear bore borne born; beat beaten; become became; begin began begun; bend bent; bind bound; bite bit bitten; bleed bled;
blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen choice;
cling clung; come came; creep crept; deal dealt; die dead death; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; dwell dwelt; eat ate eaten;
fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown flight; forbid forbade forbidden; forget forgot forgotten; forgive forgave;
freeze froze frozen; get got gotten; give gave given gift; go went gone; grind ground; grow grew grown growth; hang hung; hear heard; hide hid hidden;
hold held; keep kept; know knew known; lay laid; lead led; leap leapt; learn learnt; leave left; lend lent; lie lay lain; light lit; lose lost loss;
make made; mean meant; meet met; mow mown; overthrow overthrew overthrown; pay paid; prove proven proof; rebuild rebuilt; rewrite rewrote rewritten;
ride rode ridden; ring rang rung; rise rose risen; run ran; saw sawn; say said; see saw seen; seek sought; sell sold sale; send sent; sew sewn; shake shook shaken;
shine shone; shoot shot; show shown; shrink shrank; sing sang sung song singer; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken speech; spend spent; spin spun;
spring sprang sprung; stand stood; steal stole stolen theft; stick stuck; sting stung; strike struck; strive strove; succeed successor succession; swear swore sworn; sweep swept; swim swam swum;
swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn;
weave wove woven; weep wept; win won; wind wound; withdraw withdrew withdrawn; write wrote written; foresee foresaw; undertake undertook undertaken; uphold upheld;
undergo underwent undergone; oversee oversaw overseer; bear birth; precede predecessor; govern governor governess; inherit heir; serve service servant; analyse analysis analyst; child children;
man men; woman women; foot feet; tooth teeth; goose geese; mouse mice
`)

// forms parses lists of a base and its irregular forms.
func forms(lists string) map[string][]string {
	of := map[string][]string{}
	for list := range strings.SplitSeq(lists, ";") {
		words := strings.Fields(list)
		for _, w := range words[1:] {
			of[w] = append(of[w], words[0])
		}
	}
	return of
}

// senses maps words to groups that are interchangeable between a question and
// its answer.
var senses = groups(`
newspaper paper gazette; street lane road avenue alley; begin start commence; buy purchase acquire; build construct erect; rebuild reconstruct; find discover detect;
marry wed wife husband spouse marriage; author write; film movie; establish found; country nation; city town;
occupation profession job; doctor physician; ship boat vessel; repair mend restore; price cost; live reside dwell; large big; child kid;
teacher teach instruct; begin launch; end finish conclude; finish complete; inn tavern pub; shop store; lawyer solicitor attorney; picture painting; car automobile;
invent devise; draw sketch; name call; help aid assist; locate situate; near close; murder kill; elect vote; appoint name; own possess; manufacture produce; buried grave;
perform sing record artist; headquarter base; educate study attend; manufacture make; creator create author; citizen nationality; licence license; colour color; behaviour behavior; centre center; pronounce pronunciation
`)

// groups parses lists of synonyms and names each group.
func groups(lists string) map[string][]string {
	of := map[string][]string{}
	for list := range strings.SplitSeq(lists, ";") {
		words := strings.Fields(list)
		for _, w := range words {
			of[prose.Stem(w)] = append(of[prose.Stem(w)], "~"+words[0])
		}
	}
	return of
}

func wordSet(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

// isPastVerb reports whether a word looks like a past-tense verb.
func isPastVerb(word string) bool {
	w := strings.ToLower(word)
	return strings.HasSuffix(w, "ed") && len(w) > 4 || len(irregular[w]) > 0 || samePast[w]
}
