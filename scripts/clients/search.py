"""Searches, pages, handles a 400 and a 429, and verifies a webhook, with a generated client: BASE_URL, ORIGIN and TOKEN."""

import datetime
import json
import os

from product_search_service_client import AuthenticatedClient
from product_search_service_client.api.catalog_search import search_catalog
from product_search_service_client.api.text_search import search_trial
from product_search_service_client.models import InvalidRequestError, RateLimitedError
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

client = AuthenticatedClient(os.environ["BASE_URL"], token=os.environ["TOKEN"])

first = search_catalog.sync(client=client, q="lamp", count=2)
second = search_catalog.sync(client=client, q="lamp", count=2, page=2)
assert len(first.products) == len(second.products) == 2 and first.has_more
assert not {one.field_id for one in first.products} & {one.field_id for one in second.products}

wrong = search_catalog.sync(client=client, q="lamp", count=999)
assert isinstance(wrong, InvalidRequestError) and wrong.code == "invalid_request", wrong

# The mock refuses when it is asked to, the service when there are too many.
limited = client.with_headers({"Prefer": "code=429"})
for _ in range(500):
    trial = search_trial.sync_detailed(client=limited, q="mug")
    if trial.status_code == 429:
        break
assert isinstance(trial.parsed, RateLimitedError) and int(trial.headers["retry-after"]) > 0, trial

webhook = Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
body = json.dumps({"type": "price.alert"})
now = datetime.datetime.now(tz=datetime.timezone.utc)
headers = {"webhook-id": "ev_1", "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": webhook.sign("ev_1", now, body)}
assert webhook.verify(body, headers)["type"] == "price.alert"
try:
    webhook.verify(body + " ", headers)
    raise AssertionError("A changed body was accepted.")
except WebhookVerificationError:
    pass
print("python: searched, paged, 400, 429, webhook")
