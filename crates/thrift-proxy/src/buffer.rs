//! Bytes that have come and are not done with.

/// The least room for a read.
const STEP: usize = 8 * 1024;
/// An empty buffer gives back what it holds beyond this.
const KEEP: usize = 256 * 1024;

/// Bytes in a row, taken from the front and added at the back.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    storage: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// The bytes from an offset on.
    pub(crate) fn from(&self, offset: usize) -> &[u8] {
        self.storage.get(self.start.saturating_add(offset)..self.end).unwrap_or_default()
    }

    /// The first so many bytes.
    pub(crate) fn first(&self, len: usize) -> &[u8] {
        let bytes = self.from(0);
        bytes.get(..len).unwrap_or(bytes)
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Takes bytes from the front.
    pub(crate) fn consume(&mut self, len: usize) {
        self.start = self.start.saturating_add(len).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.storage.len() > KEEP {
                self.storage = Vec::new();
            }
        }
    }

    /// Forgets everything behind the first so many bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.end = self.end.min(self.start.saturating_add(len));
    }

    /// Adds bytes at the back.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        let total = self.len().saturating_add(bytes.len());
        if let Some(room) = self.room(total).get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.added(bytes.len());
    }

    /// Room at the back, so that `total` bytes fit in all, or more.
    pub(crate) fn room(&mut self, total: usize) -> &mut [u8] {
        let wanted = total.saturating_sub(self.len()).max(STEP / 2);
        if self.storage.len() - self.end < wanted {
            self.storage.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            if self.storage.len() - self.end < wanted {
                // Growing by doubling, so that a message that comes in pieces is not moved with each.
                let size = (self.end + wanted).max(STEP).next_power_of_two();
                self.storage.resize(size, 0);
            }
        }
        self.storage.get_mut(self.end..).unwrap_or_default()
    }

    /// Takes note of bytes that were put into the room.
    pub(crate) fn added(&mut self, len: usize) {
        self.end = self.end.saturating_add(len).min(self.storage.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let mut buffer = Buffer::default();
        let mut expected = Vec::new();
        let mut next = 0_u8;
        for round in 1..200 {
            let room = buffer.room(0);
            let added = room.len().min(round * 37 % 5000);
            for byte in &mut room[..added] {
                *byte = next;
                expected.push(next);
                next = next.wrapping_add(1);
            }
            buffer.added(added);
            assert_eq!(buffer.from(0), expected);
            let taken = buffer.len() / 2 + round % 2;
            assert_eq!(buffer.first(taken), &expected[..taken.min(expected.len())]);
            buffer.consume(taken);
            expected.drain(..taken.min(expected.len()));
        }
        buffer.truncate(1);
        assert_eq!(buffer.len(), 1);
    }

    #[test]
    fn there_is_room_for_what_is_announced_and_it_is_given_back() {
        let mut buffer = Buffer::default();
        assert!(buffer.room(1_000_000).len() >= 1_000_000);
        buffer.added(1_000_000);
        buffer.consume(1_000_000);
        assert_eq!(buffer.storage.len(), 0);
    }
}
