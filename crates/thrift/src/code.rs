//! The codes of everything there is to say about IDL files, as one table.

use diagnostics::{Diagnostic, Severity, Span};

/// Declares the codes: variant, stable name, default severity, what it means.
macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $meaning:literal)*) => {
        /// The stable names of the problems an IDL file can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// Returns the name that users see, search for and configure.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => concat!("thrift/", $name),)* }
            }

            /// Returns the severity when no option says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// Makes a diagnostic at a place, with the severity that the code has by default.
            pub fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
                Diagnostic::new(self.severity(), self.name(), message.into()).at(span)
            }

            /// Returns what the code means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    // Text.
    UnexpectedCharacter "unexpected-character" Error "A character that starts no token."
    UnterminatedLiteral "unterminated-literal" Error "A string literal without its closing quote."
    UnterminatedComment "unterminated-comment" Error "A block comment without its end."
    BadNumber "bad-number" Error "Digits that are not a number of the language, or one beyond 64 bits."
    BadIdentifier "bad-identifier" Error "An identifier with an empty part between its dots."
    BadEscape "bad-escape" Error "A numeric escape that is not a character."
    FileTooLarge "file-too-large" Error "A file beyond the size that positions can express."
    // Grammar.
    Syntax "syntax" Error "Something else was expected here."
    TooDeep "too-deep" Error "Types or values nested beyond the limit."
    TooLarge "too-large" Error "A default or the rules of a program beyond the limit, once they are written out."
    HeaderAfterDefinition "header-after-definition" Error "An include or namespace below the first definition."
    AnnotationAfterSeparator "annotation-after-separator" Error "A separator stands between a field and its annotations."
    AnnotationBeforeDefault "annotation-before-default" Error "Annotations stand before the default value."
    AnnotationValue "annotation-value" Error "The value of an annotation is not a string literal."
    RemovedSyntax "removed-syntax" Error "A form that no compiler accepts any more."
    FbthriftSyntax "fbthrift-syntax" Error "A form that only fbthrift knows."
    // Compilers that disagree.
    TypedefSeparator "typedef-separator" Info "A separator behind a typedef."
    DefinitionSeparator "definition-separator" Info "A separator behind a definition with a body."
    EmptyFile "empty-file" Info "A file without a definition."
    ByteOrderMark "byte-order-mark" Info "A file that starts with a byte order mark."
    UuidType "uuid-type" Info "The `uuid` type is not known everywhere."
    CppTypePlace "cpp-type-place" Info "The place of `cpp_type` differs between compilers."
    KeywordName "keyword-name" Info "A keyword used as a name."
    ReservedWord "reserved-word" Info "A name that is a keyword in a target language."
    RequiredPrefix "required-prefix" Info "A type whose name starts like a requiredness keyword."
    AsyncFunction "async-function" Info "`async` is the old word for `oneway`."
    DottedName "dotted-name" Info "A declared name with a dot."
    ReferenceMarker "reference-marker" Info "The C++ reference marker `&`."
    XsdKeyword "xsd-keyword" Info "An XSD marker."
    AnnotationWithoutValue "annotation-without-value" Info "An annotation without a value."
    KeywordAnnotationKey "keyword-annotation-key" Info "An annotation key that is a keyword."
    AnnotatedNamedType "annotated-named-type" Info "An annotation directly behind a named type."
    AnnotatedConst "annotated-const" Info "An annotation behind a constant."
    MultilineLiteral "multiline-literal" Info "A string literal over several lines."
    UnportableEscape "unportable-escape" Info "An escape that compilers read differently."
    BackslashBeforeQuote "backslash-before-quote" Info "A literal that ends in a backslash."
    SignedHex "signed-hex" Info "A hexadecimal number with a sign."
    OctalNumber "octal-number" Info "An octal number."
    LeadingZero "leading-zero" Warning "A decimal number that some compilers read as octal."
    BareDecimalPoint "bare-decimal-point" Info "A number that ends in its decimal point."
    OnewayResult "oneway-result" Info "A oneway function with a result."
    ThrowsNotException "throws-not-exception" Info "A throws clause with something that is not an exception."
    DuplicateEnumNumber "duplicate-enum-number" Info "Two members of an enum with one number."
    UseBeforeDefinition "use-before-definition" Info "A service or constant used above its definition."
    EnumQualifier "enum-qualifier" Info "A member of an enum behind the wrong name."
    SharedName "shared-name" Info "A constant with the name of a type or service."
    OnewayThrows "oneway-throws" Info "A oneway function that throws."
    // Files.
    IncludeNotFound "include-not-found" Error "An included file that cannot be found."
    IncludeUnreadable "include-unreadable" Error "An included file that cannot be read."
    NotUtf8 "not-utf-8" Error "A file that is not UTF-8."
    IncludeCycle "include-cycle" Error "Files that include each other."
    DuplicateInclude "duplicate-include" Info "A file included twice."
    SameIncludeName "same-include-name" Warning "Two included files that share a prefix."
    TooManyFiles "too-many-files" Error "More included files than the limit."
    // Names.
    DuplicateDefinition "duplicate-definition" Error "Two definitions with one name."
    UnknownType "unknown-type" Error "A type that is not defined."
    NotAType "not-a-type" Error "A name that is defined, but not as a type."
    UnknownInclude "unknown-include" Error "A prefix that no include of the file has."
    AmbiguousName "ambiguous-name" Error "A name that two included files define."
    TypedefCycle "typedef-cycle" Error "Typedefs that stand for each other."
    UnknownService "unknown-service" Error "A service to extend that is not defined."
    ServiceCycle "service-cycle" Error "Services that extend each other."
    UnknownConstant "unknown-constant" Error "A constant or enum member that is not defined."
    ConstantCycle "constant-cycle" Error "Constants defined by each other."
    // Members.
    DuplicateField "duplicate-field" Error "Two fields with one name."
    DuplicateFieldId "duplicate-field-id" Error "Two fields with one id."
    ImplicitFieldId "implicit-field-id" Error "A field without an id."
    FieldIdSpelling "field-id-spelling" Warning "A field id that is not written in decimal."
    NonPositiveFieldId "non-positive-field-id" Warning "A field id that is not positive."
    FieldIdRange "field-id-range" Warning "A field id that does not fit 16 bits."
    DuplicateEnumMember "duplicate-enum-member" Error "Two members of an enum with one name."
    EnumRange "enum-range" Error "An enum number that does not fit 32 bits."
    DuplicateFunction "duplicate-function" Error "Two functions of a service with one name."
    InheritedFunction "inherited-function" Warning "A function that hides one of an extended service."
    OptionalArgument "optional-argument" Info "`optional` on an argument."
    RequiredUnionMember "required-union-member" Info "`required` on a member of a union."
    EndlessStruct "endless-struct" Warning "A struct that requires itself."
    // Values.
    ConstantType "constant-type" Error "A value that does not have the type it is given to."
    ConstantRange "constant-range" Error "A number that does not fit its type."
    UnknownConstField "unknown-const-field" Error "A struct value with a field that the struct does not have."
    DuplicateConstField "duplicate-const-field" Error "A struct value that gives a field twice."
    EndlessDefault "endless-default" Error "A default that needs itself."
    EnumNumber "enum-number" Warning "A number that is not a member of the enum."
    // Rules.
    UnknownRule "unknown-rule" Error "An annotation that begins like a rule and is none."
    RulePrefix "rule-prefix" Warning "An annotation that looks like a rule behind a misspelt prefix."
    RuleType "rule-type" Error "A rule on a type that it is not for."
    RuleValue "rule-value" Error "A rule with a value that it cannot use."
    RuleReference "rule-reference" Error "A reference to a field or an element that does not exist."
    RuleFunction "rule-function" Error "A call of a function that does not exist, or with the wrong arguments."
    FunctionDeclaration "function-declaration" Error "A line that declares no function."
    RulePattern "rule-pattern" Error "A pattern that is not a regular expression."
    UnsatisfiableRule "unsatisfiable-rule" Warning "Rules that no value satisfies."
    BrokenDefault "broken-default" Warning "A default value that breaks the rules of its own field."
    UnsetBreaksRule "unset-breaks-rule" Warning "A field that is not sent has a value that breaks its own rule."
    DeadRule "dead-rule" Warning "A rule that says nothing."
    MixedForms "mixed-forms" Warning "Values of one rule that are written in several forms."
    PatternDialect "pattern-dialect" Info "A pattern that means something else in another dialect."
    // Generated code.
    UnseenField "unseen-field" Warning "A rule on something that generated code cannot see."
    ReaderDefault "reader-default" Warning "A value that the readers of generated types see otherwise than others."
    GeneratedName "generated-name" Warning "A generated name that is taken already."
}

/// Why something cannot be read or written, from what does not know where it stands.
#[derive(Debug, PartialEq)]
pub(crate) struct UnlocatedDiagnostic {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl UnlocatedDiagnostic {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> UnlocatedDiagnostic {
        UnlocatedDiagnostic { code, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> UnlocatedDiagnostic {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_are_unique() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
