package resolve

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// BenchmarkMatch compares 50,000 entities: make bench-resolve.
func BenchmarkMatch(b *testing.B) {
	entities := library(50_000, rand.New(rand.NewPCG(1, 2)))
	for b.Loop() {
		began, used := time.Now(), cpu(b)
		pairs := Match(entities)
		merges := Merges(entities, pairs, 0.95, func(Entity, Entity) bool { return false })
		b.ReportMetric(time.Since(began).Seconds(), "s")
		b.ReportMetric((cpu(b) - used).Seconds(), "cpu-s")
		b.ReportMetric(float64(len(pairs)), "pairs")
		b.ReportMetric(float64(len(merges)), "merged")
	}
}

// cpu returns the processor's time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
