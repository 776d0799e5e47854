// Package stated reads what texts state of fields: lines such as "Status: final", rows of tables such as "Date | 3 May 2021", and
// what words say as a value of a kind, in English, German, French and Spanish.
package stated

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Lines are the lines of a text that state something under a name.
type Lines struct {
	speaks string // language of the text
	by     map[string][]line
}

// A line states a value.
type line struct {
	value string
	span  domain.Span
}

const (
	cell    = "|"       // between the cells of a row
	dressed = " \t*_`#" // around names and values
)

// Read returns the lines of a text that state something.
func Read(text string) Lines {
	l := Lines{prose.Language(text), map[string][]line{}}
	at, open, from := 0, "", 0 // a name whose value stands in the next line, and where it begins
	for row := range strings.SplitSeq(text, "\n") {
		end := at + domain.Runes(row)
		name, value, is := split(row)
		switch {
		case is && value != "":
			l.by[name] = append(l.by[name], line{value, domain.Span{Start: at, End: end}})
		case open != "" && strings.Trim(row, dressed) != "":
			l.by[open] = append(l.by[open], line{strings.Trim(row, dressed), domain.Span{Start: from, End: end}})
		}
		if open = ""; is && value == "" {
			open, from = name, at
		}
		at = end + 1
	}
	return l
}

// split returns the name in small letters and the value that a line states, which may follow in the next one.
func split(row string) (name, value string, is bool) {
	row = strings.TrimLeft(strings.Trim(row, " \t|*_`\r"), " \t#-–•>*_`")
	name, value, is = strings.Cut(row, cell)
	if !is {
		name, value, is = strings.Cut(row, ":")
		is = is && !strings.HasPrefix(value, "//") // an address
	}
	name = strings.ToLower(domain.OneLine(strings.Trim(name, dressed+":")))
	value = strings.Trim(value, dressed+"|:")
	return name, value, is && name != "" && domain.Runes(name) <= domain.MaxFieldName && !strings.Contains(value, cell)
}

// Find returns the values of a field in the first line that states one of its kind under one of some names, or under what they are
// in another language, and the span of the line.
func (l Lines) Find(f domain.Field, names ...string) (values []string, at domain.Span) {
	for _, name := range names {
		for _, name := range inLanguages(strings.ToLower(domain.OneLine(name))) {
			for _, one := range l.by[name] {
				if !at.Empty() && one.span.Start > at.Start {
					break
				}
				if said := Values(f, one.value, l.speaks); len(said) > 0 {
					values, at = said, one.span
				}
			}
		}
	}
	return values, at
}

// sameNames are names of fields in the four languages.
var sameNames = [][]string{
	{"date", "datum", "fecha"}, {"status", "stand", "statut", "estado"}, {"author", "autor", "verfasser", "auteur"}, {"subject", "betreff", "objet", "asunto"},
	{"place", "ort", "lieu", "lugar"}, {"number", "nummer", "numéro", "número"}, {"amount", "betrag", "montant", "importe"}, {"total", "summe", "gesamt"},
	{"from", "von", "de"}, {"to", "an", "à", "para"}, {"version", "fassung", "versión"}, {"language", "sprache", "langue", "idioma"}, {"due date", "fällig am", "échéance", "vencimiento"},
	{"participants", "teilnehmer", "participantes"}, {"duration", "dauer", "durée", "duración"}, {"department", "abteilung", "service", "departamento"},
	{"valid until", "gültig bis", "valable jusqu'au", "válido hasta"}, {"confidential", "vertraulich", "confidentiel", "confidencial"}, {"approved", "genehmigt", "approuvé", "aprobado"},
}

// inLanguages returns a name, and what it is in other languages.
func inLanguages(name string) []string {
	for _, same := range sameNames {
		if slices.Contains(same, name) {
			return same
		}
	}
	return []string{name}
}
