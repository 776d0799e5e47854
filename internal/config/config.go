// Package config reads the settings from the environment, validates them and
// documents them: docs/config.md and .env.example are generated from Config.
package config

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
)

// Config holds all settings. The help tags become docs/config.md.
type Config struct {
	Data      string        `env:"DATA_DIR" envDefault:"data" group:"Where" help:"Folder for databases and uploaded files. Created if missing. Same as the flag --data."`
	Workspace string        `env:"WORKSPACE" envDefault:"library" page:"false" group:"Where" help:"Name of the workspace in which commands work, as clew workspace list shows it. Same as the flag --workspace. With CLEW_SERVER, it must be the workspace of the token."`
	Listen    string        `env:"LISTEN" envDefault:"127.0.0.1:8080" group:"Where" help:"Address and port to listen on. Beyond loopback, Clew refuses to start without an account."`
	Public    string        `env:"PUBLIC_URL" group:"Where" help:"Address by which people reach the pages, such as https://clew.example.org. Links that programs are given begin with it. Empty: the address that each request was sent to."`
	BasePath  string        `env:"BASE_PATH" group:"Where" help:"Path below which a reverse proxy shows the pages, such as /clew. Every link, stream and file then begins with it, whether the proxy passes it on or takes it off. Empty: the pages have their host to themselves."`
	Proxies   string        `env:"TRUSTED_PROXIES" group:"Where" help:"Addresses or networks of the reverse proxies in front of Clew, separated by commas, for example 127.0.0.1,10.0.0.0/8. X-Forwarded-For (whose sign-ins are counted) and X-Forwarded-Proto (whether the page uses https) are trusted only from them."`
	SecretKey string        `env:"SECRET_KEY" secret:"true" group:"Where" help:"Secret that encrypts the keys of models connected in the page and the secrets of codes at sign-in, at least 32 characters, for example from openssl rand -hex 32. Empty: the file secret.key in the data folder, made when the first is saved. Needed with DATABASE_URL. Keep a copy apart from backups: without it, the keys have to be given again, and codes be set up again."`
	Drain     time.Duration `env:"DRAIN" envDefault:"20s" group:"Where" help:"How long a process that is told to end may take. Streams end at once, so that pages connect elsewhere. With DATABASE_URL, work in progress has half of the time to end, and is then left to another process."`
	LogLevel  string        `env:"LOG_LEVEL" envDefault:"info" page:"true" group:"Where" help:"debug, info, warn or error."`

	FirstUser     string `env:"FIRST_USER" envDefault:"admin" group:"Account" help:"Name of the account that FIRST_PASSWORD creates."`
	FirstPassword string `env:"FIRST_PASSWORD" secret:"true" group:"Account" help:"Password of the account created at start if there is none; at least 10 characters. Later changes have no effect: use clew user."`

	CodesRequired   bool          `env:"CODES_REQUIRED" page:"true" group:"Account" help:"Ask everybody who signs in with a password for a code of an app. Anyone who has not set one up does so at the next sign-in."`
	SessionLifetime time.Duration `env:"SESSION_LIFETIME" envDefault:"720h0m0s" page:"true" group:"Account" help:"How long a session lasts. A session unused for a week ends earlier."`
	TokenRate       int           `env:"TOKEN_RATE" envDefault:"3000" group:"Account" help:"How many requests a program may send in a minute with one token. More are refused with status 429. 0 means no limit."`

	SignOn SignOn

	MaxUploadMB int    `env:"MAX_UPLOAD_MB" envDefault:"100" group:"Documents" help:"Maximum size of an uploaded file in megabytes."`
	WebContact  string `env:"WEB_CONTACT" group:"Documents" help:"Address of a page or mailbox where the owners of fetched sites can reach you. It is sent with every request to them."`
	WebAllow    string `env:"WEB_ALLOW" page:"false" group:"Documents" help:"Hosts, addresses and networks that may be fetched although they are not on the public internet, separated by commas: wiki.example.lan, 10.1.0.0/16."`

	SourceFolders string `env:"SOURCE_FOLDERS" page:"false" group:"Documents" help:"Folders of the server below which sources may be followed, separated by commas: /srv/scans, /srv/minutes. Admins of every workspace can then have what is in them read. Empty: none; clew watch follows any folder from the command line."`

	S3 S3 `envPrefix:"S3_"`

	MaxPages         int           `env:"MAX_PAGES" envDefault:"5000" group:"Documents" help:"Maximum number of pages in a document."`
	ParseLimit       time.Duration `env:"PARSE_TIMEOUT" envDefault:"2m0s" group:"Documents" help:"Maximum time to parse one file, and to split its text."`
	ParseMB          int           `env:"PARSE_MEMORY_MB" envDefault:"512" group:"Documents" help:"Maximum memory for parsing one file, in megabytes. Files are parsed in separate processes, up to INGEST_CONCURRENCY of them; one that needs more is killed, and its file fails."`
	OCR              string        `env:"OCR" envDefault:"auto" group:"Documents" help:"Whether tesseract reads images, and pages of a PDF that are images: auto (if it is installed) or off. With auto and without tesseract, a PDF that consists only of images fails with a message, and an image has no words but those that its file states."`
	OCRLanguages     string        `env:"OCR_LANGUAGES" envDefault:"eng" group:"Documents" help:"Languages of scans, as tesseract names them, joined by a plus, for example eng+deu. Their data must be installed."`
	DescribePictures int           `env:"DESCRIBE_PICTURES" envDefault:"20" group:"Documents" help:"Maximum number of pictures of a document that the model of DESCRIBE_… describes. CAP_DOCUMENT counts these calls too."`
	OCRPages         int           `env:"OCR_PAGES" envDefault:"500" group:"Documents" help:"Maximum number of image pages read per document; the rest are left out with a warning."`
	SentenceVectors  int           `env:"SENTENCE_VECTORS" envDefault:"300000" group:"Documents" help:"Sentences of a workspace that get vectors in the background. Of a workspace with more, a question embeds the sentences of the first 50 passages that it finds, which takes longer but needs no memory."`
	KeepStruck       bool          `env:"KEEP_STRUCK" envDefault:"false" group:"Documents" help:"Keep text that is crossed out or marked as deleted, between tildes: ~~400~~ 650. By default it is left out, as it is no longer valid. Documents already read keep their text until they are read again."`
	ChunkTokens      int           `env:"CHUNK_TOKENS" envDefault:"256" group:"Documents" help:"Maximum number of tokens in a chunk."`
	Ingests          int           `env:"INGEST_CONCURRENCY" envDefault:"4" group:"Documents" help:"How many documents are read at the same time, per process. Up to 32 times as many more may wait for graph and search index."`
	WaitingDocuments int           `env:"MAX_WAITING_DOCUMENTS" envDefault:"1000" group:"Documents" help:"How many added documents of one person may wait to be read; ten times as many for everyone together. More are refused until some have been read. 0 means no limit."`
	UndoTime         time.Duration `env:"UNDO_TIME" envDefault:"10s" group:"Documents" help:"How long the deletion of documents and conversations can be undone in the page. They are hidden at once, and deleted for good after this time."`
	MergeBar         float64       `env:"RESOLVE_MERGE" envDefault:"0.95" group:"Documents" help:"Score from 0 to 1 at which two entities are merged by rule after documents have been read. Each merge is in the list of changes and can be undone. Above 1, none are merged by rule."`
	AskAbout         int           `env:"RESOLVE_ASK" envDefault:"0" group:"Documents" help:"How many of the likeliest pairs between RESOLVE_PROPOSE and RESOLVE_MERGE the model is asked about each time entities are compared. Its verdict, asked for once per pair, counts as one reason among others. 0: no model is asked."`
	ProposeBar       float64       `env:"RESOLVE_PROPOSE" envDefault:"0.5" group:"Documents" help:"Score from 0 to 1 at which two entities are proposed as possibly the same."`
	ExtractWindow    int           `env:"EXTRACT_WINDOW" envDefault:"1200" group:"Documents" help:"Neighbouring chunks of a document share one call of the model up to this many tokens, which means fewer calls and paying for the instructions once. 600 suits small models. 0: one call for each chunk."`
	ExtractMode      string        `env:"EXTRACT_MODE" envDefault:"auto" group:"Documents" help:"How a model extracts entities: auto, tool, schema or prompt."`

	MaxLoops         int           `env:"MAX_LOOPS" envDefault:"3" group:"Answers" help:"How often a question may be rewritten if nothing relevant is found; 0 means one search and no rewrite."`
	MinRelevant      int           `env:"MIN_RELEVANT" envDefault:"1" group:"Answers" help:"How many passages must be relevant before an answer is written."`
	Passages         int           `env:"PASSAGES" envDefault:"8" group:"Answers" help:"How many passages of each search are graded."`
	GradeMany        string        `env:"GRADE_MANY" envDefault:"auto" group:"Answers" help:"How many passages a model grades in one call: each, together (eight), a number, or auto: together once clew model test has found that the model grades labelled passages as well together as one by one. Together costs about a quarter of the tokens."`
	GradeAbove       float64       `env:"GRADE_ABOVE" envDefault:"0" group:"Answers" help:"Passages that score less than this share of the best one, from 0 to 1, are neither graded nor used. 0 grades all."`
	Rerank           int           `env:"RERANK" envDefault:"0" group:"Answers" help:"How many of the first passages of a search the model reorders in one call, for example 20; the first PASSAGES of the new order are graded. Each search costs their tokens. 0 keeps the order of the search."`
	Decompose        bool          `env:"DECOMPOSE" envDefault:"false" group:"Answers" help:"Let the model split a question that one search can't answer, and search step by step, each with what the previous step found. It costs a call for each question of more than six words, and a search with its grades for each step."`
	Regenerate       bool          `env:"REGENERATE" envDefault:"true" group:"Answers" help:"Let the model rewrite an answer that has unsupported sentences, told which and why. The better supported version is kept."`
	ThemesByModel    bool          `env:"THEMES_BY_MODEL" envDefault:"false" group:"Answers" help:"Let the model of SUMMARY_… summarise each theme of the library. After documents have been read, it is asked about the themes that changed; until then, and without it, sentences of the documents stand for a theme."`
	WebSearch        string        `env:"WEB_SEARCH_URL" group:"Answers" help:"Address of a SearXNG server, for example http://127.0.0.1:8888, that a person may have search the web for a question that the library could not answer. Its settings must list json in formats. The words of that question then leave this machine, and the pages that are found are read; none is added to the library. Empty: the web is not searched."`
	Answers          int           `env:"ANSWER_CONCURRENCY" envDefault:"4" group:"Answers" help:"How many questions are answered at the same time, per process."`
	WaitingQuestions int           `env:"MAX_WAITING_QUESTIONS" envDefault:"50" group:"Answers" help:"How many questions of one person may wait to be answered, and how many summaries to be made; ten times as many for everyone together. More are refused until some are done. 0 means no limit."`
	ReviewByDefault  bool          `env:"STOP_BEFORE_WRITING" envDefault:"false" group:"Answers" help:"Whether the option Stop before writing is on by default on the page Ask and in clew ask: you choose the passages that an answer rests on."`
	HintByDefault    bool          `env:"ASK_FOR_HINT" envDefault:"false" group:"Answers" help:"Whether the option Ask me for a hint is on by default on the page Ask and in clew ask: you are asked for other words when nothing relevant is found."`
	QuestionLimit    time.Duration `env:"QUESTION_TIMEOUT" envDefault:"5m0s" group:"Answers" help:"Maximum time to answer one question, not counting its time in the queue."`

	KeepRuns   int `env:"KEEP_RUNS" envDefault:"90" group:"Runs" help:"How many days the states of a run are kept after it has ended, so that you can look at them, compare them and fork from them. The list of its steps stays. 0 keeps none."`
	KeepRunsMB int `env:"KEEP_RUNS_MB" envDefault:"1024" group:"Runs" help:"Maximum size of the states of ended runs in megabytes; the oldest are deleted first."`

	AuditDays        int `env:"AUDIT_DAYS" envDefault:"365" page:"true" group:"Keeping" help:"How many days the trail keeps who did what. 0 keeps it forever. Older rows are removed; what is left can still be checked."`
	ConversationDays int `env:"CONVERSATION_DAYS" envDefault:"0" page:"true" group:"Keeping" help:"Number of days without a question after which a conversation is deleted, with its answers and their runs. Pinned and shared ones stay. 0 keeps all. clew retention shows how many that would be."`
	RunDays          int `env:"RUN_DAYS" envDefault:"0" page:"true" group:"Keeping" help:"Number of days after which the steps of an ended run are deleted. Answers, their sources and what they cost stay. 0 keeps all. clew retention shows how many that would be."`

	CapDocument  string `env:"CAP_DOCUMENT" group:"Costs" help:"Maximum cost of reading one document, all its readings together: money such as 2.50, or tokens such as 500000 tokens. Empty: no cap. At a cap, reading pauses between two calls and continues when the cap is raised. A value set on the page Usage takes precedence."`
	CapQuestion  string `env:"CAP_QUESTION" group:"Costs" help:"Maximum cost of one answer, all its calls together: money such as 0.05, or tokens such as 20000 tokens. At the cap, the answer quotes what was found so far and says so. Calls in progress are not cut off."`
	CapDay       string `env:"CAP_DAY" group:"Costs" help:"Maximum cost of models on one day (UTC), questions included."`
	CapMonth     string `env:"CAP_MONTH" group:"Costs" help:"Maximum cost of models in one month (UTC)."`
	CapWorkspace string `env:"CAP_WORKSPACE" group:"Costs" help:"Maximum cost of models in total."`
	Prices       string `env:"PRICES" group:"Costs" help:"File with prices of models. They take precedence over the prices that Clew ships, and prices set on the page Prices or with clew prices set take precedence over them. Clew only reads it. Empty: prices.yaml in the data folder."`

	Model  Model
	Order  Reranker `envPrefix:"RERANK_"`
	Embed  Endpoint `envPrefix:"EMBED_" group:"Embeddings" help:"The model that makes vectors, for search by meaning. The provider may also be builtin, a small English model on this machine that takes no other setting, or none: search by words alone. Empty: builtin if its files are there (make run, the Docker image and clew model fetch provide them)."`
	MiniLM string   `env:"MINILM_DIR" group:"Embeddings" help:"Folder with the files of the built-in embedding model. Empty: the folder minilm in the data folder."`

	Postgres Postgres
	Neo4j    Neo4j
	Qdrant   Qdrant
	Files    Files

	Monitoring Monitoring

	places map[string]Place  // of settings that differ from their defaults, by name
	given  map[string]string // the environment
}

