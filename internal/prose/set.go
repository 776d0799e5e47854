package prose

import (
	"fmt"
	"strings"
)

// Set returns the set of the words in list. If the list has commas, they separate its
// members, which may be phrases.
func Set(list string) map[string]bool {
	members := strings.Fields(list)
	if strings.Contains(list, ",") {
		members = strings.Split(list, ",")
	}
	set := map[string]bool{}
	for _, m := range members {
		if m = strings.Join(strings.Fields(m), " "); m != "" {
			set[m] = true
		}
	}
	return set
}

// KeySet returns the set of the keys of what Set finds in list.
func KeySet(list string) map[string]bool {
	set := map[string]bool{}
	for m := range Set(list) {
		set[Key(m)] = true
	}
	return set
}

// Lists are the lists of words of a data file. In the file each stands below its name in
// brackets; a line that starts with # is a comment.
type Lists []struct{ name, words string }

// ReadLists reads a data file.
func ReadLists(file string) Lists {
	var all Lists
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			all = append(all, struct{ name, words string }{name: strings.Trim(line, "[]")})
		case len(all) > 0:
			all[len(all)-1].words += line + "\n"
		}
	}
	return all
}

// Set returns the set of the words of a list, see Set. It panics if there is no list of
// that name.
func (l Lists) Set(name string) map[string]bool {
	for _, list := range l {
		if list.name == name {
			return Set(list.words)
		}
	}
	panic(fmt.Sprintf("there is no list %q", name))
}

// Kinds maps each word of the lists that are named "name kind" to its kind. The first list
// that has a word tells. It panics if there is no such list.
func (l Lists) Kinds(name string) map[string]string {
	kinds := map[string]string{}
	for _, list := range l {
		kind, ok := strings.CutPrefix(list.name, name+" ")
		if !ok {
			continue
		}
		for w := range Set(list.words) {
			if kinds[w] == "" {
				kinds[w] = kind
			}
		}
	}
	if len(kinds) == 0 {
		panic(fmt.Sprintf("there is no list %q by kinds", name))
	}
	return kinds
}
