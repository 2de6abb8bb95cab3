"""`az` against a server, with Tendon as its Bicep: `az_cli.py TENDON AZ`."""

import json
import os
import subprocess
import sys
import tempfile
import time

import harness
from harness import FILES, PASSWORD, Server, check


class Az:
    """The program with a configuration of its own."""

    def __init__(self, server, program, folder):
        self.program = program
        # `az` takes the program of that name on the path.
        tools = os.path.join(folder, "bin")
        os.mkdir(tools)
        os.symlink(server.tendon, os.path.join(tools, "bicep"))
        self.environment = {
            **server.environment(),
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "AZURE_CONFIG_DIR": os.path.join(folder, "az"),
            "AZURE_CORE_INSTANCE_DISCOVERY": "false",
            "AZURE_CORE_COLLECT_TELEMETRY": "no",
            "AZURE_CORE_NO_COLOR": "true",
            "AZURE_CORE_ONLY_SHOW_ERRORS": "true",
            "AZURE_BICEP_USE_BINARY_FROM_PATH": "true",
        }

    def ask(self, *arguments):
        """Runs a command and gives what it did."""
        command = [self.program, *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)

    def __call__(self, *arguments):
        """Runs a command that has to succeed, and gives its JSON."""
        done = self.ask(*arguments, "--output", "json")
        if done.returncode != 0:
            raise SystemExit(f"FAILED: az {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def refused(self, *arguments):
        """Runs a command that has to fail, and gives what it says."""
        done = self.ask(*arguments)
        check(f"az {' '.join(arguments[:3])} is refused", done.returncode != 0, done.stdout)
        return done.stderr


def file(name):
    return os.path.join(FILES, name)


def compiled(server, folder, name):
    """The template of a file that the public compiler does not take: called `bicep`, Tendon does not, either."""
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(harness.template(server.tendon, name + ".bicep"), out)
    return path


def run(server, program, folder):
    az = Az(server, program, folder)
    az("cloud", "register", "--name", "Local", "--endpoint-resource-manager", server.url + "/")
    az("cloud", "set", "--name", "Local")
    login = ["--username", harness.CLIENT, "--password", "local", "--tenant", harness.TENANT]
    accounts = az("login", "--service-principal", *login)
    check("log in", accounts[0]["id"] == harness.SUBSCRIPTION, accounts)
    group = az("group", "create", "--name", "rg", "--location", "local", "--tags", "a=b")
    check("group create", group["properties"]["provisioningState"] == "Succeeded", group)
    check("group exists", az("group", "exists", "--name", "rg") is True)
    check("group list", [one["name"] for one in az("group", "list")] == ["rg"])

    one = ["--resource-group", "rg", "--name", "one"]
    given = ["--template-file", file("main.bicep"), "--parameters", "name=cliacc", f"password={PASSWORD}"]
    valid = az("deployment", "group", "validate", *one, *given)
    check("validate", len(valid["properties"]["validatedResources"]) == 3, valid)
    shown = az.ask("deployment", "group", "what-if", *one, *given).stdout
    check("what-if", "Resource changes: 3 to create." in shown, shown)
    done = az("deployment", "group", "create", *one, *given)
    check("create from .bicep", done["properties"]["provisioningState"] == "Succeeded", done)
    blob = done["properties"]["outputs"]["blob"]["value"]
    check("outputs", blob == "https://cliacc.blob.core.windows.net/", blob)
    check("no secret in the record", PASSWORD not in json.dumps(done), done)
    changed = [*given[:2], "--parameters", "name=cliacc", f"password={PASSWORD}", "tag=new"]
    shown = az.ask("deployment", "group", "what-if", *one, *changed).stdout
    check("what-if shows what changes", '~ tags.build: "none" => "new"' in shown, shown)

    parameters = os.path.join(folder, "resolved.json")
    harness.resolved(server.tendon, parameters)
    two = ["--resource-group", "rg", "--name", "two"]
    done = az("deployment", "group", "create", *two, "--template-file", file("main.bicep"), "--parameters", "@" + parameters)
    check("create from .bicepparam, resolved", done["properties"]["outputs"]["tag"]["value"] == "build-17", done)
    os.remove(parameters)
    three = ["--resource-group", "rg", "--name", "three"]
    done = az("deployment", "group", "create", *three, "--parameters", file("plain.bicepparam"))
    check("create from .bicepparam", done["properties"]["outputs"]["tag"]["value"] == "plain", done)

    failing = ["--resource-group", "rg", "--name", "bad", "--template-file", file("failing.bicep")]
    said = az.refused("deployment", "group", "create", *failing)
    check("a failure says why", "ResourceNotFound" in said and "nowhere" in said, said)
    odd = ["--resource-group", "rg", "--name", "odd", "--template-file", compiled(server, folder, "validated"), "--parameters", "memory=1000"]
    said = az.refused("deployment", "group", "create", *odd)
    check("a validator's message is shown", "1000 is not a multiple of 512" in said, said)
    said = az.refused("deployment", "group", "validate", *odd)
    check("validate shows it, too", "1000 is not a multiple of 512" in said, said)

    names = {one["name"] for one in az("deployment", "group", "list", "--resource-group", "rg")}
    check("list", names == {"one", "two", "three", "bad"}, names)
    failed = az("deployment", "group", "list", "--resource-group", "rg", "--filter", "provisioningState eq 'Failed'")
    check("list what failed", [one["name"] for one in failed] == ["bad"], failed)
    shown = az("deployment", "group", "show", *one)
    check("show", shown["properties"]["templateHash"].isdigit(), shown)
    operations = az("deployment", "operation", "group", "list", *one)
    check("operations", len(operations) == 4, operations)
    exported = az("deployment", "group", "export", *one)
    check("export", "resources" in exported, exported)

    endless = ["--resource-group", "rg", "--name", "endless"]
    az("deployment", "group", "create", *endless, "--template-file", compiled(server, folder, "endless"), "--no-wait")
    az("deployment", "group", "cancel", *endless)
    for _ in range(60):
        state = az("deployment", "group", "show", *endless)["properties"]["provisioningState"]
        if state != "Running":
            break
        time.sleep(0.5)
    check("cancel", state == "Canceled", state)
    said = az.refused("deployment", "group", "cancel", *endless)
    check("it cannot be cancelled twice", "DeploymentCannotBeCancelled" in said, said)
    az("deployment", "group", "delete", *one)
    said = az.refused("deployment", "group", "show", *one)
    check("delete", "DeploymentNotFound" in said, said)

    place = ["--location", "local", "--name", "d"]
    made = ["--template-file", file("group.bicep"), "--parameters", "name=made"]
    done = az("deployment", "sub", "create", *place, *made)
    check("create at the subscription", done["properties"]["outputs"]["id"]["value"].endswith("/made"), done)
    check("operations at the subscription", len(az("deployment", "operation", "sub", "list", "--name", "d")) == 2)
    text = ["--parameters", "text=hello"]
    done = az("deployment", "mg", "create", *place, "--management-group-id", "m", "--template-file", file("management.bicep"), *text)
    check("create at a management group", done["properties"]["outputs"]["text"]["value"] == "hello", done)
    done = az("deployment", "tenant", "create", *place, "--template-file", file("tenant.bicep"), *text)
    check("create at the tenant", done["properties"]["outputs"]["text"]["value"] == "hello", done)

    found = {one["name"] for one in az("resource", "list", "--resource-group", "rg")}
    check("resource list", {"cliacc", "paramacc"} <= found, found)
    kind = "Microsoft.Storage/storageAccounts"
    found = {one["name"] for one in az("resource", "list", "--resource-type", kind)}
    check("resource list of a type", found == {"cliacc", "paramacc", "plainacc", "endlessacc"}, found)
    account = ["--resource-group", "rg", "--resource-type", kind, "--name", "cliacc"]
    check("resource show", az("resource", "show", *account)["sku"]["name"] == "Standard_LRS")
    keys = f"{group['id']}/providers/{kind}/cliacc/listKeys?api-version=2023-01-01"
    keys = az("rest", "--method", "post", "--url", server.url + keys)
    check("an action", len(keys["keys"]) == 2, keys)
    az("resource", "tag", *account, "--tags", "x=y")
    check("resource tag", az("resource", "show", *account)["tags"] == {"x": "y"})
    az("resource", "delete", *account)
    said = az.refused("resource", "show", *account)
    check("resource delete", "ResourceNotFound" in said, said)
    check("provider show", az("provider", "show", "--namespace", "Microsoft.Storage")["registrationState"] == "Registered")
    check("locations", any(one["name"] == "local" for one in az("account", "list-locations")))
    az("group", "delete", "--name", "rg", "--yes")
    check("group delete", az("group", "exists", "--name", "rg") is False)


if __name__ == "__main__":
    with Server(sys.argv[1]) as started, tempfile.TemporaryDirectory() as place:
        run(started, os.path.abspath(sys.argv[2]), place)
    print("az works")
