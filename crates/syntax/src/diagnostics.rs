//! What the lexer and the parser report.
//!
//! Codes, severities and positions are those of the language's reference compiler, because users search for them; the
//! sentences are our own. Two codes without a number are limits of this implementation.

use crate::Span;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Severity {
    /// The text is not a program.
    Error,
}

/// The value inside a message, where there is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arg {
    /// The message has no value, or its value is the text at the diagnostic's span.
    None,
    /// A character sequence or keyword of the language.
    Word(&'static str),
    /// A number of things.
    Count(u32),
}

/// One finding about the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SyntaxDiagnostic {
    /// The bytes of the text that the finding is about.
    pub span: Span,
    /// Which finding it is; its message is made of this and its argument.
    pub code: Code,
    /// The value in the message.
    pub arg: Arg,
}

impl SyntaxDiagnostic {
    /// Returns how bad the finding is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Returns the sentence for the finding; `text` is the source it was made for.
    #[must_use]
    pub fn message(&self, text: &str) -> String {
        let template = self.code.template();
        let Some((before, after)) = template.split_once("{}") else { return template.to_owned() };
        let mut message = String::with_capacity(template.len() + 16);
        message.push_str(before);
        match self.arg {
            Arg::None => message.push_str(self.span.text(text)),
            Arg::Word(word) => message.push_str(word),
            Arg::Count(count) => message.push_str(&count.to_string()),
        }
        message.push_str(after);
        message
    }
}

/// Declares the codes: variant, code as users see it, severity, message with at most one `{}` for the value, and a hint
/// where there is one.
macro_rules! codes {
    (@hint $hint:literal) => { Some($hint) };
    (@hint) => { None };
    ($($name:ident $code:literal $severity:ident $template:literal $(=> $hint:literal)?;)*) => {
        /// Every finding the lexer or the parser can make.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Code { $(#[doc = concat!("`", $code, "`: ", $template)] $name,)* }

        impl Code {
            /// All codes, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the code as users see it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns how bad the finding is.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Returns the message, with `{}` where its value goes.
            #[must_use]
            pub const fn template(self) -> &'static str {
                match self { $(Self::$name => $template,)* }
            }

            /// Returns what to do about it, where that is known.
            #[must_use]
            pub const fn hint(self) -> Option<&'static str> {
                match self { $(Self::$name => codes!(@hint $($hint)?),)* }
            }
        }
    };
}

impl Code {
    /// Tells whether a finding is about characters rather than about the order of tokens.
    #[must_use]
    pub const fn is_lexical(self) -> bool {
        matches!(
            self,
            Self::UnrecognizedToken
                | Self::UnterminatedComment
                | Self::UnterminatedString
                | Self::StringBrokenByNewLine
                | Self::UnterminatedEscape
                | Self::UnknownEscape
                | Self::DoubleQuote
                | Self::InvalidUnicodeEscape
                | Self::UnterminatedMultilineString
                | Self::PragmaWithoutCodes
        )
    }
}

