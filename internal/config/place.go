package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/clewhq/clew/internal/domain"
)

// A Place is where a setting is set.
type Place string

// The places. What the environment sets goes before what the page sets.
const (
	Default     Place = "default"
	Environment Place = "environment"
	File        Place = "file" // named in the environment by NAME_FILE
	Page        Place = "page"
)

// placesOf returns where the settings of an environment are set.
func placesOf(vars map[string]string) map[string]Place {
	places := map[string]Place{}
	for _, s := range Settings() {
		switch {
		case vars[s.Key] == "":
		case vars[s.Key+"_FILE"] != "":
			places[s.Key] = File
		default:
			places[s.Key] = Environment
		}
	}
	return places
}

// onPage reports whether a setting may be set in the page: those about reading, answering, keeping and calling. Where the
// program runs, what it may reach and with which secrets is for whoever starts it.
func onPage(s Setting, tag string) bool {
	return tag == "true" || tag == "" && !s.Secret && slices.Contains([]string{"Documents", "Answers", "Runs", "Calls"}, s.Group)
}

// Fixed reports whether the page can't set it.
func (s Setting) Fixed() bool { return !s.OnPage || s.Place == Environment || s.Place == File }

// With returns the settings with values that were set in the page, by name, where the environment sets none. The error
// has a sentence for each value that is wrong.
func (c Config) With(values map[string]string) (Config, error) {
	if len(values) == 0 {
		return c, nil
	}
	known := c.Settings()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(known, func(s Setting) bool { return s.Key == key && s.OnPage }) {
			return c, domain.Errorf(domain.Invalid, "%s can't be set in the page.", key)
		}
	}
	var parsed Config
	if err := env.ParseWithOptions(&parsed, env.Options{Environment: values}); err != nil {
		return c, unreadable(err, values)
	}
	next := c
	next.places = maps.Clone(c.places)
	if next.places == nil {
		next.places = map[string]Place{}
	}
	next.take(reflect.ValueOf(&next).Elem(), reflect.ValueOf(parsed), values)
	return next, next.Check()
}

// take copies the fields of settings that have a value and no place yet.
func (c Config) take(to, from reflect.Value, values map[string]string) {
	for i := range to.NumField() {
		field := to.Type().Field(i)
		key := field.Tag.Get("env")
		switch {
		case !field.IsExported():
		case key == "" && field.Tag.Get("envPrefix") == "": // settings that the page may set have no prefix
			c.take(to.Field(i), from.Field(i), values)
		case key == "" || values[key] == "" || c.places[key] != "":
		default:
			to.Field(i).Set(from.Field(i))
			c.places[key] = Page
		}
	}
}

// A variable looks like a misspelled setting if its name has at least fewestLetters and differs from a setting's in at most
// mostLetters, or if its first word begins at least alike settings.
const (
	fewestLetters = 6
	mostLetters   = 2
	alike         = 3
)

// Misspelt returns a sentence for each environment variable that looks like a misspelled setting.
func (c Config) Misspelt() (said []string) {
	known, groups := map[string]bool{}, map[string]int{}
	all := Settings()
	keys := make([]string, len(all))
	for i, s := range all {
		keys[i] = s.Key
		known[s.Key], known[s.Key+"_FILE"], known["LLM_MODEL_"+strings.TrimSuffix(s.Key, "_MODEL")] = true, true, true
		groups[group(s.Key)]++
	}
	for _, name := range slices.Sorted(maps.Keys(c.given)) {
		if known[name] || c.given[name] == "" {
			continue
		}
		best, _ := domain.NearestName(name, keys)
		near := group(name) != "" && groups[group(name)] >= alike
		near = near || len(name) >= fewestLetters && domain.Distance([]rune(name), []rune(best)) <= mostLetters
		if near {
			said = append(said, fmt.Sprintf("%s is not a setting and has no effect. Rename it if %s is meant.", name, best))
		}
	}
	return said
}

// group returns the first word of the name of a setting that has several, with the line behind it.
func group(name string) string { return name[:strings.Index(name, "_")+1] }
