package middleware

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/zstd"
	"github.com/labstack/echo/v4"
)

// worthwhile is the least size in bytes of a body that is compressed.
const worthwhile = 1 << 10

// dense compresses with Zstandard for who takes it, else with gzip. Of what can be had in the time that
// gzip needs at its fastest, these send the fewest bytes (ADR 45).
var dense = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(worthwhile), gzhttp.CompressionLevel(5), gzhttp.ZstdCompressionLevel(int(zstd.SpeedDefault)))
	if err != nil {
		panic(err) // the levels are constants
	}
	return wrap
}()

// Compress compresses bodies for clients that accept that. It skips streams of events, each of which would hold a
// compressor for as long as its page is open, and pictures, which are compressed already. Pages hold no secret that
// their length could give away: forms are guarded by their origin, not by a token. Original files are requested in
// ranges, which count bytes of the file.
func Compress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		route := c.Path()
		if strings.HasSuffix(route, "/events") || strings.HasSuffix(route, "/original") || c.Param("format") == "png" {
			return next(c)
		}
		answer := c.Response()
		plain := answer.Writer
		defer func() { answer.Writer = plain }() // an error is answered after this
		dense(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			answer.Writer = w
			err = next(c)
		})).ServeHTTP(plain, c.Request())
		return err
	}
}
