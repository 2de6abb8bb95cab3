//! How often a message is looked at: a small multiple of its bytes, or it is refused.
//!
//! Rules that refer to other values look at bytes again. References are followed once for each struct, so that this
//! stays in proportion; the limit is for what nobody has thought of.

use std::cell::Cell;

use crate::wire::{Reader, Result, WireError, WireErrorKind, WireType};

/// So many looks for each byte ...
const PER_BYTE: u64 = 12;

/// ... and these for a start.
const AT_LEAST: u64 = 4096;

/// Who says what is wrong looks at a value once for everything around it; but not for ever.
const PER_REPORTED_BYTE: u64 = 32;
const MOST_REPORTED: u64 = 4_000_000;

/// Counts looks at the parts of one message.
#[derive(Debug)]
pub(super) struct WorkBudget {
    most: u64,
    done: Cell<u64>,
}

impl WorkBudget {
    /// For a message of so many bytes.
    pub(super) fn for_bytes(bytes: usize) -> WorkBudget {
        WorkBudget {
            most: (bytes as u64).saturating_mul(PER_BYTE).saturating_add(AT_LEAST),
            done: Cell::new(0),
        }
    }

    /// For saying what is wrong with a message of so many bytes.
    pub(super) fn for_report(bytes: usize) -> WorkBudget {
        let bytes = bytes as u64;
        let most = bytes.saturating_mul(PER_REPORTED_BYTE).min(MOST_REPORTED);
        WorkBudget {
            most: most.saturating_add(bytes.saturating_mul(2)).saturating_add(AT_LEAST),
            done: Cell::new(0),
        }
    }

    /// Counts one look; false once there were too many.
    #[inline]
    pub(super) fn step(&self) -> bool {
        self.steps(1)
    }

    #[inline]
    pub(super) fn steps(&self, steps: u64) -> bool {
        let done = self.done.get().saturating_add(steps);
        self.done.set(done);
        done <= self.most
    }

    /// How many looks there were.
    pub(super) fn done(&self) -> u64 {
        self.done.get()
    }

    /// Whether there were too many.
    pub(super) fn is_exhausted(&self) -> bool {
        self.done.get() > self.most
    }

    /// An error if there were too many.
    pub(super) fn verdict(&self, offset: usize) -> Result<()> {
        match self.is_exhausted() {
            true => Err(WireError { offset, kind: WireErrorKind::TooMuchWork }),
            false => Ok(()),
        }
    }

    /// Moves over a value, and counts what is in it.
    // Readers bound the depth.
    pub(super) fn skip<'b, R: Reader<'b>>(&self, reader: &mut R, ty: WireType) -> Result<()> {
        if !self.step() {
            return self.verdict(reader.offset());
        }
        match ty {
            WireType::Struct => {
                let scope = reader.struct_begin()?;
                while let Some(field) = reader.field_begin()? {
                    self.skip(reader, field.ty)?;
                    reader.field_end()?;
                }
                reader.struct_end(scope)
            }
            WireType::List | WireType::Set => {
                let head = reader.list_begin()?;
                for _ in 0..head.len {
                    self.skip(reader, head.element)?;
                }
                reader.list_end(head.scope)
            }
            WireType::Map => {
                let head = reader.map_begin()?;
                for _ in 0..head.len {
                    self.skip(reader, head.key)?;
                    self.skip(reader, head.value)?;
                }
                reader.map_end(head.scope)
            }
            WireType::Stop
            | WireType::Bool
            | WireType::I8
            | WireType::Double
            | WireType::I16
            | WireType::I32
            | WireType::I64
            | WireType::String
            | WireType::Uuid => reader.skip(ty),
        }
    }
}
