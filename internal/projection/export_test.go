package projection

// KeepTallies sets the number of links from which a key's tally is stored.
func (p *Projector) KeepTallies(links int) { p.tallied = links }

// HoldChunks sets from how many chunks of changed documents an update takes no other.
func (p *Projector) HoldChunks(n int) { p.chunks = n }
