// Loads a compose file as `docker compose config` does, with the loader of Docker Compose, and prints the result as JSON.
// Exits with 1, and the reason, if Docker Compose would refuse the file.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv, cli.WithName("mirzam"))
	if err == nil {
		var project, loadError = options.LoadProject(context.Background())
		if err = loadError; err == nil {
			var text []byte
			if text, err = project.MarshalJSON(); err == nil {
				fmt.Println(string(text))
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
