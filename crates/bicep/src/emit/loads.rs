//! Calls whose result is known when compiling: files that are loaded, names, environment variables.

use std::borrow::Cow;
use std::sync::Arc;

use arm::Value;
use document::{Document, JsonOptions, Limits};
use syntax::ast::{AstNode as _, Expr, Statement};

use super::json_path;
use crate::Compiler;
use crate::files::{FilePath, ReadError, check_path};
use crate::finding::{Fault, Finding};
use crate::symbols::{Call, Model, SymbolKind};

/// The longest text that a call may give.
const MAX_TEXT: usize = 131_072;
/// The longest text that is read as JSON or YAML.
const MAX_STRUCTURED: usize = 1_048_576;
/// How deep constants may refer to each other.
const MAX_DEPTH: usize = 64;

/// The result of a call that is made when compiling, or nothing when the call is not of that kind.
pub(crate) fn value_of(compiler: &Compiler, model: &Model, call: Call<'_>) -> Option<Result<Value, Finding>> {
    let function = model.binding(call.node().id()).function()?;
    let loader = Loader { compiler, model, call };
    Some(match function.name() {
        _ if function.is_decorator => return None,
        "loadTextContent" => loader.text(1, MAX_TEXT).map(Value::text),
        "loadFileAsBase64" => loader.base64(),
        "loadJsonContent" => loader.structured(false),
        "loadYamlContent" => loader.structured(true),
        "loadDirectoryFileInfo" => loader.directory(),
        "readEnvironmentVariable" => loader.environment(),
        // A scope other than the own has no value of its own.
        "managementGroup" | "resourceGroup" | "subscription" if call.argument(0).is_some() => {
            Ok(Value::object::<&str>([]))
        }
        "nameof" => Ok(Value::text(name_of(model, call.argument(0)?)?)),
        _ => return None,
    })
}

/// The name that `nameof` gives for an expression.
fn name_of(model: &Model, expression: Expr<'_>) -> Option<String> {
    Some(match expression {
        Expr::VariableAccess(it) => it.name().text().to_owned(),
        Expr::PropertyAccess(it) => it.name().text().to_owned(),
        Expr::ResourceAccess(it) => it.name().text().to_owned(),
        Expr::ArrayAccess(it) => constant_text(model, it.index(), 0)?,
        Expr::NonNullAssertion(it) => name_of(model, it.base())?,
        Expr::ParenthesizedExpression(it) => name_of(model, it.expression())?,
        _ => return None,
    })
}

/// The text that an expression is known to have.
pub(crate) fn constant_text(model: &Model, expression: Expr<'_>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match expression {
        Expr::String(string) => {
            let mut text = String::new();
            let mut holes = string.holes();
            for segment in string.segments() {
                text.push_str(&segment);
                if let Some(hole) = holes.next() {
                    text.push_str(&constant_text(model, hole, depth + 1)?);
                }
            }
            Some(text)
        }
        Expr::IntegerLiteral(it) if depth > 0 => Some(it.value().to_string()),
        Expr::ParenthesizedExpression(it) => constant_text(model, it.expression(), depth + 1),
        Expr::VariableAccess(it) => {
            let symbol = model.symbol_at(it.node())?;
            if model.symbol(symbol).kind != SymbolKind::Variable {
                return None;
            }
            match model.statement_of(symbol)? {
                Statement::VariableDeclaration(variable) => constant_text(model, variable.value(), depth + 1),
                _ => None,
            }
        }
        _ => None,
    }
}

struct Loader<'l> {
    compiler: &'l Compiler,
    model: &'l Model,
    call: Call<'l>,
}

