package domain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/clewhq/clew/internal/domain"
)

func TestParseTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                 nil,
		" , ,":                             nil,
		"Minutes":                          {"minutes"},
		"minutes,  To  do ,MINUTES, äpfel": {"minutes", "to do", "äpfel"},
		"a\xff,b":                          {"a", "b"},
	} {
		got, err := domain.ParseTags(text)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%q: error %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, text := range []string{strings.Repeat("ä", domain.MaxTag+1), strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), ",")} {
		if _, err := domain.ParseTags(text); domain.KindOf(err) != domain.TooLarge {
			t.Errorf("%q: %v", text, err)
		}
	}
}
