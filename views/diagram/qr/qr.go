// Package qr draws QR codes.
package qr

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is how many modules around a code must be empty.
const quiet = 4

// A Code is a QR code.
type Code struct {
	Size int    // of each side, in modules, including the quiet zone
	Path string // the dark modules, as path data for SVG
}

// Encode returns the code of a text, which is readable with up to 15 % of it covered. A text of more than 2 kB has none.
func Encode(text string) (Code, error) {
	drawn, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return Code{}, fmt.Errorf("draw a QR code: %w", err)
	}
	var path strings.Builder
	at := drawn.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if drawn.At(x, y) == color.Black {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x-at.Min.X+quiet, y-at.Min.Y+quiet)
			}
		}
	}
	return Code{at.Dx() + 2*quiet, path.String()}, nil
}
