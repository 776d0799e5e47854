package openai

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/ledger"
	"github.com/clewhq/clew/internal/questions"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/sse"
)

// stream sends an answer as it is written. The run continues if the client leaves, as it does for the pages.
func (s *Service) stream(c echo.Context, in asked, m ledger.Answer) error {
	ctx := c.Request().Context()
	out, err := newStream(c, "chatcmpl-"+string(m.Run), in.Model, s.Now().Unix())
	if err != nil {
		return nil // the client is gone
	}
	defer out.sse.Close()
	for news, err := range s.Asker.Follow(ctx, m.Run, 0) {
		if err != nil {
			return out.fail(err)
		}
		out.news(news)
	}
	if ctx.Err() != nil || out.err != nil {
		return nil // as above
	}
	reply, err := s.Asker.Await(ctx, m.Run, 0)
	if err == nil {
		err = notAnswered(reply)
	}
	if err != nil {
		return out.fail(err)
	}
	d := answered(reply, request.Site(c), in.Model)
	return out.finish(d, questions.Rest(out.said.String(), reply.Answer)+strings.TrimPrefix(d.text, reply.Answer), in.Options.Usage)
}

// stream is a stream of pieces of a completion.
type stream struct {
	sse       *sse.Stream
	id, model string
	created   int64
	said      strings.Builder // words sent so far
	err       error
}

func newStream(c echo.Context, id, model string, created int64) (*stream, error) {
	open, err := sse.Open(c)
	if err != nil {
		return nil, err
	}
	s := &stream{sse: open, id: id, model: model, created: created}
	s.delta(map[string]any{"role": "assistant", "content": ""}, nil, nil)
	return s, nil
}

// write sends a part. The first error stays.
func (s *stream) write(text string) {
	if s.err == nil {
		s.err = s.sse.Write([]byte(text))
	}
}

// comment sends a line that clients ignore.
func (s *stream) comment(text string) {
	s.write(": " + domain.OneLine(text) + "\n\n")
}

func (s *stream) chunk(fields map[string]any) {
	all := map[string]any{"id": s.id, "object": "chat.completion.chunk", "created": s.created, "model": s.model}
	maps.Copy(all, fields)
	b, err := json.Marshal(all)
	if err != nil {
		s.err = err
		return
	}
	s.write("data: " + string(b) + "\n\n")
}

func (s *stream) delta(delta map[string]any, finish any, also map[string]any) {
	fields := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}}
	maps.Copy(fields, also)
	s.chunk(fields)
}

// words sends further words.
func (s *stream) words(text string) {
	if text != "" {
		s.said.WriteString(text)
		s.delta(map[string]any{"content": text}, nil, nil)
	}
}

// news sends what has happened: steps as comments, and words. Words that were sent can't be taken back.
func (s *stream) news(n questions.News) {
	for _, step := range n.Steps {
		s.comment("step " + step.Node + ": " + step.Said)
	}
	if n.Reset && strings.TrimSpace(s.said.String()) != "" {
		s.words("\n\nWritten again:\n\n")
		s.said.Reset()
	}
	s.words(n.Text)
}

// finish sends the last words, the sources, and the end.
func (s *stream) finish(d completion, rest string, withUsage bool) error {
	s.words(rest)
	also := map[string]any{}
	if d.reply != nil {
		also["clew"], also["sources"] = d.extra(), sourceCards(d)
	}
	if len(d.annotations) > 0 {
		s.delta(map[string]any{"annotations": d.annotations}, nil, also)
		also = nil
	}
	s.delta(map[string]any{}, "stop", also)
	if withUsage {
		s.chunk(map[string]any{"choices": []any{}, "usage": d.usage()})
	}
	s.write("data: [DONE]\n\n")
	return nil
}

// sourceCards are the sources as Open WebUI shows them while it receives an answer.
func sourceCards(d completion) []any {
	cards := []any{}
	for i, a := range d.annotations {
		cited := d.cited[i]
		cards = append(cards, map[string]any{
			"source": map[string]any{"name": cited.Where(), "url": a.Citation.URL}, "document": []string{cited.Text},
			"metadata": []any{map[string]any{"source": cited.Where(), "page": cited.Page}},
		})
	}
	return cards
}

// fail ends a stream that has begun with an error.
func (s *stream) fail(err error) error {
	message := domain.InWords(err)
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "server_error", "param": nil, "code": nil}})
	s.write("data: " + string(b) + "\n\n")
	return nil
}
