package costs

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
)

// NewBook returns the prices that are kept in the ledger, for all processes and workspaces, with those of a file.
func NewBook(l *ledger.Ledger, path string, now func() time.Time) *Book {
	return newBook(path, kept{l}, now)
}

// SetPrice sets a price, see [Book.Set]. It holds for all workspaces: what waits in any of them because a model
// had none tries again at once.
func (s *Service) SetPrice(ctx context.Context, p Price) error {
	if err := s.Prices.Set(ctx, p); err != nil {
		return err
	}
	return s.WakeAll(ctx)
}

// kept implements keeper. It reads and writes one row.
type kept struct{ ledger *ledger.Ledger }

// pricesSetting names the setting that holds the prices which people have set. They are those of the installation.
const pricesSetting = "prices"

// Prices implements keeper.
func (k kept) Prices(ctx context.Context) (string, error) {
	text, _, err := k.ledger.Setting(ctx, domain.DefaultWorkspace, pricesSetting)
	return text, err
}

// SetPrices implements keeper.
func (k kept) SetPrices(ctx context.Context, former, text string) (bool, error) {
	return k.ledger.ChangeSetting(ctx, domain.DefaultWorkspace, pricesSetting, former, text)
}
