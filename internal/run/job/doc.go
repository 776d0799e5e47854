// Package job is the durable queue of runs, and the workers that carry them out.
//
// A run is a row with a lease. The worker that claims it extends the lease by heartbeats. When the heartbeats stop, another
// worker claims the run; leases of dead processes on the same machine end at once.
//
//	waiting ── Claim ──→ running ── Finish ───────→ done
//	   ↑ │                 │ │ └─── Fail ─────────→ failed
//	   │ └───── Stop ──────┼─┼───── ConfirmStop ──→ stopped
//	   └─ Release, Fail(retry at) ┘
//
// A run that ended is settled once: its handler notes the end on the run's subject. Settling is leased too, so it happens
// even if the process that ended the run dies in between.
package job
