"""Answers questions with LangGraph in the loop that Clew has: retrieve, grade
each passage, write, check the sentences. The model is the same scripted server.
It prints a line of JSON with what that took.

usage: bench.py MODEL_URL PASSAGES QUESTIONS CLIENTS TIMES DATABASE

Without DATABASE ("") no thread is kept. It serves no page and no stream."""
import asyncio
import json
import math
import operator
import re
import resource
import sys
import time
from typing import Annotated, TypedDict

import httpx
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

URL, PASSAGES, QUESTIONS, CLIENTS, TIMES, DATABASE = sys.argv[1:7]
LIMIT = 8  # passages graded
WORD = re.compile(r"\w+")


class State(TypedDict):
    question: str
    found: list
    grades: Annotated[list, operator.add]
    answer: str
    supported: list


class Index:
    """BM25 over posting lists."""

    def __init__(self, passages):
        self.passages, self.posts, lengths = passages, {}, []
        for i, p in enumerate(passages):
            words = WORD.findall((p["title"] + " " + p["text"]).lower())
            lengths.append(len(words))
            for word in set(words):
                self.posts.setdefault(word, []).append((i, words.count(word)))
        mean = sum(lengths) / len(lengths)
        self.norm = [1.2 * (0.25 + 0.75 * n / mean) for n in lengths]

    def search(self, text):
        scores = {}
        for word in set(WORD.findall(text.lower())):
            posts = self.posts.get(word, ())
            if posts:
                idf = math.log(1 + (len(self.passages) - len(posts) + 0.5) / (len(posts) + 0.5))
                for i, n in posts:
                    scores[i] = scores.get(i, 0) + idf * n * 2.2 / (n + self.norm[i])
        return sorted(scores, key=scores.get, reverse=True)[:LIMIT]


def tool(name, schema):
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


GRADE = tool("grade_passage", {"type": "object", "properties": {"binary_score": {"type": "string", "enum": ["yes", "no"]}, "reason": {"type": "string"}}})
SUPPORT = tool("report_support", {"type": "object", "properties": {"supported": {"type": "array", "items": {"type": "integer"}}}})


class Loop:
    def __init__(self, index, client):
        self.index, self.client = index, client

    async def call(self, tool, system, text):
        body = {
            "model": "scripted",
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
            "tools": [tool],
            "tool_choice": {"type": "function", "function": {"name": tool["function"]["name"]}},
        }
        r = await self.client.post("/chat/completions", json=body)
        r.raise_for_status()
        return json.loads(r.json()["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])

    def text(self, i):
        p = self.index.passages[i]
        return p["title"] + "\n" + p["text"]

    async def retrieve(self, s):
        return {"found": self.index.search(s["question"])}

    def fan_out(self, s):
        return [Send("grade", {"question": s["question"], "passage": i}) for i in s["found"]]

    async def grade(self, s):
        said = await self.call(GRADE, "Say whether the passage helps to answer the question.", s["question"] + "\n\n" + self.text(s["passage"]))
        return {"grades": [(s["passage"], said["binary_score"], said["reason"])]}

    def decide(self, s):
        return "write" if any(g[1] == "yes" for g in s["grades"]) else END

    async def write(self, s):
        passages = "\n\n".join(f"[{n+1}] {self.text(g[0])}" for n, g in enumerate(s["grades"]) if g[1] == "yes")
        body = {
            "model": "scripted",
            "stream": True,
            "messages": [{"role": "system", "content": "Answer from the passages and cite them."}, {"role": "user", "content": s["question"] + "\n\n" + passages}],
        }
        words = []
        async with self.client.stream("POST", "/chat/completions", json=body) as r:
            r.raise_for_status()
            async for line in r.aiter_lines():
                if line.startswith("data: {"):
                    choices = json.loads(line[6:])["choices"]
                    if choices:
                        words.append(choices[0]["delta"].get("content") or "")
        return {"answer": "".join(words)}

    async def support(self, s):
        said = await self.call(SUPPORT, "Say which sentences their quotations support.", s["answer"])
        return {"supported": said["supported"]}

    def graph(self, saver):
        b = StateGraph(State)
        b.add_node("retrieve", self.retrieve)
        b.add_node("grade", self.grade)
        b.add_node("write", self.write)
        b.add_node("support", self.support)
        b.add_edge(START, "retrieve")
        b.add_conditional_edges("retrieve", self.fan_out, ["grade"])
        b.add_conditional_edges("grade", self.decide, ["write", END])
        b.add_edge("write", "support")
        b.add_edge("support", END)
        return b.compile(checkpointer=saver)


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


async def measure(graph, questions, clients, times):
    took, turn = [], iter(range(times))

    async def ask():
        for i in turn:
            began = time.perf_counter()
            out = await graph.ainvoke({"question": f"{questions[i % len(questions)]} ({i})"}, {"configurable": {"thread_id": f"{clients}-{i}"}})
            assert out["answer"] and out["supported"]
            took.append(1000 * (time.perf_counter() - began))

    before, began = cpu(), time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(clients)))
    seconds, used = time.perf_counter() - began, cpu() - before
    took.sort()
    return {"cpu_ms": 1000 * used / times, "each_second": times / seconds, "p50": took[len(took) // 2], "p99": took[(len(took) - 1) * 99 // 100]}


async def main():
    with open(PASSAGES) as f:
        index = Index([json.loads(line) for line in f])
    with open(QUESTIONS) as f:
        questions = json.load(f)
    async with httpx.AsyncClient(base_url=URL, timeout=60) as client:

        async def both(saver):
            graph = Loop(index, client).graph(saver)
            await measure(graph, questions, 4, 20)
            print(json.dumps(await measure(graph, questions, int(CLIENTS), int(TIMES))), flush=True)

        if DATABASE:
            async with AsyncSqliteSaver.from_conn_string(DATABASE) as saver:
                await saver.conn.execute("PRAGMA journal_mode=WAL")
                await saver.conn.execute("PRAGMA synchronous=NORMAL")
                await both(saver)
        else:
            await both(None)


asyncio.run(main())
