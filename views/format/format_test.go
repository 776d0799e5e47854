package format_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/views/format"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want string }{
		{format.Int(0), "0"}, {format.Int(999), "999"}, {format.Int(1000), "1,000"}, {format.Int(1234567), "1,234,567"}, {format.Int(-1200), "−1,200"},
		{format.Count(1, "entity", "entities"), "1 entity"}, {format.Count(0, "entity", "entities"), "0 entities"}, {format.Count(3116, "entity", "entities"), "3,116 entities"},
		{format.Bytes(0), "0 bytes"}, {format.Bytes(999), "999 bytes"}, {format.Bytes(1000), "1 KB"}, {format.Bytes(18_400), "18 KB"}, {format.Bytes(2_400_000), "2.4 MB"},
		{format.Bytes(999_999), "1 MB"}, {format.Bytes(100_000_000), "100 MB"}, {format.Bytes(5_000_000_000_000_000), "5000 TB"},
		{format.Duration(0), "< 1 ms"}, {format.Duration(86 * time.Millisecond), "86 ms"}, {format.Duration(1930 * time.Millisecond), "1.9 s"},
		{format.Duration(9960 * time.Millisecond), "10 s"}, {format.Duration(59600 * time.Millisecond), "1 min 00 s"}, {format.Duration(185 * time.Second), "3 min 05 s"},
		{format.Duration(130 * time.Minute), "2 h 10 min"},
		{format.Millis(0), "0"}, {format.Millis(300 * time.Microsecond), "< 1"}, {format.Millis(84 * time.Second), "84,000"},
		{format.Moment(time.Time{}), ""}, {format.Moment(time.Date(2026, 11, 21, 10, 42, 0, 0, time.UTC)), "21 November 2026, 10:42"},
		{format.Words("WORKS_FOR"), "works for"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestAFirstLetterIsMadeLarge takes letters that are large already, and some beyond ASCII.
func TestAFirstLetterIsMadeLarge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "graph": "Graph", "Dokumente ansehen": "Dokumente ansehen", "ändern": "Ändern", "3 grades": "3 grades"} {
		if got := format.Capital(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
