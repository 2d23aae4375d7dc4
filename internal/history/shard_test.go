package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWU46_Shard(t *testing.T) {
	ids := []string{"g", "a", "c", "b", "f", "e", "d"}
	if got, want := Shard(ids, nil, 2, 3), []string{"b", "e"}; !slices.Equal(got, want) {
		t.Errorf("shard 2/3 of 7: %v, want those with index mod 3 = 1: %v", got, want)
	}
	if got := Shard([]string{"a"}, nil, 2, 3); len(got) != 0 {
		t.Errorf("a shard that is left nothing: %v", got)
	}
}

// TestShard_Longest: a long case does not stand in a queue with others.
func TestShard_Longest(t *testing.T) {
	d := map[string]time.Duration{"long": 9 * time.Second, "a": time.Second, "b": 2 * time.Second, "c": 3 * time.Second}
	ids := []string{"a", "b", "c", "long", "unknown"} // which is taken for 3.75 s
	if got, want := Shard(ids, d, 1, 2), []string{"long"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := Shard(ids, d, 2, 2), []string{"a", "b", "c", "unknown"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestShard_Covers: each id is in exactly one shard, whatever the order of the ids, and no shard has more to do than the best one by more
// than the longest case.
func TestShard_Covers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "shards")
		ids := rapid.SliceOfDistinct(rapid.StringMatching(`[a-e]{1,4}`), rapid.ID[string]).Draw(t, "ids")
		d := map[string]time.Duration{}
		for _, id := range ids {
			if rapid.Bool().Draw(t, "known") {
				d[id] = time.Duration(rapid.IntRange(0, 5).Draw(t, "seconds")) * time.Second
			}
		}
		if rapid.Bool().Draw(t, "other") {
			d["a case that is gone"] = time.Hour
		}
		shuffled := slices.Clone(ids)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Shuffle(len(ids), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var got []string
		var loads []time.Duration
		for i := 1; i <= n; i++ {
			part := Shard(ids, d, i, n)
			if again := Shard(shuffled, d, i, n); !slices.Equal(part, again) {
				t.Fatalf("shard %d/%d: %v in one order, %v in another", i, n, part, again)
			}
			got = append(got, part...)
			load := time.Duration(0)
			for _, id := range part {
				load += d[id]
			}
			loads = append(loads, load)
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(ids)); !slices.Equal(got, want) {
			t.Fatalf("the shards hold %v, want %v", got, want)
		}
		if all := len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { _, ok := d[id]; return !ok }); all {
			longest := time.Duration(0)
			for _, id := range ids {
				longest = max(longest, d[id])
			}
			if slices.Max(loads)-slices.Min(loads) > longest {
				t.Fatalf("the shards take %v, and the longest case %v", loads, longest)
			}
		}
	})
}

func BenchmarkShard(b *testing.B) {
	var ids []string
	d := map[string]time.Duration{}
	for i := range 2000 {
		ids = append(ids, fmt.Sprintf("case-%d", i))
		d[ids[i]] = time.Duration(i%97) * time.Second
	}
	for b.Loop() {
		Shard(ids, d, 3, 8)
	}
}
