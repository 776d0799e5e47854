package domain

// A MethodName names a way of searching for passages.
type MethodName string

// The ways of searching.
const (
	MethodDefault MethodName = ""        // MethodWalk, or MethodHybrid while the graph is empty
	MethodWords   MethodName = "words"   // by the words of the question (BM25)
	MethodVectors MethodName = "vectors" // by the vector of the question (cosine)
	MethodHybrid  MethodName = "hybrid"  // by both, fused by their ranks
	MethodWalk    MethodName = "walk"    // over the graph, from names, words and vectors
)

// MethodRerank names, in the report of a search, the reordering of its passages by a model. It is not a way of searching.
const MethodRerank MethodName = "rerank"

// Methods lists the ways of searching, the default last.
func Methods() []MethodName {
	return []MethodName{MethodWords, MethodVectors, MethodHybrid, MethodWalk, MethodDefault}
}

// ByVectors reports whether a method needs an embedding model: without one, vectors find nothing and hybrid is the same
// as words.
func (m MethodName) ByVectors() bool { return m == MethodVectors || m == MethodHybrid }

// MaxRanked bounds the passages that a method's report ranks.
const MaxRanked = 30

// FindMethod returns the way of searching with a name, or an error of kind
// Invalid that lists them.
func FindMethod(name string) (MethodName, error) {
	switch m := MethodName(name); m {
	case MethodDefault, MethodWords, MethodVectors, MethodHybrid, MethodWalk:
		return m, nil
	}
	return MethodDefault, Errorf(Invalid, "There is no search method %q. Choose words, vectors, hybrid or walk.", name)
}
