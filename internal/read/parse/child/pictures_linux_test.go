package child

import (
	"bytes"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/parse"
)

// TestPicturesOfAChildAreChecked sends pictures as a child does, whole and spoilt.
func TestPicturesOfAChildAreChecked(t *testing.T) {
	t.Parallel()
	good := domain.Picture{Number: 1, Media: "image/png", Width: 10, Height: 20, Page: 2, Box: []float64{0, 0.5, 1, 1}, At: domain.Span{Start: 3, End: 9}, Caption: "A mill", Data: []byte("\x89PNG\r\n\x1A\ndots")}
	received := func(all ...domain.Picture) ([]domain.Picture, error) {
		var b bytes.Buffer
		if err := writePictures(&b, all); err != nil {
			t.Fatal(err)
		}
		return readPictures(&b, 9, true)
	}
	got, err := received(good)
	if diff := gocmp.Diff([]domain.Picture{good}, got); diff != "" || err != nil {
		t.Errorf("error %v (-sent +received)\n%s", err, diff)
	}
	place := good
	place.Media, place.Data = "", nil
	if got, err := received(place); err != nil || len(got) != 1 || !parse.IsUndrawn(got[0]) {
		t.Errorf("a picture to be drawn: %+v, error %v", got, err)
	}
	for name, spoil := range map[string]func(p *domain.Picture){
		"a type that is run":          func(p *domain.Picture) { p.Media = "image/svg+xml" },
		"another type than stated":    func(p *domain.Picture) { p.Media = "image/jpeg" },
		"a web page":                  func(p *domain.Picture) { p.Data = []byte("<script>") },
		"no bytes":                    func(p *domain.Picture) { p.Data = nil },
		"outside the text":            func(p *domain.Picture) { p.At.End = 10 },
		"backwards":                   func(p *domain.Picture) { p.At = domain.Span{Start: 4, End: 3} },
		"off the page":                func(p *domain.Picture) { p.Box[2] = 1.5 },
		"half a place":                func(p *domain.Picture) { p.Box = p.Box[:2] },
		"without a size":              func(p *domain.Picture) { p.Width = 0 },
		"another number":              func(p *domain.Picture) { p.Number = 2 },
		"two lines":                   func(p *domain.Picture) { p.Caption = "a\nb" },
		"to be drawn with bytes":      func(p *domain.Picture) { p.Media = "" },
		"to be drawn without a page":  func(p *domain.Picture) { p.Media, p.Data, p.Page = "", nil, 0 },
		"to be drawn without a place": func(p *domain.Picture) { p.Media, p.Data, p.Box = "", nil, nil },
		"to be drawn on half an acre": func(p *domain.Picture) { p.Media, p.Data, p.Width = "", nil, 5000 },
		"words of a model":            func(p *domain.Picture) { p.Description = "x" },
	} {
		bad := good
		bad.Box = slices.Clone(good.Box)
		spoil(&bad)
		if _, err := received(bad); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	var b bytes.Buffer
	if err := writePictures(&b, []domain.Picture{place}); err != nil {
		t.Fatal(err)
	}
	if _, err := readPictures(&b, 9, false); err == nil {
		t.Error("a picture to be drawn is taken where nothing draws")
	}
	if _, err := received(make([]domain.Picture, parse.MaxPictures+1)...); err == nil {
		t.Error("too many are taken")
	}
}
