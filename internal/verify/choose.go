package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/judge"
	"github.com/deed-dev/deed/internal/locate"
	"github.com/deed-dev/deed/internal/words"
)

// openAndChoose chooses in a list that is the page's own: the control is clicked until its options are there, and each
// option asked for is clicked. What counts is the value that the control has committed in the end.
func (r *run) openAndChoose(ctx context.Context) (deed.Judgement, *judge.Evidence, error) {
	none := deed.Judgement{}
	before, target := r.before, r.target
	control := before.Nodes[target]
	var w deed.Witness
	for i, want := range r.a.Options {
		for {
			s, option, err := r.option(ctx, control, want)
			if err == nil && option < 0 {
				return none, nil, r.fail(deed.CodeNoOption, effectsAfter(i > 0 || r.res.Attempts > 0), "has no option %q%s", want, offered(s))
			}
			if err == nil {
				w, err = r.press(ctx, s, option)
			}
			var gone *vanished
			if errors.As(err, &gone) && ctx.Err() == nil {
				r.log("%v", err) // a list that was still closing: it is looked for again
				continue
			}
			if err != nil {
				return none, nil, err
			}
			break
		}
		r.res.Witness = w
		if w.Prevented > 0 {
			r.res.Prevented += w.Prevented
			break
		}
		if i+1 < len(r.a.Options) {
			if _, err := r.Driver.Settle(ctx, 5*retryPause, true); err != nil {
				return none, nil, r.lift(err)
			}
		}
	}
	r.before, r.target = before, target
	return r.settle(ctx, w, false)
}

// option returns the snapshot and index of an option of this name that can be clicked, opening the control where there is none
// yet; -1 where there is none. Some lists draw their options as plain text, and keep the roles for an assistant on elements that
// nobody can click: there the text is clicked.
func (r *run) option(ctx context.Context, control deed.Node, want string) (*deed.Snapshot, int, error) {
	opened := false
	var closed *deed.Snapshot
	for began := time.Now(); ; {
		s, err := r.Driver.Observe(ctx)
		if err != nil {
			return nil, -1, err
		}
		found := -1
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if (n.Role == "option" || n.Role == "menuitemradio" || n.Role == "treeitem") && !n.Unseen && !n.Behind && words.Fold(n.Name) == words.Fold(want) {
				if found >= 0 {
					return s, -1, r.fail(deed.CodeManyMatches, effectsAfter(opened), "several options are called %q", want)
				}
				found = i
			}
		}
		if found < 0 && opened {
			found = drawnOption(closed, s, want)
		}
		if found >= 0 {
			return s, found, nil
		}
		if !opened {
			i, err := locate.One(s, r.a.Locator)
			if err != nil {
				return s, -1, r.lift(err)
			}
			if s.Nodes[i].Role == "listbox" || s.Nodes[i].States.Has(deed.Expanded) {
				opened = true
				continue
			}
			closed = s
			if _, err := r.press(ctx, s, i); err != nil {
				return s, -1, err
			}
			r.log("opened %s", control.String())
			opened = true
			if _, err := r.Driver.Settle(ctx, 5*retryPause, true); err != nil {
				return s, -1, r.lift(err)
			}
			continue
		}
		if time.Since(began) > optionTime {
			return s, -1, nil
		}
		if r.Driver.Await(ctx, retryPause) != nil && ctx.Err() != nil {
			return s, -1, nil
		}
	}
}

// drawnOption returns the text that stands for an option of this name in a list that draws its options as plain text, -1 for none
// or several: the only one on the page where the list has an option of this name that nobody can see, else the only one that
// came into sight with the list.
func drawnOption(closed, now *deed.Snapshot, name string) int {
	var all, came []int
	named := false
	for i := range now.Nodes {
		n := &now.Nodes[i]
		if words.Fold(n.Name) != words.Fold(name) {
			continue
		}
		named = named || n.Role == "option" && n.Unseen
		if n.Role != "text" && n.Role != "generic" && n.Role != "listitem" || n.Unseen || n.Behind {
			continue
		}
		all = append(all, i)
		if closed == nil {
			continue
		}
		if b := closed.ByElement(now.Frames[n.Frame].ID, n.Element); b < 0 || closed.Nodes[b].Unseen || closed.Nodes[b].Name != n.Name {
			came = append(came, i)
		}
	}
	switch {
	case named && len(all) == 1:
		return all[0]
	case len(came) == 1:
		return came[0]
	}
	return -1
}

// optionTime is how long an opened list may take to show an option: lists are fetched, and grow into sight.
const optionTime = 2 * time.Second

// vanished says that a node went away before it could be clicked, and why it could not.
type vanished struct{ last error }

func (v *vanished) Error() string { return "it went away: " + v.last.Error() }
func (v *vanished) Unwrap() error { return v.last }

// press clicks a node under the guard, waiting until it can be clicked.
func (r *run) press(ctx context.Context, s *deed.Snapshot, target int) (deed.Witness, error) {
	click := deed.Action{Kind: deed.KindClick, Dialog: r.a.Dialog}
	for {
		t := time.Now()
		if err := r.part(&click, s, target); err != nil {
			return deed.Witness{}, err
		}
		if err := r.started(ctx, r.ask(&click, s, target), deed.WayPointer); err != nil {
			return deed.Witness{}, err
		}
		w, err := r.Driver.Perform(ctx, &deed.Gesture{Action: &click, Snapshot: s, Target: target, Way: deed.WayPointer, Drop: -1})
		r.res.Phases.Act += time.Since(t)
		if err == nil {
			r.res.Attempts++
			return w, nil
		}
		var e *deed.Error
		if !errors.As(err, &e) || e.SideEffects != deed.EffectsNone || !errors.Is(err, deed.CodeNotActionable) && !errors.Is(err, deed.CodeStaleRef) {
			return w, r.lift(err)
		}
		last := r.lift(err)
		if r.Driver.Await(ctx, retryPause) != nil && ctx.Err() != nil {
			return w, last
		}
		again, oerr := r.Driver.Observe(ctx)
		if oerr != nil {
			return w, last
		}
		n := &s.Nodes[target]
		i := again.ByElement(s.Frames[n.Frame].ID, n.Element)
		if i < 0 || again.Nodes[i].Role != n.Role || again.Nodes[i].Name != n.Name || again.Nodes[i].Unseen && !n.Unseen {
			return w, &vanished{last}
		}
		s, target = again, i
	}
}

func effectsAfter(acted bool) deed.SideEffects {
	if acted {
		return deed.EffectsPossible
	}
	return deed.EffectsNone
}

// offered lists the options that are there.
func offered(s *deed.Snapshot) string {
	var names []string
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Role == "option" && !n.Unseen && len(names) < 12 {
			names = append(names, fmt.Sprintf("%q", n.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}
