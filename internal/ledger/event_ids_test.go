package ledger

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestIDsAreFoundInEvents compares with a regular expression.
func TestIDsAreFoundInEvents(t *testing.T) {
	t.Parallel()
	ids := regexp.MustCompile(`\b[dc][0-9a-f]{20}\b`)
	pieces := []string{"d0123456789abcdef0123", "c0123456789abcdef0123", "d", "c", "0", "f", "_", "x", `"`, "#", "é", "d012345", strings.Repeat("cd", 10)}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		if diff := cmp.Diff(ids.FindAllString(text, -1), appendIDs(nil, []byte(text))); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	})
}
