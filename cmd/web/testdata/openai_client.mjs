// Asks a library by OpenAI's client for Node, and prints what came as JSON.
import OpenAI from "openai";

const [url, token] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url + "/v1", apiKey: token, maxRetries: 0 });
const messages = [{ role: "user", content: "Who founded the Carrow Foundry?" }];

const models = [];
for await (const m of client.models.list()) models.push(m.id);
const whole = await client.chat.completions.create({ model: "clew", messages });
let pieces = 0, streamed = "", annotations = 0, usage = 0;
const stream = await client.chat.completions.create({ model: "clew", messages, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) {
  pieces++;
  streamed += chunk.choices[0]?.delta.content ?? "";
  annotations += chunk.choices[0]?.delta.annotations?.length ?? 0;
  usage += chunk.usage ? 1 : 0;
}
const refused = async (make) => {
  try {
    await make();
    return "";
  } catch (err) {
    return err.constructor.name;
  }
};
console.log(JSON.stringify({
  models, answer: whole.choices[0].message.content, url: whole.choices[0].message.annotations[0].url_citation.url,
  streamed, annotations, usage, pieces,
  errors: [
    await refused(() => client.chat.completions.create({ model: "gpt-4o", messages })),
    await refused(() => new OpenAI({ baseURL: url + "/v1", apiKey: "clew_wrong", maxRetries: 0 }).models.list()),
  ],
}));
