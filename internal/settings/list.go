package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/costs"
	"github.com/clewhq/clew/internal/models/connections"
)

// A Setting is one setting as it is now.
type Setting struct {
	Group   string       `json:"group"`
	Key     string       `json:"setting"`
	Help    string       `json:"help"`
	Value   string       `json:"value"` // "set" for a secret, "" if it is not set
	Place   config.Place `json:"set_in"`
	Default string       `json:"default"`
	Who     string       `json:"who,omitempty"` // who set it on the page
	At      *time.Time   `json:"at,omitempty"`  // when
	Fixed   bool         `json:"fixed"`         // it can't be set on the page
	Problem string       `json:"problem,omitempty"`
	Kind    string       `json:"-"` // see config.Setting
	Row     string       `json:"-"` // ID of the Row that sets it in its own form; "" if there is none
}

// Changed reports whether a setting is not its default.
func (s Setting) Changed() bool { return s.Place != config.Default }

// OfEnvironment reports whether the environment sets it.
func (s Setting) OfEnvironment() bool {
	return s.Place == config.Environment || s.Place == config.File
}

// Says reports whether the words occur in what is said of a setting.
func (s Setting) Says(words string) bool {
	all := strings.ToLower(strings.Join([]string{s.Group, s.Key, strings.ReplaceAll(s.Key, "_", " "), s.Help, s.Value, string(s.Place)}, " "))
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// groups are the groups of the list in its order, with those of package config.
var groups = []struct {
	name string
	of   []string
}{
	{"Answers", []string{"Answers"}},
	{"Reading", []string{"Documents"}},
	{"Model", []string{"Model", "Embeddings", "Calls"}},
	{"Models for single steps", []string{"Model for extraction", "Model for grading and checking", "Model for rewriting questions", "Model for summaries"}},
	{"Spending", []string{"Costs"}},
	{"Storage", []string{"Stores", "Runs", "Storage"}},
	{"Keeping", []string{"Keeping"}},
	{"Sign-in", []string{"Account", "Sign-on"}},
	{"Where it runs", []string{"Where"}},
}

// groupOf returns the place of a group of package config in the list, and its name there.
func groupOf(of string) (int, string) {
	for i, g := range groups {
		if slices.Contains(g.of, of) {
			return i, g.name
		}
	}
	return len(groups), of
}

// list returns all settings by group, with their values.
func (o *Overview) list(st State, caps costs.Caps) []Setting {
	given, problems := st.Values.Apply(o.Book.Given)
	connected := map[string]connections.Connection{} // by the prefix of their settings
	for _, s := range st.Standings {
		if s.From == connections.FromPage {
			connected[s.Role.Settings()] = *s.Kept
		}
	}
	var list []Setting
	inUse := o.Used.Settings()
	for i, s := range given.Settings() {
		_, group := groupOf(s.Group)
		one := Setting{Group: group, Key: s.Key, Help: s.Help, Value: s.Value, Place: s.Place, Default: s.Default, Fixed: s.Fixed(), Kind: s.Kind}
		if v, ok := st.Values[s.Key]; ok && s.Place == config.Page {
			one.Who, one.At = v.Who, &v.At
		}
		if err := problems[s.Key]; err != nil {
			one.Problem = Problems(err, []string{s.Key})[s.Key]
		}
		if c, ok := connected[prefixOf(s.Key)]; ok && one.Place == config.Default && inUse[i].Value != s.Value {
			one.Value, one.Place, one.Who, one.At = inUse[i].Value, config.Page, c.Who, &c.At
		}
		one.Row = rowOf(s)
		list = append(list, one)
	}
	for scope, limit := range caps { // those of the page override the environment
		at := slices.IndexFunc(list, func(s Setting) bool { return s.Key == capPrefix+strings.ToUpper(string(scope)) })
		if at >= 0 && limit != o.Costs.Defaults[scope] {
			list[at].Value, list[at].Place = limit.Text(), config.Page
		}
	}
	order := map[string]int{}
	for i, g := range groups {
		order[g.name] = i - len(groups)
	}
	slices.SortStableFunc(list, func(a, b Setting) int { return order[a.Group] - order[b.Group] })
	return list
}

// rowOf returns the row of the page that sets a setting in its own form.
func rowOf(s config.Setting) string {
	switch _, group := groupOf(s.Group); {
	case s.Group == "Embeddings":
		return RowEmbed
	case s.Group == "Model", group == "Models for single steps":
		return RowAnswer
	case strings.HasPrefix(s.Key, capPrefix):
		return RowSpending
	}
	return ""
}

// capPrefix begins the names of caps.
const capPrefix = "CAP_"

// prefixOf returns the part of a name before the first underscore.
func prefixOf(key string) string {
	prefix, _, _ := strings.Cut(key, "_")
	return prefix
}

// Found returns what there is on the machine, in pairs of a name and a value.
func (o *Overview) Found() [][2]string {
	model, scans := "none yet: sentences are quoted, answers are not written", "no tesseract: scans are not read"
	if len(o.Models) > 0 {
		model = strings.Join(o.Models, ", ")
	}
	if o.Scanner {
		scans = "tesseract is here"
	}
	return [][2]string{{"Data folder", o.Used.Data}, {"Model", model}, {"Scans", scans}, {"Pictures", o.drawn().Value}, {"Listens on", o.Used.Listen}}
}
