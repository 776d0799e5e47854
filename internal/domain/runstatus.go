package domain

// RunStatus is the state of a run.
type RunStatus string

// The states of a run. Those from RunWaiting to RunCapped wait for something, and
// the last three are final.
const (
	RunWaiting RunStatus = "waiting" // for a worker, or for its next try
	RunHeld    RunStatus = "held"    // for a person to accept its bill
	RunPaused  RunStatus = "paused"  // for the person who paused it to resume it
	RunAsking  RunStatus = "asking"  // for a person to answer a question
	RunCapped  RunStatus = "capped"  // for a spending cap to be raised or to expire
	RunRunning RunStatus = "running"
	RunDone    RunStatus = "done"
	RunFailed  RunStatus = "failed"
	RunStopped RunStatus = "stopped"
)

// Ended reports whether s is final.
func (s RunStatus) Ended() bool { return s == RunDone || s == RunFailed || s == RunStopped }

// Pending reports whether a run in state s waits for something.
func (s RunStatus) Pending() bool { return !s.Ended() && s != RunRunning }

// Asleep reports whether a run in state s waits for a person.
func (s RunStatus) Asleep() bool { return s == RunHeld || s == RunPaused || s == RunAsking }
