package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Setting describes one setting, as printed in the documentation.
type Setting struct {
	Key     string
	Default string
	Group   string
	Help    string
	Secret  bool
	Value   string // in force; "set" for a secret that is
	secret  string // what Value masks
}

// Settings lists every setting in the order of Config's fields.
func Settings() []Setting { return Config{}.Settings() }

// Settings lists every setting with its value in force, secrets masked.
func (c Config) Settings() []Setting {
	return appendSettings(nil, reflect.ValueOf(c))
}

func appendSettings(list []Setting, v reflect.Value) []Setting {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		key := field.Tag.Get("env")
		if key == "" {
			list = appendSettings(list, value)
			continue
		}
		s := Setting{
			Key:     key,
			Default: field.Tag.Get("envDefault"),
			Group:   field.Tag.Get("group"),
			Help:    field.Tag.Get("help"),
			Secret:  field.Tag.Get("secret") == "true",
			Value:   fmt.Sprint(value.Interface()),
		}
		if s.Secret && s.Value != "" {
			s.Value, s.secret = "set", s.Value
		}
		list = append(list, s)
	}
	return list
}

// Markdown is the text of docs/config.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Settings\n\nEvery setting is an environment variable. All have a default: the program starts without any.\n" +
		"A name with `_FILE` appended names a file that holds the value, which suits secrets.\n")
	group := ""
	for _, s := range Settings() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n## %s\n\n| setting | default | meaning |\n| --- | --- | --- |\n", group)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Key, code(s.Default), s.Help)
	}
	return b.String()
}

// EnvExample is the text of .env.example.
func EnvExample() string {
	var b strings.Builder
	b.WriteString("# Copy to .env and change what you need. Everything has a default.\n")
	group := ""
	for _, s := range Settings() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n# --- %s ---\n", group)
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
