"""Uses a library by the official Python client: mcp_client.py MODE (URL TOKEN | COMMAND…). Prints what it found as JSON."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main(mode, where, *rest):
    steps = []

    async def told(progress, total, message):
        steps.append(message)

    if where.startswith("http"):
        way = streamable_http_client(where, http_client=httpx2.AsyncClient(headers={"Authorization": "Bearer " + rest[0]}))
    else:
        way = StdioServerParameters(command=where, args=list(rest), env=dict(os.environ))
    async with Client(way, mode=mode) as client:
        tools = await client.list_tools()
        said = await client.call_tool("ask", {"question": "Who founded the Carrow Foundry?"}, progress_callback=told)
        found = await client.call_tool("search", {"query": "Carrow Foundry", "limit": 1})
        first = found.structured_content["items"][0]
        passage = await client.call_tool("fetch", {"id": first["chunk"]})
        refused = await client.call_tool("entity", {"id": "Nobody"})
        resource = await client.read_resource("clew://documents/" + first["document_id"])
        prompt = await client.get_prompt("answer_with_sources", {"question": "Why?"})
        print(json.dumps({
            "protocol": client.protocol_version,
            "tools": sorted(t.name for t in tools.tools),
            "answer": said.structured_content["answer"],
            "url": said.structured_content["citations"][0]["url"],
            "steps": len(steps),
            "passage": passage.structured_content["text"],
            "refused": refused.content[0].text if refused.is_error else "",
            "resource": resource.contents[0].text,
            "prompt": prompt.messages[0].content.text,
        }))


asyncio.run(main(*sys.argv[1:]))
