// Package state defines the state of a state graph. A [Schema] names its fields,
// each with the reducer that merges writes: [Replace], [Append], [Upsert], [Max]
// or [Sum]. A node returns an [Update], a list of writes as data. A [Merger] holds
// the state and merges updates into it without changing earlier snapshots.
//
// Stored states and updates carry the version of the schema. [Schema.Upcast]
// converts those of an earlier version; a member without a place is an error with
// its path, never dropped silently.
package state
