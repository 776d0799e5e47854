package middleware

import (
	"compress/gzip"
	"strings"

	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

// worthwhile is the least size in bytes of a body that is compressed.
const worthwhile = 1 << 10

// Compress sends bodies with gzip, fast rather than dense, to who takes it. Streams of events travel
// as they are, because each would hold a compressor of almost a megabyte for as
// long as its page is open, and pictures are compressed already. Pages hold no
// secret that their length could give away: forms are guarded by their origin,
// not by a token. Files as they were added are asked for in ranges, which count bytes of the file.
var Compress = echomiddleware.GzipWithConfig(echomiddleware.GzipConfig{
	Level:     gzip.BestSpeed,
	MinLength: worthwhile,
	Skipper: func(c echo.Context) bool {
		route := c.Path()
		return strings.HasSuffix(route, "/events") || strings.HasSuffix(route, "/original") || c.Param("format") == "png"
	},
})
