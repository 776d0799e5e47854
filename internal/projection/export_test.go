package projection

// KeepTallies sets the least number of links of a key whose tally is stored.
func (p *Projector) KeepTallies(links int) { p.tallied = links }
