package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Setting describes one setting.
type Setting struct {
	Key     string
	Default string
	Group   string
	Help    string
	Secret  bool
	Value   string // the effective value; "set" for a secret
	secret  string // the value of a secret
}

// Settings returns all settings in the order of Config's fields.
func Settings() []Setting { return Config{}.Settings() }

// Settings returns all settings with their effective values, secrets masked.
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

// Markdown returns the text of docs/config.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Settings\n\nEvery setting is an environment variable with a default, so Clew starts without any.\n" +
		"To keep a secret in a file, append `_FILE` to the setting's name and give the file's path.\n")
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

// EnvExample returns the text of .env.example.
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
