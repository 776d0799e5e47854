package domain

import (
	"slices"
	"strings"
)

// The limits of tags.
const (
	MaxTag  = 40 // code points in a tag
	MaxTags = 20 // tags on a document
)

// ParseTags parses a list of tags separated by commas and returns their normal
// forms sorted, each once. The error is TooLarge for a tag that is too long and
// for too many tags.
func ParseTags(text string) ([]string, error) {
	var tags []string
	for part := range strings.SplitSeq(text, ",") {
		tag := Tag(part)
		switch {
		case tag == "":
			continue
		case Runes(tag) > MaxTag:
			return nil, Errorf(TooLarge, "The tag %q has %d characters; the limit is %d.", tag, Runes(tag), MaxTag)
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	if len(tags) > MaxTags {
		return nil, Errorf(TooLarge, "These are %d tags; the limit is %d.", len(tags), MaxTags)
	}
	return tags, nil
}

// Tag returns the normal form of a tag: in lower case, with single spaces.
func Tag(text string) string {
	return strings.ToLower(OneLine(strings.ToValidUTF8(text, "")))
}
