package extract

import "github.com/clewhq/clew/internal/prose"

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
