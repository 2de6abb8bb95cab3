//! What can go wrong with a store itself.

/// A store that cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite failed; what PostgreSQL reports is `Remote`.
    #[error("the state cannot be read or written: {0}")]
    Database(#[from] rusqlite::Error),
    /// The database cannot be reached, or refused something.
    #[error("the database cannot be used: {0}")]
    Remote(String),
    /// The folder of the state cannot be used.
    #[error("the state folder cannot be used: {0}")]
    Folder(#[from] std::io::Error),
    /// The database was written by a newer program.
    #[error(
        "the state has version {found}, this program reads up to {known}; use the newer program, or another state"
    )]
    Newer {
        /// The version in the database.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// There is something in a state that was expected to be empty.
    #[error("the state has something in it already")]
    NotEmpty,
    /// What was to be written comes from somewhere that cannot be read.
    #[error("{0}")]
    Source(String),
    /// A record does not make sense.
    #[error("the state is damaged: {0}")]
    Damaged(String),
}

impl StoreError {
    /// Whether the state cannot be reached or written now, so that the same may succeed later; what is damaged stays so.
    pub fn is_unavailable(&self) -> bool {
        match self {
            StoreError::Database(rusqlite::Error::SqliteFailure(error, _)) => !matches!(
                error.code,
                rusqlite::ErrorCode::DatabaseCorrupt
                    | rusqlite::ErrorCode::NotADatabase
                    | rusqlite::ErrorCode::TooBig
                    | rusqlite::ErrorCode::ConstraintViolation
                    | rusqlite::ErrorCode::TypeMismatch
                    | rusqlite::ErrorCode::ApiMisuse
                    | rusqlite::ErrorCode::ParameterOutOfRange
            ),
            StoreError::Remote(_) | StoreError::Folder(_) => true,
            StoreError::Database(_)
            | StoreError::Newer { .. }
            | StoreError::NotEmpty
            | StoreError::Source(_)
            | StoreError::Damaged(_) => false,
        }
    }
}
