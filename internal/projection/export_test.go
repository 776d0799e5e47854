package projection

// KeepTallies has p keep the tallies of keys that have at least so many links.
func (p *Projector) KeepTallies(links int) { p.tallied = links }
