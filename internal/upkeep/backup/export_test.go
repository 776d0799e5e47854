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

// Numbered is numbered.
var Numbered = numbered

// Whose fails for a table whose rows belong to no workspace for all that is known.
func Whose(tables []Table) error {
	_, _, err := One{ID: "w", Name: "w"}.of(tables)
	return err
}
