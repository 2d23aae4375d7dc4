package cli_test

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/history"
)

func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: remember FILE…")
	}
	h, err := history.Open(ts.MkAbs(filepath.Join(".deed", "history.db")))
	ts.Check(err)
	for _, name := range args {
		var r deed.RunResult
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &r))
		ts.Check(h.Add(context.Background(), &r))
	}
	ts.Check(h.Close())
}
