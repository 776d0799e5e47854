package mcp

// ToolsOf returns the names of the tools that carry out an operation.
func ToolsOf(operation string) []string {
	var names []string
	for _, t := range tools() {
		if t.operation == operation {
			names = append(names, t.name)
		}
	}
	return names
}
