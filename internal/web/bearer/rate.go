package bearer

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/clewhq/clew/internal/domain"
)

// Rates limits the requests of each token: as many as in a minute at once, then evenly. It is safe for concurrent use.
type Rates struct {
	perMinute int
	now       domain.Clock

	mu  sync.Mutex
	all map[string]*rate.Limiter // by the token's id; those that are full may be missing
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
