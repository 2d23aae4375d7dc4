// Command deed makes browser actions that are proven, or undone.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/deed-dev/deed/internal/cli"
)

func main() {
	// The first interrupt lets what runs finish cleanly; the second ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, LookupEnv: os.LookupEnv}))
}
