package projection

// KeepTallies sets the number of links from which a key's tally is stored.
func (p *Projector) KeepTallies(links int) { p.tallied = links }