// Reranker configures a cross-encoder that puts the first passages of a search in order.
type Reranker struct {
	BaseURL string `env:"BASE_URL" group:"Reranker" help:"Address of a server with a cross-encoder, up to /rerank: vLLM (http://127.0.0.1:8000), Text Embeddings Inference, Jina (https://api.jina.ai/v1) or Cohere (https://api.cohere.com/v2). It puts the first RERANK passages of each search in order, 20 if that is 0, in place of the chat model. If it does not answer, the order of the search stays and the trace says so. Empty: none."`
	Model   string `env:"MODEL" group:"Reranker" help:"Name of the cross-encoder on its server, for example BAAI/bge-reranker-v2-m3. Text Embeddings Inference serves one alone, and needs none."`
	Key     string `env:"API_KEY" secret:"true" group:"Reranker" help:"Key for the server of the cross-encoder. Empty if it needs none."`
}

// S3 configures a storage that speaks the protocol of Amazon S3.
type S3 struct {
	Endpoint string `env:"ENDPOINT" group:"Storage" help:"Address of a storage that speaks the protocol of Amazon S3, for example https://minio.example.org. Empty: Amazon's in S3_REGION. A storage outside the public internet must also be listed in WEB_ALLOW."`
	Region   string `env:"REGION" envDefault:"us-east-1" group:"Storage" help:"Region of the storage."`
	Key      string `env:"ACCESS_KEY" group:"Storage" help:"Name of the key that reads objects, and writes uploaded files where FILES_URL is set. Empty: only public objects can be read."`
	Secret   string `env:"SECRET_KEY" secret:"true" group:"Storage" help:"Secret of the key. It signs requests and is never sent."`
	Session  string `env:"SESSION_TOKEN" secret:"true" group:"Storage" help:"Session token of a temporary key."`
	Buckets  string `env:"BUCKETS" group:"Storage" help:"Buckets, or prefixes in them, that anyone who may add documents can read from in the page, separated by commas: letters, archive/2024. Empty: only clew ingest reads from the storage."`
}

