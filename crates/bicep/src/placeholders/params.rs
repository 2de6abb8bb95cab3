//! A `.bicepparam` file to begin with.

use syntax::ast::{AstNode as _, Expr, ParameterDeclaration, TypeExpr};
use syntax::format::{FormatOptions, format_once};
use syntax::{SourceKind, Span};

use super::default_of;
use crate::Model;
use crate::symbols::SymbolId;

/// Writes the file. What a person has to think about is a question mark with a comment, which no program can have.
pub(super) fn write(model: &Model, parameters: &[(SymbolId, ParameterDeclaration<'_>)]) -> String {
    let mut file = File { source: model.file.tree.text(), out: String::new(), questions: Vec::new() };
    file.out.push_str(&format!("using './{}'\n\n", model.file.path.name()));
    for (symbol, parameter) in parameters {
        file.out.push_str(&format!("param {} = ", model.symbol(*symbol).name));
        match default_of(*parameter) {
            Some(default) => file.default(default),
            None => file.placeholder(parameter.ty(), allowed(*parameter)),
        }
        file.out.push('\n');
    }
    file.finish()
}

/// A file that is written.
struct File<'t> {
    /// The text of the program.
    source: &'t str,
    out: String,
    /// What a person has to think about.
    questions: Vec<String>,
}

/// The value in the place of a question until the file is formatted: a text that nobody writes.
const MARK: &str = "'\u{1}\u{1}'";

impl<'t> File<'t> {
    fn finish(self) -> String {
        let tree = syntax::parse(self.out, SourceKind::Params);
        let formatted = format_once(&tree, &FormatOptions::default());
        let mut parts = formatted.split(MARK);
        let mut text = parts.next().unwrap_or_default().to_owned();
        // Formatting leaves the order as it is.
        for (part, question) in parts.zip(&self.questions) {
            text.push_str(&format!("? /* TODO: {question} */"));
            text.push_str(part);
        }
        // One more line break than the formatter leaves, as the public command writes it.
        text.push('\n');
        text
    }

    fn ask(&mut self, question: String) {
        self.out.push_str(MARK);
        self.questions.push(question.replace("*/", "* /"));
    }

    fn text(&self, span: Span) -> &'t str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Writes a default. Calls are left out: what they give in the program, they do not give here. The parser's own limit bounds the depth.
    fn default(&mut self, default: Expr<'_>) {
        match default {
            Expr::FunctionCall(call) => {
                self.ask(format!("give a value; the default is a call of `{}`", call.name().text()));
            }
            Expr::Array(array) => {
                let mut items = array.values().peekable();
                let is_empty = items.peek().is_none();
                self.out.push('[');
                for item in items {
                    self.out.push('\n');
                    match item {
                        Expr::FunctionCall(_) => self.default(item),
                        item => self.out.push_str(self.text(item.span())),
                    }
                }
                self.out.push_str(if is_empty { "]" } else { "\n]" });
            }
            Expr::Object(object) if object.spreads().next().is_none() => {
                let members = object.properties().map(|property| (property.key().span(), property.value()));
                self.object(members, Self::default);
            }
            other => self.out.push_str(self.text(other.span())),
        }
    }

    /// Writes an object, each value by `write`.
    fn object<T>(&mut self, members: impl Iterator<Item = (Span, T)>, write: impl Fn(&mut Self, T)) {
        let mut members = members.peekable();
        let is_empty = members.peek().is_none();
        self.out.push('{');
        for (key, value) in members {
            let key = self.text(key);
            self.out.push_str(&format!("\n{key}: "));
            write(self, value);
        }
        self.out.push_str(if is_empty { "}" } else { "\n}" });
    }

    /// Writes a value of a type, as far as its text says what that is.
    fn placeholder(&mut self, ty: TypeExpr<'_>, allowed: Option<Expr<'_>>) {
        match ty {
            TypeExpr::TypeVariableAccess(access) => match (access.name().text(), allowed) {
                ("int", Some(Expr::IntegerLiteral(number))) => self.out.push_str(&number.value().to_string()),
                ("int", _) => self.out.push('0'),
                ("bool", _) => self.out.push_str("false"),
                ("array", _) => self.out.push_str("[]"),
                ("object", _) => self.out.push_str("{}"),
                (_, Some(Expr::String(text))) => self.out.push_str(self.text(text.node().span())),
                _ => self.out.push_str("''"),
            },
            TypeExpr::ObjectType(object) => {
                let members = object.properties().map(|property| (property.key().span(), property.value()));
                self.object(members, |out, ty| out.placeholder(ty, None));
            }
            other => {
                let text = other.node().text().split_whitespace().collect::<Vec<_>>().join(" ");
                self.ask(format!("give a value of the type `{text}`"));
            }
        }
    }
}

/// The first value that `@allowed` names.
fn allowed(parameter: ParameterDeclaration<'_>) -> Option<Expr<'_>> {
    parameter.node().decorators().find_map(|decorator| match decorator.expression() {
        Expr::FunctionCall(call) if call.name().text() == "allowed" => match call.arguments().next()? {
            Expr::Array(values) => values.values().next(),
            _ => None,
        },
        _ => None,
    })
}
