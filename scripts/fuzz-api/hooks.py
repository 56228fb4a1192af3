"""What Schemathesis needs to know about the service, and which of its findings are accepted."""

import json
import os
import pathlib
import uuid

import schemathesis

ACCEPTED = json.loads((pathlib.Path(__file__).parent / "accepted-findings.json").read_text("utf-8"))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure unless it is accepted."""
    return not any(is_accepted(entry, failure, case, response) for entry in ACCEPTED)


def is_accepted(entry, failure, case, response):
    operation = case.operation.definition.raw.get("operationId")
    return (
        type(failure).__name__ == entry["failure"]
        and operation in entry.get("operations", [operation])
        and entry.get("status", response.status_code) == response.status_code
        and entry.get("says", "") in response.content.decode("utf-8", "replace")
    )


# What exists: generated sequences of calls seldom make a delivery and replay it, or upload an image that leads to products.
EXISTING = json.loads(os.environ["FUZZ_EXISTING_THINGS"])


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    body = case.body
    # A webhook leads to a name that cannot exist, so that nothing is sent to strangers.
    if isinstance(body, dict) and isinstance(body.get("webhookUrl"), str) and "://" in body["webhookUrl"]:
        body["webhookUrl"] = f"https://{uuid.uuid4().hex}.invalid/hook"
    # In a sequence of calls no key is used twice: it would give a webhook that was deleted since.
    if case.meta.phase.name == "stateful" and case.headers and case.headers.get("Idempotency-Key"):
        case.headers["Idempotency-Key"] = uuid.uuid4().hex
    if operation == "replayDelivery" and is_fuzzing_with_valid_data(case):
        case.path_parameters = {"webhook_id": EXISTING["webhookId"], "delivery_id": EXISTING["deliveryId"]}
    if operation == "searchByImage" and is_fuzzing_with_valid_data(case):
        case.query = {"imageId": EXISTING["imageId"]}
    if operation == "orderRules" and is_fuzzing_with_valid_data(case):
        case.body = {"ids": [EXISTING["ruleId"]]}
    if operation == "deleteRule" and case.path_parameters.get("rule_id") == EXISTING["ruleId"]:
        case.path_parameters = {"rule_id": f"rule_{uuid.uuid4().hex[:16]}"}
    # Schemathesis reads identifiers from the list of webhooks and would delete this one too.
    if operation == "deleteWebhook" and case.path_parameters.get("webhook_id") == EXISTING["webhookId"]:
        case.path_parameters = {"webhook_id": f"wh_{uuid.uuid4().hex[:16]}"}


def is_fuzzing_with_valid_data(case):
    return case.meta.phase.name == "fuzzing" and case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE
