"""The Python SDK against a server: `python_sdk.py TENDON`."""

import json
import os
import sys
import tempfile

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.identity import ClientSecretCredential
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.resources import ResourceManagementClient

import harness
from harness import PASSWORD, Server, check

INCREMENTAL = {"mode": "Incremental"}


def refused(work):
    """The error that a call ends with."""
    try:
        work()
    except HttpResponseError as error:
        return error
    raise SystemExit("FAILED: nothing was refused")


def run(server):
    tendon = server.tendon
    credential = ClientSecretCredential(
        harness.TENANT, harness.CLIENT, "local", authority=server.url, disable_instance_discovery=True
    )
    options = {"base_url": server.url, "credential_scopes": [server.url + "/.default"]}
    resources = ResourceManagementClient(credential, harness.SUBSCRIPTION, **options)
    client = DeploymentsMgmtClient(credential, harness.SUBSCRIPTION, **options)
    deployments, operations = client.deployments, client.deployment_operations

    group = resources.resource_groups.create_or_update("rg", {"location": "local", "tags": {"a": "b"}})
    check("log in, and create a group", group.properties.provisioning_state == "Succeeded", group)
    check("the group exists", resources.resource_groups.check_existence("rg"))
    check("another one does not", not resources.resource_groups.check_existence("other"))

    main = harness.template(tendon, "main.bicep")
    parameters = {"name": {"value": "pythonacc"}, "password": {"value": PASSWORD}}
    body = {"properties": {**INCREMENTAL, "template": main, "parameters": parameters}}
    valid = deployments.begin_validate("rg", "one", body).result()
    check("validate", len(valid.properties.validated_resources) == 3, valid)
    changes = deployments.begin_what_if("rg", "one", body).result().properties.changes
    check("what-if", [change.change_type for change in changes] == ["Create"] * 3, changes)
    done = deployments.begin_create_or_update("rg", "one", body).result()
    check("create", done.properties.provisioning_state == "Succeeded", done)
    blob = done.properties.outputs["blob"]["value"]
    check("outputs", blob == "https://pythonacc.blob.core.windows.net/", blob)
    check("no secret in the record", PASSWORD not in json.dumps(done.as_dict()), done)
    changes = deployments.begin_what_if("rg", "one", body).result().properties.changes
    check("what-if of what is there", {change.change_type for change in changes} == {"NoChange"}, changes)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "parameters.json")
        harness.resolved(tendon, path)
        with open(path) as file:
            parameters = json.load(file)["parameters"]
    done = deployments.begin_create_or_update(
        "rg", "two", {"properties": {**INCREMENTAL, "template": main, "parameters": parameters}}
    ).result()
    check("create from .bicepparam, resolved", done.properties.outputs["tag"]["value"] == "build-17", done)
    for form, inputs in {
        "as proposed": {
            "externalInputs": {"0": {"type": "acme.secret"}, "1": {"type": "sys.envVar", "config": "BUILD"}},
            "externalInputValues": {"0": PASSWORD, "1": "18"},
        },
        "as shipped": {
            "externalInputDefinitions": {"0": {"kind": "acme.secret"}, "1": {"kind": "sys.envVar", "config": "BUILD"}},
            "externalInputs": {"0": {"value": PASSWORD}, "1": {"value": "18"}},
        },
    }.items():
        parameters = {
            "name": {"value": "inputsacc"},
            "password": {"expression": "[externalInputs('0')]"},
            "tag": {"expression": "[format('build-{0}', externalInputs('1'))]"},
        }
        body = {"properties": {**INCREMENTAL, "template": main, "parameters": parameters, **inputs}}
        done = deployments.begin_create_or_update("rg", "inputs", body).result()
        check(f"create with external inputs, {form}", done.properties.outputs["tag"]["value"] == "build-18", done)
        check("no value of an input in the record", PASSWORD not in json.dumps(done.as_dict()), done)

    failing = {"properties": {**INCREMENTAL, "template": harness.template(tendon, "failing.bicep"), "parameters": {}}}
    error = refused(lambda: deployments.begin_create_or_update("rg", "bad", failing).result()).error
    check("a failure has its code", error.code == "DeploymentFailed", error)
    check("its message says why", "nowhere" in error.message, error.message)
    check("its details lead to the cause", error.details[0].details[0].code == "ResourceNotFound", error.details)
    validated = harness.template(tendon, "validated.bicep")
    invalid = {"properties": {**INCREMENTAL, "template": validated, "parameters": {"memory": {"value": 1000}}}}
    for call in (deployments.begin_validate, deployments.begin_create_or_update):
        error = refused(lambda call=call: call("rg", "odd", invalid).result())
        check("a validator's message is shown", "1000 is not a multiple of 512" in str(error), error)

    names = {one.name for one in deployments.list_by_resource_group("rg")}
    check("list", names == {"one", "two", "inputs", "bad"}, names)
    failed = [one.name for one in deployments.list_by_resource_group("rg", filter="provisioningState eq 'Failed'")]
    check("list what failed", failed == ["bad"], failed)
    check("list the first", len(list(deployments.list_by_resource_group("rg", top=2))) == 2)
    done = list(operations.list("rg", "one"))
    kinds = [one.properties.provisioning_operation for one in done]
    check("operations", kinds == ["Create"] * 3 + ["EvaluateDeploymentOutput"], kinds)
    one = operations.get("rg", "one", done[0].operation_id)
    check("one operation", one.properties.target_resource.resource_name == "pythonacc", one)
    exported = deployments.export_template("rg", "one").template
    check("export", exported["parameters"].keys() == main["parameters"].keys(), exported)
    calculated = deployments.calculate_template_hash(main)
    check("hash", calculated.template_hash == deployments.get("rg", "one").properties.template_hash, calculated)

    endless = {"properties": {**INCREMENTAL, "template": harness.template(tendon, "endless.bicep"), "parameters": {}}}
    poller = deployments.begin_create_or_update("rg", "endless", endless)
    running = refused(lambda: deployments.begin_create_or_update("rg", "endless", endless))
    check("a second one of its name is refused", running.error.code == "DeploymentActive", running)
    deployments.cancel("rg", "endless")
    error = refused(poller.result)
    state = deployments.get("rg", "endless").properties.provisioning_state
    check("cancel", state == "Canceled" and "cancel" in str(error).lower(), error)
    error = refused(lambda: deployments.cancel("rg", "endless"))
    check("it cannot be cancelled twice", error.error.code == "DeploymentCannotBeCancelled", error)

    check("it exists", deployments.check_existence("rg", "one"))
    deployments.begin_delete("rg", "one").result()
    check("delete", not deployments.check_existence("rg", "one"))
    try:
        deployments.get("rg", "one")
        check("it is gone", False)
    except ResourceNotFoundError as error:
        check("it is gone", error.error.code == "DeploymentNotFound", error)

    scoped = {"location": "local", "properties": {**INCREMENTAL, "parameters": {"text": {"value": "hello"}}}}
    tenant = {**scoped, "properties": {**scoped["properties"], "template": harness.template(tendon, "tenant.bicep")}}
    done = deployments.begin_create_or_update_at_tenant_scope("t", tenant).result()
    check("create at the tenant", done.properties.outputs["text"]["value"] == "hello", done)
    management = harness.template(tendon, "management.bicep")
    management = {**scoped, "properties": {**scoped["properties"], "template": management}}
    done = deployments.begin_create_or_update_at_management_group_scope("m", "d", management).result()
    check("create at a management group", done.properties.outputs["text"]["value"] == "hello", done)
    made = {**INCREMENTAL, "template": harness.template(tendon, "group.bicep"), "parameters": {"name": {"value": "made"}}}
    done = deployments.begin_create_or_update_at_subscription_scope("s", {"location": "local", "properties": made}).result()
    check("create at the subscription", done.properties.outputs["id"]["value"].endswith("/made"), done)
    check("list groups", [one.name for one in resources.resource_groups.list()] == ["made", "rg"])

    found = {one.name for one in resources.resources.list_by_resource_group("rg")}
    check("resources of the group", {"pythonacc", "pythonacc-kv"} <= found, found)
    kind = "resourceType eq 'Microsoft.Storage/storageAccounts'"
    found = {one.name for one in resources.resources.list(filter=kind)}
    check("resources of a type", found == {"pythonacc", "paramacc", "inputsacc", "endlessacc"}, found)
    id = f"{group.id}/providers/Microsoft.Storage/storageAccounts/pythonacc"
    account = resources.resources.get_by_id(id, api_version="2023-01-01")
    check("one resource", account.sku.name == "Standard_LRS", account)
    put = {"location": "local", "properties": {"a": 1}}
    made = resources.resources.begin_create_or_update_by_id(f"{group.id}/providers/A.B/c/x", put, api_version="2023-01-01").result()
    check("put a resource", made.properties == {"a": 1, "provisioningState": "Succeeded"}, made.properties)
    resources.resources.begin_delete_by_id(f"{group.id}/providers/A.B/c/x", api_version="2023-01-01").result()
    check("delete a resource", not resources.resources.check_existence_by_id(f"{group.id}/providers/A.B/c/x", api_version="2023-01-01"))
    storage = resources.providers.get("Microsoft.Storage")
    versions = [kind.api_versions for kind in storage.resource_types if kind.resource_type == "storageAccounts"]
    check("providers", "2023-01-01" in versions[0], storage)

    group = resources.resource_groups.create_or_update("endpoint", {"location": "local"})
    # The server keeps what it is sent in a resource whose type does not call it a secret; whoever sends it keeps nothing.
    password = "hush-hush-own-4711"
    given = ["--scope", group.id, "--param", "name=ownacc", "--param", f"password={password}"]
    done = harness.at_endpoint(server, "deploy", *given, "--output", "json")
    check("deploy to the server as an endpoint", done.returncode == 0, done.stdout + done.stderr)
    found = {one.name for one in resources.resources.list_by_resource_group("endpoint")}
    check("the SDK sees the resources", {"ownacc", "ownacc-kv"} <= found, found)
    account = resources.resources.get_by_id(f"{group.id}/providers/Microsoft.Storage/storageAccounts/ownacc", api_version="2023-01-01")
    check("and what they are", account.sku.name == "Standard_LRS" and account.location == "local", account)
    check("no secret is kept by who deployed", not server.leaks(password, harness.OWN), server.leaks(password, harness.OWN))
    check("the server has no record of the deployment", not list(deployments.list_by_resource_group("endpoint")))
    done = harness.at_endpoint(server, "what-if", *given, "--exit-code")
    check("what was deployed is not a change", done.returncode == 0 and "3 unchanged" in done.stdout, done.stdout + done.stderr)
    done = harness.at_endpoint(server, "what-if", *given, "--exit-code", "--param", "tag=new")
    check("what differs is one", done.returncode == 4 and '~ tags.build: "none" => "new"' in done.stdout, done.stdout + done.stderr)

    resources.resource_groups.begin_delete("rg").result()
    check("delete the group", not resources.resource_groups.check_existence("rg"))


if __name__ == "__main__":
    with Server(sys.argv[1]) as started:
        os.environ["REQUESTS_CA_BUNDLE"] = started.certificate
        run(started)
    print("the Python SDK works")
