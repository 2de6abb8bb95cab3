//! Operators, which expressions do not have: what is written with one is a call.

/// The operators that people write, each with the function that it stands for; one that begins another stands behind it.
const OPERATORS: &[(&str, &str)] = &[
    (">=", "ge"),
    ("<=", "le"),
    ("==", "equal"),
    ("!=", "not_equal"),
    ("&&", "and"),
    ("||", "or"),
    (">", "gt"),
    ("<", "lt"),
    ("=", "equal"),
    ("+", "add"),
    ("-", "sub"),
    ("*", "mul"),
    ("/", "div"),
    ("%", "mod"),
];

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Infix {
    /// How it is written.
    pub(super) written: &'static str,
    function: &'static str,
}

impl Infix {
    /// Whether a number can begin with it.
    pub(super) fn is_sign(self) -> bool {
        matches!(self.written, "+" | "-")
    }

    /// The call that means the same.
    pub(super) fn as_call(self, left: &[u8], right: &[u8]) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        format!("@{}({}, {})", self.function, text(left), text(right))
    }
}

/// Reads the operator that a text begins with.
pub(super) fn read(text: &[u8]) -> Option<Infix> {
    let found = OPERATORS.iter().find(|(written, _)| text.starts_with(written.as_bytes()));
    found.map(|(written, function)| Infix { written, function })
}
