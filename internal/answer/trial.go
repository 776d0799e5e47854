package answer

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/clewhq/clew/internal/domain"
)

// trialFile holds questions with labelled passages, in several languages.
//
//go:embed trial.json
var trialFile []byte

// trialVersion changes with the passages and with how they are counted.
const trialVersion = 1

// A Trial counts the labelled passages that a model graded correctly.
type Trial struct {
	Version  int `json:"version"`
	Passages int `json:"passages"`
	Each     int `json:"each"`     // right, one by one
	Together int `json:"together"` // right, several in one call
	Missed   int `json:"missed"`   // helpful ones that were kept one by one but lost together
}

// slack is how many more passages a model may get wrong together, since one by one it is not sure either.
const slack = 1

// Well reports whether the model grades several passages in one call as it does one by one.
func (t Trial) Well() bool {
	return t.Version == trialVersion && t.Together >= t.Each-slack && t.Missed <= slack && t.Together > t.Passages/2
}

// String describes the trial in a sentence.
func (t Trial) String() string {
	said := fmt.Sprintf("of %d labelled passages it graded %d rightly together and %d one by one", t.Passages, t.Together, t.Each)
	if t.Well() {
		return "Several passages are graded in one call: " + said + "."
	}
	return "Each passage is graded by itself: " + said + "."
}

// TryTogether grades the labelled passages by the roles of a model, one by one, so many at a time, and several in one
// call. A passage that is left out of an answer about several counts as wrong.
func TryTogether(ctx context.Context, roles Roles, atOnce int) (Trial, error) {
	var questions []struct {
		Question string `json:"question"`
		Passages []struct {
			Helps bool   `json:"helps"`
			Title string `json:"title"`
			Text  string `json:"text"`
		} `json:"passages"`
	}
	if err := json.Unmarshal(trialFile, &questions); err != nil {
		return Trial{}, fmt.Errorf("read the labelled passages: %w", err)
	}
	t := Trial{Version: trialVersion}
	for _, q := range questions {
		asked := Asked{Workspace: domain.Installation, Question: q.Question}
		passages, requests := make([]domain.Passage, len(q.Passages)), make([]GradeRequest, len(q.Passages))
		for i, p := range q.Passages {
			passages[i] = domain.Passage{Chunk: domain.Chunk{ID: domain.ChunkID(fmt.Sprint(i)), Text: p.Text}, Title: p.Title}
			requests[i] = GradeRequest{Asked: asked, Passage: passages[i], Candidates: passages}
		}
		each, together, err := tryPassages(ctx, roles, asked, requests, atOnce)
		if err != nil {
			return Trial{}, err
		}
		for i, p := range q.Passages {
			t.count(p.Helps, each[i].Verdict, together[i].Verdict)
		}
	}
	return t, nil
}

func (t *Trial) count(helps bool, each, together domain.Verdict) {
	right := domain.Irrelevant
	if helps {
		right = domain.Relevant
	}
	t.Passages++
	if each == right {
		t.Each++
	}
	if together == right {
		t.Together++
	}
	if helps && each == right && together != right {
		t.Missed++
	}
}

// tryPassages grades the passages of one question in both ways.
func tryPassages(ctx context.Context, roles Roles, asked Asked, requests []GradeRequest, atOnce int) (each, together []domain.Grade, err error) {
	ignore := func(string, any) {}
	each = make([]domain.Grade, len(requests))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, atOnce))
	group.Go(func() (err error) {
		together, err = roles.Model.GradeMany(ctx, asked, requests, ignore)
		return err
	})
	for i, r := range requests {
		group.Go(func() (err error) {
			each[i], err = roles.Grader.Grade(ctx, r, ignore)
			return err
		})
	}
	return each, together, group.Wait()
}