// Model configures the chat model, and another one for each role that has its
// own settings. Without a provider, the built-in mode fills every role.
type Model struct {
	Endpoint    `envPrefix:"LLM_" group:"Model" help:"The model that writes answers and does every task that has no other model. Without one, the built-in mode does them."`
	Extract     Endpoint      `envPrefix:"EXTRACT_" group:"Model for extraction" help:"Empty settings are taken from LLM_…; if a provider or address is set here, only the model's name is."`
	Grade       Endpoint      `envPrefix:"GRADE_" group:"Model for grading and checking" help:"Empty settings are taken from LLM_… in the same way."`
	Rewrite     Endpoint      `envPrefix:"REWRITE_" group:"Model for rewriting questions" help:"Empty settings are taken from LLM_… in the same way."`
	Summary     Endpoint      `envPrefix:"SUMMARY_" group:"Model for summaries" help:"Empty settings are taken from LLM_… in the same way."`
	Describe    Endpoint      `envPrefix:"DESCRIBE_" group:"Model for describing pictures" help:"A model that sees. Without a name here, pictures are not described; other empty settings are taken from LLM_… in the same way."`
	Concurrency int           `env:"LLM_CONCURRENCY" envDefault:"4" group:"Calls" help:"Maximum number of concurrent calls to each server, per process. A server that is busy or slow gets fewer for a while, as the page Health shows."`
	MaxTokens   int           `env:"LLM_MAX_TOKENS" envDefault:"0" group:"Calls" help:"Maximum number of tokens that a model may write in one call, including its reasoning. 0 computes it from the input: 2,048 plus the size of the input; for extraction, 2,048 plus three times the passage."`
	Timeout     time.Duration `env:"LLM_TIMEOUT" envDefault:"2m0s" group:"Calls" help:"Maximum duration of one call. Where the model sends its answer piece by piece, it bounds the silence before each piece instead, so that a slow model may write for longer; QUESTION_TIMEOUT bounds a whole question."`
}

