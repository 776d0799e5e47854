"""Asks a library by OpenAI's client for Python and by LangChain's, and prints what came as JSON."""
import json
import sys

import openai
from langchain_openai import ChatOpenAI

url, token = sys.argv[1:3]
client = openai.OpenAI(base_url=url + "/v1", api_key=token, max_retries=0)
question = "Who founded the Carrow Foundry?"
messages = [{"role": "user", "content": question}]

whole = client.chat.completions.create(model="clew", messages=messages).choices[0].message
pieces, usage = 0, 0
with client.chat.completions.stream(model="clew", messages=messages, stream_options={"include_usage": True}) as stream:
    for event in stream:
        pieces += event.type == "chunk"
        usage += event.type == "chunk" and event.chunk.usage is not None
    final = stream.get_final_completion().choices[0].message


def refused(make):
    try:
        make()
    except openai.APIError as err:
        return type(err).__name__
    return ""


chain = ChatOpenAI(base_url=url + "/v1", api_key=token, model="clew", max_retries=0)
print(json.dumps({
    "models": [m.id for m in client.models.list()],
    "answer": whole.content,
    "url": whole.annotations[0].url_citation.url,
    "streamed": final.content,
    "annotations": len(final.annotations or []),
    "usage": usage,
    "pieces": pieces,
    "errors": [
        refused(lambda: client.chat.completions.create(model="gpt-4o", messages=messages)),
        refused(lambda: openai.OpenAI(base_url=url + "/v1", api_key="clew_wrong", max_retries=0).models.list()),
    ],
    "chain": chain.invoke(question).content,
    "chain_streamed": "".join(str(piece.content) for piece in chain.stream(question)),
}))
