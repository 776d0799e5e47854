// Package bearer admits programs by their tokens.
package bearer

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

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

// Rates limits the requests of each token: as many as in a minute at once, then evenly. It is safe for concurrent use.
type Rates struct {
	perMinute int
	now       domain.Clock

	mu  sync.Mutex
	all map[string]*rate.Limiter // by the token's id; full ones may be missing
}

// maxIdle is how many limiters are kept before those that are full are dropped.
const maxIdle = 1000

// NewRates returns Rates of so many requests per minute; 0 means no limit.
func NewRates(perMinute int, now domain.Clock) *Rates {
	return &Rates{perMinute: perMinute, now: now, all: map[string]*rate.Limiter{}}
}

// take counts a request of a token and writes the headers RateLimit and RateLimit-Policy
// (draft-ietf-httpapi-ratelimit-headers-10). It fails with kind TooMany if the token has none left.
func (r *Rates) take(h http.Header, token string) error {
	if r.perMinute == 0 {
		return nil
	}
	now := r.now()
	limiter := r.limiter(token, now)
	allowed := limiter.AllowN(now, 1)
	left := limiter.TokensAt(now)
	next := time.Duration((math.Floor(left) + 1 - left) * float64(time.Minute) / float64(r.perMinute))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"token";q=%d;w=60`, r.perMinute))
	h.Set("RateLimit", fmt.Sprintf(`"token";r=%d;t=%d`, int(max(0, left)), int(math.Ceil(next.Seconds()))))
	if !allowed {
		return domain.TooManyf(next, "The token has made more than %d requests in a minute. Send the next one later, or have TOKEN_RATE raised.", r.perMinute)
	}
	return nil
}

func (r *Rates) limiter(token string, now time.Time) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	limiter := r.all[token]
	if limiter == nil {
		if len(r.all) >= maxIdle {
			for id, one := range r.all {
				if one.TokensAt(now) >= float64(r.perMinute) {
					delete(r.all, id)
				}
			}
		}
		limiter = rate.NewLimiter(rate.Limit(float64(r.perMinute)/time.Minute.Seconds()), r.perMinute)
		r.all[token] = limiter
	}
	return limiter
}