// Load reads and validates the settings in environ (in the form of os.Environ).
// A setting NAME may be given as NAME_FILE, the path of a file that contains its
// value, for secrets. Load reports all mistakes at once.
func Load(environ []string) (Config, error) {
	vars := env.ToMap(environ)
	if err := readFiles(vars); err != nil {
		return Config{}, err
	}
	for _, role := range []string{"EXTRACT", "GRADE", "REWRITE", "SUMMARY"} {
		vars[role+"_MODEL"] = cmp.Or(vars[role+"_MODEL"], vars["LLM_MODEL_"+role]) // the setting's name in older versions
	}
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return Config{}, unreadable(err, vars)
	}
	c.places, c.given = placesOf(vars), vars
	return c, c.Check()
}

// unreadable rewrites err, from parsing vars, as sentences that name settings
// instead of struct fields.
func unreadable(err error, vars map[string]string) error {
	var several env.AggregateError
	if !errors.As(err, &several) {
		return domain.Because(domain.Invalid, err, "The settings can't be read: %v.", err)
	}
	var problems []error
	for _, one := range several.Errors {
		var wrong env.ParseError
		var keys []string
		if errors.As(one, &wrong) {
			keys = keysOf(reflect.TypeFor[Config](), wrong.Name, "")
		}
		at := slices.IndexFunc(keys, func(key string) bool { return len(keys) == 1 || !isNumber(vars[key]) })
		if at < 0 {
			problems = append(problems, domain.Because(domain.Invalid, one, "The settings can't be read: %v.", one))
			continue
		}
		key, kind := keys[at], "a whole number"
		switch wrong.Type {
		case reflect.TypeFor[time.Duration]():
			kind = "a time such as 90s or 2m"
		case reflect.TypeFor[float64]():
			kind = "a number such as 0.95"
		case reflect.TypeFor[bool]():
			kind = "true or false"
		}
		problems = append(problems, domain.Because(domain.Invalid, one, "%s is %q, but should be %s.", key, vars[key], kind))
	}
	return errors.Join(problems...)
}

