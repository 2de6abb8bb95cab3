//! The `tendon` command.
fn main() {}
