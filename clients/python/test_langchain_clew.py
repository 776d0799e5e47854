"""Searches the library that CLEW_SERVER and CLEW_TOKEN name, which says who founded the Carrow Foundry."""

import asyncio
import os
import socket
import unittest
from unittest import mock

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from langchain_clew import ClewError, ClewRetriever

QUESTION = "Who founded the Carrow Foundry?"


class TestClewRetriever(unittest.TestCase):
    def test_finds_passages_with_their_place(self):
        found = ClewRetriever(k=1).invoke(QUESTION)
        self.assertEqual(len(found), 1)
        passage = found[0]
        self.assertIn("Maud Ferring", passage.page_content)
        about = passage.metadata
        self.assertTrue(about["document"])
        self.assertEqual(passage.id, about["chunk"])
        self.assertEqual(about["end"] - about["start"], len(passage.page_content))
        self.assertGreater(about["score"], 0)
        self.assertTrue(about["url"].startswith(os.environ["CLEW_SERVER"] + "/documents/" + about["document_id"]))

    def test_finds_the_same_without_blocking(self):
        retriever = ClewRetriever()
        self.assertEqual(asyncio.run(retriever.ainvoke(QUESTION)), retriever.invoke(QUESTION))

    def test_searches_a_part(self):
        self.assertEqual(ClewRetriever(within=["doc:foundry.txt"]).invoke(QUESTION), ClewRetriever().invoke(QUESTION, within=["doc:foundry.txt"], k=3))
        with self.assertRaisesRegex(ClewError, "No document matches"):
            ClewRetriever(within=["from:2999-01-01"]).invoke(QUESTION)
        with self.assertRaises(ClewError) as refused:
            ClewRetriever(method="guessing").invoke(QUESTION)
        self.assertIn(refused.exception.status, range(400, 500))
        with self.assertRaisesRegex(ClewError, "not limit"):
            ClewRetriever().invoke(QUESTION, limit=3)

    def test_says_what_is_wrong(self):
        for retriever, why in (
            (ClewRetriever(token="clew_wrong"), "token"),
            (ClewRetriever(token=""), "CLEW_TOKEN"),
            (ClewRetriever(server=""), "CLEW_SERVER"),
            (ClewRetriever(server="127.0.0.1:8080"), "can't be reached"),
            (ClewRetriever(server="http://127.0.0.1:1"), "can't be reached"),
            (ClewRetriever(server=os.environ["CLEW_SERVER"] + "/static"), "status|There is"),
        ):
            with self.assertRaisesRegex(ClewError, why):
                retriever.invoke(QUESTION)
            with self.assertRaisesRegex(ClewError, why):
                asyncio.run(retriever.ainvoke(QUESTION))
        with self.assertRaises(ClewError) as refused:
            ClewRetriever(token="clew_wrong").invoke(QUESTION)
        self.assertEqual(refused.exception.status, 401)

    def test_gives_up_in_time(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with self.assertRaisesRegex(ClewError, "within 0.1 seconds"):
                ClewRetriever(server=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1).invoke(QUESTION)

    def test_hides_the_token(self):
        with mock.patch.dict(os.environ, {"CLEW_TOKEN": "clew_secret"}):
            self.assertNotIn("clew_secret", repr(ClewRetriever()))

    def test_works_in_a_chain(self):
        prompts = []
        prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
        chain = (
            {"context": ClewRetriever() | (lambda found: "\n".join(d.page_content for d in found)), "question": RunnablePassthrough()}
            | prompt
            | (lambda value: prompts.append(value.to_string()) or value)
            | FakeListChatModel(responses=["Maud Ferring did."])
            | StrOutputParser()
        )
        self.assertEqual(chain.invoke(QUESTION), "Maud Ferring did.")
        self.assertIn("Maud Ferring founded", prompts[0])


if __name__ == "__main__":
    unittest.main()
