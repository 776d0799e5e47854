package document

import (
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/link"
)

// Fetched answers the form that has documents fetched from the web: with the run that does it.
func Fetched(c echo.Context, f crawl.Fetching) error { return respond.SeeOther(c, link.Run(f.Run)) }
