"""Uses a library by the client that openapi-python-client has made, and prints what came as JSON."""
import io
import json
import sys

from clew_client import AuthenticatedClient
from clew_client.api.ask import ask
from clew_client.api.documents import documents_delete, documents_list, documents_original, documents_show, documents_text, ingest
from clew_client.api.me import token_show
from clew_client.models import AskBody, IngestBody
from clew_client.types import File

url, token = sys.argv[1:3]
client = AuthenticatedClient(base_url=url + "/api/v1", token=token)

file = File(payload=io.BytesIO(b"Maud Ferring founded the Carrow Foundry in 1871."), file_name="foundry.txt", mime_type="text/plain")
added = ingest.sync(client=client, body=IngestBody(files=[file], wait=60)).documents[0]
answer = ask.sync(client=client, body=AskBody(question="Who founded the Carrow Foundry?"))
cited = answer.citations[0]
text = documents_text.sync(cited.document_id, client=client).text
original = documents_original.sync(cited.document_id, client=client).payload.read().decode()
names = [d.name for d in documents_list.sync(client=client).items]
documents_delete.sync(added.id, client=client)
gone = documents_show.sync(added.id, client=client)
print(json.dumps({
    "scopes": token_show.sync(client=client).scopes,
    "name": added.name,
    "status": added.status,
    "answer": answer.answer,
    "source": text[cited.start:cited.end],
    "original": original,
    "names": names,
    "gone": gone.status,
    "left": len(documents_list.sync(client=client).items),
}))
