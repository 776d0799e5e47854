"""Drives ClewRetriever against a server: CLEW_SERVER and CLEW_TOKEN name one whose library tells who founded the Carrow Foundry."""

import asyncio
import os
import unittest

from langchain_clew import ClewError, ClewRetriever
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

QUESTION = "Who founded the Carrow Foundry?"


class Retrieval(unittest.TestCase):
    def test_passages_are_documents(self):
        found = ClewRetriever().invoke(QUESTION)
        self.assertIn("Maud Ferring", found[0].page_content)
        about = found[0].metadata
        self.assertEqual((about["document"], about["rank"]), ("foundry.txt", 1))
        self.assertTrue(about["source"].startswith(os.environ["CLEW_SERVER"] + "/w/library/documents/"), about["source"])
        self.assertLess(about["start"], about["end"])
        self.assertTrue(found[0].id and about["methods"] and about["score"] > 0)

    def test_a_search_can_be_narrowed(self):
        self.assertEqual(len(ClewRetriever(k=1).invoke(QUESTION)), 1)
        self.assertEqual(len(ClewRetriever().invoke(QUESTION, k=1)), 1)
        self.assertEqual({d.metadata["document"] for d in ClewRetriever(within=["doc:bridge.md"]).invoke(QUESTION)}, {"bridge.md"})
        self.assertEqual(ClewRetriever(method="words").invoke(QUESTION)[0].metadata["methods"], ["words"])

    def test_it_works_asynchronously(self):
        async def both():
            return await asyncio.gather(*(ClewRetriever().ainvoke(QUESTION) for _ in range(4)))

        for found in asyncio.run(both()):
            self.assertIn("Maud Ferring", found[0].page_content)

    def test_it_is_part_of_a_chain(self):
        seen = []

        def words(documents):
            seen.extend(documents)
            return "\n".join(d.page_content for d in documents)

        chain = (
            {"context": ClewRetriever(k=2) | words, "question": RunnablePassthrough()}
            | ChatPromptTemplate.from_template("{context}\n\n{question}")
            | FakeListChatModel(responses=["Maud Ferring."])
            | StrOutputParser()
        )
        self.assertEqual(chain.invoke(QUESTION), "Maud Ferring.")
        self.assertEqual(len(seen), 2)

    def test_what_goes_wrong_is_told(self):
        for retriever, status, says in (
            (ClewRetriever(token="clew_wrong"), 401, "not a complete token"),
            (ClewRetriever(token=""), None, "clew token create"),
            (ClewRetriever(server="http://127.0.0.1:9"), None, "does not answer"),
            (ClewRetriever(within=["nonsense"]), 422, "nonsense"),
        ):
            with self.assertRaises(ClewError) as refused:
                retriever.invoke(QUESTION)
            self.assertIn(says, str(refused.exception))
            self.assertEqual(refused.exception.status, status)
        with self.assertRaises(ValueError):
            ClewRetriever(server="library.example")

    def test_the_token_is_not_shown(self):
        self.assertNotIn(os.environ["CLEW_TOKEN"], repr(ClewRetriever()))


if __name__ == "__main__":
    unittest.main()
