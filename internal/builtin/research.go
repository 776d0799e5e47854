package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/clewhq/clew/internal/answer"
	"github.com/clewhq/clew/internal/answer/research"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/prose"
)

// Researching returns the role of research without a model. Its questions are the one to be researched under topics that the
// library has near it: headings, titles and names. It writes no overview.
func Researching() research.Role { return researcher{} }

type researcher struct{}

// Overview implements research.Role.
func (researcher) Overview(context.Context, research.Task, research.Report, answer.Emit) ([]domain.Sentence, error) {
	return nil, nil
}

// longestTopic is the longest heading or name that makes a topic, in code points.
const longestTopic = 80

// Plan asks the question itself, and under each heading or title near it.
func (researcher) Plan(_ context.Context, t research.Task, _ answer.Emit) ([]research.Question, error) {
	plan := []research.Question{{Text: t.Question}}
	var headings, names []string
	for _, p := range t.Passages {
		if n := len(p.Headings); n > 0 {
			headings = append(headings, p.Headings[n-1])
		} else if p.Title != "" {
			headings = append(headings, p.Title)
		}
		for _, name := range prose.Names(p.Text) {
			names = append(names, name.Text)
		}
	}
	return append(plan, about(t, append(headings, repeated(names)...))...), nil
}

// Gaps asks under the names that the findings mention and no question has.
func (researcher) Gaps(_ context.Context, t research.Task, _ answer.Emit) ([]research.Question, error) {
	var names []string
	for _, f := range t.Findings {
		for _, s := range f.Sentences {
			for _, name := range prose.Names(s.Text) {
				if name.Kind == prose.Proper || name.Kind == prose.Quoted {
					names = append(names, name.Text)
				}
			}
		}
	}
	return about(t, repeated(names)), nil
}

// repeated returns names by how often they occur, those of more words first among equals; each once.
func repeated(names []string) (out []string) {
	times := map[string]int{}
	for _, name := range names {
		if times[prose.Key(name)]++; times[prose.Key(name)] == 1 {
			out = append(out, name)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		if by := times[prose.Key(b)] - times[prose.Key(a)]; by != 0 {
			return by
		}
		return len(strings.Fields(b)) - len(strings.Fields(a))
	})
	return out
}

// about returns the question under each topic, most at most. A topic whose words the questions so far have is left out.
func about(t research.Task, topics []string) (questions []research.Question) {
	said := map[string]bool{}
	note := func(text string) (fresh bool) {
		for _, term := range prose.Terms(text) {
			fresh = fresh || !said[term]
			said[term] = true
		}
		return fresh
	}
	note(t.Question)
	for _, q := range t.Planned {
		note(q.Text)
	}
	for _, topic := range topics {
		topic = strings.Trim(domain.OneLine(topic), ".:;,# ")
		if len(questions) == t.Most || domain.Runes(topic) > longestTopic || !note(topic) {
			continue
		}
		questions = append(questions, research.Question{Text: topic + ": " + t.Question, Topic: topic})
	}
	return questions
}
