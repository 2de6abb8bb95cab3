"""The service in both Python libraries: messages, a client and a server for each."""

import sys
import threading

import thriftpy2
from thrift.protocol import TBase, TBinaryProtocol, TCompactProtocol, THeaderProtocol, TJSONProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.server import THttpServer, TServer
from thrift.Thrift import TApplicationException, TMessageType, TType
from thrift.transport import THeaderTransport, THttpClient, TSocket, TTransport

HERE = __file__.rsplit("/", 1)[0]
TIMEOUT = 20_000


def answer_to(name, count, items):
    return f"{name}:{count}:{sum(items or [])}"


# Apache's library reads and writes structs by such tables; this is what its compiler would write.


class Message(TBase.TBase):
    thrift_spec = ()
    FIELDS = ()

    def __init__(self, *values, **named):
        for index, field in enumerate(self.FIELDS):
            setattr(self, field, values[index] if index < len(values) else named.get(field))


class Request(Message):
    FIELDS = ("name", "count", "items", "token")
    thrift_spec = (
        None,
        (1, TType.STRING, "name", "UTF8", None),
        (2, TType.I32, "count", None, None),
        (3, TType.LIST, "items", (TType.I32, None, False), None),
        (4, TType.STRING, "token", "UTF8", None),
    )


class Answer(Message):
    FIELDS = ("text",)
    thrift_spec = (None, (1, TType.STRING, "text", "UTF8", None))


class EchoArgs(Message):
    FIELDS = ("request",)
    thrift_spec = (None, (1, TType.STRUCT, "request", [Request, Request.thrift_spec], None))


class EchoResult(Message):
    FIELDS = ("success",)
    thrift_spec = ((0, TType.STRUCT, "success", [Answer, Answer.thrift_spec], None),)


class NoteArgs(Message):
    FIELDS = ("text",)
    thrift_spec = (None, (1, TType.STRING, "text", "UTF8", None))


class NotesArgs(Message):
    pass


class NotesResult(Message):
    FIELDS = ("success",)
    thrift_spec = ((0, TType.I32, "success", None, None),)


class ApacheClient:
    """Calls with Apache's library."""

    def __init__(self, transport, protocol):
        self.transport, self.protocol, self.seqid = transport, protocol, 0

    def call(self, name, arguments, result, kind=TMessageType.CALL):
        self.seqid += 1
        self.protocol.writeMessageBegin(name, kind, self.seqid)
        arguments.write(self.protocol)
        self.protocol.writeMessageEnd()
        self.transport.flush()
        if kind == TMessageType.ONEWAY:
            return None
        answered, kind, seqid = self.protocol.readMessageBegin()
        if kind == TMessageType.EXCEPTION:
            error = TApplicationException()
            error.read(self.protocol)
            self.protocol.readMessageEnd()
            self.check(name, answered, seqid)
            raise error
        result.read(self.protocol)
        self.protocol.readMessageEnd()
        self.check(name, answered, seqid)
        return result.success

    def check(self, name, answered, seqid):
        assert (answered, seqid) == (name.split(":")[-1], self.seqid), f"{name} {self.seqid} got {answered} {seqid}"

    def echo(self, name, count, items=None, token=None):
        return self.call("echo", EchoArgs(Request(name, count, items, token)), EchoResult()).text

    def note(self, text):
        self.call("note", NoteArgs(text), None, TMessageType.ONEWAY)

    def notes(self):
        return self.call("notes", NotesArgs(), NotesResult())

    def close(self):
        self.transport.close()


PROTOCOLS = {
    "binary": TBinaryProtocol.TBinaryProtocol,
    "old": lambda transport: TBinaryProtocol.TBinaryProtocol(transport, strictRead=False, strictWrite=False),
    "compact": TCompactProtocol.TCompactProtocol,
    "json": TJSONProtocol.TJSONProtocol,
}


