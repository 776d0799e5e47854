package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/views/link"
)

// healthCommand asks the server on LISTEN, or one that is named, whether it serves, or the process on METRICS_ADDR whether it
// lives. The container has no other program for its health check.
func healthCommand(s env, load func() (config.Config, error)) *cobra.Command {
	var figures bool
	cmd := onServer(&cobra.Command{
		Use:   "health",
		Short: "Check whether the server here answers; exit 1 if it does not",
		Long: `Ask the server on LISTEN whether it serves pages, or the one that --server names.
Nothing is printed when it does, unless with --json. When it does not, the exit status
is 1 and the error says why. clew doctor looks at the stores and models too.`,
		Example: `  clew health && echo serving
  clew health --metrics
  clew health --server https://clew.example.org --json`,
		Args: cobra.NoArgs,
	})
	cmd.Flags().BoolVar(&figures, "metrics", false, "ask the process here that has METRICS=listener, such as clew work, at METRICS_ADDR")
	return withJSON(cmd, s, jsonObject, func(cmd *cobra.Command, _ []string, s env) (serving, error) {
		if server, ok := remoteOf(cmd, s); ok && !figures {
			return servingAt(server.server, server.healthy(cmd.Context()))
		}
		cfg, err := load()
		switch {
		case err != nil:
			return serving{}, err
		case figures:
			return servingAt(cfg.Monitoring.MetricsAddr, alive(cmd.Context(), cfg.Monitoring))
		}
		return servingAt(cfg.Listen, healthy(cmd.Context(), cfg.Listen))
	})
}

// serving is whether a server serves.
type serving struct {
	OK      bool   `json:"ok"`
	At      string `json:"at"`
	Problem string `json:"problem,omitempty"`
}

// servingAt describes a server that was asked, unless err says that it does not serve.
func servingAt(address string, err error) (serving, error) {
	s := serving{OK: err == nil, At: address}
	if err != nil {
		s.Problem = domain.InWords(err)
	}
	return s, err
}

// alive asks a process that need not serve pages whether it lives.
func alive(ctx context.Context, m config.Monitoring) error {
	if m.Metrics != config.MetricsListener {
		return domain.Errorf(domain.Invalid, "METRICS is %q. Set METRICS=listener, so that the process can be asked.", m.Metrics)
	}
	return answers(ctx, "METRICS_ADDR", m.MetricsAddr, "/livez")
}

// healthTimeout is how long a server may take to say that it serves.
const healthTimeout = 2 * time.Second

func healthy(ctx context.Context, listen string) error {
	return answers(ctx, "LISTEN", listen, link.Alive)
}

// answers asks for a path on the address of a setting.
func answers(ctx context.Context, setting, listen, path string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return domain.Because(domain.Invalid, err, "%s is %q, which is not an address.", setting, listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
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

// healthy asks the server whether it serves. That needs no token.
func (r remote) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, remoteHealthTimeout)
	defer cancel()
	request, err := r.get(ctx, link.Alive)
	if err != nil {
		return err
	}
	answer, err := httpClient.Do(request)
	if err != nil {
		return r.unreached(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices && answer.StatusCode < http.StatusBadRequest {
		return r.elsewhere(answer)
	}
	if answer.StatusCode != http.StatusOK || mediaType(answer) == "text/html" {
		return domain.Errorf(domain.Unavailable, "%s answers %s, not as Clew does. %s", r.server, answer.Status, advice(answer.StatusCode))
	}
	return nil
}

// remoteHealthTimeout is the same for one that is further away.
const remoteHealthTimeout = 10 * time.Second
