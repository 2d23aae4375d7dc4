package history

import (
	"cmp"
	"slices"
	"time"
)

// Shard returns the ids of shard i of n, 1 ≤ i ≤ n, sorted. Every id is in exactly one shard, whatever the order in which the ids are given,
// as long as all shards are told the same ids and durations. Where no duration is known the sorted ids are dealt out in turn. Else the
// longest goes first, each to the shard that has the least to do; an id of no known duration is taken for an average one.
func Shard(ids []string, durations map[string]time.Duration, i, n int) []string {
	all := slices.Compact(slices.Sorted(slices.Values(ids)))
	known, sum := 0, time.Duration(0)
	for _, id := range all {
		if d, ok := durations[id]; ok {
			known++
			sum += d
		}
	}
	out := []string{}
	if known == 0 {
		for k, id := range all {
			if k%n == i-1 {
				out = append(out, id)
			}
		}
		return out
	}
	takes := func(id string) time.Duration {
		if d, ok := durations[id]; ok {
			return d
		}
		return sum / time.Duration(known)
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(takes(b), takes(a)) })
	load, count := make([]time.Duration, n), make([]int, n)
	for _, id := range all {
		least := 0
		for k := range load {
			if c := cmp.Or(cmp.Compare(load[k], load[least]), cmp.Compare(count[k], count[least])); c < 0 {
				least = k
			}
		}
		load[least] += takes(id)
		count[least]++
		if least == i-1 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
