"""Decodes messages with a Python library and asks generated code whether their values keep the rules.

usage: reader.py READER FOLDER MESSAGES, with the folder of the generated modules and a file of messages. Each is a
byte for the schema, one for the protocol, four for the length, and its bytes. The answer is a line for each.
"""

import importlib
import struct
import sys
from pathlib import Path


def apache(fast):
    """Apache's library, with its types from the Apache compiler."""
    from thrift.protocol import TBinaryProtocol, TCompactProtocol, TJSONProtocol
    from thrift.transport import TTransport

    if fast:
        from thrift.protocol import fastbinary  # noqa: F401  Without it the library falls back silently.

        protocols = TBinaryProtocol.TBinaryProtocolAccelerated, TCompactProtocol.TCompactProtocolAccelerated
    else:
        protocols = TBinaryProtocol.TBinaryProtocol, TCompactProtocol.TCompactProtocol, TJSONProtocol.TJSONProtocol

    def decoder(name, folder):
        root = importlib.import_module(name + ".ttypes").Root

        def decode(protocol, data):
            value = root()
            read = value.read(protocols[protocol](TTransport.TMemoryBuffer(data)))
            # Exceptions cannot be changed: their method makes another.
            return value if read is None else read

        return decode

    return decoder


def thriftpy2(fast):
    """thriftpy2, which reads interface files by itself."""
    import thriftpy2 as library
    from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
    from thriftpy2.protocol.cybin import TCyBinaryProtocol
    from thriftpy2.transport import TMemoryBuffer
    from thriftpy2.transport.memory import TCyMemoryBuffer

    if fast:
        protocols, buffer = [TCyBinaryProtocol], TCyMemoryBuffer
    else:
        protocols, buffer = [TBinaryProtocol, TCompactProtocol], TMemoryBuffer

    def decoder(name, folder):
        path = folder.parent / "idl" / (name + ".thrift")
        root = library.load(str(path), module_name=name + "_thrift").Root

        def decode(protocol, data):
            value = root()
            protocols[protocol](buffer(data)).read_struct(value)
            return value

        return decode

    return decoder


READERS = {
    "apache-python": lambda: apache(False),
    "apache-python-fast": lambda: apache(True),
    "thriftpy2": lambda: thriftpy2(False),
    "thriftpy2-fast": lambda: thriftpy2(True),
}


def line(text):
    return text.replace("\n", " ").encode("utf-8", "backslashreplace").decode()


def main(reader, folder, messages):
    folder = Path(folder)
    sys.path += [str(folder), str(folder / "apache")]
    decoder = READERS[reader]()
    names = (folder.parent / "schemas.txt").read_text().split()
    schemas = []
    for name in names:
        module = importlib.import_module(name + "_validate")
        schemas.append((decoder(name, folder), module.validate_Root, module.ValidationError))
    data = Path(messages).read_bytes()
    # A line is out as soon as it is known, so that it is seen where a reader does not come to an end.
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
    at = 0
    while at < len(data):
        schema, protocol, length = struct.unpack_from(">BBI", data, at)
        at += 6
        decode, validate, error = schemas[schema]
        message = data[at : at + length]
        at += length
        try:
            value = decode(protocol, message)
        except Exception as refusal:
            print("refused " + line(repr(refusal)))
            continue
        try:
            validate(value)
            print("valid")
        except error as violation:
            print("invalid " + line("%s @ %s\t%r" % (violation.rule, violation.path, value)))
        except Exception as failure:
            print("invalid " + line("the validator failed: %r\t%r" % (failure, value)))


if __name__ == "__main__":
    main(*sys.argv[1:])
