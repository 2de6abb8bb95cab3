//! Where the compilers disagree, as one table.
//!
//! The parser accepts the union. Each construct that some compiler rejects has a row here; the row says who
//! accepts it, whether it is worth a hint when nobody asked for a particular compiler, and
//! [`Strict`] turns the rows of one compiler into errors.

use crate::{Code, Severity};

/// Which compiler's grammar the file must satisfy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strict {
    /// Whatever any of the compilers accepts.
    #[default]
    None,
    /// What the Apache Thrift compiler accepts.
    Apache,
    /// What thriftgo of CloudWeGo accepts.
    Thriftgo,
}

impl Strict {
    fn name(self) -> &'static str {
        match self {
            Strict::None => "every compiler",
            Strict::Apache => "the Apache compiler",
            Strict::Thriftgo => "thriftgo",
        }
    }
}

/// One construct that not every compiler accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The code it is reported under.
    pub code: Code,
    /// Whether the Apache compiler accepts it.
    pub apache: bool,
    /// Whether thriftgo accepts it.
    pub thriftgo: bool,
    /// Whether thriftpy2 accepts it.
    pub thriftpy2: bool,
    /// Whether it is reported when no compiler is asked for.
    pub hint: bool,
}

/// Builds the table: code, then `a`ccepted or rejected (`x`) by Apache, thriftgo and thriftpy2, then whether
/// it gives a hint.
macro_rules! disagreements {
    (@ a) => { true };
    (@ x) => { false };
    (@ hint) => { true };
    (@ quiet) => { false };
    ($($code:ident $apache:ident $thriftgo:ident $thriftpy2:ident $hint:ident)*) => {
        /// Every construct that some compiler rejects, by the code it is reported under.
        pub const DISAGREEMENTS: &[Disagreement] = &[$(Disagreement {
            code: Code::$code,
            apache: disagreements!(@ $apache),
            thriftgo: disagreements!(@ $thriftgo),
            thriftpy2: disagreements!(@ $thriftpy2),
            hint: disagreements!(@ $hint),
        }),*];
    };
}

disagreements! {
    TypedefSeparator        a x a hint
    DefinitionSeparator     x x a hint
    EmptyFile               a x x hint
    ByteOrderMark           a x x hint
    UuidType                a x x quiet
    CppTypePlace            a x x quiet
    KeywordName             x a x quiet
    RequiredPrefix          a x a hint
    AsyncFunction           a x x hint
    DottedName              x a x hint
    ReferenceMarker         a x x quiet
    XsdKeyword              a x x quiet
    AnnotationWithoutValue  a x a quiet
    KeywordAnnotationKey    x a x hint
    AnnotatedNamedType      x a x quiet
    AnnotatedConst          x a a quiet
    MultilineLiteral        x a x hint
    UnportableEscape        x a x hint
    BackslashBeforeQuote    a x a hint
    SignedHex               a x x hint
    OctalNumber             x a x hint
    BareDecimalPoint        x x a hint
    OnewayResult            a x a hint
    ThrowsNotException      x a a hint
    DuplicateEnumNumber     a x a hint
    UseBeforeDefinition     x a x quiet
    EnumQualifier           a x x hint
    SharedName              a x a hint
    OnewayThrows            x x a hint
    InheritedFunction       x a a hint
    EnumNumber              x a x hint
}

/// Returns how serious a disagreement is under a mode, and what to add to the message; `None` when there is nothing to say.
pub(crate) fn judge(code: Code, strict: Strict) -> Option<(Severity, String)> {
    let row = DISAGREEMENTS.iter().find(|row| row.code == code)?;
    let accepted = match strict {
        Strict::None => true,
        Strict::Apache => row.apache,
        Strict::Thriftgo => row.thriftgo,
    };
    if !accepted {
        return Some((Severity::Error, format!("{} does not accept this", strict.name())));
    }
    if strict != Strict::None || !row.hint {
        return None;
    }
    let rejecting: Vec<&str> =
        [("the Apache compiler", row.apache), ("thriftgo", row.thriftgo), ("thriftpy2", row.thriftpy2)]
            .into_iter()
            .filter(|(_, accepts)| !accepts)
            .map(|(name, _)| name)
            .collect();
    let verb = if rejecting.len() == 1 { "does" } else { "do" };
    Some((code.severity(), format!("{} {verb} not accept this", join(&rejecting))))
}

/// Joins names with commas and a final "and".
fn join(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
