package main

import (
	"log/slog"
	"regexp"
	"strings"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

// logger writes to standard error at the level of the settings. It shows every
// error with its kind and causes, and no secret.
func (s env) logger(cfg config.Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	mask := newMask(cfg.Secrets())
	return slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = domain.ErrorValue(v) // its texts come back here
		case string:
			a.Value = slog.StringValue(mask(v))
		}
		return a
	}}))
}

// userinfo matches the name and password in an address.
var userinfo = regexp.MustCompile(`://[^/\s"']*@`)

// newMask returns a function that puts … in place of the secrets of a text and
// of the name and password in an address.
func newMask(secrets []string) func(string) string {
	const shortest = 4 // letters; a shorter secret would garble the words it is part of
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= shortest {
			pairs = append(pairs, secret, "…")
		}
	}
	r := strings.NewReplacer(pairs...)
	return func(text string) string { return userinfo.ReplaceAllString(r.Replace(text), "://…@") }
}
