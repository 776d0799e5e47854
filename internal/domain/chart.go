package domain

// ChartType is the form of a chart.
type ChartType string

// The types of chart.
const (
	ChartBar     ChartType = "bar"
	ChartGrouped ChartType = "grouped_bar"
	ChartStacked ChartType = "stacked_bar"
	ChartLine    ChartType = "line"
	ChartArea    ChartType = "area"
	ChartScatter ChartType = "scatter"
	ChartPie     ChartType = "pie"
)

// The most that a chart may hold.
const (
	MaxSeries = 12
	MaxPoints = 500 // of all series
)

// Chart is a chart specification that has been validated: each of its numbers
// stands in a cited passage or is a count in the graph.
type Chart struct {
	Type       ChartType  `json:"type"`
	Title      string     `json:"title"`
	Unit       string     `json:"unit,omitempty"`       // of the values; "" for plain numbers
	X          string     `json:"x,omitempty"`          // title of the axis of categories, or of X of a scatter
	Y          string     `json:"y,omitempty"`          // title of the axis of values
	Categories []string   `json:"categories,omitempty"` // in the order of the axis; none for a scatter
	Series     []Series   `json:"series"`               // at least 1, at most MaxSeries; exactly 1 of a pie
	Citations  []Citation `json:"citations,omitempty"`  // numbered from 1 within the chart
}

// Series is a named row of points.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is one value with where it comes from: a citation or a count.
type Point struct {
	Category int     `json:"category"`           // index into the chart's Categories; 0 for a scatter
	X        float64 `json:"x,omitempty"`        // of a scatter
	Value    float64 `json:"value"`              // Y of a scatter
	Citation int     `json:"citation,omitempty"` // number of the chart's citation that holds the value
	Count    *Count  `json:"count,omitempty"`    // what was counted, when it is a count
}

// Counted things of a graph.
const (
	CountEntities  = "entities"  // of a label
	CountRelations = "relations" // of a type
	CountMentions  = "mentions"  // in a document, or in the documents of a year
)

// Count names what was counted in the graph.
type Count struct {
	Of       string     `json:"of"`                    // CountEntities, CountRelations or CountMentions
	Key      string     `json:"key"`                   // the label, the type, the document's name or the year
	Document DocumentID `json:"document_id,omitempty"` // whose mentions were counted
}

// FigureStatus is how far a figure has come.
type FigureStatus string

// The states of a figure.
const (
	FigurePending FigureStatus = "pending"
	FigureDone    FigureStatus = "success"
	FigureFailed  FigureStatus = "error"
)

// Figure is a chart's place in an answer, held from the moment it is asked
// for.
type Figure struct {
	ID        string       `json:"id"`        // of the tool call that asked for it, unique in its answer
	Task      string       `json:"task"`      // what it is to show
	Paragraph int          `json:"paragraph"` // it stands behind as many paragraphs of the answer
	Status    FigureStatus `json:"status"`
	Chart     *Chart       `json:"chart,omitempty"`   // of FigureDone
	Problem   string       `json:"problem,omitempty"` // of FigureFailed: a sentence
	Sentences int          `json:"sentences"`         // of FigureFailed: how many were written before the failure was known
}
