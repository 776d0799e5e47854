package auth

import "context"

// SignedOn begins a session for an account whose owner a sign-on provider has identified.
func (a *Auth) SignedOn(ctx context.Context, account, issuer string, c Client) (SignedIn, error) {
	found, err := a.Ledger.Account(ctx, account)
	if err != nil {
		return SignedIn{}, err
	}
	return a.begin(ctx, found, issuer, c)
}
