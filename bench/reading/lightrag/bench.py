"""Reads documents into LightRAG with the model at an address.

Arguments: address of the model, folder for the stores, how many documents the
first and the last part have, the documents. Prints one line of JSON: processor
seconds in all, of the first and of the last part, and the peak of memory in MB.
"""

import asyncio
import hashlib
import json
import os
import re
import resource
import sys

import httpx
import numpy as np

url, folder, part, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
os.makedirs(folder, exist_ok=True)
os.environ.setdefault("LOG_DIR", folder)

from lightrag import LightRAG  # noqa: E402  reads its settings from the environment when it is imported
from lightrag.utils import EmbeddingFunc, Tokenizer  # noqa: E402

client = httpx.AsyncClient(timeout=600)


async def model(prompt, system_prompt=None, history_messages=None, **_):
    messages = [{"role": "system", "content": system_prompt}] if system_prompt else []
    messages += history_messages or []
    messages.append({"role": "user", "content": prompt})
    form = "done" if history_messages else "lines" if "---Input Text---" in prompt else "summary"
    answer = await client.post(url + "/chat/completions", json={"messages": messages, "form": form})
    answer.raise_for_status()
    return answer.json()["choices"][0]["message"]["content"]


class Pieces:
    """Counts about as tiktoken does, which would fetch its table from the web."""

    piece = re.compile(r" ?\w{1,6}|\s|.", re.DOTALL)

    def __init__(self):
        self.numbers, self.pieces = {}, []

    def encode(self, text):
        numbers = []
        for piece in self.piece.findall(text):
            if piece not in self.numbers:
                self.numbers[piece] = len(self.pieces)
                self.pieces.append(piece)
            numbers.append(self.numbers[piece])
        return numbers

    def decode(self, numbers):
        return "".join(self.pieces[n] for n in numbers)


async def embed(texts):
    """Vectors that cost almost nothing, equal for equal texts."""
    rows = []
    for text in texts:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        rows.append(np.random.default_rng(seed).standard_normal(64, dtype=np.float32))
    return np.stack(rows)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def main():
    rag = LightRAG(
        working_dir=folder,
        tokenizer=Tokenizer("pieces", Pieces()),
        llm_model_func=model,
        llm_model_max_async=8,
        embedding_func=EmbeddingFunc(embedding_dim=64, max_token_size=8192, func=embed),
        enable_llm_cache=False,
        enable_llm_cache_for_entity_extract=False,
    )
    await rag.initialize_storages()
    try:
        from lightrag.kg.shared_storage import initialize_pipeline_status

        await initialize_pipeline_status()
    except ImportError:
        pass
    spent, began = [], cpu()
    for some in (files[:part], files[part:-part], files[-part:]):
        before = cpu()
        texts = [open(f, encoding="utf-8").read() for f in some]
        if texts:
            await rag.ainsert(texts, file_paths=some)
        spent.append(cpu() - before)
    await rag.finalize_storages()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"cpu": cpu() - began, "peak": peak, "first": spent[0], "last": spent[2]}))


asyncio.run(main())
