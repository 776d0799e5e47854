// Package stated reads the values that texts state for fields: lines such as "Status: final" or "Date:
// 3 May 2021", and the values expressed by words, in English, German, French and Spanish.
package stated

import (
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Lines are the lines of a text that state something.
type Lines struct {
	lines  domain.StatedLines
	speaks string // language of the text
}

// Read returns the lines of a text that state something.
func Read(text string) Lines { return Lines{domain.ReadLines(text), prose.Language(text)} }

// Find returns the values of a field in the first line that states one of its kind under one of some names, or under what they are
// in another language, and the span of the line.
func (l Lines) Find(f domain.Field, names ...string) ([]string, domain.Span) {
	var all []string
	for _, name := range names {
		all = append(all, inLanguages(strings.ToLower(domain.OneLine(name)))...)
	}
	return l.lines.Find(func(said string) []string { return Values(f, said, l.speaks) }, all...)
}

// sameNames are names of fields in the four languages.
var sameNames = [][]string{
	{"date", "datum", "fecha"}, {"status", "stand", "statut", "estado"}, {"author", "autor", "verfasser", "auteur"}, {"subject", "betreff", "objet", "asunto"}, //nolint:misspell // German, French and Spanish
	{"place", "ort", "lieu", "lugar"}, {"number", "nummer", "numéro", "número"}, {"amount", "betrag", "montant", "importe"}, {"total", "summe", "gesamt"},
	{"from", "von", "de"}, {"to", "an", "à", "para"}, {"version", "fassung", "versión"}, {"language", "sprache", "langue", "idioma"}, {"due date", "fällig am", "échéance", "vencimiento"},
	{"participants", "teilnehmer", "participantes"}, {"duration", "dauer", "durée", "duración"}, {"department", "abteilung", "service", "departamento"}, //nolint:misspell // German, French and Spanish
	{"valid until", "gültig bis", "valable jusqu'au", "válido hasta"}, {"confidential", "vertraulich", "confidentiel", "confidencial"}, {"approved", "genehmigt", "approuvé", "aprobado"}, //nolint:misspell // German, French and Spanish
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
