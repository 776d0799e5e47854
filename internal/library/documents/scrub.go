package documents

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// scrubbedNow is how many pages of each database a deletion looks at before it returns: 64 MB, in
// about half a second. The rest of a larger one is left to ScrubDisk.
const scrubbedNow = 1 << 14

// logScrub is the interval at which progress on a large database is logged.
const logScrub = 30 * time.Second

// disk records when remaining work was last logged, by database name.
type disk struct {
	mu   sync.Mutex
	said map[string]time.Time
}

// ScrubDisk removes from the disk what deletions have left there, looking at so many pages of each
// database. It does nothing where nothing was deleted, goes on where it ended, also after a restart,
// and logs what is left. A failure is logged: the next call tries it again.
func (s *Service) ScrubDisk(ctx context.Context, pages int) {
	for _, name := range slices.Sorted(maps.Keys(s.Scrub)) {
		left, err := s.Scrub[name].Scrub(ctx, pages)
		if err != nil {
			if ctx.Err() == nil {
				s.Log.WarnContext(ctx, "could not remove deleted words from the disk, will retry", "file", name, "err", err)
			}
			continue
		}
		s.sayLeft(ctx, name, left)
	}
}

// sayLeft logs how many pages of a database are left, now and then, and when all are done.
func (s *Service) sayLeft(ctx context.Context, name string, left int) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	said, begun := s.disk.said[name]
	switch now := s.Now(); {
	case left == 0 && begun:
		delete(s.disk.said, name)
		s.Log.InfoContext(ctx, "removed deleted words from the disk", "file", name)
	case left > 0 && now.Sub(said) >= logScrub:
		s.disk.said[name] = now
		s.Log.InfoContext(ctx, "removing deleted words from the disk", "file", name, "left", left)
	}
}
