"""A LangChain retriever over the passages of a Clew library.

    from langchain_clew import ClewRetriever

    retriever = ClewRetriever(server="http://127.0.0.1:8080", token="clew_…")
    for passage in retriever.invoke("Who founded the Carrow Foundry?"):
        print(passage.page_content, passage.metadata["source"])
"""

from __future__ import annotations

import os
from typing import Any, Literal

import httpx
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SecretStr, field_validator

__all__ = ["ClewError", "ClewRetriever"]


class ClewError(RuntimeError):
    """A server that refused a search, or did not answer. Its text says what to do."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status  # HTTP status, or None without an answer


def _setting(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


class ClewRetriever(BaseRetriever):
    """Finds passages by POST /api/v1/search, best first.

    Each document's page_content is the passage. Its metadata has source (address of the exact characters in the pages),
    document (name of the file), document_id, title, page and place if the file has them, start and end (positions in the
    document's text, in code points), score, methods (that found it) and rank. Its id is that of the chunk.
    """

    server: str = Field(default_factory=lambda: _setting("CLEW_SERVER", "http://127.0.0.1:8080"))
    """Address of the server; by default CLEW_SERVER."""
    token: SecretStr = Field(default_factory=lambda: SecretStr(_setting("CLEW_TOKEN")))
    """Token with the scope read; by default CLEW_TOKEN."""
    k: int = Field(default=8, ge=1, le=200)
    """Most passages."""
    within: list[str] = Field(default_factory=list)
    """Search only documents that match, such as tag:minutes or lang:de."""
    method: Literal["", "words", "vectors", "hybrid", "walk"] = ""
    """Search in this way alone."""
    timeout: float = Field(default=30, gt=0)
    """Seconds until a search fails."""

    @field_validator("server")
    @classmethod
    def _has_scheme(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError(f"{value!r} is not the address of a server: it begins with http:// or https://")
        return value.rstrip("/")

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **given: Any) -> list[Document]:
        try:
            with httpx.Client(timeout=self.timeout) as client:
                answer = client.post(self._address(), headers=self._headers(), json=self._order(query, **given))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        return self._documents(answer)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        try:
            async with httpx.AsyncClient(timeout=self.timeout) as client:
                answer = await client.post(self._address(), headers=self._headers(), json=self._order(query, **given))
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        return self._documents(answer)

    def _address(self) -> str:
        return self.server + "/api/v1/search"

    def _headers(self) -> dict[str, str]:
        token = self.token.get_secret_value()
        if not token:
            raise ClewError("There is no token. Make one with clew token create, and give it as token or in CLEW_TOKEN.")
        return {"Authorization": "Bearer " + token, "Accept": "application/json"}

    def _order(self, query: str, k: int | None = None, within: list[str] | None = None, method: str | None = None) -> dict[str, Any]:
        order: dict[str, Any] = {"question": query, "limit": self.k if k is None else k}
        for name, value in (("within", self.within if within is None else within), ("method", self.method if method is None else method)):
            if value:
                order[name] = value
        return order

    def _unreachable(self, error: httpx.HTTPError) -> ClewError:
        return ClewError(f"{self.server} does not answer ({error or type(error).__name__}). Check the address, and that clew serve is running.")

    def _documents(self, answer: httpx.Response) -> list[Document]:
        try:
            body = answer.json()
        except ValueError as error:
            raise ClewError(f"{self.server} did not answer as a Clew server does (status {answer.status_code}).", answer.status_code) from error
        if answer.status_code >= 400:
            raise ClewError(body.get("detail") or f"The search failed with status {answer.status_code}.", answer.status_code)
        return [self._document(found) for found in body["items"]]

    def _document(self, found: dict[str, Any]) -> Document:
        kept = ("document", "document_id", "title", "page", "place", "start", "end", "score", "methods", "rank")
        metadata = {name: found[name] for name in kept if name in found}
        metadata["source"] = found["address"] if "://" in found["address"] else self.server + found["address"]
        return Document(id=found["chunk"], page_content=found["text"], metadata=metadata)