codes! {
    // Lexer.
    UnrecognizedToken "BCP001" Error "`{}` is not a token of the language";
    UnterminatedComment "BCP002" Error "the comment is not closed" => "close it with `*/`";
    UnterminatedString "BCP003" Error "the string is not closed" => "close it with a single quote";
    StringBrokenByNewLine "BCP004" Error "the string is not closed before the end of the line" => "close it with a single quote";
    UnterminatedEscape "BCP005" Error "the string ends in an escape sequence" => "complete the sequence and close the string with a single quote";
    UnknownEscape "BCP006" Error "the escape sequence `{}` does not exist" => r"use one of `\$`, `\'`, `\\`, `\n`, `\r`, `\t`, `\u{...}`";
    IdentifierTooLong "BCP024" Error "the identifier is longer than the limit of {} characters";
    DoubleQuote "BCP103" Error "`{}` is not a token of the language" => "use single quotes for strings";
    InvalidUnicodeEscape "BCP133" Error "the unicode escape sequence is not valid" => r"write `\u{` and a hexadecimal number from 0 to 10FFFF and `}`";
    UnterminatedMultilineString "BCP140" Error "the multi-line string is not closed" => "close it with `'''`";
    PragmaWithoutCodes "BCP226" Error "the directive does not name a diagnostic" => "list at least one code after it";

    // Statements.
    UnknownDeclaration "BCP007" Error "this is not a declaration" => "start it with a keyword such as `metadata`, `param`, `var`, `resource` or `output`";
    ExpectedParameterContinuation "BCP008" Error "expected `=` or a new line after the type of the parameter";
    ExpectedKeyword "BCP012" Error "expected the keyword `{}`";
    ExpectedParameterName "BCP013" Error "expected the name of a parameter";
    ExpectedVariableName "BCP015" Error "expected the name of a variable";
    ExpectedOutputName "BCP016" Error "expected the name of an output";
    ExpectedResourceName "BCP017" Error "expected the name of a resource";
    ExpectedCharacter "BCP018" Error "expected `{}`";
    ExpectedNewLine "BCP019" Error "expected a new line";
    ExpectedResourceType "BCP068" Error "expected a resource type" => "write a string of the form `'<type>@<version>'`";
    ExpectedModuleName "BCP096" Error "expected the name of a module";
    ExpectedModulePath "BCP097" Error "expected the path of a module" => "write a string such as `'modules/network.bicep'`";
    ExpectedBody "BCP118" Error "expected `{`, `[` or the keyword `if`";
    ExpectedDecoratorName "BCP123" Error "expected the name of a decorator or of a namespace";
    ExpectedLoopBody "BCP167" Error "expected `{` or the keyword `if`";
    ExpectedExtensionSpecification "BCP201" Error "expected an extension" => "write a string, a relative path or a registry reference";
    ExpectedExtensionAlias "BCP202" Error "expected the alias of an extension";
    ExpectedFilePath "BCP257" Error "expected the path of a Bicep file" => "write a string such as `'main.bicep'`";
    ExpectedMetadataName "BCP266" Error "expected the name of a metadata item";
    ExpectedWithOrAs "BCP305" Error "expected the keyword `with`, the keyword `as` or a new line";
    ExpectedTypeName "BCP325" Error "expected the name of a type";
    UnknownParamsDeclaration "BCP337" Error "this is not a declaration of a parameters file" => "start it with a keyword such as `using`, `extends`, `param`, `var` or `type`";
    ExpectedAssertName "BCP344" Error "expected the name of an assertion";
    ExpectedTestName "BCP346" Error "expected the name of a test";
    ExpectedTestPath "BCP347" Error "expected the path of the tested file";
    ExpectedImportList "BCP354" Error "expected `{` or `*`";
    ExpectedExportedName "BCP355" Error "expected the name of an exported symbol";
    ExpectedNamespaceName "BCP356" Error "expected the name of a namespace";
    QuotedImportWithoutAlias "BCP375" Error "an imported name in quotes requires an alias" => "add `as` and a name";
    ExpectedExtendsPath "BCP404" Error "expected the path of a parameters file after `extends`";
    ExpectedWith "BCP436" Error "expected the keyword `with` or a new line";

    // Expressions.
    ExpectedExpression "BCP009" Error "expected an expression";
    InvalidInteger "BCP010" Error "`{}` does not fit in a signed 64-bit integer";
    ExpectedMemberName "BCP020" Error "expected the name of a property or function";
    ExpectedPropertyName "BCP022" Error "expected the name of a property";
    ConstantRequired "BCP032" Error "the string must be a constant" => "remove the interpolation";
    JunkInInterpolation "BCP064" Error "unexpected tokens in the interpolated expression";
    ComplexLiteralNotAllowed "BCP087" Error "array and object literals are not allowed here";
    EmptyIndexer "BCP117" Error "the index between the brackets is missing";
    ExpectedLoopVariable "BCP162" Error "expected a loop variable or `(`";
    ExpectedNewLineOrComma "BCP236" Error "expected a new line or a comma";
    ExpectedComma "BCP237" Error "expected a comma";
    NewLineAfterComma "BCP238" Error "unexpected new line after a comma" => "separate items with commas or with new lines";
    ExpectedOneExpression "BCP243" Error "parentheses must contain exactly one expression";
    ExpectedTwoLoopVariables "BCP249" Error "expected two loop variables, the item and its index, found {}";
    SafeAccessOnCall "BCP322" Error "`.?` cannot be used to call a function";

    // Types.
    ExpectedType "BCP279" Error "expected a type" => "write one such as `string`, `int`, `bool`, `object`, `array` or the name of a declared type";
    ExpectedTypeLiteral "BCP300" Error "expected a literal or the name of a literal type";
    ExpectedPropertyNameOrMatcher "BCP317" Error "expected a property name, a string or `*`";

    // Limits of this implementation.
    NestingTooDeep "nesting-too-deep" Error "the nesting is deeper than the limit of {} levels" => "move the inner part into a variable or a type";
    SourceTooLarge "source-too-large" Error "the file is larger than the limit of {} bytes";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_carry_the_value_of_the_finding() {
        let at = |code, arg, start, end| SyntaxDiagnostic { span: Span::new(start, end), code, arg };
        let text = "var a = \"";
        assert_eq!(
            at(Code::DoubleQuote, Arg::None, 8, 9).message(text),
            "`\"` is not a token of the language"
        );
        assert_eq!(at(Code::ExpectedCharacter, Arg::Word("="), 0, 0).message(text), "expected `=`");
        assert!(at(Code::ExpectedTwoLoopVariables, Arg::Count(3), 0, 0).message(text).ends_with("found 3"));
    }

    #[test]
    fn codes_are_unique_and_messages_are_fragments() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.as_str()), "{} twice", code.as_str());
            assert!(!code.template().ends_with('.'), "{}", code.as_str());
            assert!(code.template().matches("{}").count() <= 1, "{}", code.as_str());
        }
    }

    #[test]
    fn diagnostics_stay_small() {
        assert_eq!(size_of::<SyntaxDiagnostic>(), 40);
    }
}
