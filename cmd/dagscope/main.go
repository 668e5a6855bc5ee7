// Command dagscope reads traces of task-based programs and says where their
// time went. Everything is in package cli.
package main

import (
	"os"

	"dagscope/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
