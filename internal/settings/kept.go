// Package settings describes every setting, where and when it was set, and keeps the values set on the page.
package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/models/connections"
)

// A Value was set in the page or by a command.
type Value struct {
	Value  string    `json:"value"`  // "" means the default
	Former string    `json:"former"` // restored by Undo
	Who    string    `json:"who,omitempty"`
	At     time.Time `json:"at"`
}

// Values are the values that were set, by the setting's name.
type Values map[string]Value

// Apply returns the settings with the values. One that no longer fits, because the environment or the program changed, is
// left out, and stands in problems with the reason.
func (v Values) Apply(given config.Config) (cfg config.Config, problems map[string]error) {
	if cfg, err := given.With(v.plain()); err == nil {
		return cfg, nil
	}
	fitting := map[string]string{}
	cfg, problems = given, map[string]error{}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		fitting[key] = v[key].Value
		next, err := given.With(fitting)
		if err != nil {
			problems[key] = err
			delete(fitting, key)
			continue
		}
		cfg = next
	}
	return cfg, problems
}

func (v Values) plain() map[string]string {
	plain := make(map[string]string, len(v))
	for key, value := range v {
		plain[key] = value.Value
	}
	return plain
}

// A Book keeps the values for the whole installation. All fields are required.
type Book struct {
	Ledger  *ledger.Ledger
	Given   config.Config // set by the environment, which overrides the values
	Now     domain.Clock
	Process connections.Process // uses what is saved
}

// Kept names the ledger's setting that holds the Values.
const Kept = "page_settings"

// Values returns the values that were set.
func (b *Book) Values(ctx context.Context) (Values, error) {
	values, _, err := b.read(ctx)
	return values, err
}

// read returns the values, and the text that holds them.
func (b *Book) read(ctx context.Context) (Values, string, error) {
	text, set, err := b.Ledger.Setting(ctx, domain.Installation, Kept)
	values := Values{}
	if err == nil && set {
		if err = json.Unmarshal([]byte(text), &values); err != nil {
			err = fmt.Errorf("decode the settings of the page: %w", err)
		}
	}
	return values, text, err
}

// Set sets values, "" to the default, all or none, and returns the names of those that changed. The error is of kind
// Invalid and has a sentence for each value that is wrong, see [Problems].
func (b *Book) Set(ctx context.Context, changes map[string]string) ([]string, error) {
	if err := known(slices.Sorted(maps.Keys(changes))...); err != nil {
		return nil, err
	}
	return b.change(ctx, func(v Values) (map[string]string, error) {
		for _, s := range b.Given.Settings() {
			if _, ok := changes[s.Key]; ok && s.Fixed() {
				return nil, fixed(s)
			}
		}
		next := v.plain()
		for key, value := range changes {
			next[key] = strings.TrimSpace(value)
		}
		cfg, err := b.Given.With(next)
		if err != nil {
			return nil, err
		}
		for _, s := range cfg.Settings() {
			if _, ok := changes[s.Key]; ok {
				if next[s.Key] = s.Value; s.Value == s.Default {
					next[s.Key] = ""
				}
			}
		}
		return next, nil
	})
}

// known returns an error of kind NotFound unless there are settings with the names.
func known(keys ...string) error {
	all := lists.Map(config.Settings(), func(s config.Setting) string { return s.Key })
	for _, key := range keys {
		if slices.Contains(all, key) {
			continue
		}
		if near, slip := domain.NearestName(key, all); slip {
			return domain.Errorf(domain.NotFound, "Unknown setting %s. Did you mean %s?", domain.Cut(key, 60), near)
		}
		return domain.Errorf(domain.NotFound, "Unknown setting %s. clew settings lists all settings.", domain.Cut(key, 60))
	}
	return nil
}

func fixed(s config.Setting) error {
	if s.OnPage {
		return domain.Errorf(domain.Invalid, "%s is set in the environment, which takes precedence. Change it there and restart Clew.", s.Key)
	}
	return domain.Errorf(domain.Invalid, "%s can only be set in the environment. Set the variable %s there and start Clew again; docs/config.md says what it takes.", s.Key, s.Key)
}

// Undo puts back what values were before they were set, and returns the names of those that changed.
func (b *Book) Undo(ctx context.Context, keys ...string) ([]string, error) {
	if err := known(keys...); err != nil {
		return nil, err
	}
	return b.change(ctx, func(v Values) (map[string]string, error) {
		next := v.plain()
		for _, key := range keys {
			value, ok := v[key]
			if !ok {
				return nil, domain.Errorf(domain.NotFound, "%q was not set here, so there is nothing to undo.", domain.Cut(key, 60))
			}
			next[key] = value.Former
		}
		_, err := b.Given.With(next)
		return next, err
	})
}

// change keeps the values that next returns.
func (b *Book) change(ctx context.Context, next func(Values) (map[string]string, error)) (changed []string, err error) {
	values, text, err := b.read(ctx)
	if err != nil {
		return nil, err
	}
	wanted, err := next(maps.Clone(values))
	if err != nil {
		return nil, err
	}
	for key, value := range wanted {
		if former := values[key].Value; former != value {
			changed = append(changed, key)
			values[key] = Value{Value: value, Former: former, Who: domain.PersonOf(ctx), At: b.Now()}
		}
	}
	slices.Sort(changed)
	if len(changed) == 0 {
		return nil, nil
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode the settings of the page: %w", err)
	}
	done, err := b.Ledger.ChangeSetting(ctx, domain.Installation, Kept, text, string(encoded))
	if err == nil && !done {
		err = domain.Errorf(domain.Conflict, "Somebody else has just changed a setting. Nothing was saved. Look at the values and try again.")
	}
	if err != nil {
		return nil, err
	}
	return changed, b.Process.Follow(ctx)
}

// Problems returns the sentences of an error of Set by the setting that they name, "" for one that names none.
func Problems(err error, keys []string) map[string]string {
	all := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all = several.Unwrap()
	}
	problems := map[string]string{}
	for _, one := range all {
		sentence, named := domain.InWords(one), ""
		for _, key := range keys {
			if strings.Contains(sentence, key) && len(key) > len(named) {
				named = key
			}
		}
		problems[named] = cmp.Or(problems[named], sentence)
	}
	return problems
}

// Wrong reports whether an error is about the values themselves.
func Wrong(err error) bool {
	_, ok := errors.AsType[*domain.Error](err)
	return ok && domain.KindOf(err) == domain.Invalid
}
