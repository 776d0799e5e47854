"""Retrieves passages of a Clew library for LangChain."""

from __future__ import annotations

import os
from typing import Any

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SecretStr

__all__ = ["ClewError", "ClewRetriever"]


class ClewError(Exception):
    """The library did not answer. The text says why; status is that of the answer, or None without one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def _secret(name: str) -> SecretStr:
    return SecretStr(os.environ.get(name, ""))


class ClewRetriever(BaseRetriever):
    """Retrieves the passages of a library that fit a question, the best first.

    The metadata of each document:

    - ``document`` and ``document_id``: its name and id in the library
    - ``title``: the headings above the passage
    - ``chunk``: the id of the passage
    - ``url``: the page that shows exactly these characters
    - ``start`` and ``end``: their place in the text, in code points
    - ``score``, ``rank``, ``methods``: how well and by which methods it was found
    - ``page`` or ``place``, if the file has them
    """

    server: str = Field(default_factory=lambda: os.environ.get("CLEW_SERVER", ""))
    """Address of the library, such as https://clew.example.org; without it, CLEW_SERVER."""
    token: SecretStr = Field(default_factory=lambda: _secret("CLEW_TOKEN"))
    """Token with the scope read; without it, CLEW_TOKEN."""
    k: int = Field(default=8, ge=1, le=200)
    """How many passages to retrieve at most."""
    within: list[str] = Field(default_factory=list)
    """The part of the library to search, such as ["tag:minutes", "from:2024-01-31"]."""
    method: str = ""
    """words, vectors, hybrid or walk; without it, every way."""
    timeout: float = Field(default=30, gt=0)
    """Seconds after which a search is given up."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **given: Any) -> list[Document]:
        request = self._request(query, given)
        try:
            with httpx.Client(timeout=self.timeout) as client:
                answer = client.post(**request)
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            raise self._unreachable(err) from err
        return self._documents(answer)

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any) -> list[Document]:
        request = self._request(query, given)
        try:
            async with httpx.AsyncClient(timeout=self.timeout) as client:
                answer = await client.post(**request)
        except (httpx.HTTPError, httpx.InvalidURL) as err:
            raise self._unreachable(err) from err
        return self._documents(answer)

    def _request(self, query: str, given: dict[str, Any]) -> dict[str, Any]:
        if not self.server:
            raise ClewError("There is no address of a library: pass server, or set CLEW_SERVER.")
        token = self.token.get_secret_value().strip()
        if not token:
            raise ClewError("There is no token: pass token, or set CLEW_TOKEN.")
        if unknown := sorted(set(given) - {"k", "within", "method"}):
            raise ClewError(f"A search takes k, within and method, not {', '.join(unknown)}.")
        body = {"question": query, "limit": given.get("k", self.k), "within": given.get("within", self.within)}
        if method := given.get("method", self.method):
            body["method"] = method
        return {"url": self._site() + "/api/v1/search", "json": body, "headers": {"Authorization": "Bearer " + token}}

    def _site(self) -> str:
        return self.server.rstrip("/")

    def _unreachable(self, err: Exception) -> ClewError:
        if isinstance(err, httpx.TimeoutException):
            return ClewError(f"{self.server} did not answer within {self.timeout:g} seconds.")
        return ClewError(f"{self.server} can't be reached: {err}")

    def _documents(self, answer: httpx.Response) -> list[Document]:
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not answer.is_success or not isinstance(body, dict) or "items" not in body:
            detail = body.get("detail") if isinstance(body, dict) else None
            why = detail or f"{self.server} did not answer as a Clew library does (status {answer.status_code})."
            raise ClewError(why, answer.status_code)
        return [self._document(found) for found in body["items"]]

    def _document(self, found: dict[str, Any]) -> Document:
        kept = ("document", "document_id", "title", "chunk", "start", "end", "score", "rank", "methods", "page", "place")
        metadata = {name: found[name] for name in kept if name in found}
        metadata["url"] = httpx.URL(self._site()).join(found["address"]).__str__()
        return Document(id=found["chunk"], page_content=found["text"], metadata=metadata)
