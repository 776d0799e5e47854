package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/testkit"
	"github.com/clewhq/clew/views/link"
)

// route is a route of the site with a request to it and the expected status.
type route struct {
	method, route string // as registered
	path          string
	inside        int  // the status for an authorized client
	open          bool // public
	admins        bool // curators are refused
}

func (f fixture) routes() []route {
	conversation := "/ask/" + string(f.message.Conversation)
	doc := "/documents/" + string(f.doc.ID)
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/static/*", "/static/no-such-file.js", 404, true, false},
		{get, "/healthz", "/healthz", 200, true, false},
		{get, "/livez", "/livez", 200, true, false},
		{get, "/readyz", "/readyz", 200, true, false},
		{get, "/login", "/login", 200, true, false},
		{post, "/login", "/login", 401, true, false},
		{get, "/sign-on", "/sign-on", 404, true, false},
		{get, "/sign-on/callback", "/sign-on/callback", 404, true, false},
		{get, "/sign-on/out", "/sign-on/out", 200, true, false},
		{get, "/login/code", "/login/code", 303, true, false},
		{post, "/login/code", "/login/code", 401, true, false},
		{get, "/setup", "/setup", 200, true, false},
		{post, "/setup", "/setup", 422, true, false},
		{post, "/setup/alone", "/setup/alone", 303, true, false},
		{get, "/join/:secret", "/join/nothing", 404, true, false},
		{post, "/join/:secret", "/join/nothing", 404, true, false},
		{get, "/reset/:secret", "/reset/nothing", 404, true, false},
		{post, "/reset/:secret", "/reset/nothing", 404, true, false},
		{post, "/account/codes/confirm", "/account/codes/confirm", 404, false, false},
		{post, "/account/codes/off", "/account/codes/off", 404, false, false},
		{post, "/account/language", "/account/language", 422, false, false},
		{get, "/account/codes", "/account/codes", 303, false, false},
		{post, "/account/codes", "/account/codes", 303, false, false},
		{get, "/audit", "/audit", 200, false, true},
		{get, "/audit/export", "/audit/export", 200, false, true},
		{get, "/invitations", "/invitations", 200, false, true},
		{post, "/invitations", "/invitations?days=0", 422, false, true},
		{post, "/invitations/:id/revoke", "/invitations/i0/revoke", 404, false, true},
		{post, "/account/link", "/account/link", 404, false, false},
		{post, "/account/unlink", "/account/unlink", 404, false, false},
		{get, "/settings/sign-on", "/settings/sign-on", 200, false, true},
		{post, "/settings/sign-on", "/settings/sign-on", 422, false, true},
		{post, "/settings/sign-on/unlink", "/settings/sign-on/unlink", 404, false, true},
		{get, "/", "/", 200, false, false},
		{get, "/find", "/find?q=foundry", 200, false, false},
		{get, "/documents", "/documents", 200, false, false},
		{post, "/documents", "/documents", 422, false, false},
		{post, "/documents/text", "/documents/text", 422, false, false},
		{post, "/documents/web", "/documents/web", 422, false, false},
		{get, "/documents/events", "/documents/events", 200, false, false},
		{post, "/documents/again", "/documents/again", 303, false, false},
		{post, "/documents/failed", "/documents/failed", 303, false, false},
		{post, "/documents/again/leave", "/documents/again/leave?rereading=none", 303, false, false},
		{post, "/documents/held", "/documents/held", 303, false, false},
		{post, "/documents/pause", "/documents/pause", 303, false, false},
		{post, "/documents/go-on", "/documents/go-on", 303, false, false},
		{post, "/documents/:id/next", "/documents/d0/next", 404, false, false},
		{get, "/documents/chosen", "/documents/chosen?act=ask&all=1", 303, false, false},
		{post, "/documents/chosen", "/documents/chosen", 422, false, false},
		{post, "/documents/undo", "/documents/undo", 409, false, false},
		{post, "/sample", "/sample", 303, false, false},
		{get, "/documents/:id", doc, 200, false, false},
		{get, "/documents/:id", "/documents/d0", 404, false, false},
		{get, "/documents/:id/cited", doc + "/cited", 200, false, false},
		{get, "/documents/:id/cited", "/documents/d0/cited", 404, false, false},
		{get, "/documents/:id/chunks", doc + "/chunks", 200, false, false},
		{get, "/documents/:id/chunks", "/documents/d0/chunks?from=3", 404, false, false},
		{get, "/documents/:id/original", doc + "/original", 200, false, false},
		{get, "/documents/:id/original", "/documents/d0/original", 404, false, false},
		{get, "/documents/:id/versions/:n", doc + "/versions/1", 303, false, false},
		{get, "/documents/:id/versions/:n", doc + "/versions/2", 404, false, false},
		{get, "/documents/:id/versions/:n", doc + "/versions/x", 404, false, false},
		{post, "/documents/:id/versions/:n/remove", doc + "/versions/1/remove", 404, false, false},
		{get, "/documents/:id/delete", doc + "/delete", 200, false, false},
		{post, "/documents/:id/delete", "/documents/d0/delete", 404, false, false},
		{post, "/documents/:id/again", "/documents/d0/again", 404, false, false},
		{post, "/documents/:id/rename", doc + "/rename", 303, false, false},
		{post, "/documents/:id/rename", "/documents/d0/rename", 404, false, false},
		{post, "/documents/:id/schema", doc + "/schema", 303, false, false},
		{post, "/documents/:id/schema", "/documents/d0/schema", 404, false, false},
		{post, "/documents/:id/limit", doc + "/limit", 409, false, false}, // there are no accounts
		{post, "/documents/:id/unlimit", doc + "/unlimit", 303, false, false},
		{post, "/documents/:id/unlimit", "/documents/d0/unlimit", 404, false, false},
		{post, "/documents/:id/tags", doc + "/tags", 303, false, false},
		{post, "/documents/:id/tags", "/documents/d0/tags", 404, false, false},
		{get, "/chunks/:id", "/chunks/c0", 404, false, false},
		{get, "/ask", "/ask", 200, false, false},
		{post, "/ask", "/ask", 422, false, false},
		{get, "/themes", "/themes", 200, false, false},
		{get, "/timeline", "/timeline?since=1888&within=tag:none", 422, false, false},
		{get, "/timeline", "/timeline?since=1888&words=foundry", 200, false, false},
		{get, "/ask/within", "/ask/within?q=%23b", 200, false, false},
		{get, "/ask/within/count", "/ask/within/count?within=to:2026-01-01", 200, false, false},
		{get, "/ask/:id", conversation, 200, false, false},
		{get, "/ask/:id", "/ask/k0", 404, false, false},
		{get, "/ask/:id/delete", conversation + "/delete", 200, false, false},
		{get, "/ask/:id/delete", "/ask/k0/delete", 404, false, false},
		{post, "/ask/:id/delete", "/ask/k0/delete", 404, false, false},
		{post, "/ask/:id/restore", "/ask/k0/restore", 409, false, false},
		{post, "/ask/:id/rename", conversation + "/rename", 422, false, false},
		{post, "/ask/:id/rename", "/ask/k0/rename", 422, false, false},
		{post, "/ask/:id/pin", conversation + "/pin", 303, false, false},
		{post, "/ask/:id/pin", "/ask/k0/pin", 404, false, false},
		{get, "/ask/:id/file/:format", conversation + "/file/md", 200, false, false},
		{get, "/ask/:id/file/:format", conversation + "/file/json", 200, false, false},
		{get, "/ask/:id/file/:format", conversation + "/file/pdf", 404, false, false},
		{get, "/ask/:id/file/:format", "/ask/k0/file/md", 404, false, false},
		{post, "/ask/:id/share", conversation + "/share", 409, false, false}, // it belongs to everybody
		{post, "/ask/:id/share", "/ask/k0/share", 404, false, false},
		{post, "/runs/:id/share", "/runs/" + string(f.message.Run) + "/share", 409, false, false}, // it belongs to everybody
		{post, "/runs/:id/share", "/runs/r0/share", 404, false, false},
		{post, "/ask/:id/unshare", "/ask/k0/unshare", 404, false, false},
		{post, "/ask/:id/copy", "/ask/k0/copy", 404, false, false},
		{get, "/conversations", "/conversations", 200, false, false},
		{get, "/conversations", "/conversations?folder=o0", 404, false, false},
		{post, "/conversations/move", "/conversations/move?folder=o0", 404, false, false},
		{post, "/conversations/clear", "/conversations/clear", 422, false, true},
		{post, "/conversations/folders", "/conversations/folders", 303, false, false},
		{post, "/conversations/folders/:id/rename", "/conversations/folders/o0/rename", 404, false, false},
		{post, "/conversations/folders/:id/delete", "/conversations/folders/o0/delete", 404, false, false},
		{post, "/ask/:id/again/:message", "/ask/k0/again/" + string(f.message.Message), 404, false, false},
		{post, "/ask/:id/judge/:message", conversation + "/judge/" + string(f.message.Message), 303, false, false},
		{post, "/ask/:id/judge/:message", "/ask/k0/judge/" + string(f.message.Message), 404, false, false},
		{get, "/ask/:id/source/:message/:n", conversation + "/source/" + string(f.message.Message) + "/1", 200, false, false},
		{get, "/ask/:id/source/:message/:n", conversation + "/source/" + string(f.message.Message) + "/2", 404, false, false},
		{get, "/ask/:id/source/:message/:n", conversation + "/source/" + string(f.message.Message) + "/one", 404, false, false},
		{get, "/ask/:id/source/:message/:n", "/ask/k0/source/" + string(f.message.Message) + "/1", 404, false, false},
		{get, "/ask/:id/graph/:message", conversation + "/graph/" + string(f.message.Message), 200, false, false},
		{get, "/ask/:id/graph/:message", "/ask/k0/graph/" + string(f.message.Message), 404, false, false},
		{post, "/ask/:id/reply/:message", conversation + "/reply/" + string(f.message.Message), 409, false, false},
		{post, "/ask/:id/reply/:message", "/ask/k0/reply/" + string(f.message.Message), 404, false, false},
		{get, "/ask/:id/figures/:message/:figure/source/:n", conversation + "/figures/" + string(f.message.Message) + "/call_0/source/1", 404, false, false},
		{get, "/ask/:id/figures/:message/:figure/table.csv", conversation + "/figures/" + string(f.message.Message) + "/call_0/table.csv", 404, false, false},
		{post, "/names", "/names", 303, false, false},
		{get, "/runs", "/runs", 200, false, false},
		{get, "/runs/:id", "/runs/" + string(f.doc.Run), 200, false, false},
		{get, "/runs/:id", "/runs/run0", 404, false, false},
		{post, "/runs/:id/web", "/runs/" + string(f.message.Run) + "/web", 422, false, false}, // no web search is set
		{get, "/runs/:id/replay", "/runs/" + string(f.message.Run) + "/replay", 404, false, false},
		{post, "/runs/:id/replay", "/runs/" + string(f.doc.Run) + "/replay", 422, false, false},
		{get, "/runs/:id/events", "/runs/" + string(f.message.Run) + "/events", 200, false, false},
		{get, "/runs/:id/state.json", "/runs/" + string(f.doc.Run) + "/state.json?step=1", 200, false, false},
		{get, "/runs/:id/state.json", "/runs/" + string(f.doc.Run) + "/state.json?step=999", 404, false, false},
		{get, "/runs/:id/state.json", "/runs/run0/state.json", 404, false, false},
		{get, "/runs/:id/changes", "/runs/" + string(f.doc.Run) + "/changes?row=1", 200, false, false},
		{get, "/runs/:id/changes", "/runs/" + string(f.doc.Run) + "/changes?row=999", 404, false, false},
		{get, "/runs/:id/changes", "/runs/run0/changes?row=1", 404, false, false},
		{get, "/runs/:id/events", "/runs/run0/events", 404, false, false},
		{post, "/runs/:id/stop", "/runs/" + string(f.message.Run) + "/stop", 303, false, false},
		{post, "/runs/:id/stop", "/runs/run0/stop", 404, false, false},
		{get, "/runs/:id/file", "/runs/" + string(f.message.Run) + "/file", 200, false, false},
		{get, "/runs/:id/file", "/runs/run0/file", 404, false, false},
		{get, "/runs/:id/graph/:format", "/runs/" + string(f.message.Run) + "/graph/svg?step=2", 200, false, false},
		{get, "/runs/:id/graph/:format", "/runs/" + string(f.message.Run) + "/graph/png", 200, false, false},
		{get, "/runs/:id/graph/:format", "/runs/run0/graph/svg", 404, false, false},
		{get, "/runs/:id/fork", "/runs/" + string(f.message.Run) + "/fork?step=2", 200, false, false},
		{get, "/runs/:id/fork", "/runs/" + string(f.message.Run) + "/fork?step=99", 404, false, false},
		{get, "/runs/:id/fork", "/runs/" + string(f.doc.Run) + "/fork?step=2", 422, false, false},
		{post, "/runs/:id/fork", "/runs/" + string(f.message.Run) + "/fork?step=2", 422, false, false},
		{post, "/runs/:id/fork", "/runs/run0/fork?step=2", 404, false, false},
		{get, "/branches/:id/delete", "/branches/" + string(f.branch.Branch) + "/delete", 200, false, false},
		{get, "/branches/:id/delete", "/branches/b0/delete", 404, false, false},
		{post, "/branches/:id/delete", "/branches/b0/delete", 404, false, false},
		{get, "/prompts", "/prompts", 308, false, false},
		{get, "/prompts/:role", "/prompts/grade?from=0&to=1", 308, false, false},
		{get, "/settings/prompts", "/settings/prompts", 200, false, false},
		{get, "/settings/prompts/:role", "/settings/prompts/grade", 200, false, false},
		{get, "/settings/prompts/:role", "/settings/prompts/nobody", 404, false, false},
		{post, "/settings/prompts/:role", "/settings/prompts/grade", 422, false, false},
		{post, "/settings/prompts/:role/restore", "/settings/prompts/grade/restore", 303, false, false},
		{post, "/settings/prompts/:role/try", "/settings/prompts/grade/try", 422, false, false},
		{get, "/documents/bill", "/documents/bill", 200, false, false},
		{get, "/documents/added", "/documents/added?id=none", 200, false, false},
		{post, "/documents/bill", "/documents/bill", 422, false, false},
		{get, "/usage", "/usage", 200, false, true},
		{get, "/usage/usage.csv", "/usage/usage.csv?by=model", 200, false, true},
		{get, "/usage/usage.csv", "/usage/usage.csv?by=moon", 400, false, true},
		{post, "/usage/caps", "/usage/caps", 303, false, true},
		{get, "/prices", "/prices", 200, false, true},
		{post, "/prices", "/prices", 422, false, true},
		{get, "/health", "/health", 200, false, true},
		{post, "/health/check", "/health/check", 303, false, true},
		{post, "/health/rebuild", "/health/rebuild", 303, false, true},
		{post, "/health/backup", "/health/backup", 200, false, true},
		{get, "/graph", "/graph", 200, false, false},
		{get, "/graph", "/graph?at=e0", 404, false, false},
		{get, "/graph/data", "/graph/data?at=" + string(f.entity), 200, false, false},
		{get, "/graph/data", "/graph/data?at=e0", 404, false, false},
		{get, "/graph/find", "/graph/find?q=agnes", 200, false, false},
		{get, "/graph/stated", "/graph/stated?a=e0&b=e1", 200, false, false},
		{get, "/graph/export", "/graph/export?format=csv&scope=all", 200, false, false},
		{get, "/graph/export", "/graph/export?format=pdf", 422, false, false},
		{get, "/graph/card/:id", "/graph/card/" + string(f.entity), 200, false, false},
		{get, "/graph/card/:id", "/graph/card/e0", 404, false, false},
		{get, "/graph", "/graph?answer=" + string(f.message.Message), 200, false, false},
		{get, "/graph", "/graph?answer=m0", 404, false, false},
		{get, "/entities", "/entities?q=agnes&label=Person", 301, false, false},
		{get, "/entities/new", "/entities/new", 200, false, false},
		{get, "/entities/new", "/entities/new?document=d0&words=bells", 404, false, false},
		{post, "/entities/new", "/entities/new?document=d0&start=0&end=1", 404, false, false},
		{get, "/entities/merge", "/entities/merge", 422, false, false},
		{get, "/entities/merge", "/entities/merge?id=e0&id=e1", 404, false, false},
		{post, "/entities/merge", "/entities/merge", 422, false, false},
		{get, "/relations/new", "/relations/new?source=" + string(f.entity), 200, false, false},
		{get, "/relations/new", "/relations/new?document=d0&words=bells", 404, false, false},
		{post, "/relations/new", "/relations/new", 422, false, false},
		{get, "/entities/:id/properties", "/entities/" + string(f.entity) + "/properties", 200, false, false},
		{get, "/entities/:id/properties", "/entities/e0/properties", 404, false, false},
		{post, "/entities/:id/properties", "/entities/e0/properties", 404, false, false},
		{post, "/entities/:id/relations/:relation/properties", "/entities/e0/relations/r0/properties", 404, false, false},
		{get, "/entities/:id", "/entities/" + string(f.entity), 200, false, false},
		{get, "/entities/:id", "/entities/e0", 404, false, false},
		{get, "/entities/:id/rename", "/entities/" + string(f.entity) + "/rename", 200, false, false},
		{get, "/entities/:id/rename", "/entities/e0/rename", 404, false, false},
		{post, "/entities/:id/rename", "/entities/e0/rename", 404, false, false},
		{get, "/entities/:id/merge", "/entities/" + string(f.entity) + "/merge", 200, false, false},
		{get, "/entities/:id/merge", "/entities/e0/merge?with=e1", 404, false, false},
		{get, "/entities/:id/merge", "/entities/e0/merge?with=e0", 422, false, false},
		{post, "/entities/:id/apart", "/entities/e0/apart", 404, false, false},
		{get, "/entities/:id/split", "/entities/" + string(f.entity) + "/split", 200, false, false},
		{post, "/entities/:id/split", "/entities/" + string(f.entity) + "/split", 422, false, false},
		{post, "/entities/:id/hide", "/entities/e0/hide", 404, false, false},
		{get, "/entities/:id/relations/:relation", "/entities/" + string(f.entity) + "/relations/r0", 404, false, false},
		{post, "/entities/:id/relations/:relation", "/entities/e0/relations/r0", 404, false, false},
		{get, "/ask/:id/methods/:message", "/ask/" + string(f.message.Conversation) + "/methods/" + string(f.message.Message), 200, false, false},
		{get, "/ask/:id/methods/:message", "/ask/k0/methods/" + string(f.message.Message), 404, false, false},
		{post, "/ask/:id/methods/:message", "/ask/k0/methods/m0", 404, false, false},
		{get, "/compare", "/compare?left=" + string(f.message.Run), 200, false, false},
		{get, "/compare", "/compare?left=r0&right=r1", 404, false, false},
		{get, "/changes", "/changes?kind=relate", 308, false, false},
		{get, "/review/changes", "/review/changes", 200, false, false},
		{get, "/fields", "/fields", 200, false, false},
		{post, "/fields", "/fields?kind=none", 422, false, false},
		{post, "/fields/:id", "/fields/f0", 404, false, false},
		{post, "/fields/:id/delete", "/fields/f0/delete", 404, false, false},
		{post, "/fields/columns", "/fields/columns", 303, false, false},
		{post, "/fields/import", "/fields/import", 422, false, false},
		{get, "/fields/export", "/fields/export", 200, false, false},
		{post, "/documents/:id/fields", doc + "/fields", 303, false, false},
		{post, "/documents/:id/fields", "/documents/d0/fields", 404, false, false},
		{get, "/schema", "/schema", 200, false, false},
		{get, "/schema", "/schema?document=d0", 404, false, false},
		{get, "/schema", "/schema?template=none", 404, false, false},
		{post, "/schema", "/schema", 200, false, false},
		{get, "/schema/versions", "/schema/versions", 200, false, false},
		{get, "/schema/versions", "/schema/versions?a=1&b=2", 404, false, false},
		{get, "/schema/versions/:number", "/schema/versions/1", 404, false, false},
		{post, "/schema/versions/:number/restore", "/schema/versions/one/restore", 404, false, false},
		{get, "/schema/yaml", "/schema/yaml", 200, false, false},
		{post, "/schema/yaml", "/schema/yaml", 200, false, false},
		{get, "/schema/file", "/schema/file", 200, false, false},
		{get, "/schema/file", "/schema/file?version=9", 404, false, false},
		{post, "/review/changes/:seq/undo", "/review/changes/1/undo", 404, false, false},
		{post, "/review/changes/:seq/undo", "/review/changes/one/undo", 404, false, false},
		{get, "/review", "/review", 200, false, false},
		{get, "/review", "/review?pair=p0", 404, false, false},
		{get, "/review", "/review?list=unlabelled", 200, false, false},
		{get, "/review", "/review?list=anything", 404, false, false},
		{post, "/review/look", "/review/look", 303, false, false},
		{post, "/review/pairs/:id", "/review/pairs/p0", 404, false, false},
		{post, "/review/pairs/:id/again", "/review/pairs/p0/again", 404, false, false},
		{get, "/review/alike/:pattern", "/review/alike/initials", 200, false, false},
		{post, "/review/alike/:pattern", "/review/alike/initials", 422, false, false},
		{post, "/review/work", "/review/work", 422, false, false},
		{post, "/review/undo", "/review/undo?change=1", 404, false, false},
		{get, "/evaluation", "/evaluation", 200, false, false},
		{post, "/evaluation", "/evaluation", 422, false, false},
		{get, "/evaluation/questions", "/evaluation/questions", 200, false, false},
		{post, "/evaluation/questions", "/evaluation/questions", 422, false, false},
		{get, "/evaluation/questions/new", "/evaluation/questions/new", 200, false, false},
		{get, "/evaluation/questions.csv", "/evaluation/questions.csv", 200, false, false},
		{post, "/evaluation/import", "/evaluation/import", 422, false, false},
		{get, "/evaluation/questions/:id", "/evaluation/questions/q0", 404, false, false},
		{post, "/evaluation/questions/:id/delete", "/evaluation/questions/q0/delete", 404, false, false},
		{post, "/evaluation/questions/:id/restore", "/evaluation/questions/q0/restore", 404, false, false},
		{post, "/evaluation/sets", "/evaluation/sets", 303, false, false},
		{post, "/evaluation/sets/:id", "/evaluation/sets/t0", 404, false, false},
		{post, "/evaluation/sets/:id/delete", "/evaluation/sets/t0/delete", 404, false, false},
		{post, "/evaluation/sets/:id/restore", "/evaluation/sets/t0/restore", 404, false, false},
		{get, "/evaluation/:id", "/evaluation/v0", 404, false, false},
		{post, "/evaluation/:id/questions/:n/verdict", "/evaluation/v0/questions/1/verdict", 404, false, false},
		{get, "/evaluation/:id/replies.csv", "/evaluation/v0/replies.csv", 404, false, false},
		{post, "/evaluation/:id/stop", "/evaluation/v0/stop", 404, false, false},
		{post, "/evaluation/:id/go-on", "/evaluation/v0/go-on", 404, false, false},
		{post, "/evaluation/:id/delete", "/evaluation/v0/delete", 404, false, false},
		{get, "/documents/:id/tables", doc + "/tables", 200, false, false},
		{get, "/study", "/study", 200, false, false},
		{get, "/study", "/study?document=d0", 404, false, false},
		{post, "/study", "/study", 422, false, false},
		{get, "/study/:id", "/study/s0", 404, false, false},
		{get, "/study/:id/export/:format", "/study/s0/export/anki", 404, false, false},
		{post, "/study/:id/again", "/study/s0/again", 404, false, false},
		{post, "/study/:id/items/:item/remove", "/study/s0/items/1/remove", 404, false, false},
		{post, "/study/:id/items/:item/restore", "/study/s0/items/x/restore", 404, false, false},
		{get, "/study/:id/delete", "/study/s0/delete", 404, false, false},
		{post, "/study/:id/delete", "/study/s0/delete", 404, false, false},
		{get, "/documents/:id/pictures", doc + "/pictures", 200, false, false},
		{get, "/documents/:id/pictures/:n", doc + "/pictures/1", 404, false, false},
		{get, "/research", "/research", 200, false, false},
		{post, "/research", "/research", 422, false, false},
		{get, "/research/:id", "/research/none", 404, false, false},
		{get, "/research/:id/delete", "/research/none/delete", 404, false, false},
		{post, "/research/:id/delete", "/research/none/delete", 404, false, false},
		{post, "/research/:id/continue", "/research/none/continue", 404, false, false},
		{get, "/research/:id/report.:format", "/research/none/report.md", 404, false, false},
		{get, "/sources", "/sources", 200, false, false},
		{post, "/sources", "/sources", 422, false, true},
		{get, "/sources/new", "/sources/new", 303, false, true},
		{post, "/sources/new", "/sources/new", 422, false, true},
		{get, "/sources/:id", "/sources/none", 404, false, false},
		{post, "/sources/:id", "/sources/none", 404, false, true},
		{post, "/sources/:id/delete", "/sources/none/delete", 404, false, true},
		{post, "/sources/:id/look", "/sources/none/look", 404, false, false},
		{post, "/sources/:id/pause", "/sources/none/pause", 404, false, true},
		{post, "/sources/:id/resume", "/sources/none/resume", 404, false, true},
		{post, "/sources/:id/settle", "/sources/none/settle", 404, false, false},
		{post, "/sources/:id/unlock", "/sources/none/unlock", 404, false, true},
		{get, "/summaries", "/summaries", 200, false, false},
		{post, "/summaries", "/summaries", 422, false, false},
		{get, "/summaries/new", "/summaries/new", 200, false, false},
		{get, "/summaries/new", "/summaries/new?document=d0", 404, false, false},
		{get, "/summaries/:id", "/summaries/s0", 404, false, false},
		{post, "/summaries/:id/continue", "/summaries/s0/continue", 404, false, false},
		{post, "/summaries/:id/again", "/summaries/s0/again", 404, false, false},
		{get, "/summaries/:id/delete", "/summaries/s0/delete", 404, false, false},
		{post, "/summaries/:id/delete", "/summaries/s0/delete", 404, false, false},
		{get, "/settings", "/settings", 200, false, true},
		{post, "/settings/set", "/settings/set", 303, false, true},
		{post, "/settings/undo", "/settings/undo?setting=NOTHING", 404, false, true},
		{post, "/settings/test", "/settings/test", 200, false, true},
		{post, "/settings/model", "/settings/model", 422, false, true},
		{post, "/settings/model/test", "/settings/model/test", 200, false, true},
		{post, "/settings/model/list", "/settings/model/list", 200, false, true},
		{post, "/settings/model/forget", "/settings/model/forget", 404, false, true},
		{get, "/account", "/account", 200, false, false},
		{post, "/account/password", "/account/password", 422, false, false},
		{post, "/account/sessions", "/account/sessions", 303, false, false},
		{get, "/api", "/api", 200, false, false},
		{get, "/tokens", "/tokens", 200, false, false},
		{post, "/tokens", "/tokens", 200, false, false},
		{post, "/tokens/:id/revoke", "/tokens/t0/revoke", 404, false, false},
		{get, "/documents/limited", "/documents/limited", 200, false, true},
		{get, "/workspaces", "/workspaces", 200, false, false},
		{post, "/workspaces", "/workspaces", 422, false, true},
		{post, "/workspaces/import", "/workspaces/import", 422, false, true},
		{post, "/workspaces/:name", "/workspaces/nowhere", 422, false, true},
		{post, "/workspaces/:name/archive", "/workspaces/nowhere/archive", 404, false, true},
		{post, "/workspaces/:name/delete", "/workspaces/nowhere/delete", 404, false, true},
		{post, "/workspaces/:name/restore", "/workspaces/nowhere/restore", 404, false, true},
		{get, "/webhooks", "/webhooks", 200, false, true},
		{post, "/webhooks", "/webhooks", 422, false, true},
		{get, "/webhooks/:id", "/webhooks/w0", 404, false, true},
		{post, "/webhooks/:id/test", "/webhooks/w0/test", 404, false, true},
		{post, "/webhooks/:id/delete", "/webhooks/w0/delete", 404, false, true},
		{post, "/webhooks/deliveries/:delivery/again", "/webhooks/deliveries/msg_0/again", 404, false, true},
		{get, "/people", "/people", 200, false, true},
		{post, "/people", "/people", 404, false, true},
		{post, "/people/:name/role", "/people/nobody/role", 404, false, true},
		{post, "/people/:name/delete", "/people/nobody/delete", 404, false, true},
		{post, "/people/:name/restore", "/people/nobody/restore", 409, false, true},
		{get, "/accounts", "/accounts", 200, false, true},
		{post, "/accounts", "/accounts", 422, false, true},
		{get, "/accounts/:name", "/accounts/nobody", 404, false, true},
		{post, "/accounts/:name/role", "/accounts/nobody/role", 404, false, true},
		{post, "/accounts/:name/password", "/accounts/nobody/password", 404, false, true},
		{post, "/accounts/:name/sessions", "/accounts/nobody/sessions", 404, false, true},
		{post, "/accounts/:name/reset", "/accounts/nobody/reset", 404, false, true},
		{post, "/accounts/:name/codes-off", "/accounts/nobody/codes-off", 404, false, true},
		{post, "/accounts/:name/groups", "/accounts/nobody/groups", 404, false, true},
		{post, "/accounts/:name/remove", "/accounts/nobody/remove", 404, false, true},
		{post, "/logout", "/logout", 303, false, false},
	}
}

// request sends the route's request with an almost empty form.
func (r route) request(t *testing.T, b *bench, headers ...string) reply {
	t.Helper()
	if r.method == http.MethodGet {
		return b.get(t, r.path, headers...)
	}
	return b.post(t, r.path, url.Values{"name": {"eve"}, "password": {"wrong"}}, headers...)
}

func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	var registered, tried []string
	for _, r := range b.server.pages.Load().Routes() {
		if r.Method != http.MethodHead && !ofPrograms(r.Path) {
			registered = append(registered, r.Method+" "+r.Path)
		}
	}
	for _, r := range (fixture{}).routes() {
		tried = append(tried, r.method+" "+r.route)
	}
	slices.Sort(registered)
	slices.Sort(tried)
	if diff := cmp.Diff(registered, slices.Compact(tried)); diff != "" {
		t.Errorf("routes (-registered +tried)\n%s", diff)
	}
}

// ofPrograms reports whether an address is called with a token and not in a session.
func ofPrograms(path string) bool {
	return strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/.well-known/") || path == "/mcp" || path == "/metrics" || strings.HasPrefix(path, "/dify/")
}

// TestEveryRouteOfProgramsNeedsAToken, but those that describe the API or how to sign in, in whatever session.
func TestEveryRouteOfProgramsNeedsAToken(t *testing.T) {
	t.Parallel()
	b := openWithAccount(t)
	b.signIn(t)
	asked := 0
	for _, r := range b.server.pages.Load().Routes() {
		if !ofPrograms(r.Path) || r.Method == http.MethodHead || strings.Contains(r.Path, "/openapi") || strings.HasPrefix(r.Path, "/.well-known/") {
			continue
		}
		asked++
		if p := b.do(t, r.Method, r.Path, strings.NewReader("{}"), "Content-Type", "application/json"); p.status != http.StatusUnauthorized {
			t.Errorf("%s %s without a token: status %d", r.Method, r.Path, p.status)
		}
	}
	if asked == 0 {
		t.Error("there is no such route")
	}
}

// TestAdminsPagesAreTheirs: a route under the admins' and owners' pages is theirs alone, and what is theirs is there.
func TestAdminsPagesAreTheirs(t *testing.T) {
	t.Parallel()
	for _, r := range (fixture{}).routes() {
		theirs := !strings.HasPrefix(r.route, "/settings/prompts") && slices.ContainsFunc([]string{"/settings", "/usage", "/prices", "/health", "/people", "/invitations", "/audit", "/accounts", "/webhooks", "/conversations/clear", "/documents/limited"}, func(page string) bool {
			return r.route == page || strings.HasPrefix(r.route, page+"/")
		}) || r.method == http.MethodPost && strings.HasPrefix(r.route, "/workspaces") ||
			strings.HasPrefix(r.route, "/sources") && !slices.Contains([]string{"GET /sources", "GET /sources/:id", "POST /sources/:id/look", "POST /sources/:id/settle"}, r.method+" "+r.route)
		if r.admins != theirs {
			t.Errorf("%s %s: refused to curators: %v, want %v", r.method, r.route, r.admins, theirs)
		}
		if let := r.role(); (let == domain.Admin || let == domain.Owner) != theirs {
			t.Errorf("%s %s is for the role %s", r.method, r.route, let)
		}
	}
}

// role returns the lowest role that a route lets in.
func (r route) role() domain.Role {
	for _, p := range Pages() {
		if p.Method == r.method && p.Path == r.route && p.Role != "" {
			return p.Role
		}
	}
	return domain.Reader
}

// visitor is a kind of client and the status it should get for each route.
type visitor struct {
	name    string
	account bool        // there is an account
	in      bool        // signed in
	role    domain.Role // if not an owner
	headers []string
	want    func(r route) int
}

func inside(r route) int { return r.inside }

func TestAccess(t *testing.T) {
	t.Parallel()
	refusedPost := func(r route) int {
		if r.method == http.MethodPost {
			return 403
		}
		return r.inside
	}
	strangersHost := func(r route) int {
		if r.route == "/static/*" || slices.Contains([]string{"/healthz", "/livez", "/readyz"}, r.route) {
			return r.inside
		}
		return 403
	}
	as := func(role domain.Role) visitor {
		return visitor{"a member as " + string(role), true, true, role, nil, func(r route) int {
			if !role.Includes(r.role()) {
				return 403
			}
			return r.inside
		}}
	}
	outside := func(r route) int {
		switch {
		case r.open:
			return r.inside
		case r.method == http.MethodGet:
			return 303
		}
		return 401
	}
	for _, w := range []visitor{
		{"anybody, without an account", false, false, "", nil, inside},
		{"an owner", true, true, "", nil, inside},
		as(domain.Reader), as(domain.Contributor), as(domain.Curator), as(domain.Admin),
		{"somebody not signed in", true, false, "", nil, outside},
		{"another site's page", false, false, "", []string{"Origin", "http://evil.example"}, refusedPost},
		{"another site's page, by the browser's word", true, true, "", []string{"Sec-Fetch-Site", "cross-site"}, refusedPost},
		{"another name for this machine", false, false, "", []string{"Host", "evil.example"}, strangersHost},
		{"another name, signed in", true, true, "", []string{"Host", "clew.example"}, inside},
		{"localhost", false, false, "", []string{"Host", "localhost:8080"}, inside},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, testkit.Options{})
			f := b.fill(t)
			testkit.Must(t, b.Worker.Stop(t.Context())) // the requests below may queue runs that need not be done
			if w.account {
				testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
			}
			if w.role != "" {
				testkit.Must(t, b.Auth.Add(here(t), "", "bob", "correct horse", "owner"))
				testkit.Must(t, b.Auth.SetRole(here(t), "", "ada", w.role))
			}
			if w.in {
				b.signIn(t)
			}
			for _, r := range f.routes() {
				switch {
				case w.account && r.method == http.MethodGet && r.route == link.Setup:
					r.inside = 303 // which is over
				case r.route == link.Alone && w.account && (!w.in || w.role != ""):
					r.inside = 403 // there are accounts, and this is no owner
				}
				want := w.want(r)
				switch { // what belongs to somebody
				case want == 303 && strings.HasSuffix(r.path, "/stop") && w.role != "" && !w.role.Includes(domain.Admin):
					want = 403 // the run is another's
				case (want == 409 || want == 303) && (r.route == "/documents/:id/limit" || r.route == "/documents/:id/unlimit") && w.account && w.in:
					if want = 422; w.role != "" && !w.role.Includes(domain.Admin) {
						want = 403 // the document was added by another
					} else if r.route == "/documents/:id/unlimit" {
						want = 303
					}
				}
				if got := r.request(t, b, w.headers...); got.status != want {
					t.Errorf("%s %s = %d, want %d", r.method, r.path, got.status, want)
				}
			}
		})
	}
}

// TestAFolderNeedsAName: the form of the table has one.
func TestAFolderNeedsAName(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for _, name := range []string{"", " "} {
		if p := b.post(t, link.Folders, url.Values{"name": {name}}); p.status != http.StatusUnprocessableEntity {
			t.Errorf("a folder %q: %d %s", name, p.status, p.main(t))
		}
	}
}

func (b *bench) signIn(t *testing.T) {
	t.Helper()
	if p := b.post(t, "/login", url.Values{"name": {"ada"}, "password": {"correct horse"}}); p.status != 303 {
		t.Fatalf("sign in: status %d", p.status)
	}
}

func TestRedirectToSignIn(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	testkit.Must(t, b.Auth.Add(here(t), "", "ada", "correct horse", ""))
	if p := b.get(t, "/documents?tab=ready"); p.header.Get("Location") != "/login?next=%2Fw%2Flibrary%2Fdocuments%3Ftab%3Dready" {
		t.Errorf("sent to %q", p.header.Get("Location"))
	}
	if p := b.get(t, "/documents", "HX-Request", "true"); p.status != 204 || !strings.HasPrefix(p.header.Get("HX-Redirect"), "/login") {
		t.Errorf("htmx gets status %d and is sent to %q", p.status, p.header.Get("HX-Redirect"))
	}
	if p := b.get(t, "/documents", "Accept", "application/json"); p.status != 401 || p.body != `{"status":401,"error":"Sign in first."}`+"\n" {
		t.Errorf("a script gets %d %s", p.status, p.body)
	}
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{Idle: true})
	for _, tt := range []struct {
		method, path string
		status       int
		says         string
	}{
		{http.MethodGet, "/nothing/here", 404, "This page does not exist."},
		{http.MethodPut, "/documents", 405, "This page does not accept that kind of request."},
		{http.MethodPost, "/entities", 405, "This page does not accept that kind of request."},
	} {
		t.Run(fmt.Sprint(tt.method, tt.path), func(t *testing.T) {
			p := b.do(t, tt.method, tt.path, nil)
			if p.status != tt.status || !strings.Contains(p.body, tt.says) || !strings.Contains(p.body, "<html") {
				t.Errorf("status %d, page says %q", p.status, p.main(t))
			}
			p = b.do(t, tt.method, tt.path, nil, "Accept", "application/json, */*")
			if want := fmt.Sprintf(`{"status":%d,"error":%q}`, tt.status, tt.says); strings.TrimSpace(p.body) != want {
				t.Errorf("a script gets %s, want %s", p.body, want)
			}
		})
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	b := open(t, testkit.Options{})
	f := b.fill(t)
	for _, path := range append(f.pages(), "/healthz", "/nothing") {
		get, head := b.get(t, path), b.do(t, http.MethodHead, path, nil)
		if head.status != get.status || head.body != "" || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
			t.Errorf("HEAD %s = %d with %d bytes of %s, want %d", path, head.status, len(head.body), head.header.Get("Content-Type"), get.status)
		}
	}
}