def apache_client(port, transport, protocol, service=None):
    if transport == "http":
        outer = THttpClient.THttpClient(f"http://127.0.0.1:{port}/thrift")
        inner = PROTOCOLS[protocol](outer)
    else:
        socket = TSocket.TSocket("127.0.0.1", port)
        socket.setTimeout(TIMEOUT)
        if transport == "header":
            ids = {"binary": 0, "compact": 2}
            outer = THeaderTransport.THeaderTransport(
                socket, [THeaderTransport.THeaderClientType.HEADERS], ids[protocol]
            )
            inner = THeaderProtocol.THeaderProtocol(outer, [THeaderTransport.THeaderClientType.HEADERS], ids[protocol])
            outer = inner.trans
        else:
            wrap = {"framed": TTransport.TFramedTransport, "buffered": TTransport.TBufferedTransport}[transport]
            outer = wrap(socket)
            inner = PROTOCOLS[protocol](outer)
    if service is not None:
        inner = TMultiplexedProtocol(inner, service)
    outer.open()
    return ApacheClient(outer, inner)


class Processor:
    """Serves with Apache's library."""

    def __init__(self, multiplexed=False):
        self.noted, self.lock, self.multiplexed = 0, threading.Lock(), multiplexed

    def on_message_begin(self, _):
        pass

    def process(self, reading, writing):
        name, kind, seqid = reading.readMessageBegin()
        if self.multiplexed:
            service, _, name = name.partition(":")
            assert service == "Echo", service
        known = {"echo": EchoArgs, "note": NoteArgs, "notes": NotesArgs}
        if name not in known:
            reading.skip(TType.STRUCT)
            reading.readMessageEnd()
            error = TApplicationException(TApplicationException.UNKNOWN_METHOD, f"unknown {name}")
            return self.reply(writing, name, TMessageType.EXCEPTION, seqid, error)
        arguments = known[name]()
        arguments.read(reading)
        reading.readMessageEnd()
        if name == "note":
            with self.lock:
                self.noted += 1
            return True
        if name == "notes":
            return self.reply(writing, name, TMessageType.REPLY, seqid, NotesResult(self.noted))
        it = arguments.request
        answer = Answer(answer_to(it.name, it.count, it.items))
        return self.reply(writing, name, TMessageType.REPLY, seqid, EchoResult(answer))

    def reply(self, writing, name, kind, seqid, body):
        writing.writeMessageBegin(name, kind, seqid)
        body.write(writing)
        writing.writeMessageEnd()
        writing.trans.flush()
        return True


class ProtocolFactory:
    def __init__(self, make):
        self.getProtocol = make


def serve_apache(port, transport, protocol, multiplexed):
    processor = Processor(multiplexed)
    make = ProtocolFactory(PROTOCOLS.get(protocol))
    if transport == "http":
        return THttpServer.THttpServer(processor, ("127.0.0.1", port), make).serve()
    listening = TSocket.TServerSocket("127.0.0.1", port)
    if transport == "header":
        factory = THeaderProtocol.THeaderProtocolFactory(
            [THeaderTransport.THeaderClientType.HEADERS], {"binary": 0, "compact": 2}[protocol]
        )
        server = TServer.TThreadedServer(processor, listening, TTransport.TTransportFactoryBase(), factory, daemon=True)
    else:
        factory = TTransport.TFramedTransportFactory() if transport == "framed" else TTransport.TBufferedTransportFactory()
        server = TServer.TThreadedServer(processor, listening, factory, make, daemon=True)
    return server.serve()


# thriftpy2 reads the Thrift file itself.


def thriftpy2_service():
    return thriftpy2.load(f"{HERE}/service.thrift", module_name="service_thrift")


class Thriftpy2Client:
    def __init__(self, port):
        from thriftpy2.rpc import make_client

        self.service = thriftpy2_service()
        self.client = make_client(self.service.Echo, "127.0.0.1", port, timeout=TIMEOUT)

    def echo(self, name, count, items=None, token=None):
        request = self.service.Request(name=name, count=count, items=items, token=token)
        return self.client.echo(request).text

    def note(self, text):
        self.client.note(text)

    def notes(self):
        return self.client.notes()

    def close(self):
        self.client.close()


def serve_thriftpy2(port):
    from thriftpy2.rpc import make_server

    service = thriftpy2_service()

    class Handler:
        noted = 0

        def echo(self, request):
            return service.Answer(text=answer_to(request.name, request.count, request.items))

        def note(self, text):
            Handler.noted += 1

        def notes(self):
            return Handler.noted

    make_server(service.Echo, Handler(), "127.0.0.1", port, client_timeout=None).serve()


def main():
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == "thriftpy2":
        serve_thriftpy2(port)
    else:
        transport, protocol = kind.split("-")[:2]
        serve_apache(port, transport, protocol, kind.endswith("-multiplexed"))


if __name__ == "__main__":
    main()
