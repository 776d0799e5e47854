package domain

import (
	"slices"
	"strings"
)

// The most that tags may be.
const (
	MaxTag  = 40 // code points of one
	MaxTags = 20 // of a document
)

// ParseTags reads tags as a person lists them: parted by commas, whatever the
// case and the white space. They come back sorted, each once. Too long a tag,
// and too many, are errors of kind TooLarge.
func ParseTags(text string) ([]string, error) {
	var tags []string
	for part := range strings.SplitSeq(text, ",") {
		tag := Tag(part)
		switch {
		case tag == "":
			continue
		case Runes(tag) > MaxTag:
			return nil, Errorf(TooLarge, "The tag %q has %d characters, the most is %d.", tag, Runes(tag), MaxTag)
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	if len(tags) > MaxTags {
		return nil, Errorf(TooLarge, "These are %d tags, the most is %d.", len(tags), MaxTags)
	}
	return tags, nil
}

// Tag is one tag in its normal form.
func Tag(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "))
}
