//! A way to a server that is cut or stalled at a word in what a client says.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// What happens to the next connection whose client says `COMMIT`, and nothing behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None = 0,
    /// It is cut before the server hears of it.
    CutBefore = 1,
    /// The server hears of it, and its answer is lost.
    CutAfter = 2,
    /// Nobody hears of anything any more, and the connection stays open.
    Stall = 3,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    fault: Arc<AtomicU8>,
    happened: Arc<AtomicU32>,
}

impl Proxy {
    pub(crate) fn to(server: u16) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (fault, happened) = (Arc::new(AtomicU8::new(0)), Arc::new(AtomicU32::new(0)));
        let (shared, count) = (Arc::clone(&fault), Arc::clone(&happened));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                    let (fault, count) = (Arc::clone(&shared), Arc::clone(&count));
                    thread::spawn(move || forward(client, server, &fault, &count));
                }
            }
        });
        Proxy { port, fault, happened }
    }

    /// Arms a fault, which happens once.
    pub(crate) fn arm(&self, fault: Fault) {
        self.fault.store(fault as u8, Ordering::SeqCst);
    }

    /// How many faults have happened.
    pub(crate) fn happened(&self) -> u32 {
        self.happened.load(Ordering::SeqCst)
    }
}

fn forward(mut client: TcpStream, mut server: TcpStream, fault: &AtomicU8, happened: &AtomicU32) {
    let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    // The end of the connection is the end of both ways.
    thread::spawn(move || {
        let _ = std::io::copy(&mut answers, &mut back);
        let _ = back.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 65536];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        let said = buffer.get(..read).unwrap();
        if said.windows(7).any(|word| word == b"COMMIT\0") {
            let fault = fault.swap(0, Ordering::SeqCst);
            if fault != 0 {
                happened.fetch_add(1, Ordering::SeqCst);
            }
            if fault == Fault::CutAfter as u8 {
                let _ = client.shutdown(Shutdown::Both);
                let _ = server.write_all(said);
                // The server reads what was sent before it sees the end.
                let _ = server.shutdown(Shutdown::Write);
                thread::sleep(Duration::from_millis(50));
            }
            if fault == Fault::Stall as u8 {
                thread::sleep(Duration::from_secs(3600));
            }
            if fault != 0 {
                let _ = client.shutdown(Shutdown::Both);
                let _ = server.shutdown(Shutdown::Both);
                return;
            }
        }
        if server.write_all(said).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
}
