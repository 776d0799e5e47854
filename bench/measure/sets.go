package measure

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/llm"
	"github.com/clewhq/clew/internal/retrieve/nearest"
)

// mixed is one or more folders whose passages are searched as one library. It
// holds nothing that gives the answers away.
type mixed struct {
	corpus    Corpus
	questions []Question
	parts     []part
	same      map[string]string // ids of passages by those of an equal passage that is left out
}

// part is the share of one folder.
type part struct {
	dir, name string // name prefixes the ids of its passages; "" if it is alone
	questions int
}

// load reads a folder, or all its subfolders that hold passages.
func load(dir string) (mixed, error) {
	dirs, err := folders(dir)
	if err != nil {
		return mixed{}, err
	}
	m := mixed{corpus: Corpus{Embedded: true}, same: map[string]string{}}
	byText := map[string]string{}
	for _, d := range dirs {
		p := part{dir: d}
		if len(dirs) > 1 {
			p.name = filepath.Base(d) + "/"
		}
		if err := m.add(&p, byText); err != nil {
			return mixed{}, err
		}
		m.parts = append(m.parts, p)
	}
	return m, nil
}

// folders lists dir itself, or its subfolders that hold passages if it holds none.
func folders(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, corpusFile)); !errors.Is(err, fs.ErrNotExist) {
		return []string{dir}, err
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", corpusFile))
	if err == nil && len(found) == 0 {
		err = domain.Errorf(domain.Invalid, "Neither the folder nor any folder in it has a %s.", corpusFile)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found, err
}

// add adds the passages and questions of a part. A passage that another part
// has too is added once.
func (m *mixed) add(p *part, byText map[string]string) error {
	c, err := LoadCorpus(p.dir)
	if err != nil {
		return err
	}
	questions, err := LoadQuestions(p.dir)
	if err != nil {
		return err
	}
	for _, passage := range c.Passages {
		passage.ID = p.name + passage.ID
		text := passage.Title + "\n" + passage.Text
		if first, ok := byText[text]; ok && p.name != "" {
			m.same[passage.ID] = first
			continue
		}
		byText[text] = passage.ID
		m.corpus.Passages = append(m.corpus.Passages, passage)
	}
	for _, s := range c.Sentences {
		s.Passage = p.name + s.Passage
		m.corpus.Sentences = append(m.corpus.Sentences, s)
	}
	m.corpus.Embedded = m.corpus.Embedded && c.Embedded
	m.questions = append(m.questions, questions...)
	p.questions = len(questions)
	return nil
}

// embed makes the vectors of the passages, of the sentences and of the questions, in
// place of those of the folders.
func (m *mixed) embed(ctx context.Context, e llm.Embedder) error {
	var texts []string
	var vectors []*[]float32
	add := func(text string, vector *[]float32) { texts, vectors = append(texts, text), append(vectors, vector) }
	title := make(map[string]string, len(m.corpus.Passages))
	for i := range m.corpus.Passages {
		p := &m.corpus.Passages[i]
		title[p.ID] = p.Title
		add(nearest.PassageText(p.Title, p.Text), &p.Vector)
	}
	for i := range m.corpus.Sentences {
		s := &m.corpus.Sentences[i]
		add(nearest.SentenceText(title[s.Passage], s.Text), &s.Vector)
	}
	for i := range m.questions {
		add(m.questions[i].Text, &m.questions[i].Vector)
	}
	made, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, v := range made {
		*vectors[i] = v
	}
	m.corpus.Embedded = true
	return nil
}

// judgements returns the judgements of a part, with the ids of m.
func (m mixed) judgements(p part) ([]Judgement, error) {
	list, err := LoadJudgements(p.dir)
	for i := range list {
		for k, id := range list[i].Gold {
			id = p.name + id
			if first, ok := m.same[id]; ok {
				id = first
			}
			list[i].Gold[k] = id
		}
	}
	return list, err
}
