//! Other people's servers: what there is.

use thrift::proxy::Transport;
use thrift::wire::Protocol;

use crate::attacks::Attack;

/// A server with one way to read.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Its name: the library and what it is made of, with dashes between.
    pub name: &'static str,
    /// How it expects messages to be enclosed.
    pub transport: Transport,
    /// Whether its clients put a frame into the frame.
    pub framed_within: bool,
    /// How it expects messages to be encoded.
    pub protocol: Protocol,
    /// Whether functions are called as `Service:function`.
    pub shares: bool,
    /// Whether it has several services all the same, and looks for the function in all of them.
    pub has_services: bool,
    /// What its handler is called with if there is no proxy.
    pub falls: &'static [Attack],
    /// Whether it serves one client at a time.
    pub is_serial: bool,
    /// Whether calls of one connection are handled one after the other.
    pub answers_in_order: bool,
    /// Whether it moves over the arguments of a function that it does not know, instead of reading them as a message.
    pub skips_unknown: bool,
    /// Whether it makes room for as many bytes as a frame claims to have: a few clients that speak something else keep it so
    /// busy that honest ones wait too long.
    pub believes_lengths: bool,
}

const fn stack(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    Stack {
        name,
        transport,
        framed_within: false,
        protocol,
        shares: false,
        has_services: false,
        falls: &[],
        is_serial: false,
        answers_in_order: true,
        skips_unknown: true,
        believes_lengths: false,
    }
}

const fn credulous(name: &'static str) -> Stack {
    Stack { falls: &[Attack::Name], ..stack(name, Transport::Buffered, Protocol::Binary) }
}

const fn forgetful(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    let believes_lengths = matches!(transport, Transport::Framed);
    Stack { skips_unknown: false, believes_lengths, ..stack(name, transport, protocol) }
}

const fn shared(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    Stack { shares: true, ..stack(name, transport, protocol) }
}

/// All servers; `docs/thrift.md` says what each is.
pub const STACKS: &[Stack] = &[
    // As the library makes it unless told otherwise.
    credulous("go-lenient"),
    stack("go-buffered-strict", Transport::Buffered, Protocol::Binary),
    stack("go-framed-lenient", Transport::Framed, Protocol::Binary),
    stack("go-framed-strict", Transport::Framed, Protocol::Binary),
    stack("go-buffered-compact", Transport::Buffered, Protocol::Compact),
    stack("go-framed-compact", Transport::Framed, Protocol::Compact),
    stack("go-buffered-json", Transport::Buffered, Protocol::Json),
    stack("go-framed-json", Transport::Framed, Protocol::Json),
    stack("go-header", Transport::THeader, Protocol::Binary),
    stack("go-http-lenient", Transport::Http, Protocol::Binary),
    shared("go-buffered-lenient-mux", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-lenient", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-strict", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-fast", Transport::Buffered, Protocol::Binary),
    stack("python-framed-lenient", Transport::Framed, Protocol::Binary),
    stack("python-framed-strict", Transport::Framed, Protocol::Binary),
    stack("python-framed-fast", Transport::Framed, Protocol::Binary),
    stack("python-buffered-compact", Transport::Buffered, Protocol::Compact),
    stack("python-framed-compact", Transport::Framed, Protocol::Compact),
    stack("python-buffered-json", Transport::Buffered, Protocol::Json),
    stack("python-framed-json", Transport::Framed, Protocol::Json),
    stack("python-header", Transport::THeader, Protocol::Binary),
    Stack { is_serial: true, ..stack("python-http-lenient", Transport::Http, Protocol::Binary) },
    shared("python-buffered-lenient-mux", Transport::Buffered, Protocol::Binary),
    stack("thriftpy2-buffered-strict", Transport::Buffered, Protocol::Binary),
    credulous("thriftpy2-buffered-lenient"),
    stack("thriftpy2-buffered-fast", Transport::Buffered, Protocol::Binary),
    stack("thriftpy2-framed-strict", Transport::Framed, Protocol::Binary),
    stack("thriftpy2-framed-lenient", Transport::Framed, Protocol::Binary),
    stack("thriftpy2-framed-fast", Transport::Framed, Protocol::Binary),
    stack("thriftpy2-buffered-compact", Transport::Buffered, Protocol::Compact),
    stack("thriftpy2-framed-compact", Transport::Framed, Protocol::Compact),
    stack("kitex-plain", Transport::Buffered, Protocol::Binary),
    stack("kitex-framed", Transport::Framed, Protocol::Binary),
    stack("kitex-ttheader", Transport::TTHeader, Protocol::Binary),
    Stack { framed_within: true, ..stack("kitex-ttheader-framed", Transport::TTHeader, Protocol::Binary) },
    Stack { has_services: true, ..stack("kitex-ttheader-services", Transport::TTHeader, Protocol::Binary) },
    Stack { answers_in_order: false, ..stack("kitex-ttheader-mux", Transport::TTHeader, Protocol::Binary) },
    // What is not named after its server is one with a thread for each client.
    Stack { falls: &[Attack::Name, Attack::Halfway], ..credulous("java-buffered-lenient") },
    stack("java-buffered-strict", Transport::Buffered, Protocol::Binary),
    stack("java-buffered-compact", Transport::Buffered, Protocol::Compact),
    stack("java-buffered-json", Transport::Buffered, Protocol::Json),
    Stack { falls: &[Attack::Halfway], ..stack("java-framed-lenient", Transport::Framed, Protocol::Binary) },
    stack("java-framed-strict", Transport::Framed, Protocol::Binary),
    stack("java-framed-compact", Transport::Framed, Protocol::Compact),
    stack("java-framed-json", Transport::Framed, Protocol::Json),
    stack("java-fast-lenient", Transport::Framed, Protocol::Binary),
    stack("java-nonblocking-lenient", Transport::Framed, Protocol::Binary),
    stack("java-nonblocking-strict", Transport::Framed, Protocol::Binary),
    stack("java-nonblocking-compact", Transport::Framed, Protocol::Compact),
    stack("java-hsha-lenient", Transport::Framed, Protocol::Binary),
    stack("java-selector-lenient", Transport::Framed, Protocol::Binary),
    Stack { is_serial: true, ..stack("java-simple-lenient", Transport::Buffered, Protocol::Binary) },
    shared("java-buffered-lenient-mux", Transport::Buffered, Protocol::Binary),
    shared("java-hsha-compact-mux", Transport::Framed, Protocol::Compact),
    Stack {
        falls: &[Attack::Halfway],
        ..forgetful("rust-buffered-lenient", Transport::Buffered, Protocol::Binary)
    },
    forgetful("rust-buffered-strict", Transport::Buffered, Protocol::Binary),
    forgetful("rust-framed-lenient", Transport::Framed, Protocol::Binary),
    forgetful("rust-framed-strict", Transport::Framed, Protocol::Binary),
    Stack {
        falls: &[Attack::Arguments],
        ..forgetful("rust-buffered-compact", Transport::Buffered, Protocol::Compact)
    },
    Stack {
        falls: &[Attack::Arguments],
        ..forgetful("rust-framed-compact", Transport::Framed, Protocol::Compact)
    },
    Stack { shares: true, ..forgetful("rust-buffered-lenient-mux", Transport::Buffered, Protocol::Binary) },
    Stack {
        shares: true,
        falls: &[Attack::Arguments],
        ..forgetful("rust-framed-compact-mux", Transport::Framed, Protocol::Compact)
    },
];