impl Loader<'_> {
    fn fault(&self, position: usize, fault: &Fault) -> Finding {
        fault.at(self
            .call
            .argument(position)
            .map_or_else(|| self.call.node().span(), |argument| argument.span()))
    }

    fn constant(&self, position: usize) -> Result<Option<String>, Finding> {
        let Some(argument) = self.call.argument(position) else { return Ok(None) };
        match constant_text(self.model, argument, 0) {
            Some(text) => Ok(Some(text)),
            None => {
                Err(self.fault(position, &Fault::new("BCP032", "the value must be known when compiling")))
            }
        }
    }

    fn path(&self) -> Result<FilePath, Finding> {
        let path = self.constant(0)?.unwrap_or_default();
        check_path(&path).map_err(|fault| self.fault(0, &fault))?;
        Ok(self.model.file.path.folder().join(&path))
    }

    fn bytes(&self) -> Result<Arc<[u8]>, Finding> {
        let path = self.path()?;
        self.compiler.world().read(&path).map_err(|error| {
            let message = match error {
                ReadError::NotFound => format!("the file `{path}` does not exist"),
                ReadError::Failed(why) => format!("the file `{path}` cannot be read: {why}"),
            };
            self.fault(0, &Fault::new("BCP091", message))
        })
    }

    fn text(&self, encoding: usize, limit: usize) -> Result<String, Finding> {
        let encoding = self.constant(encoding)?;
        let bytes = self.bytes()?;
        let text = decode(&bytes, encoding.as_deref().unwrap_or("utf-8")).into_owned();
        if text.chars().count() > limit {
            let message = format!("the file has more than the {limit} characters that can be loaded");
            return Err(self.fault(0, &Fault::new("BCP184", message)));
        }
        Ok(text)
    }

    fn base64(&self) -> Result<Value, Finding> {
        let bytes = self.bytes()?;
        if bytes.len() > MAX_TEXT / 4 * 3 {
            let message = format!("the file has more than the {} bytes that can be loaded", MAX_TEXT / 4 * 3);
            return Err(self.fault(0, &Fault::new("BCP184", message)));
        }
        Ok(Value::text(encode_base64(&bytes)))
    }

    fn structured(&self, yaml: bool) -> Result<Value, Finding> {
        let selector = self.constant(1)?;
        let text = self.text(2, MAX_STRUCTURED)?;
        let document = if yaml {
            Document::from_yaml(text, 0, &Limits::DEFAULT)
        } else {
            Document::from_json_with(text, 0, &Limits::DEFAULT, JsonOptions::RELAXED)
        };
        let code = if yaml { "BCP340" } else { "BCP186" };
        let document = document.map_err(|error| {
            self.fault(0, &Fault::new(code, format!("the file cannot be understood: {error}")))
        })?;
        let too_deep = |_| self.fault(0, &Fault::new(code, "the file nests too deep"));
        let Some(selector) = selector else { return Value::from_view(document.root()).map_err(too_deep) };
        let found = json_path::select(document.root(), &selector).ok_or_else(|| {
            self.fault(1, &Fault::new("BCP235", format!("`{selector}` is no path that leads anywhere")))
        })?;
        match found.as_slice() {
            [] => {
                Err(self.fault(1, &Fault::new("BCP235", format!("nothing in the file is at `{selector}`"))))
            }
            [one] => Value::from_view(*one).map_err(too_deep),
            many => many
                .iter()
                .map(|one| Value::from_view(*one))
                .collect::<Result<_, _>>()
                .map(Value::array)
                .map_err(too_deep),
        }
    }

    fn directory(&self) -> Result<Value, Finding> {
        let pattern = self.constant(1)?.unwrap_or_default();
        let folder = self.path()?;
        let entries = self.compiler.world().list(&folder).map_err(|_| {
            self.fault(0, &Fault::new("BCP428", format!("the folder `{folder}` does not exist")))
        })?;
        let own = &self.model.file.path;
        let mut files: Vec<(String, FilePath)> = entries
            .into_iter()
            .filter(|entry| {
                !entry.is_folder && (pattern.is_empty() || matches_pattern(&entry.name, &pattern))
            })
            .map(|entry| {
                let path = folder.join(&entry.name);
                (path.relative_to(own), path)
            })
            .collect();
        files.sort_by_key(|(relative, _)| relative.to_uppercase());
        let describe = |(relative, path): &(String, FilePath)| {
            Value::object([
                ("relativePath", Value::text(relative.as_str())),
                ("baseName", Value::text(path.name())),
                ("extension", Value::text(path.extension())),
            ])
        };
        Ok(Value::array(files.iter().map(describe).collect()))
    }

    fn environment(&self) -> Result<Value, Finding> {
        let name = self.constant(0)?.unwrap_or_default();
        if let Some(value) = self.compiler.world().variable(&name) {
            return Ok(Value::text(value));
        }
        match self.constant(1)? {
            Some(default) => Ok(Value::text(default)),
            None => {
                Err(self
                    .fault(0, &Fault::new("BCP427", format!("the environment variable `{name}` is not set"))))
            }
        }
    }
}

/// Bytes as text; a byte order mark says more than the name of an encoding.
fn decode<'b>(bytes: &'b [u8], encoding: &str) -> Cow<'b, str> {
    let wide = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| match pair {
            [a, b] => read([*a, *b]),
            _ => 0,
        });
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return String::from_utf8_lossy(rest),
        [0xFF, 0xFE, rest @ ..] => return wide(rest, u16::from_le_bytes).into(),
        [0xFE, 0xFF, rest @ ..] => return wide(rest, u16::from_be_bytes).into(),
        _ => {}
    }
    match encoding {
        "utf-16" => wide(bytes, u16::from_le_bytes).into(),
        "utf-16BE" => wide(bytes, u16::from_be_bytes).into(),
        "iso-8859-1" => bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into(),
        "us-ascii" => bytes
            .iter()
            .map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' })
            .collect::<String>()
            .into(),
        _ => String::from_utf8_lossy(bytes),
    }
}

fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let part = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for digit in 0..4 {
            if digit <= chunk.len() {
                let value = bits >> (18 - 6 * digit) & 63;
                text.push(char::from(DIGITS.get(value as usize).copied().unwrap_or(b'A')));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Tells whether a file name fits a pattern with `*` and `?`.
fn matches_pattern(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut place) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(place) {
            Some('*') => {
                retry = Some((place + 1, at));
                place += 1;
            }
            Some(expected) if *expected == '?' || name.get(at) == Some(expected) => {
                at += 1;
                place += 1;
            }
            _ => match &mut retry {
                Some((behind, from)) => {
                    *from += 1;
                    (place, at) = (*behind, *from);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(place).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_by_their_mark_or_the_named_encoding() {
        assert_eq!(decode(b"\xEF\xBB\xBFa", "utf-16"), "a");
        assert_eq!(decode(b"a\0b\0", "utf-16"), "ab");
        assert_eq!(decode(b"\0a\0b", "utf-16BE"), "ab");
        assert_eq!(decode(b"\xE9", "iso-8859-1"), "é");
        assert_eq!(decode(b"\xE9", "us-ascii"), "?");
    }

    #[test]
    fn base64_is_padded() {
        let encoded = ["", "f", "fo", "foo", "foob"].map(|text| encode_base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn patterns_have_two_wildcards() {
        assert!(
            matches_pattern("main.bicep", "*.bicep")
                && matches_pattern("a.b", "?.*")
                && matches_pattern("ab", "a*b*")
        );
        assert!(!matches_pattern("main.json", "*.bicep") && !matches_pattern("", "?"));
    }
}