// keysOf returns the settings of a field of t or of structs within: one, or those of
// the same number of several models.
func keysOf(t reflect.Type, field, prefix string) (keys []string) {
	for f := range t.Fields() {
		key := f.Tag.Get("env")
		if key == "" && f.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(f.Type, field, f.Tag.Get("envPrefix"))...)
		} else if f.Name == field {
			keys = append(keys, prefix+key)
		}
	}
	return keys
}

// isNumber reports whether a setting can be read as a number; one that is not set
// can.
func isNumber(value string) bool {
	_, err := strconv.Atoi(value)
	return value == "" || err == nil
}

// readFiles resolves settings given as NAME_FILE.
func readFiles(vars map[string]string) error {
	for _, s := range Settings() {
		path, ok := vars[s.Key+"_FILE"]
		if !ok || path == "" {
			continue
		}
		if vars[s.Key] != "" {
			return domain.Errorf(domain.Invalid, "%s and %s_FILE are both set: remove one.", s.Key, s.Key)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return domain.Because(domain.Invalid, err, "%s_FILE can't be read: %v.", s.Key, err)
		}
		vars[s.Key] = strings.TrimRight(string(b), "\r\n")
	}
	return nil
}

// isListened reports whether text is an address to listen on: its port is a number, 0 for any, or the name of a service.
func isListened(text string) bool {
	_, port, err := net.SplitHostPort(text)
	n, named := strconv.Atoi(port)
	return err == nil && (named != nil || n == 0 || domain.IsPort(port))
}

