package config

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Setting describes one setting.
type Setting struct {
	Key     string
	Default string
	Group   string
	Note    string // about the whole group
	Help    string
	Secret  bool
	Place   Place
	OnPage  bool   // it may be set on the page
	Kind    string // of the value: bool, int, float64, Duration or string
	Value   string // the effective value, safe to show: "set" for a secret, … for a part that may be one
	raw     string
}

// Settings returns all settings in the order of Config's fields.
func Settings() []Setting { return Config{}.Settings() }

// Settings returns all settings with their effective values, secrets masked.
func (c Config) Settings() []Setting {
	list := appendSettings(nil, reflect.ValueOf(c), "")
	for i := range list {
		list[i].Place = cmp.Or(c.places[list[i].Key], Default)
	}
	return list
}

// appendSettings adds the settings of a struct. The tags of the field that holds
// it, if any, give them a prefix and a group.
func appendSettings(list []Setting, v reflect.Value, of reflect.StructTag) []Setting {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		key := field.Tag.Get("env")
		if !field.IsExported() {
			continue
		}
		if key == "" {
			list = appendSettings(list, value, field.Tag)
			continue
		}
		s := Setting{
			Key:     of.Get("envPrefix") + key,
			Default: field.Tag.Get("envDefault"),
			Group:   cmp.Or(of.Get("group"), field.Tag.Get("group")),
			Note:    of.Get("help"),
			Help:    field.Tag.Get("help"),
			Secret:  field.Tag.Get("secret") == "true",
			Kind:    field.Type.Name(),
			raw:     fmt.Sprint(value.Interface()),
		}
		s.Value, s.OnPage = s.shown(), onPage(s, field.Tag.Get("page"))
		list = append(list, s)
	}
	return list
}

// shown returns the value without what must not be seen: a secret, and the name,
// the password and the query of an address.
func (s Setting) shown() string {
	switch {
	case s.raw == "":
		return ""
	case s.Secret:
		return "set"
	case !strings.HasSuffix(s.Key, "_URL"):
		return s.raw
	}
	u, err := url.Parse(s.raw)
	if err != nil {
		return "set"
	}
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return s.raw
	}
	shown := u.Scheme + "://"
	if u.User != nil {
		shown += "…@"
	}
	shown += u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		shown += "?…"
	}
	return shown
}

// secrets returns the parts of the value that must not be logged: a secret, and the password of an address or, without
// one, its name, which is then a key.
func (s Setting) secrets() []string {
	var secrets []string
	if s.Secret {
		secrets = append(secrets, s.raw)
	}
	if strings.HasSuffix(s.Key, "_HEADERS") || strings.HasSuffix(s.Key, "_QUERY") {
		secrets = append(secrets, likelyKeys(s.raw)...)
	}
	u, err := url.Parse(s.raw)
	if err != nil || u.User == nil || u.Host == "" {
		return secrets
	}
	secret, ok := u.User.Password()
	if !ok {
		secret = u.User.Username()
	}
	return append(secrets, secret, url.QueryEscape(secret), url.PathEscape(secret))
}

// likelyKeys returns the words of headers or parameters that are long enough for
// a key: most of the shorter ones are plain words.
func likelyKeys(s string) []string {
	const shortest = 8
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ;:=&", r) })
	for _, w := range words {
		if plain, err := url.QueryUnescape(w); err == nil && plain != w {
			words = append(words, plain)
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < shortest })
}

// Markdown returns the text of docs/config.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Settings\n\nEvery setting is an environment variable with a default, so Clew starts without any.\n" +
		"To keep a secret in a file, append `_FILE` to the setting's name and give the file's path.\n")
	group := ""
	for _, s := range Settings() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
			if s.Note != "" {
				fmt.Fprintf(&b, "\n%s\n", s.Note)
			}
			fmt.Fprintf(&b, "\n| setting | default | meaning |\n| --- | --- | --- |\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Key, code(s.Default), s.Help)
	}
	return b.String()
}

// EnvExample returns the text of .env.example.
func EnvExample() string {
	var b strings.Builder
	b.WriteString("# Copy to .env and change what you need. Everything has a default.\n")
	group := ""
	for _, s := range Settings() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n# --- %s ---\n", group)
			if s.Note != "" {
				fmt.Fprintf(&b, "# %s\n", s.Note)
			}
		}
		fmt.Fprintf(&b, "# %s\n#%s=%s\n", s.Help, s.Key, s.Default)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
