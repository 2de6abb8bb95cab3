"""A Thrift server whose handler logs its calls.

usage: server.py STACK FOLDER, with the folder of the modules of the Apache compiler and the interface file. The first line
is the port; each further one is a call that reached the handler: function, text in hexadecimal, number. It ends with its
standard input.
"""

import logging
import os
import socket
import sys
import threading
from pathlib import Path

lock = threading.Lock()
logging.disable(logging.CRITICAL)


def log(function, text, count):
    data = (text or "").encode("utf-8", "surrogateescape") if isinstance(text, (str, type(None))) else text
    with lock:
        sys.stdout.write(f"{function} {data.hex()} {count or 0}\n")
        sys.stdout.flush()


class Handler:
    def say(self, text, count):
        log("say", text, count)
        return "said"

    def note(self, text):
        log("note", text, 0)

    def send(self, text, count, load):
        log("send", text, count)
        return "sent"

    def mark(self, first, second, name, text, count):
        return "marked"

    def tell(self, text, count):
        log("tell", text, count)
        return "told"


class Connections:
    """The socket of a server, which has its port before anybody needs it."""

    def __init__(self, wrap):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.wrap = wrap
        print(self.listener.getsockname()[1], flush=True)

    def listen(self):
        pass

    def accept(self):
        client, _ = self.listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.wrap(client)

    def close(self):
        self.listener.close()


def apache(words, folder):
    sys.path.insert(0, str(folder))
    from calls import Calls, Other
    from thrift.protocol import TBinaryProtocol, TCompactProtocol, THeaderProtocol, TJSONProtocol
    from thrift.server import THttpServer, TServer
    from thrift.TMultiplexedProcessor import TMultiplexedProcessor
    from thrift.transport import TSocket, TTransport

    protocols = {
        "lenient": TBinaryProtocol.TBinaryProtocolFactory(),
        "strict": TBinaryProtocol.TBinaryProtocolFactory(strictRead=True),
        "fast": TBinaryProtocol.TBinaryProtocolAcceleratedFactory(),
        "compact": TCompactProtocol.TCompactProtocolFactory(),
        "json": TJSONProtocol.TJSONProtocolFactory(),
        "header": THeaderProtocol.THeaderProtocolFactory(),
    }
    transports = {
        "buffered": TTransport.TBufferedTransportFactory,
        "framed": TTransport.TFramedTransportFactory,
        "plain": TTransport.TTransportFactoryBase,
    }
    protocol = next(protocols[word] for word in words if word in protocols)
    if "mux" in words:
        processor = TMultiplexedProcessor()
        processor.registerProcessor("Calls", Calls.Processor(Handler()))
        processor.registerProcessor("Other", Other.Processor(Handler()))
    else:
        processor = Calls.Processor(Handler())
    if "http" in words:
        server = THttpServer.THttpServer(processor, ("127.0.0.1", 0), protocol)
        print(server.httpd.server_port, flush=True)
        return server.serve

    def wrap(client):
        it = TSocket.TSocket()
        it.setHandle(client)
        return it

    transport = next((transports[word] for word in words if word in transports), transports["plain"])()
    server = TServer.TThreadedServer(processor, Connections(wrap), transport, protocol, daemon=True)
    return server.serve


def thriftpy2(words, folder):
    import thriftpy2 as library
    from thriftpy2.protocol import TBinaryProtocolFactory, TCompactProtocolFactory
    from thriftpy2.protocol import TCyBinaryProtocolFactory
    from thriftpy2.server import TThreadedServer
    from thriftpy2.thrift import TProcessor
    from thriftpy2.transport import (
        TBufferedTransportFactory,
        TCyBufferedTransportFactory,
        TCyFramedTransportFactory,
        TFramedTransportFactory,
        TSocket,
    )

    module = library.load(str(folder / "calls.thrift"), module_name="calls_thrift")
    fast = "fast" in words
    framed = "framed" in words
    if fast:
        protocol = TCyBinaryProtocolFactory()
        transport = TCyFramedTransportFactory() if framed else TCyBufferedTransportFactory()
    else:
        transport = TFramedTransportFactory() if framed else TBufferedTransportFactory()
        if "compact" in words:
            protocol = TCompactProtocolFactory()
        else:
            protocol = TBinaryProtocolFactory(strict_read="lenient" not in words)

    def wrap(client):
        it = TSocket()
        it.set_handle(client)
        return it

    processor = TProcessor(module.Calls, Handler())
    server = TThreadedServer(processor, Connections(wrap), transport, protocol)
    server.daemon = True
    return server.serve


def main():
    stack, folder = sys.argv[1], Path(sys.argv[2])
    library, *words = stack.split("-")
    serve = {"python": apache, "thriftpy2": thriftpy2}[library](words, folder)
    threading.Thread(target=serve, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main()
