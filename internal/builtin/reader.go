package builtin

// Reader is the miner's name and version, as recorded with what it read. It
// changes when the miner finds other things in the same text.
const Reader = "builtin/1"
