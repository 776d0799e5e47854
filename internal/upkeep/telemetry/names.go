package telemetry

import "go.opentelemetry.io/otel/attribute"

// The names of metrics. Figures of models follow the GenAI conventions of OpenTelemetry, in the spelling of Prometheus.
const (
	buildInfo       = "clew_build_info"
	requestSeconds  = "clew_http_request_duration_seconds"
	runSeconds      = "clew_run_duration_seconds"
	runsEnded       = "clew_runs_total"
	nodeSeconds     = "clew_node_duration_seconds"
	nodeRetries     = "clew_node_retries_total"
	storeSeconds    = "clew_store_read_duration_seconds"
	storeUp         = "clew_store_up"
	storeLag        = "clew_store_lag_changes"
	queueDepth      = "clew_queue_depth"
	queueAge        = "clew_queue_oldest_age_seconds"
	workersAlive    = "clew_workers"
	diskFree        = "clew_disk_free_bytes"
	modelTokens     = "clew_model_tokens_total" //nolint:gosec // of a model, not of an account
	modelCost       = "clew_model_cost_total"
	loopsOfAnswer   = "clew_loops"
	gradesGiven     = "clew_grades_total"
	refusals        = "clew_refusals_total"
	capPauses       = "clew_cap_pauses_total"
	spansExported   = "clew_spans_exported_total"
	operationLength = "gen_ai_client_operation_duration_seconds"
	firstChunk      = "gen_ai_client_operation_time_to_first_chunk_seconds"
	tokenUsage      = "gen_ai_client_token_usage" //nolint:gosec // as above
)

// The attributes of spans. The conventions for GenAI are in development (semantic-conventions-genai 0.1.0), so they are pinned here
// and nowhere else. No attribute holds words of documents, questions or answers.
const (
	genaiOperation    = attribute.Key("gen_ai.operation.name")
	genaiProvider     = attribute.Key("gen_ai.provider.name")
	genaiRequestModel = attribute.Key("gen_ai.request.model")
	genaiAnswerModel  = attribute.Key("gen_ai.response.model")
	genaiInputTokens  = attribute.Key("gen_ai.usage.input_tokens")
	genaiOutputTokens = attribute.Key("gen_ai.usage.output_tokens")
	genaiFinish       = attribute.Key("gen_ai.response.finish_reasons")
	genaiAgent        = attribute.Key("gen_ai.agent.name")
	genaiDataSource   = attribute.Key("gen_ai.data_source.id")

	httpMethod = attribute.Key("http.request.method")
	httpRoute  = attribute.Key("http.route")
	httpStatus = attribute.Key("http.response.status_code")
	errorType  = attribute.Key("error.type")

	serviceName    = attribute.Key("service.name")
	serviceVersion = attribute.Key("service.version")

	clewRun       = attribute.Key("clew.run")
	clewWorkspace = attribute.Key("clew.workspace")
	clewNode      = attribute.Key("clew.node")
	clewAttempt   = attribute.Key("clew.attempt")
	clewRole      = attribute.Key("clew.model.role")
)

// The values of gen_ai.operation.name. A run is named like an agent: the conventions have no workflow.
const (
	operationAgent    = "invoke_agent"
	operationRetrieve = "retrieval"
)
