// Uses a library by the official TypeScript clients: mcp_client.mjs v1|legacy|auto (URL TOKEN | COMMAND…). Prints what it found as JSON.
// It is run in the project's folder, where the packages are.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [mode, where, ...rest] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(process.cwd(), "package.json")));
const load = (name) => import(pathToFileURL(require.resolve(name)));

const v1 = mode === "v1";
const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all(
  v1
    ? ["index", "streamableHttp", "stdio"].map((part) => load(`@modelcontextprotocol/sdk/client/${part}.js`))
    : ["", "", "/stdio"].map((part) => load(`@modelcontextprotocol/client${part}`)),
);
const transport = where.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: where, args: rest, env: process.env });
const client = new Client({ name: "test", version: "1" }, mode === "auto" ? { versionNegotiation: { mode } } : {});
await client.connect(transport);

let steps = 0;
const call = (name, args, options) => client.callTool({ name, arguments: args }, ...(v1 ? [undefined, options] : [options]));
const { tools } = await client.listTools();
const said = await call("ask", { question: "Who founded the Carrow Foundry?" }, { onprogress: () => steps++ });
const found = await call("search", { query: "Carrow Foundry", limit: 1 });
const first = found.structuredContent.items[0];
const passage = await call("fetch", { id: first.chunk });
const refused = await call("entity", { id: "Nobody" });
const resource = await client.readResource({ uri: `clew://documents/${first.document_id}` });
const prompt = await client.getPrompt({ name: "answer_with_sources", arguments: { question: "Why?" } });
console.log(JSON.stringify({
  protocol: (client.getNegotiatedProtocolVersion ?? (() => transport.protocolVersion ?? "")).call(client) ?? "",
  tools: tools.map((t) => t.name).sort(),
  answer: said.structuredContent.answer,
  url: said.structuredContent.citations[0].url,
  steps,
  passage: passage.structuredContent.text,
  refused: refused.isError ? refused.content[0].text : "",
  resource: resource.contents[0].text,
  prompt: prompt.messages[0].content.text,
}));
await client.close();
