"""Real clients call real servers through the proxy:
`check.py TENDON [--calls N] [--connections N] [--go CLIENT] [--kitex PROGRAM]`.

Everything runs on loopback, and ends by itself.
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import peers
from thrift.Thrift import TApplicationException
from thriftpy2.thrift import TApplicationException as Thriftpy2Exception

HERE = os.path.dirname(os.path.abspath(__file__))
IDL = os.path.join(HERE, "service.thrift")


def free_port():
    """A port that nobody has, from below those that systems give to clients: no client gets it while a server is down."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
                return probe.getsockname()[1]
            except OSError:
                continue


class Server:
    """A server in a process of its own, which can be killed and started again."""

    def __init__(self, kind):
        self.kind, self.port = kind, free_port()
        self.start()

    def start(self):
        command = [sys.executable, os.path.join(HERE, "peers.py"), self.kind, str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, f"the server {self.kind} has ended"
                time.sleep(0.02)
        raise AssertionError(f"the server {self.kind} does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Kitex:
    """A kitex server in a process of its own."""

    def __init__(self, program):
        self.program, self.idl = program, os.path.join(HERE, "kitex", "echo.thrift")
        self.process = subprocess.Popen([program, "server", self.idl], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def call(self, port, transport, calls, connections):
        command = [self.program, "client", self.idl, f"127.0.0.1:{port}", transport, str(calls), str(connections)]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert finished.returncode == 0, (transport, finished.stdout + finished.stderr)
        return int(finished.stdout.split()[0])

    def stream(self, port):
        command = [self.program, "stream", self.idl, f"127.0.0.1:{port}"]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return finished.stdout + finished.stderr

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Proxy:
    def __init__(self, tendon, upstream, *options, idl=IDL):
        command = [tendon, "thrift", "proxy", "--idl", idl, "--listen", "127.0.0.1:0"]
        command += ["--upstream", f"127.0.0.1:{upstream.port}", "--metrics", "127.0.0.1:0", *options]
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        first, second = self.process.stdout.readline(), self.process.stdout.readline()
        self.port = int(first.split(",")[0].rsplit(":", 1)[1])
        self.metrics_url = second.split()[-1]

    def metric(self, start):
        text = urllib.request.urlopen(self.metrics_url, timeout=5).read().decode()
        return sum(int(float(line.split()[-1])) for line in text.splitlines() if line.startswith(start))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0
        self.process.stdout.close()


def refused(call, kind=11, saying=""):
    try:
        call()
    except (TApplicationException, Thriftpy2Exception) as error:
        assert error.type == kind, (error.type, error.message)
        assert saying in error.message, error.message
        return
    raise AssertionError("the call went through")


KINDS = [
    # Server, then the client: transport and protocol.
    ("thriftpy2", None),
    ("buffered-binary", ("buffered", "binary")),
    ("buffered-old", ("buffered", "old")),
    ("buffered-compact", ("buffered", "compact")),
    ("buffered-json", ("buffered", "json")),
    ("framed-binary", ("framed", "binary")),
    ("framed-old", ("framed", "old")),
    ("framed-compact", ("framed", "compact")),
    ("framed-json", ("framed", "json")),
    ("header-binary", ("header", "binary")),
    ("header-compact", ("header", "compact")),
    ("http-binary", ("http", "binary")),
    ("http-json", ("http", "json")),
    ("framed-binary-multiplexed", ("framed", "binary", "Echo")),
]


KITEX_TRANSPORTS = ["plain", "framed", "ttheader", "ttheader-framed"]


def check_kind(tendon, kind, how):
    server = Server(kind)
    if kind.endswith("-old"):
        check_old_envelope(tendon, server, how)
    options = ["--old-envelope", "allow"] if kind.endswith("-old") else []
    proxy = Proxy(tendon, server, *options)
    try:
        client = peers.Thriftpy2Client(proxy.port) if how is None else peers.apache_client(proxy.port, *how)
        assert client.echo("bob", 3, [1, 2]) == "bob:3:3"
        refused(lambda: client.echo("bob", -1), 11, "request.count")
        refused(lambda: client.echo("bob", 1, [1, 0, 2]), 11, "request.items[1]")
        refused(lambda: client.echo("", 1), 11, "vt.min_size")
        try:
            client.echo("bob", 1, None, "hunter2")
        except (TApplicationException, Thriftpy2Exception) as error:
            assert "hunter2" not in error.message and "request.token" in error.message, error.message
        before = client.notes()
        client.note("")
        client.note("kept")
        client.note("")
        assert client.echo("bob", 3) == "bob:3:0"
        for _ in range(100):
            # Over HTTP, each request may have a thread of its own.
            if client.notes() == before + 1:
                break
            time.sleep(0.02)
        assert client.notes() == before + 1
        assert proxy.metric('tendon_thrift_calls_total{service="Echo",method="note",outcome="dropped"}') == 2
        client.close()
    finally:
        proxy.stop()
        server.kill()


def check_old_envelope(tendon, server, how):
    """Unless it is allowed, nobody gets through with an envelope whose beginning servers read differently."""
    proxy = Proxy(tendon, server)
    client = peers.apache_client(proxy.port, *how)
    refused(lambda: client.echo("bob", 3), 7, "the envelope has no version")
    client.close()
    proxy.stop()


def check_kitex(tendon, program):
    server = Kitex(program)
    proxy = Proxy(tendon, server)
    calls = sum(server.call(proxy.port, transport, 60, 3) for transport in KITEX_TRANSPORTS)
    # One call in ten is bad, of each connection's twenty.
    method = '{service="Echo",method="echo",outcome='
    assert proxy.metric(f'tendon_thrift_calls_total{method}"refused"') == calls // 10
    assert proxy.metric(f'tendon_thrift_calls_total{method}"forwarded"') == calls - calls // 10
    assert proxy.metric("tendon_thrift_unexpected_replies_total") == 0
    said = server.stream(proxy.port)
    assert "`chat` is called as a stream, which does not pass" in said, said
    proxy.stop()
    proxy = Proxy(tendon, server, "--upstream-transport", "ttheader", "--streams", "pass")
    said = server.stream(proxy.port)
    assert said == "chat to bob\n", said
    proxy.stop()
    server.kill()


def check_unknown_method(tendon):
    server = Server("framed-compact")
    for policy, said in [("pass", "unknown other"), ("refuse", "unknown function `other`")]:
        proxy = Proxy(tendon, server, "--unknown-method", policy)
        client = peers.apache_client(proxy.port, "framed", "compact")
        refused(lambda: client.call("other", peers.NotesArgs(), peers.NotesResult()), 1, said)
        assert client.echo("bob", 3) == "bob:3:0"
        client.close()
        proxy.stop()
    proxy = Proxy(tendon, server, "--exception-type", "7")
    client = peers.apache_client(proxy.port, "framed", "compact")
    refused(lambda: client.echo("bob", -1), 7, "request.count")
    client.close()
    proxy.stop()
    server.kill()


def check_reload(tendon):
    server = Server("thriftpy2")
    with tempfile.TemporaryDirectory() as folder:
        idl = os.path.join(folder, "service.thrift")
        text = open(IDL).read()
        open(idl, "w").write(text)
        proxy = Proxy(tendon, server, idl=idl)
        client = peers.Thriftpy2Client(proxy.port)
        assert client.echo("bob", 3) == "bob:3:0"

        def reread(text, metric):
            before = proxy.metric(metric)
            open(idl, "w").write(text)
            proxy.process.send_signal(signal.SIGHUP)
            for _ in range(200):
                if proxy.metric(metric) > before:
                    return
                time.sleep(0.02)
            raise AssertionError("the file was not read again")

        reread(text.replace('vt.ge = "0"', 'vt.ge = "10"'), "tendon_thrift_reloads_total")
        refused(lambda: client.echo("bob", 3), 11, "at least 10")
        reread("struct {", "tendon_thrift_reloads_failed_total")
        refused(lambda: client.echo("bob", 3), 11, "at least 10")
        client.close()
        proxy.stop()
    server.kill()


class Load:
    """Many clients at a time; each knows the answer to each of its calls."""

    def __init__(self, tendon, calls, connections, go):
        self.calls, self.connections, self.go = calls, connections, go
        self.servers = [Server("thriftpy2"), Server("framed-compact")]
        self.proxies = [Proxy(tendon, server) for server in self.servers]
        self.lock, self.done, self.refused, self.failed, self.wrong = threading.Lock(), 0, 0, 0, []
        # While a server is down, and for a moment after, calls may fail.
        self.trouble_until = [0.0, 0.0]

    def client(self, which):
        if which == 0:
            return peers.Thriftpy2Client(self.proxies[0].port)
        return peers.apache_client(self.proxies[1].port, "framed", "compact")

    def work(self, number, calls):
        which = number % 2
        client = self.client(which)
        chance = random.Random(number)
        for call in range(calls):
            name, items = f"{number}/{call}", [chance.randrange(1, 1000) for _ in range(chance.randrange(5))]
            is_bad = chance.random() < 0.1
            if chance.random() < 0.05:
                client.note("" if is_bad else name)
            started = time.monotonic()
            try:
                text = client.echo(name, -call if is_bad and call else call, items)
                if (is_bad and call) or text != peers.answer_to(name, call, items):
                    self.wrong.append((name, text))
            except (TApplicationException, Thriftpy2Exception) as error:
                if error.type == 11 and is_bad and call:
                    self.refused += 1
                elif error.type == 6 and started < self.trouble_until[which]:
                    self.failed += 1
                    time.sleep(0.02)
                else:
                    self.wrong.append((name, error.type, error.message))
            except Exception as error:
                self.wrong.append((name, repr(error)))
                return
            with self.lock:
                self.done += 1
        client.close()

    def trouble(self):
        """Kills and restarts each server while calls go on."""
        for which, server in enumerate(self.servers):
            goal = (which + 1) * self.calls // 4
            while self.done < goal and not self.wrong:
                time.sleep(0.01)
            self.trouble_until[which] = float("inf")
            server.kill()
            time.sleep(0.3)
            server.start()
            # A busy machine takes its time to let the proxy and the clients see it.
            self.trouble_until[which] = time.monotonic() + 5

    def run(self):
        started = time.monotonic()
        share = self.calls // self.connections
        threads = [threading.Thread(target=self.work, args=(number, share)) for number in range(self.connections)]
        trouble = threading.Thread(target=self.trouble)
        for thread in [*threads, trouble]:
            thread.start()
        # The Go client takes no failed call for an answer: it starts when no server is killed any more.
        trouble.join()
        go_calls = self.run_go() if self.go else 0
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - started
        assert not self.wrong, self.wrong[:10]
        assert self.done == share * self.connections, self.done
        forwarded = sum(proxy.metric("tendon_thrift_calls_total") for proxy in self.proxies)
        for proxy in self.proxies:
            assert proxy.metric("tendon_thrift_unexpected_replies_total") == 0
            proxy.stop()
        for server in self.servers:
            server.kill()
        print(
            f"load: {self.done} calls on {self.connections} connections in {seconds:.1f} s, "
            f"{self.refused} refused, {self.failed} failed while a server was down, none lost or mixed up; "
            f"{go_calls} more calls by the Go client; the proxies counted {forwarded}"
        )

    def run_go(self):
        calls = str(max(self.calls // 10, 100))
        command = [self.go, f"127.0.0.1:{self.proxies[1].port}", calls, "10"]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return int(finished.stdout.split()[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tendon")
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--go")
    parser.add_argument("--kitex")
    options = parser.parse_args()
    for kind, how in KINDS:
        check_kind(options.tendon, kind, how)
        print(f"{kind}: ok", flush=True)
    if options.kitex:
        check_kitex(options.tendon, options.kitex)
        print("kitex: ok", flush=True)
    check_unknown_method(options.tendon)
    print("policies: ok", flush=True)
    check_reload(options.tendon)
    print("reload: ok", flush=True)
    Load(options.tendon, options.calls, options.connections, options.go).run()


if __name__ == "__main__":
    main()
