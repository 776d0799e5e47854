package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/web/middleware"
	"github.com/clewhq/clew/static"
	"github.com/clewhq/clew/views/link"
)

// maxForm is the most bytes of a form that holds no file.
const maxForm = 1 << 20

// routes are all addresses. Files of the program's own and the health check
// are open; everything else stands behind the guard.
func (s *Site) routes(p Params, h handlers) {
	e := s.echo
	e.Use(middleware.Log(p.Log, p.Now), middleware.Recover, middleware.Headers)
	e.GET("/static/*", echo.WrapHandler(static.Handler()))
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })

	site := e.Group("", middleware.SameOrigin(), echo.WrapMiddleware(h.account.Sessions.LoadAndSave))
	if p.Loopback {
		site.Use(middleware.LocalHost(p.Auth.Required))
	}
	small := middleware.BodyLimit(maxForm)
	site.GET(link.Login, h.account.Form)
	site.POST(link.Login, h.account.SignIn, small)

	in := site.Group("", h.account.Guard)
	in.POST(link.Logout, h.account.SignOut, small)
	in.GET(link.Home, h.home.Show)

	in.GET(link.Documents, h.document.List)
	in.POST(link.Documents, h.document.Add) // each file is limited as it is read
	in.POST(link.PasteText, h.document.Paste, middleware.BodyLimit(p.MaxUpload+maxForm))
	in.GET(link.DocumentsEvents, h.document.Events)
	in.POST(link.ReadAgain, h.document.AllAgain, small)
	in.POST(link.Sample, h.document.LoadSample, small)
	in.GET("/documents/:id", h.document.Show)
	in.POST("/documents/:id/again", h.document.Again, small)
	in.GET("/documents/:id/delete", h.document.AskDelete)
	in.POST("/documents/:id/delete", h.document.Delete, small)

	in.GET(link.Ask, h.conversation.New)
	in.POST(link.Ask, h.conversation.Start, small)
	in.GET("/ask/:id", h.conversation.Show)
	in.GET("/ask/:id/source/:message/:n", h.conversation.Source)

	in.GET(link.Runs, h.run.List)
	in.GET("/runs/:id", h.run.Show)
	in.GET("/runs/:id/events", h.run.Events)
	in.POST("/runs/:id/stop", h.run.Stop, small)

	in.GET(link.Entities, h.entity.List)
	in.GET("/entities/:id", h.entity.Show)

	in.GET(link.Settings, h.setting.Show)
	in.POST(link.TestModel, h.setting.TestConnection, small)
}
