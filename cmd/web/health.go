package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
)

// healthCommand asks the server on LISTEN whether it serves. The container has no other program for its health check.
func healthCommand(_ env, load func() (config.Config, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Ask the server here whether it serves; exit 1 when not",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load()
			if err != nil {
				return err
			}
			return healthy(cmd.Context(), cfg.Listen)
		},
	}
}

func healthy(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return domain.Because(domain.Invalid, err, "LISTEN is %q, which is not an address.", listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return domain.Because(domain.Unavailable, err, "Nothing answers at %s.", listen)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return domain.Errorf(domain.Unavailable, "The server at %s answers %s.", listen, response.Status)
	}
	return nil
}
