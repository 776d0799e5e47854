package costs

import (
	"context"
	"time"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/prices"
)

// NewBook returns the prices that are kept in the ledger, for all processes and workspaces, with those of a file.
func NewBook(l *ledger.Ledger, path string, now func() time.Time) *prices.Book {
	return prices.NewBook(path, kept{l}, now)
}

// SetPrice sets a price, see [prices.Book.Set], and lets what waits because a model had none try again at once.
func (s *Service) SetPrice(ctx context.Context, w domain.WorkspaceID, p prices.Price) error {
	if err := s.Prices.Set(p); err != nil {
		return err
	}
	return s.Wake(ctx, w)
}

// kept implements prices.Kept. It reads and writes one row.
type kept struct{ ledger *ledger.Ledger }

// pricesSetting names the setting that holds the prices which people have set. They are those of the installation.
const pricesSetting = "prices"

// Prices implements prices.Kept.
func (k kept) Prices() (string, error) {
	text, _, err := k.ledger.Setting(context.Background(), domain.DefaultWorkspace, pricesSetting)
	return text, err
}

// SetPrices implements prices.Kept.
func (k kept) SetPrices(former, text string) (bool, error) {
	return k.ledger.ChangeSetting(context.Background(), domain.DefaultWorkspace, pricesSetting, former, text)
}
