package document

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/library/documents"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
	"github.com/clewhq/clew/views/lang"
	"github.com/clewhq/clew/views/layout"
	"github.com/clewhq/clew/views/page"
)

// Pictures serves the pictures of a document, or one in full.
func (h *Handler) Pictures(c echo.Context) error {
	found, err := h.Library.PicturesOf(c.Request().Context(), documents.OfPictures{One: documents.One{Name: c.Param("id")}})
	if err != nil {
		return err
	}
	p := page.PicturesProps{Pictures: found}
	if of := c.QueryParam("picture"); of != "" {
		if p.Large, err = pictureNumber(of); err != nil {
			return err
		}
		if p.Large > len(found.Pictures) {
			return domain.Errorf(domain.NotFound, "%s has no picture %d.", found.Document.Name, p.Large)
		}
	}
	if p.App, err = h.Frame.App(c, layout.Documents, lang.T(c.Request().Context(), "Pictures")); err != nil {
		return err
	}
	p.App.Works = true
	return respond.HTML(c, http.StatusOK, page.PicturesPage(p))
}

// Picture sends a picture of a document. Headers keep the browser from running or loading anything in it.
func (h *Handler) Picture(c echo.Context) error {
	number, err := pictureNumber(c.Param("n"))
	if err != nil {
		return err
	}
	p, file, err := h.Library.Picture(c.Request().Context(), request.Workspace(c), domain.DocumentID(c.Param("id")), number)
	if err != nil {
		return err
	}
	defer file.Close()
	header := c.Response().Header()
	header.Set("Content-Type", p.Media)
	header.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": "picture-" + strconv.Itoa(number) + "." + strings.TrimPrefix(p.Media, "image/")}))
	header.Set("Content-Security-Policy", originalPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", `"`+p.Hash+`"`)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, file)
	return nil
}

func pictureNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, domain.Errorf(domain.NotFound, "%q is not the number of a picture.", domain.Cut(s, 20))
	}
	return n, nil
}
