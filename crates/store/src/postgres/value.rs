//! Runs as values of the database.

use std::error::Error;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

use crate::record::RunId;

/// A run, as the type `uuid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uuid(pub(super) RunId);

impl ToSql for Uuid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.bytes());
        Ok(IsNull::No)
    }

    accepts!(UUID);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Uuid {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Uuid, Box<dyn Error + Sync + Send>> {
        Ok(Uuid(RunId(u128::from_be_bytes(raw.try_into()?))))
    }

    accepts!(UUID);
}
