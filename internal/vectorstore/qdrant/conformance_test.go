package qdrant_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clewhq/clew/internal/testkit/race"
	"github.com/clewhq/clew/internal/vectorstore"
	"github.com/clewhq/clew/internal/vectorstore/qdrant"
	"github.com/clewhq/clew/internal/vectorstore/qdrant/qdranttest"
	"github.com/clewhq/clew/internal/vectorstore/vectorstoretest"
)

// TestConformance runs on the server named by QDRANT_URL (and QDRANT_API_KEY),
// under unique names, and removes everything it made.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, quantization := range []string{"none", "scalar", "binary"} {
		t.Run(quantization, func(t *testing.T) {
			t.Parallel()
			vectorstoretest.Run(t, func(t *testing.T) vectorstoretest.Open {
				o := real(t)
				o.Quantization = quantization
				return func(t *testing.T, model string) vectorstore.Store {
					o := o
					o.Model = model
					return open(t, o)
				}
			})
		})
	}
}

// real returns the options for a real server, with a prefix unique to the test.
func real(t testing.TB) qdrant.Options {
	t.Helper()
	o := options(os.Getenv("QDRANT_URL"))
	if o.URL == "" {
		t.Skip("skipped: QDRANT_URL is not set")
	}
	o.APIKey, o.Prefix = os.Getenv("QDRANT_API_KEY"), "test-"+strings.ToLower(rand.Text())
	o.RetryFor = qdrant.RetryFor{Read: 20 * time.Second, Write: time.Minute}
	t.Cleanup(func() { removeAll(t, o) })
	return o
}

// removeAll deletes the collections of a prefix; their aliases go with them.
func removeAll(t testing.TB, o qdrant.Options) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	c, err := qdrant.Connect(o)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	names, err := c.ListCollections(ctx)
	if err != nil {
		t.Error(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, o.Prefix+"_") {
			if err := c.DeleteCollection(ctx, name); err != nil {
				t.Error(err)
			}
		}
	}
}

func options(url string) qdrant.Options {
	return qdrant.Options{URL: url, Now: time.Now, Random: mathrand.Uint64, Log: slog.New(slog.DiscardHandler)}
}

func open(t testing.TB, o qdrant.Options) *qdrant.Store {
	t.Helper()
	s, err := qdrant.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestConformanceOfTheDouble runs the suite on a server in memory.
func TestConformanceOfTheDouble(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	vectorstoretest.Run(t, func(t *testing.T) vectorstoretest.Open {
		d := qdranttest.Start(t, nil)
		return func(t *testing.T, model string) vectorstore.Store {
			o := options(d.URL)
			o.Model = model
			return open(t, o)
		}
	})
}
