// Package state says what a state graph's state is made of. A [Schema] names its
// fields, each with the reducer that merges what is written to it: [Replace],
// [Append], [Upsert], [Max] and [Sum]. A node returns an [Update], a list of
// writes as data; a [Merger] holds the state and merges them, and whoever has a
// snapshot of it keeps that whatever is merged later.
//
// What is stored of states and updates carries the version of the schema.
// [Schema.Upcast] brings what an earlier version wrote up to the present one;
// what has no place is an error with its path and never left out in silence.
package state