// Check reports every invalid setting in a sentence that names it.
func (c Config) Check() error {
	var problems []error
	add := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, domain.Errorf(domain.Invalid, format, args...))
		}
	}
	add(!isListened(c.Listen), "LISTEN is %q, but should be an address with a port, for example 127.0.0.1:8080.", c.Listen)
	add(!oneOf(c.LogLevel, "debug", "info", "warn", "error"), "LOG_LEVEL is %q, but should be debug, info, warn or error.", c.LogLevel)
	add(c.Data == "", "DATA_DIR is empty: name the folder that holds the data.")
	add(c.SecretKey != "" && len(c.SecretKey) < minSecret, "SECRET_KEY is too short: use at least %d characters, for example from openssl rand -hex 32.", minSecret)
	add(c.FirstPassword != "" && len(c.FirstPassword) < minPassword, "FIRST_PASSWORD is too short: use at least %d characters.", minPassword)
	add(c.SessionLifetime < time.Minute, "SESSION_LIFETIME is %s, but should be at least a minute, for example 720h.", c.SessionLifetime)
	add(!isSite(c.Public), "PUBLIC_URL is %q, but should be the address of a site without a path, such as https://clew.example.org.", c.Public)
	add(!basePath.MatchString(c.BasePath), "BASE_PATH is %q, but should be a path of letters, digits and - without a slash at its end, such as /clew.", c.BasePath)
	add(c.Drain < time.Second, "DRAIN is %s, but should be at least a second, for example 20s.", c.Drain)
	add(c.TokenRate < 0, "TOKEN_RATE should be 0 or more.")
	_, unread := c.TrustedProxies()
	add(unread != "", "TRUSTED_PROXIES holds %q, but should list addresses such as 127.0.0.1 or networks such as 10.0.0.0/8, separated by commas.", unread)
	add(strings.ContainsAny(c.WebContact, "\r\n()"), "WEB_CONTACT should be an address of a page or a mailbox, without line breaks and brackets.")
	add(c.MaxUploadMB < 1, "MAX_UPLOAD_MB is %d, but should be at least 1.", c.MaxUploadMB)
	add(c.SentenceVectors < 1, "SENTENCE_VECTORS is %d, but should be at least 1.", c.SentenceVectors)
	add(c.MaxPages < 1, "MAX_PAGES is %d, but should be at least 1.", c.MaxPages)
	add(c.ParseLimit <= 0, "PARSE_TIMEOUT is %s, but should be a time above zero.", c.ParseLimit)
	add(c.ParseMB < minParseMB || c.ParseMB > maxParseMB, "PARSE_MEMORY_MB is %d, but should be between %d and %d.", c.ParseMB, minParseMB, maxParseMB)
	add(c.OCR != "auto" && c.OCR != "off", "OCR is %q, but should be auto or off.", c.OCR)
	add(!regexp.MustCompile(`^\w+(\+\w+)*$`).MatchString(c.OCRLanguages), "OCR_LANGUAGES is %q, but should be names of languages joined by a plus, for example eng+deu.", c.OCRLanguages)
	add(c.OCRPages < 1, "OCR_PAGES is %d, but should be at least 1.", c.OCRPages)
	add(c.ChunkTokens < 32 || c.ChunkTokens > 4096, "CHUNK_TOKENS is %d, but should be between 32 and 4096.", c.ChunkTokens)
	add(c.ExtractWindow < 0 || c.ExtractWindow > 16000, "EXTRACT_WINDOW is %d, but should be between 0 and 16000.", c.ExtractWindow)
	add(c.Ingests < 1 || c.Answers < 1 || c.Model.Concurrency < 1, "INGEST_CONCURRENCY, ANSWER_CONCURRENCY and LLM_CONCURRENCY should be at least 1.")
	add(c.MaxLoops < 0 || c.MaxLoops > 20, "MAX_LOOPS is %d, but should be between 0 and 20.", c.MaxLoops)
	add(c.MinRelevant < 1, "MIN_RELEVANT is %d, but should be at least 1.", c.MinRelevant)
	add(c.Passages < 1 || c.Passages > 100, "PASSAGES is %d, but should be between 1 and 100.", c.Passages)
	many, auto := c.Together()
	add(!auto && (many < 1 || many > 32), "GRADE_MANY is %q, but should be auto, each, together, or a number between 1 and 32.", c.GradeMany)
	add(c.GradeAbove < 0 || c.GradeAbove > 1, "GRADE_ABOVE is %g, but should be between 0 and 1.", c.GradeAbove)
	add(c.Rerank < 0 || c.Rerank > domain.MaxRanked, "RERANK is %d, but should be between 0 and %d.", c.Rerank, domain.MaxRanked)
	add(c.ProposeBar < 0.2 || c.ProposeBar > 1, "RESOLVE_PROPOSE is %g, but should be between 0.2 and 1.", c.ProposeBar)
	add(c.AskAbout < 0, "RESOLVE_ASK is %d, but should be 0 or more.", c.AskAbout)
	add(c.MergeBar < c.ProposeBar, "RESOLVE_MERGE is %g, but should be at least RESOLVE_PROPOSE, %g.", c.MergeBar, c.ProposeBar)
	add(!oneOf(c.ExtractMode, "auto", "tool", "schema", "prompt"), "EXTRACT_MODE is %q, but should be auto, tool, schema or prompt.", c.ExtractMode)
	add(c.WaitingDocuments < 0 || c.WaitingQuestions < 0, "MAX_WAITING_DOCUMENTS and MAX_WAITING_QUESTIONS should be 0 or more.")
	add(c.UndoTime <= 0, "UNDO_TIME is %s, but should be a time above zero.", c.UndoTime)
	add(c.AuditDays < 0 || c.ConversationDays < 0 || c.RunDays < 0, "AUDIT_DAYS, CONVERSATION_DAYS and RUN_DAYS should be 0 or more.")
	add(c.KeepRuns < 0 || c.KeepRunsMB < 0, "KEEP_RUNS and KEEP_RUNS_MB should be 0 or more.")
	add(c.QuestionLimit <= 0, "QUESTION_TIMEOUT is %s, but should be a time above zero.", c.QuestionLimit)
	problems = append(problems, c.SignOn.check(c.Proxies)...)
	problems = append(problems, c.checkModels()...)
	problems = append(problems, c.checkStores()...)
	problems = append(problems, c.Monitoring.check()...)
	return errors.Join(problems...)
}

