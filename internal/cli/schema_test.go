package cli_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/deed-dev/deed/internal/cli"
	"github.com/deed-dev/deed/internal/schema"
)

// TestAA64_CommandPrintsWhatThePackageHolds: the output of the command is the schema, byte for byte.
func TestAA64_CommandPrintsWhatThePackageHolds(t *testing.T) {
	for _, name := range schema.Names() {
		var out, errs bytes.Buffer
		none := func(string) (string, bool) { return "", false }
		if code := cli.Main(context.Background(), []string{"schema", name}, cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, LookupEnv: none}); code != 0 {
			t.Errorf("%s: status %d: %s", name, code, &errs)
		}
		want, err := schema.Schema(name)
		if err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s: the command prints something else (%v)", name, err)
		}
	}
}
