// Package job is the durable queue of runs and the workers that carry them out.
//
// A run is a row with a lease. Whoever claims it owns it until the lease ends
// and extends the lease by heartbeats; a run whose owner has fallen silent is
// claimed by somebody else. A worker that starts, and every worker from time
// to time, sets free at once what processes of this machine that are gone have
// left behind.
//
//	waiting ── Claim ──→ running ── Finish ──→ done
//	   ↑ │                 │ │ └─── Fail ────→ failed
//	   │ └───── Stop ──────┼─┼───── Halt ────→ stopped
//	   └─ Release, Fail(retry at) ┘
//
// A run that came to its end is settled once: its handler notes the end on
// what the run was about. That is leased too, so that it happens although the
// process that ended the run dies in between.
package job
