package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/read/parse/pdf"
	"github.com/clewhq/clew/internal/read/parse/pdf/pdftest"
)

// scan returns the dots of a page that draws the image of an object.
func scan(t *testing.T, content, page, image string) ([]uint8, error) {
	t.Helper()
	data := pdftest.File("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >> "+page+" >>", image, pdftest.Stream("", content))
	f, err := pdf.Open([]byte(data), 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Scan(context.Background(), f.Pages(1)[0])
	if err != nil {
		return nil, err
	}
	return g.Pix, nil
}

func TestScan(t *testing.T) {
	t.Parallel()
	photo := image.NewGray(image.Rect(0, 0, 2, 2))
	for i := range photo.Pix {
		photo.Pix[i] = 200
	}
	var packed, colours bytes.Buffer
	if err := jpeg.Encode(&packed, photo, nil); err != nil {
		t.Fatal(err)
	}
	red := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		red.Set(i%2, i/2, color.White)
	}
	if err := jpeg.Encode(&colours, red, nil); err != nil {
		t.Fatal(err)
	}
	size := "/Subtype /Image /Width 2 /Height 2 "
	place := "2 0 0 2 10 10 cm /X Do"
	for name, tt := range map[string]struct {
		content, page, image string
		want                 []uint8
	}{
		"grey":              {place, "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace /DeviceGray", "\x01\x02\x03\x04"), []uint8{1, 2, 3, 4}},
		"a bit each":        {place, "", pdftest.Stream(size+"/BitsPerComponent 1", "\x80\x40"), []uint8{255, 0, 0, 255}},
		"inverted":          {place, "", pdftest.Stream(size+"/BitsPerComponent 1 /Decode [1 0]", "\x80\x40"), []uint8{0, 255, 255, 0}},
		"a mask":            {place, "", pdftest.Stream(size+"/ImageMask true", "\x80\x40"), []uint8{255, 0, 0, 255}},
		"four bits":         {place, "", pdftest.Stream(size+"/BitsPerComponent 4 /ColorSpace /CalGray", "\x0F\xF0"), []uint8{0, 255, 255, 0}},
		"sixteen bits":      {place, "", pdftest.Stream(size+"/BitsPerComponent 16 /ColorSpace /DeviceGray", "\x01\x00\x02\x00\x03\x00\x04\x00"), []uint8{1, 2, 3, 4}},
		"red, green, blue":  {place, "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace [/ICCBased << /N 3 >>]", "\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\xff"), []uint8{76, 149, 29, 255}},
		"inks":              {place, "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace /DeviceCMYK", "\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x80"), []uint8{255, 0, 0, 127}},
		"a palette":         {place, "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace [/Indexed /DeviceGray 1 <0AC8>]", "\x00\x01\x01\x09"), []uint8{10, 200, 200, 255}},
		"a photo":           {place, "", pdftest.Stream(size+"/Filter /DCTDecode", packed.String()), []uint8{200, 200, 200, 200}},
		"a coloured photo":  {place, "", pdftest.Stream(size+"/Filter [/DCT]", colours.String()), []uint8{255, 255, 255, 255}},
		"a fax":             {place, "", pdftest.Stream(size+"/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 2 >>", "\xc0\x04\x00\x40"), []uint8{255, 255, 255, 255}},
		"cut off":           {place, "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace /DeviceGray", "\x01\x02"), []uint8{1, 2, 0, 0}},
		"a turned page":     {place, "/Rotate 90", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace /DeviceGray", "\x01\x02\x03\x04"), []uint8{3, 1, 4, 2}},
		"a turned image":    {"0 2 -2 0 10 10 cm /X Do", "", pdftest.Stream(size+"/BitsPerComponent 8 /ColorSpace /DeviceGray", "\x01\x02\x03\x04"), []uint8{2, 4, 1, 3}},
		"two, side by side": {"q 1 0 0 2 0 0 cm /X Do Q q 1 0 0 2 1 0 cm /X Do Q", "", pdftest.Stream("/Subtype /Image /Width 1 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray", "\x01\x02"), []uint8{1, 1, 2, 2}},
	} {
		got, err := scan(t, tt.content, tt.page, tt.image)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{
		"another coding":      pdftest.Stream("/Subtype /Image /Width 2 /Height 2 /Filter /JBIG2Decode", "x"),
		"no size":             pdftest.Stream("/Subtype /Image /BitsPerComponent 8", "x"),
		"a size beyond limit": pdftest.Stream("/Subtype /Image /Width 99999 /Height 99999 /BitsPerComponent 1", "x"),
		"a false photo":       pdftest.Stream("/Subtype /Image /Width 2 /Height 2 /Filter /DCTDecode", "\xff\xd8x"),
		"odd bits":            pdftest.Stream("/Subtype /Image /Width 2 /Height 2 /BitsPerComponent 7", "xxxx"),
		"no image":            "<< >>",
	} {
		if _, err := scan(t, "2 0 0 2 10 10 cm /X Do", "", image); !errors.Is(err, pdf.ErrPicture) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	image := pdftest.Stream("/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8", "x")
	for _, m := range []string{"0 0 0 0 0 0", "999999999999 0 0 999999999999 0 0"} {
		if _, err := scan(t, m+" cm /X Do", "", image); !errors.Is(err, pdf.ErrPicture) {
			t.Errorf("drawn by %s: error %v", m, err)
		}
	}
}
