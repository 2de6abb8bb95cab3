//! A connection that breaks: a proxy in front of a registry that passes on so many bytes of each connection and then closes it.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A proxy that breaks connections. It ends when it is dropped.
pub struct Breaking {
    address: SocketAddr,
    ended: Arc<AtomicBool>,
    broken: Arc<AtomicUsize>,
}

impl Breaking {
    /// Starts a proxy in front of `host`, which closes each connection after it passed on that many bytes of answers.
    pub fn start(host: &str, bytes: usize) -> io::Result<Breaking> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (ended, broken) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (over, count, host) = (Arc::clone(&ended), Arc::clone(&broken), host.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let (host, count) = (host.clone(), Arc::clone(&count));
                std::thread::spawn(move || pass(client, &host, bytes, &count));
            }
        });
        Ok(Breaking { address, ended, broken })
    }

    /// The host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// How many connections were broken.
    #[must_use]
    pub fn broken(&self) -> usize {
        self.broken.load(Ordering::Relaxed)
    }
}

impl Drop for Breaking {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // The listener waits for the next connection before it looks.
        drop(TcpStream::connect(self.address));
    }
}

fn pass(client: TcpStream, host: &str, mut bytes: usize, broken: &AtomicUsize) -> Option<()> {
    let server = TcpStream::connect(host).ok()?;
    let (mut from, mut to) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        to.shutdown(Shutdown::Write)
    });
    let (mut from, mut to) = (server, client);
    let mut buffer = [0; 1024];
    loop {
        let read = from.read(&mut buffer).ok().filter(|read| *read > 0)?;
        let part = buffer.get(..read.min(bytes))?;
        to.write_all(part).ok()?;
        bytes -= part.len();
        if bytes == 0 {
            broken.fetch_add(1, Ordering::Relaxed);
            let _ = to.shutdown(Shutdown::Both);
            let _ = from.shutdown(Shutdown::Both);
            return None;
        }
    }
}
