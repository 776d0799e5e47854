// Package bearer lets programs in by their tokens.
package bearer

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/auth"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/views/link"
)

// Guard passes on requests with a valid token, with auth.AccessOf in their contexts. It refuses others with kind
// Unauthorized, even if nobody has to sign in: a page of another site can send requests, but no token. Requests of a token
// beyond its rate are refused with kind TooMany.
// Whether the token still lets in is looked for every recheck, and the context of the request ends if it does not.
func Guard(a *auth.Auth, rates *Rates, recheck time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			secret, from := secretOf(c), request.ClientOf(c).Address
			x, err := access(c.Request().Context(), a, secret, from)
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
			return request.While(c, next, recheck, func(ctx context.Context) bool {
				_, err := a.Bearer(ctx, secret, from)
				return domain.KindOf(err) != domain.Unauthorized
			})
		}
	}
}

// secretOf returns the token that a request brings, or "".
func secretOf(c echo.Context) string {
	scheme, secret, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

func access(ctx context.Context, a *auth.Auth, secret string, from netip.Addr) (auth.Access, error) {
	if secret == "" {
		return auth.Access{}, domain.Errorf(domain.Unauthorized, "Send a token: Authorization: Bearer clew_…. Tokens are made on the page Tokens, or with clew token create.")
	}
	x, err := a.Bearer(ctx, secret, from)
	if kind := domain.KindOf(err); err != nil && (kind == domain.Unauthorized || kind == domain.TooMany) {
		a.TokenRefused(ctx, err)
	}
	return x, err
}
