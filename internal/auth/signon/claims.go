package signon

import "strings"

// claims are a provider's statements about a person.
type claims map[string]any

// at returns the value at a path: a name, or names with dots between them. A name may itself contain dots.
func (c claims) at(path string) (any, bool) {
	if v, ok := c[path]; ok {
		return v, true
	}
	for i := range len(path) {
		if path[i] != '.' {
			continue
		}
		if inner, ok := c[path[:i]].(map[string]any); ok {
			if v, ok := claims(inner).at(path[i+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// text returns a claim that is text, or "".
func (c claims) text(name string) string {
	s, _ := c[name].(string)
	return line(s)
}

// groups returns the groups at a path, one or a list, and whether something is there.
func (c claims) groups(path string) ([]string, bool) {
	v, ok := c.at(path)
	switch v := v.(type) {
	case string:
		return groupNames([]string{v}), true
	case []any:
		names := make([]string, 0, len(v))
		for _, one := range v {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
		return groupNames(names), true
	}
	return nil, ok
}

// names returns the names of the claims, for the log.
func (c claims) names() string {
	var all []string
	for name := range c {
		all = append(all, name)
	}
	return strings.Join(groupNames(all), " ")
}

// person returns who the claims are about.
func (c claims) person(issuer, subject string) person {
	p := person{issuer: issuer, subject: subject}
	for _, name := range []string{"preferred_username", "email", "name"} {
		if p.name == "" {
			p.name = c.text(name)
		}
	}
	for _, name := range []string{"email", "preferred_username", "name"} {
		if p.called == "" && len(c.text(name)) <= maxCalled {
			p.called = c.text(name)
		}
	}
	if p.called == "" {
		p.called = line(subject)
	}
	return p
}
