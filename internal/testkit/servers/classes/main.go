// Classes writes the archive from which the Neo4j servers of tests start.
package main

import (
	"fmt"
	"os"

	"github.com/clewhq/clew/internal/testkit/servers"
)

func main() {
	if err := servers.KeepClasses(); err != nil {
		fmt.Fprintln(os.Stderr, "classes:", err)
		os.Exit(1)
	}
}