// minPassword is the minimum length of FIRST_PASSWORD; package auth checks it
// again.
const minPassword = 10

// minSecret is the minimum length of SECRET_KEY.
const minSecret = 32

// Bounds of PARSE_MEMORY_MB: less than the minimum is half used before a file
// comes.
const minParseMB, maxParseMB = 128, 1 << 20

// Loopback reports whether only this machine can reach the listener.
func (c Config) Loopback() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// PublicURL returns PUBLIC_URL without a slash at its end.
func (c Config) PublicURL() string { return strings.TrimSuffix(c.Public, "/") }

// Root returns the address of the pages with BASE_PATH, or "" without PUBLIC_URL.
func (c Config) Root() string {
	if c.Public == "" {
		return ""
	}
	return c.PublicURL() + c.BasePath
}

var basePath = regexp.MustCompile(`^(/[a-zA-Z0-9][a-zA-Z0-9-]*)*$`)

// isSite reports whether an address is that of a site, or "".
func isSite(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
}

// TrustedProxies returns the networks of TRUSTED_PROXIES, and the first part that
// names none.
func (c Config) TrustedProxies() (proxies []netip.Prefix, unread string) {
	for part := range strings.FieldsFuncSeq(c.Proxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		address, err := netip.ParseAddr(part)
		p := netip.PrefixFrom(address, address.BitLen())
		if err != nil {
			p, err = netip.ParsePrefix(part)
		}
		if err != nil {
			return nil, part
		}
		proxies = append(proxies, p.Masked())
	}
	return proxies, ""
}

