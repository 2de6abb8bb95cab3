"""A server of its own for each run, and what all clients of it need: compiled files, and words for what is expected."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "files")

TENANT = "00000000-0000-0000-0000-000000000002"
CLIENT = "00000000-0000-0000-0000-000000000003"
SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"

# What no answer, no log and no file of the state may hold.
PASSWORD = "hush-hush-4711"


# The folder of the state of those who deploy to the server as an endpoint.
OWN = "own"


class Server:
    """`tendon serve` on a free port, with a state of its own."""

    def __init__(self, tendon):
        self.tendon = os.path.abspath(tendon)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.state = os.path.join(self.folder.name, "state")
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.tendon, "serve", "--listen", "127.0.0.1:0", "--state", self.state],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.url = self.certificate = None
        for line in self.process.stdout:
            if found := re.match(r"listening on (\S+)", line):
                self.url = found.group(1)
            if found := re.match(r"certificate: (.+)", line):
                self.certificate = found.group(1)
            if self.url and self.certificate:
                break
        else:
            raise SystemExit(f"the server did not start: {self.errors()}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)
        self.process.stdout.close()
        leaked = self.leaks()
        self.log.close()
        self.folder.cleanup()
        assert not leaked, f"the password is in {leaked}"

    def errors(self):
        self.log.seek(0)
        return self.log.read()

    def leaks(self, password=PASSWORD, folder=""):
        """The files of the state, and the log, that hold the password."""
        found = []
        for root, _, names in os.walk(os.path.join(self.folder.name, folder)):
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    if password.encode() in file.read():
                        found.append(path)
        return found

    def environment(self):
        """What clients find the certificate and the server with."""
        return {
            **os.environ,
            "REQUESTS_CA_BUNDLE": self.certificate,
            "NODE_EXTRA_CA_CERTS": self.certificate,
            "TENDON_URL": self.url,
            "TENDON_CERTIFICATE": self.certificate,
        }

    def get(self, path):
        """The body at a path, asked for without any client."""
        context = ssl.create_default_context(cafile=self.certificate)
        with urllib.request.urlopen(self.url + path, context=context) as answer:
            return json.load(answer)


def template(tendon, name):
    """The template of a Bicep file."""
    command = [tendon, "build", os.path.join(FILES, name), "--stdout"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def resolved(tendon, outfile, name="main.bicepparam"):
    """Writes the parameters of a file whose external inputs are found here."""
    command = [tendon, "params", "resolve", os.path.join(FILES, name), "--outfile", outfile, "--", "--build", "17"]
    environment = {**os.environ, "CLIENT_PASSWORD": PASSWORD}
    subprocess.run(command, check=True, capture_output=True, env=environment)


def at_endpoint(server, command, *arguments):
    """What a command does to the server as an endpoint: Tendon evaluates, and the server hears of resources alone."""
    state = os.path.join(server.folder.name, OWN)
    words = [server.tendon, command, os.path.join(FILES, "main.bicep"), "--endpoint", server.url, "--endpoint-ca", server.certificate]
    return subprocess.run([*words, "--state", state, *arguments], capture_output=True, text=True, timeout=120)


def check(what, holds, found=None):
    """Says what is checked; what does not hold ends the run."""
    if not holds:
        print(f"FAILED: {what}\n{found}", file=sys.stderr)
        raise SystemExit(1)
    print(f"  {what}", flush=True)
