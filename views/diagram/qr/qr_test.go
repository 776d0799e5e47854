package qr

import (
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	const uri = "otpauth://totp/Clew:ada?algorithm=SHA1&digits=6&issuer=Clew&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	c, err := Encode(uri)
	if err != nil || c.Size < 21+2*quiet || c.Size%4 != (17+2*quiet)%4 {
		t.Fatalf("size %d, error %v", c.Size, err)
	}
	// The finder in the first corner is a dark square of seven, with a light one inside it.
	dark := map[string]bool{}
	for module := range strings.SplitSeq(strings.TrimSuffix(c.Path, "h1v1h-1z"), "h1v1h-1z") {
		dark[module] = true
	}
	if !dark["M4 4"] || !dark["M10 4"] || dark["M5 5"] || !dark["M6 6"] || dark["M11 4"] || dark["M3 4"] {
		t.Errorf("the path begins with %.80s", c.Path)
	}
	if again, _ := Encode(uri); again != c {
		t.Error("the same text has another code")
	}
	if _, err := Encode(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text that is too long has a code")
	}
}
