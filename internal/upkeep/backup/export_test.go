package backup

// Users returns the tables whose rows refer to files, with their columns of
// documents' ids.
func Users() map[string]string {
	all := map[string]string{}
	for _, u := range users {
		all[u.table] = u.document
	}
	return all
}
