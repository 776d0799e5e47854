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
