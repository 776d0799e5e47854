package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// label returns the allowed label for a mined one, or else the mined one and
// false.
func (s Schema) label(mined string) (string, bool) {
	if len(s.Labels) == 0 {
		return mined, true
	}
	for _, matches := range []func(LabelRule) bool{
		func(l LabelRule) bool { return Label(l.Name) == mined },
		func(l LabelRule) bool { return sayings(l.Name, l.Synonyms)[fold(mined)] },
		func(l LabelRule) bool {
			return mined != domain.UnknownLabel && sayings(l.Name, l.Synonyms)[lastWord(mined)]
		},
		func(l LabelRule) bool { return isKind(lastWord(mined), fold(l.Name)) },
	} {
		if at := slices.IndexFunc(s.Labels, matches); at >= 0 {
			return Label(s.Labels[at].Name), true
		}
	}
	return mined, false
}

// kind returns the schema's type for a mined one, or "" if there is none, and reports whether it joins the two labels.
// turned means that the relation must be reversed: a passive is allowed as its active.
func (s Schema) kind(source, mined, target string) (kind string, joins, turned bool) {
	if len(s.Types) == 0 {
		return mined, true, false
	}
	active, passive := strings.CutSuffix(mined, "_BY")
	for _, way := range []struct {
		words          string
		matches        func(TypeRule, string) bool
		turned         bool
		source, target string
	}{
		{mined, func(t TypeRule, w string) bool { return Type(t.Name) == w }, false, source, target},
		{mined, saidAs, false, source, target},
		{active, saidAs, true, target, source},
		{mined, alike, false, source, target},
		{active, alike, true, target, source},
	} {
		if way.turned && !passive {
			continue
		}
		for _, t := range s.Types {
			if !way.matches(t, way.words) {
				continue
			}
			if s.joins(way.source, t.Name, way.target) {
				return Type(t.Name), true, way.turned
			}
			if kind == "" {
				kind, turned = Type(t.Name), way.turned
			}
		}
	}
	return kind, false, turned
}

func saidAs(t TypeRule, mined string) bool { return sayings(t.Name, t.Synonyms)[fold(mined)] }

// alike reports whether the table of obvious kinds has both types in one row.
func alike(t TypeRule, mined string) bool {
	return slices.ContainsFunc(sameTypes, func(row map[string]bool) bool { return row[fold(t.Name)] && row[fold(mined)] })
}

// sayings returns a name and its synonyms, folded.
func sayings(name string, synonyms []string) map[string]bool {
	set := map[string]bool{fold(name): true}
	for _, s := range synonyms {
		set[fold(s)] = true
	}
	return set
}

// isKind reports whether the table of obvious kinds has a word, folded, under a
// label, folded.
func isKind(word, label string) bool {
	return slices.ContainsFunc(kinds, func(k family) bool { return k.names[label] && (k.names[word] || k.members[word]) })
}

// lastWord returns the word of a label that names the kind of thing, folded: institute for a research institute.
func lastWord(label string) string {
	parts := words(label)
	if len(parts) == 0 {
		return ""
	}
	return fold(parts[len(parts)-1])
}

// fold returns the words of a label or type by their stems, without auxiliaries,
// so that "was founded", FOUNDED and "founds" are the same.
func fold(name string) string {
	var stems []string
	parts := words(name)
	for _, w := range parts {
		w = strings.ReplaceAll(strings.ToLower(w), "isation", "ization")
		if auxiliary[w] && len(parts) > 1 {
			continue
		}
		if base, ok := irregular[w]; ok {
			w = base
		}
		stems = append(stems, prose.Stem(w))
	}
	return strings.Join(stems, " ")
}

func isLetter(r rune) bool { return unicode.IsLetter(r) }

// family is a row of the table of obvious kinds, folded: synonymous labels, and labels for kinds of them.
type family struct{ names, members map[string]bool }

var kinds = []family{
	{foldAll("person, people, human, individual"), foldAll(`scientist, physicist, chemist, biologist, mathematician, writer, author, novelist, poet, actor, actress,
		singer, musician, composer, politician, president, minister, king, queen, emperor, artist, painter, architect, engineer, inventor, player, footballer,
		director, producer, journalist, lawyer, judge, soldier, officer, philosopher, historian, teacher, professor, student, doctor, employee, researcher`)},
	{foldAll("organization, organisation, institution, company"), foldAll(`company, corporation, firm, university, college, school, institute, laboratory, agency, department, ministry,
		party, band, club, team, association, society, union, bank, trust, church, committee, council, government, court, army, navy, foundation, publisher, employer`)},
	{foldAll("place, location"), foldAll(`city, town, village, country, state, province, county, region, district, river, lake, sea, ocean, mountain, valley, island, continent, street,
		building, bridge, castle, station, airport, park, venue, settlement, address`)},
	{foldAll("event"), foldAll(`war, battle, election, conference, meeting, festival, flood, fire, accident, incident, outage, match, tournament, ceremony, exhibition, revolution, treaty`)},
	{foldAll("work, creative work, text"), foldAll(`book, novel, film, movie, song, album, play, painting, poem, article, paper, report, document, map, newspaper, magazine, series, episode, opera, symphony`)},
	{foldAll("award, prize"), foldAll("medal, honor, honour, title")},
	{foldAll("date, time"), foldAll("year, month, day, decade, century, period")},
	{foldAll("thing, entity, other"), nil},
}

// sameTypes holds types that say the same in the same direction, folded.
var sameTypes = []map[string]bool{
	foldAll("founded, established, set up, co founded, founder of"),
	foldAll("works for, works at, employed at, employee of, worked as employee of"),
	foldAll("member of, belongs to, joined"),
	foldAll("located in, based in, situated in, lies in, headquartered in, in"),
	foldAll("wrote, authored, author of, writer of, penned"),
	foldAll("won, received, winner of, recipient of"),
	foldAll("married to, married, spouse of, wife of, husband of"),
	foldAll("child of, son of, daughter of"),
	foldAll("parent of, father of, mother of"),
	foldAll("directed, director of"),
	foldAll("designed, designer of, architect of"),
	foldAll("leads, heads, leader of, head of, chairs, runs"),
	foldAll("studied at, attended, graduated from, educated at, student at"),
	foldAll("acquired, bought, purchased, took over"),
	foldAll("professor at, teaches at, lectures at, taught at"),
}

// auxiliary holds words that say nothing about a type.
var auxiliary = prose.Set("is, are, was, were, be, been, being, has, have, had, the, a, an")

// irregular maps forms of verbs to the one that is stemmed.
var irregular = map[string]string{
	"won": "win", "wrote": "write", "written": "write", "built": "build", "led": "lead", "made": "make", "held": "hold", "bought": "buy", "sold": "sell",
	"taught": "teach", "ran": "run", "took": "take", "taken": "take", "gave": "give", "given": "give", "became": "become", "began": "begin", "begun": "begin",
	"drew": "draw", "drawn": "draw", "paid": "pay", "met": "meet", "left": "leave", "lost": "lose", "found": "find", "sang": "sing", "spoke": "speak",
	"spoken": "speak", "chose": "choose", "chosen": "choose", "knew": "know", "known": "know", "swept": "sweep", "went": "go", "brought": "bring",
}

func foldAll(list string) map[string]bool {
	m := map[string]bool{}
	for word := range prose.Set(list) {
		m[fold(word)] = true
	}
	return m
}
