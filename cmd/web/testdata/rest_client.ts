// Uses a library by the types that openapi-typescript has made, and prints what came as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./clew.js";

declare const process: { argv: string[] };
const [url, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url + "/api/v1", headers: { Authorization: "Bearer " + token } });

// need returns what an answer holds, and throws the sentence of its problem if it holds none.
function need<T>(answer: { data?: T; error?: components["schemas"]["ApiProblem"] }): T {
  if (answer.data === undefined) throw new Error(answer.error?.detail ?? "nothing came");
  return answer.data;
}

const form = new FormData();
form.append("files", new File(["Maud Ferring founded the Carrow Foundry in 1871."], "foundry.txt", { type: "text/plain" }));
form.append("wait", "60");
const [added] = need(await client.POST("/documents", { body: {}, bodySerializer: () => form })).documents;
if (!added?.id) throw new Error("no file was added");
const answer = need(await client.POST("/ask", { body: { question: "Who founded the Carrow Foundry?" } }));
const cited = answer.citations[0];
if (!cited) throw new Error("nothing is cited");
const document = { params: { path: { document: cited.document_id } } };
const { text } = need(await client.GET("/documents/{document}/text", document));
const original = need(await client.GET("/documents/{document}/original", { ...document, parseAs: "text" }));
const names = need(await client.GET("/documents")).items.map((d) => d.name);
need(await client.DELETE("/documents/{document}", { params: { path: { document: added.id } } }));
const gone = await client.GET("/documents/{document}", { params: { path: { document: added.id } } });
console.log(JSON.stringify({
  scopes: need(await client.GET("/me")).scopes, name: added.name, status: added.status, answer: answer.answer,
  source: [...text].slice(cited.start, cited.end).join(""), original, names,
  gone: gone.error?.status, left: need(await client.GET("/documents")).items.length,
}));
