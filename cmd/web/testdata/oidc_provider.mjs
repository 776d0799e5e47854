// Serves a provider of OpenID Connect on 127.0.0.1 by npm oidc-provider: oidc_provider.mjs REDIRECT GROUPS.
// GROUPS is a JSON file: the groups of each person by name, read anew at each sign-in. Prints the issuer's address.
// It is run in the project's folder, where the packages are, and ends with its standard input.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [redirect, groups] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(process.cwd(), "package.json")));
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: "clew", client_secret: "a secret of the client", redirect_uris: [redirect], post_logout_redirect_uris: [new URL("/login", redirect).href] }],
  claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
  conformIdTokenClaims: false,
  cookies: { keys: ["a key of the test"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: id, email: `${id}@example.org`, groups: JSON.parse(readFileSync(groups, "utf8"))[id] ?? [] }),
  }),
});
server.on("request", provider.callback());
process.stdin.resume().on("end", () => process.exit());
console.log(issuer);
