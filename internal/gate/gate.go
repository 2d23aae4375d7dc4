// Package gate is the one gate before every effect: it asks the policy, then a person where the policy wants one, keeps within the
// budget, and writes down what was proposed, decided, confirmed, begun and finished, in that order and ahead of the act.
//
// Law of this package: whatever fails denies. It knows policies, budgets, people and traces; it never knows a browser, and what
// it is asked about has been resolved to one element before.
package gate
