// Package bearer lets programs in by their tokens.
package bearer

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
)

// Guard passes on requests with a valid token, with auth.AccessOf in their contexts. It refuses others with kind
// Unauthorized, even if nobody has to sign in: a page of another site can send requests, but no token. Requests of a token
// beyond its rate are refused with kind TooMany.
func Guard(a *auth.Auth, rates *Rates) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			x, err := access(c, a)
			if err != nil {
				if domain.KindOf(err) == domain.Unauthorized {
					c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="clew"`)
				}
				return err
			}
			if err := rates.take(c.Response().Header(), x.Token.ID); err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(link.WithBase(auth.WithAccess(c.Request().Context(), x), x.In.Name)))
			return next(c)
		}
	}
}

func access(c echo.Context, a *auth.Auth) (auth.Access, error) {
	scheme, secret, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return auth.Access{}, domain.Errorf(domain.Unauthorized, "Send a token: Authorization: Bearer clew_…. Tokens are made on the page Tokens, or with clew token create.")
	}
	return a.Bearer(c.Request().Context(), strings.TrimSpace(secret), request.ClientOf(c).Address)
}
