// Package gate is the one gate before every effect: what leaves, and, with the policy, what is done.
//
// Law of this package: whatever fails denies.
package gate
