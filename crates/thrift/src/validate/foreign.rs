//! Values of which nothing is known, moved over as every reader does.

use contract::Path;

use super::ambiguous_encoding::{FormError, FormProblem};
use super::{Rejection, UnknownFields, Validator};
use crate::wire::{Reader, WireError, WireType};

impl Validator {
    /// Moves over the arguments of a function that the IDL does not have. What some readers cannot move over is refused,
    /// as it is in fields that the IDL does not have.
    ///
    /// # Errors
    ///
    /// The bytes are no struct, or one that readers leave at different places.
    pub fn pass_over<'b, R: Reader<'b>>(&self, reader: &mut R) -> Result<(), Rejection> {
        if self.plans.types.has_uuid || self.config.unknown_fields == UnknownFields::Pass {
            return reader.skip(WireType::Struct).map_err(Rejection::Wire);
        }
        value(WireType::Struct, reader).map_err(|stop| match stop {
            Stop::Wire(error) => Rejection::Wire(error),
            Stop::Uuid { offset } => Rejection::Form(FormError {
                path: Path::default(),
                offset,
                problem: FormProblem::UnknownUuid,
            }),
        })
    }
}

/// Why it does not go on.
enum Stop {
    Wire(WireError),
    Uuid { offset: usize },
}

impl From<WireError> for Stop {
    fn from(error: WireError) -> Stop {
        Stop::Wire(error)
    }
}

// Readers bound the depth.
fn value<'b, R: Reader<'b>>(ty: WireType, reader: &mut R) -> Result<(), Stop> {
    match ty {
        WireType::Uuid => Err(Stop::Uuid { offset: reader.offset() }),
        WireType::Struct => {
            let scope = reader.struct_begin()?;
            while let Some(field) = reader.field_begin()? {
                value(field.ty, reader)?;
                reader.field_end()?;
            }
            Ok(reader.struct_end(scope)?)
        }
        WireType::List | WireType::Set => {
            let head = reader.list_begin()?;
            for _ in 0..head.len {
                value(head.element, reader)?;
            }
            Ok(reader.list_end(head.scope)?)
        }
        WireType::Map => {
            let head = reader.map_begin()?;
            for _ in 0..head.len {
                value(head.key, reader)?;
                value(head.value, reader)?;
            }
            Ok(reader.map_end(head.scope)?)
        }
        WireType::Stop
        | WireType::Bool
        | WireType::I8
        | WireType::Double
        | WireType::I16
        | WireType::I32
        | WireType::I64
        | WireType::String => Ok(reader.skip(ty)?),
    }
}
