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

// The limits of a chart.
const (
	MaxSeries = 12
	MaxPoints = 500 // in all series together
)

// A Chart is a validated chart specification: each of its numbers occurs in a
// cited passage or is a count in the graph.
type Chart struct {
	Type       ChartType  `json:"type"`
	Title      string     `json:"title"`
	Unit       string     `json:"unit,omitempty"`       // of the values; "" for plain numbers
	X          string     `json:"x,omitempty"`          // title of the axis of categories, or of X in a scatter
	Y          string     `json:"y,omitempty"`          // title of the axis of values
	Categories []string   `json:"categories,omitempty"` // in the order of the axis; none for a scatter
	Series     []Series   `json:"series"`               // at least 1, at most MaxSeries; exactly 1 of a pie
	Citations  []Citation `json:"citations,omitempty"`  // numbered from 1 within the chart
}

// A Series is a named sequence of points.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// A Point is one value with its source: a citation or a count.
type Point struct {
	Category int     `json:"category"`           // index into the chart's Categories; 0 for a scatter
	X        float64 `json:"x,omitempty"`        // of a scatter
	Value    float64 `json:"value"`              // Y in a scatter
	Citation int     `json:"citation,omitempty"` // number of the chart's citation with the value
	Count    *Count  `json:"count,omitempty"`    // set when the value is a count
}

// Counted things of a graph.
const (
	CountEntities  = "entities"  // of a label
	CountRelations = "relations" // of a type
	CountMentions  = "mentions"  // in a document, or in the documents of a year
)

// A Count describes what was counted in the graph.
type Count struct {
	Of       string     `json:"of"`                    // CountEntities, CountRelations or CountMentions
	Key      string     `json:"key"`                   // the label, the type, the document's name or the year
	Document DocumentID `json:"document_id,omitempty"` // whose mentions were counted
}

// FigureStatus is the progress of a figure.
type FigureStatus string

// The states of a figure.
const (
	FigurePending FigureStatus = "pending"
	FigureDone    FigureStatus = "success"
	FigureFailed  FigureStatus = "error"
)

// A Figure is a chart's place in an answer, from the call for it on.
type Figure struct {
	ID        string       `json:"id"`        // of the tool call, unique in its answer
	Task      string       `json:"task"`      // what it is to show
	Paragraph int          `json:"paragraph"` // number of paragraphs in the answer before it
	Status    FigureStatus `json:"status"`
	Chart     *Chart       `json:"chart,omitempty"`   // if FigureDone
	Problem   string       `json:"problem,omitempty"` // if FigureFailed: a sentence
	Sentences int          `json:"sentences"`         // if FigureFailed: how many were written before it failed
}
