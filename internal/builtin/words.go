package builtin

import (
	_ "embed"
	"strings"

	"github.com/clewhq/clew/internal/prose"
)

// Reader is the miner's name and version, recorded with its results. It must
// change whenever the miner finds something else in the same text.
const Reader = "builtin/12"

//go:embed words.txt
var wordsFile string

var lists = prose.ReadLists(wordsFile)

// Words that reveal a label, a gender or an action.
var (
	nounLabels, endingLabels  = lists.Kinds("nouns"), lists.Kinds("endings")
	beginnings, titleEndings  = lists.Kinds("beginnings"), lists.Kinds("titles")
	cues, kinGender           = lists.Kinds("cues"), lists.Kinds("gender")
	makers, winners, askWords = lists.Kinds("makers"), lists.Kinds("winners"), lists.Kinds("asks")
)

// The words of names, see words.txt.
var (
	givenNames, knownPlaces, demonyms    = lists.Set("given-names"), lists.Set("known-places"), lists.Set("demonyms")
	bareWords, officeWords, participial  = lists.Set("bare"), lists.Set("offices"), lists.Set("participial")
	notions, callingWords                = lists.Set("notions"), lists.Set("calling")
	legal, surnames, memberNouns         = lists.Set("legal"), lists.Set("surnames"), lists.Set("members")
	legislatures                         = lists.Set("legislatures")
	humanDeeds                           = lists.Set("human-deeds")
	particlesOfPeople, computing, jargon = lists.Set("name-particles"), lists.Set("computing"), lists.Set("jargon")
	properly, germanNouns                = lists.Set("properly"), lists.Set("german-nouns")
	abstract                             = lists.Set("abstract")
)

// The words of sentences.
var (
	articles, plainArticles, possessives = lists.Set("articles"), lists.Set("plain-articles"), lists.Set("possessives")
	copulas, auxiliaries, modals         = lists.Set("copulas"), lists.Set("auxiliaries"), lists.Set("modals")
	pronouns, denials, conditions        = lists.Set("pronouns"), lists.Set("denials"), lists.Set("conditions")
	clauseWords, prepositions            = lists.Set("clause-words"), lists.Set("prepositions")
	rolePrepositions, timely, far        = lists.Set("role-prepositions"), lists.Set("timely"), lists.Set("far")
	adverbs, notAdverbs                  = lists.Set("adverbs"), lists.Set("not-adverbs")
	notPast, presents, vague             = lists.Set("not-past"), lists.Set("presents"), lists.Set("vague")
	made, doubts, hedges                 = lists.Set("made"), lists.Set("doubts"), lists.Set("hedges")
	including, deeds, kin                = lists.Set("including"), lists.Set("deeds"), lists.Set("kin")
)

// The words of questions.
var (
	whichOf, dateNouns, numberNouns    = lists.Set("which"), lists.Set("dates"), lists.Set("numbers")
	numberWords, beings, helping       = lists.Set("number-words"), lists.Set("beings"), lists.Set("helping")
	determiners, places, agents        = lists.Set("determiners"), lists.Set("places"), lists.Set("agents")
	pronounsOfPeople, pronounsOfThings = lists.Set("pronouns-of-people"), lists.Set("pronouns-of-things")
	relatives, linking, joining        = lists.Set("relatives"), lists.Set("linking"), lists.Set("joining")
	leading, trailing                  = lists.Set("leading"), lists.Set("trailing")
	questions, persons                 = lists.Set("questions"), lists.Set("persons")
)

// The forms of irregular verbs, mapped to the past tense.
var irregularBase, irregularPast, irregularParticiple = readIrregular()

func readIrregular() (base, past, participle map[string]string) {
	base, past, participle = map[string]string{}, map[string]string{}, map[string]string{}
	for verb := range lists.Set("irregular-verbs") {
		f := strings.Fields(verb)
		base[f[0]], past[f[1]], participle[f[2]] = f[1], f[1], f[1]
	}
	delete(participle, "become")
	delete(participle, "come")
	return base, past, participle
}

// hasEnding reports whether a word ends in one of endings after two or more letters.
func hasEnding(word string, endings map[string]bool) bool {
	for ending := range endings {
		if len(word) > len(ending)+1 && strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}
