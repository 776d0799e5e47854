package memory_test

import (
	"testing"
	"time"

	"github.com/clewhq/clew/internal/checkpoint/checkpointtest"
	"github.com/clewhq/clew/internal/checkpoint/memory"
	"github.com/clewhq/clew/internal/stategraph"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(_ *testing.T, now func() time.Time) stategraph.Checkpointer { return memory.New(now) })
}