// gradedTogether is how many passages are graded in one call by GRADE_MANY=together.
const gradedTogether = 8

// Together returns how many passages a model grades in one call, and auto if it is so only for a model
// that a test has found to do it well.
func (c Config) Together() (many int, auto bool) {
	switch c.GradeMany {
	case "auto":
		return gradedTogether, true
	case "each":
		return 1, false
	case "together":
		return gradedTogether, false
	}
	many, _ = strconv.Atoi(c.GradeMany) // Check rejects the 0 returned for invalid values
	return many, false
}

// ParseMemory returns the most bytes that parsing one file may hold.
func (c Config) ParseMemory() int64 { return int64(c.ParseMB) << 20 }

// MaxUpload returns the maximum size of an uploaded file in bytes.
func (c Config) MaxUpload() int64 { return int64(c.MaxUploadMB) * 1_000_000 }

// Path joins elem to the data folder.
func (c Config) Path(elem ...string) string {
	return filepath.Join(append([]string{c.Data}, elem...)...)
}

// MiniLMFolder returns the folder with the files of the built-in embedding model.
func (c Config) MiniLMFolder() string { return cmp.Or(c.MiniLM, c.Path("minilm")) }

// LogValue returns the effective settings with secrets masked.
func (c Config) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, s := range c.Settings() {
		if s.Value != "" {
			attrs = append(attrs, slog.String(s.Key, s.Value))
		}
	}
	return slog.GroupValue(attrs...)
}

// Secrets returns the texts that must not be logged: the values of secret settings, and the passwords in addresses.
func (c Config) Secrets() []string {
	secrets := lists.Flat(c.Settings(), Setting.secrets)
	return slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
}

func oneOf(s string, allowed ...string) bool {
	return slices.Contains(allowed, s)
}
