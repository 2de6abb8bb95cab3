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
    /// Where, in bytes.
    pub span: Span,
    /// Which finding.
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

/// Declares the codes: variant, code as users see it, severity, message with at most one `{}` for the value.
macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $template:literal;)*) => {
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
        }
    };
}

codes! {
    // Lexer.
    UnrecognizedToken "BCP001" Error "`{}` is not a token of the language";
    UnterminatedComment "BCP002" Error "this comment is never closed, end it with `*/`";
    UnterminatedString "BCP003" Error "this string is never closed, end it with a single quote";
    StringBrokenByNewLine "BCP004" Error "this string is cut off by the end of the line";
    UnterminatedEscape "BCP005" Error "the text ends inside an escape sequence, complete it and close the string with a single quote";
    UnknownEscape "BCP006" Error r"unknown escape sequence `{}`, use one of `\$`, `\'`, `\\`, `\n`, `\r`, `\t`, `\u{...}`";
    IdentifierTooLong "BCP024" Error "this identifier is longer than the limit of {} characters";
    DoubleQuote "BCP103" Error "`{}` is not a token of the language, strings are written with single quotes";
    InvalidUnicodeEscape "BCP133" Error r"this unicode escape names no character, write `\u{` and a hexadecimal number from 0 to 10FFFF and `}`";
    UnterminatedMultilineString "BCP140" Error "this multi-line string is never closed, end it with `'''`";
    PragmaWithoutCodes "BCP226" Error "this directive names no diagnostic, list at least one code after it";

    // Statements.
    UnknownDeclaration "BCP007" Error "no declaration starts like this, expected a keyword such as `metadata`, `param`, `var`, `resource` or `output`";
    ExpectedParameterContinuation "BCP008" Error "expected `=` or the end of the line after the parameter's type";
    ExpectedKeyword "BCP012" Error "expected the keyword `{}` here";
    ExpectedParameterName "BCP013" Error "expected the name of a parameter here";
    ExpectedVariableName "BCP015" Error "expected the name of a variable here";
    ExpectedOutputName "BCP016" Error "expected the name of an output here";
    ExpectedResourceName "BCP017" Error "expected the symbolic name of a resource here";
    ExpectedCharacter "BCP018" Error "expected `{}` here";
    ExpectedNewLine "BCP019" Error "expected the end of the line here";
    ExpectedResourceType "BCP068" Error "expected a resource type string here, of the form `'<type>@<api version>'`";
    ExpectedModuleName "BCP096" Error "expected the symbolic name of a module here";
    ExpectedModulePath "BCP097" Error "expected the path of a module as a string here, such as `'modules/network.bicep'`";
    ExpectedBody "BCP118" Error "expected a body here, starting with `{`, `[` or the keyword `if`";
    ExpectedDecoratorName "BCP123" Error "expected the name of a decorator or of a namespace here";
    ExpectedLoopBody "BCP167" Error "expected the body of the loop here, starting with `{` or the keyword `if`";
    ExpectedExtensionSpecification "BCP201" Error "expected an extension as a string here, a relative path or a registry reference";
    ExpectedExtensionAlias "BCP202" Error "expected the alias of an extension here";
    ExpectedFilePath "BCP257" Error "expected the path of a Bicep file as a string here, such as `'main.bicep'`";
    ExpectedMetadataName "BCP266" Error "expected the name of a metadata item here";
    ExpectedWithOrAs "BCP305" Error "expected the keyword `with`, the keyword `as` or the end of the line here";
    ExpectedTypeName "BCP325" Error "expected the name of a type here";
    UnknownParamsDeclaration "BCP337" Error "no declaration of a parameters file starts like this, expected a keyword such as `using`, `extends`, `param`, `var` or `type`";
    ExpectedAssertName "BCP344" Error "expected the name of an assertion here";
    ExpectedTestName "BCP346" Error "expected the name of a test here";
    ExpectedTestPath "BCP347" Error "expected the path of the tested file as a string here";
    ExpectedImportList "BCP354" Error "expected `{` or `*` here";
    ExpectedExportedName "BCP355" Error "expected the name of an exported symbol here";
    ExpectedNamespaceName "BCP356" Error "expected the name of a namespace here";
    QuotedImportWithoutAlias "BCP375" Error "a quoted import needs a name of its own, add `as` and a name";
    ExpectedExtendsPath "BCP404" Error "expected the path of a parameters file as a string after `extends`";
    ExpectedWith "BCP436" Error "expected the keyword `with` or the end of the line here";

    // Expressions.
    ExpectedExpression "BCP009" Error "expected an expression here";
    InvalidInteger "BCP010" Error "`{}` does not fit in a 64-bit integer";
    ExpectedMemberName "BCP020" Error "expected the name of a property or function here";
    ExpectedPropertyName "BCP022" Error "expected the name of a property here";
    ConstantRequired "BCP032" Error "this string must be constant, remove the interpolation";
    JunkInInterpolation "BCP064" Error "this does not belong to the interpolated expression";
    ComplexLiteralNotAllowed "BCP087" Error "an array or object literal cannot stand here";
    EmptyIndexer "BCP117" Error "the index is missing between the brackets";
    ExpectedLoopVariable "BCP162" Error "expected a loop variable or `(` here";
    ExpectedNewLineOrComma "BCP236" Error "expected a comma or the end of the line here";
    ExpectedComma "BCP237" Error "expected a comma here";
    NewLineAfterComma "BCP238" Error "a comma and a line break both separate items, use one of them";
    ExpectedOneExpression "BCP243" Error "parentheses hold exactly one expression";
    ExpectedTwoLoopVariables "BCP249" Error "expected two loop variables here, the item and its index, but found {}";
    SafeAccessOnCall "BCP322" Error "a method cannot be called with `.?`";

    // Types.
    ExpectedType "BCP279" Error "expected a type here, such as `string`, `int`, `bool`, `object`, `array` or the name of a declared type";
    ExpectedTypeLiteral "BCP300" Error "expected a literal or the name of a literal type here";
    ExpectedPropertyNameOrMatcher "BCP317" Error "expected a property name, a string or `*` here";

    // Limits of this implementation.
    NestingTooDeep "nesting-too-deep" Error "this is nested deeper than the limit of {} levels, move the inner part into a variable or a type";
    SourceTooLarge "source-too-large" Error "this text is larger than the limit of {} bytes";
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
            "`\"` is not a token of the language, strings are written with single quotes"
        );
        assert_eq!(at(Code::ExpectedCharacter, Arg::Word("="), 0, 0).message(text), "expected `=` here");
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
