"""The JavaScript SDK against a server: `javascript.py TENDON FOLDER`, where the folder has its packages.

What it does is in `javascript.mjs`; this starts the server and hands over what was compiled.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import PASSWORD, Server

TEMPLATES = ["main", "failing", "validated", "endless", "group", "management", "tenant"]


def run(server, packages):
    # A script finds packages beside itself.
    script = os.path.join(packages, "javascript.mjs")
    shutil.copyfile(os.path.join(harness.HERE, "javascript.mjs"), script)
    with tempfile.TemporaryDirectory() as folder:
        parameters = os.path.join(folder, "parameters.json")
        harness.resolved(server.tendon, parameters)
        with open(parameters, encoding="utf-8") as file:
            resolved = json.load(file)["parameters"]
        given = {
            "url": server.url,
            "tenant": harness.TENANT,
            "client": harness.CLIENT,
            "subscription": harness.SUBSCRIPTION,
            "password": PASSWORD,
            "templates": {name: harness.template(server.tendon, f"{name}.bicep") for name in TEMPLATES},
            "resolved": resolved,
        }
        subprocess.run(["node", script], input=json.dumps(given), text=True, check=True, env=server.environment())


if __name__ == "__main__":
    with Server(sys.argv[1]) as started:
        run(started, sys.argv[2])
    print("the JavaScript SDK works")
