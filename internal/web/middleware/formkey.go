package middleware

import (
	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/component"
)

// FormKey gives the forms of each page a key, so that one that is sent twice is carried out once.
func FormKey(ids domain.IDs) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			key, err := ids.Form()
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(component.WithFormKey(c.Request().Context(), key)))
			return next(c)
		}
	}
}
