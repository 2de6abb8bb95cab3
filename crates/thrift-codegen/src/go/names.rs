//! Go names as thriftgo gives them.
//!
//! Methods are written on somebody else's structs, so every name must come out as thriftgo 0.4 makes it: the
//! naming style first, then the struggle for names within a file and within a struct.

use std::collections::HashMap;

use thrift::FileId;
use thrift::idl::Requiredness;
use thrift::model::{Model, Struct, StructId, StructRole, Type};

/// How identifiers of the IDL become Go identifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NamingStyle {
    /// As thriftgo spells them without an option.
    #[default]
    Thriftgo,
    /// Near to what golint asks for.
    Golint,
    /// As the Apache compiler does it.
    Apache,
}

impl NamingStyle {
    /// Finds a style by the name that thriftgo's `naming_style` option has for it.
    pub fn find(name: &str) -> Option<NamingStyle> {
        match name {
            "thriftgo" => Some(NamingStyle::Thriftgo),
            "golint" => Some(NamingStyle::Golint),
            "apache" => Some(NamingStyle::Apache),
            _ => None,
        }
    }
}

/// The options of thriftgo that names depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The spelling of identifiers, `naming_style`.
    pub style: NamingStyle,
    /// Whether initialisms such as `ID` are spelt in capitals: no `ignore_initialisms`.
    pub initialisms: bool,
    /// Whether names that Go's own would hide get an underscore, `compatible_names`.
    pub compatible_names: bool,
    /// Whether fields have setters, `gen_setter`.
    pub setters: bool,
    /// Whether types have `DeepEqual`, `gen_deep_equal`.
    pub deep_equal: bool,
    /// Whether unknown fields are kept, `keep_unknown_fields`.
    pub unknown_fields: bool,
}

impl Default for Naming {
    /// thriftgo without options.
    fn default() -> Naming {
        Naming {
            style: NamingStyle::Thriftgo,
            initialisms: true,
            compatible_names: false,
            setters: false,
            deep_equal: false,
            unknown_fields: false,
        }
    }
}

const INITIALISMS: &[&str] = &[
    "ACL", "API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON",
    "LHS", "QPS", "RAM", "RHS", "RPC", "SLA", "SMTP", "SQL", "SSH", "TCP", "TLS", "TTL", "UDP", "UI", "UID",
    "UUID", "URI", "URL", "UTF8", "VM", "XML", "XMPP", "XSRF", "XSS",
];

fn initialism(word: &str) -> Option<String> {
    let upper = word.to_uppercase();
    INITIALISMS.contains(&upper.as_str()).then_some(upper)
}

fn upper_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

impl Naming {
    /// The Go form of a name, before anything else claims it.
    fn styled(&self, name: &str) -> String {
        match self.style {
            NamingStyle::Thriftgo => self.thriftgo(name),
            NamingStyle::Golint => self.golint(name),
            NamingStyle::Apache => self.apache(name),
        }
    }

    /// The Go form of a name that the IDL writes.
    fn identify(&self, name: &str) -> String {
        let mut styled = self.styled(name);
        let odd = styled.starts_with("New") || styled.ends_with("Args") || styled.ends_with("Result");
        if self.compatible_names && odd {
            styled.push('_');
        }
        styled
    }

    fn capitalised(&self, word: String) -> String {
        match self.initialisms {
            true => initialism(&word).unwrap_or(word),
            false => word,
        }
    }

    fn thriftgo(&self, name: &str) -> String {
        name.split('_')
            .map(|word| match word.chars().next() {
                None => "_".to_owned(),
                Some(first) if first.is_lowercase() => self.capitalised(upper_first(word)),
                Some(_) => word.to_owned(),
            })
            .collect()
    }

    fn apache(&self, name: &str) -> String {
        let (prefix, value) = name.rsplit_once('.').unwrap_or(("", name));
        let value = upper_first(value);
        let mut out = String::new();
        for (index, word) in value.split('_').enumerate() {
            match word.chars().next() {
                None => out.push('_'),
                Some(_) if index == 0 => out.push_str(&self.capitalised(word.to_owned())),
                Some(first) if first.is_lowercase() => out.push_str(&self.capitalised(upper_first(word))),
                Some(_) => {
                    out.push('_');
                    out.push_str(word);
                }
            }
        }
        if out.ends_with("Args") || out.ends_with("Result") {
            out.push('_');
        }
        format!("{prefix}{out}")
    }

    fn golint(&self, name: &str) -> String {
        let mut joined = String::new();
        for (index, word) in name.split('_').enumerate() {
            match word.bytes().next() {
                None => joined.push('_'),
                Some(b'A'..=b'Z' | b'0'..=b'9') if index > 0 => {
                    joined.push('_');
                    joined.push_str(word);
                }
                Some(_) => joined.push_str(&upper_first(word)),
            }
        }
        match self.initialisms && joined != "_" {
            true => Linted::default().run(&joined),
            false => joined,
        }
    }
}

/// Splits a name at underscores and changes of case and spells its initialisms in capitals.
#[derive(Default)]
struct Linted {
    words: Vec<String>,
    word: String,
    digit_end: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Start,
    Underscore,
    Lower,
    Other,
}

impl Linted {
    fn run(mut self, name: &str) -> String {
        let mut before = Letter::Start;
        for c in name.chars() {
            let kind = match c {
                '_' => Letter::Underscore,
                c if c.is_lowercase() => Letter::Lower,
                _ => Letter::Other,
            };
            match (before, kind) {
                (Letter::Underscore, Letter::Underscore) => continue,
                (Letter::Underscore, _) => {
                    // Kept are leading underscores and those between digits.
                    if self.words.is_empty() || (self.digit_end && c.is_numeric()) {
                        self.end_word();
                    } else {
                        self.word.clear();
                    }
                }
                (Letter::Lower, Letter::Underscore | Letter::Other) => self.end_word(),
                (Letter::Other, Letter::Underscore) => self.end_word(),
                _ => {}
            }
            self.word.push(c);
            before = kind;
        }
        let last = self.spelt();
        if last != "_" {
            self.words.push(last);
        }
        self.words.concat()
    }

    fn end_word(&mut self) {
        let word = self.spelt();
        self.digit_end = self.word.chars().next_back().is_some_and(char::is_numeric);
        self.words.push(word);
        self.word.clear();
    }

    fn spelt(&self) -> String {
        let word = self.word.as_str();
        if let Some(upper) = initialism(word) {
            let lower_start = word.chars().next().is_some_and(char::is_lowercase);
            return if self.words.is_empty() && lower_start { word.to_lowercase() } else { upper };
        }
        match !self.words.is_empty() && word.to_lowercase() == word {
            true => upper_first(word),
            false => word.to_owned(),
        }
    }
}

/// Names that are taken, each by somebody.
#[derive(Default)]
struct Claims {
    by_name: HashMap<String, String>,
}

impl Claims {
    /// Claims a name, or the name with underscores behind it if somebody else was first.
    fn add(&mut self, name: &str, who: &str) -> String {
        let mut claimed = name.to_owned();
        while self.by_name.get(&claimed).is_some_and(|owner| owner != who) {
            claimed.push('_');
        }
        self.by_name.insert(claimed.clone(), who.to_owned());
        claimed
    }
}

/// The Go names of structs and of their fields, by [`StructId`].
#[derive(Debug, Default)]
pub(super) struct GoNames {
    structs: HashMap<StructId, StructNames>,
}

#[derive(Debug)]
struct StructNames {
    name: String,
    fields: Vec<String>,
}

impl GoNames {
    /// Names everything in a program as thriftgo does.
    pub(super) fn of(model: &Model, files: u32, naming: &Naming) -> GoNames {
        let mut names = GoNames::default();
        for file in (0..files).map(FileId) {
            names.file(model, file, naming);
        }
        names
    }

    /// The name of a struct's type.
    pub(super) fn structure(&self, id: StructId) -> &str {
        self.structs.get(&id).map_or("", |names| &names.name)
    }

    /// The name of a field.
    pub(super) fn field(&self, id: StructId, position: usize) -> &str {
        self.structs.get(&id).and_then(|names| names.fields.get(position)).map_or("", String::as_str)
    }

    /// Whether a struct has a field with a Go name.
    pub(super) fn has_field(&self, id: StructId, name: &str) -> bool {
        self.structs.get(&id).is_some_and(|names| names.fields.iter().any(|field| field == name))
    }

    /// Every name that thriftgo declares in the package of a file.
    pub(super) fn package(&self, model: &Model, file: FileId, naming: &Naming) -> Vec<String> {
        let mut all = Vec::new();
        for (index, it) in model.structs.iter().enumerate().filter(|(_, it)| it.file == file) {
            let name = self.structure(StructId(index as u32));
            all.extend([name.to_owned(), format!("New{name}"), naming.identify(&it.name.text)]);
        }
        let mut add = |name: &str| {
            // Somebody else may have the name, and then this one has underscores behind it.
            let name = naming.identify(name);
            all.extend([format!("{name}_"), format!("{name}Ptr"), format!("{name}FromString"), name]);
        };
        model.enums.iter().filter(|it| it.file == file).for_each(|it| add(&it.name.text));
        model.typedefs.iter().filter(|it| it.file == file).for_each(|it| add(&it.name.text));
        model.consts.iter().filter(|it| it.file == file).for_each(|it| add(&it.name.text));
        for it in model.enums.iter().filter(|it| it.file == file) {
            let name = naming.identify(&it.name.text);
            all.extend(it.members.iter().map(|member| format!("{name}_{}", member.name.text)));
        }
        for service in model.services.iter().filter(|service| service.file == file) {
            let name = naming.identify(&service.name.text);
            let mut letters = name.chars();
            let lower: String =
                letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
            // They have functions behind them: `shopProcessorBuy`.
            all.push(format!("{lower}Processor"));
            let parts = ["", "Client", "Processor"];
            all.extend(parts.iter().flat_map(|part| [format!("{name}{part}"), format!("New{name}{part}")]));
        }
        all
    }

    // UPSTREAM: services come first, then structs, unions, exceptions; enums, typedefs and constants have to
    // take what is left, so they cannot change the names that matter here.
    fn file(&mut self, model: &Model, file: FileId, naming: &Naming) {
        let mut globals = Claims::default();
        for service in model.services.iter().filter(|service| service.file == file) {
            let name = naming.identify(&service.name.text);
            let name = globals.add(&name, &service.name.text);
            for function in &service.functions {
                for (id, suffix) in [(Some(function.arguments), "_args"), (function.result, "_result")] {
                    let Some(id) = id else { continue };
                    let part = naming.styled(&format!("{}{suffix}", function.name.text));
                    let wanted = naming.styled(&format!("{}{part}", service.name.text));
                    self.structure_of(model, id, &wanted, &mut globals, naming);
                }
            }
            globals.add(&format!("{name}Client"), &format!("$client:{}", service.name.text));
            globals.add(&format!("{name}Processor"), &format!("$processor:{}", service.name.text));
        }
        for role in [StructRole::Struct, StructRole::Union, StructRole::Exception] {
            for (index, it) in model.structs.iter().enumerate() {
                if it.file == file && it.role == role {
                    let wanted = naming.identify(&it.name.text);
                    self.structure_of(model, StructId(index as u32), &wanted, &mut globals, naming);
                }
            }
        }
    }

    fn structure_of(
        &mut self,
        model: &Model,
        id: StructId,
        wanted: &str,
        globals: &mut Claims,
        naming: &Naming,
    ) {
        let it = &model[id];
        let name = globals.add(wanted, &it.name.text);
        globals.add(&format!("New{name}"), &format!("$new:{}", it.name.text));
        let fields = fields(model, it, naming);
        self.structs.insert(id, StructNames { name, fields });
    }
}

fn fields(model: &Model, it: &Struct, naming: &Naming) -> Vec<String> {
    let mut claims = Claims::default();
    let mut methods = vec!["Read", "Write", "String"];
    match it.role {
        StructRole::Union => methods.push("CountSetFields"),
        StructRole::Exception => methods.push("Error"),
        StructRole::Struct | StructRole::Arguments | StructRole::Result => {}
    }
    if naming.unknown_fields {
        methods.push("CarryingUnknownFields");
    }
    if naming.deep_equal {
        methods.push("DeepEqual");
    }
    for method in methods {
        claims.add(method, &format!("${method}"));
    }
    for field in &it.fields {
        let (raw, name) = (&field.name.text, naming.identify(&field.name.text));
        claims.add(&format!("Get{name}"), &format!("$get:{raw}"));
        if naming.setters {
            claims.add(&format!("Set{name}"), &format!("$set:{raw}"));
        }
        let is_struct = matches!(model.real(field.ty), Type::Struct(_));
        if is_struct || field.requiredness == Requiredness::Optional {
            claims.add(&format!("IsSet{name}"), &format!("$isset:{raw}"));
        }
        let id = match field.id {
            id @ ..0 => format!("_{}", id.unsigned_abs()),
            id => id.to_string(),
        };
        claims.add(&format!("ReadField{id}"), &format!("$read:{id}"));
        claims.add(&format!("writeField{id}"), &format!("$write:{id}"));
        if naming.deep_equal {
            claims.add(&format!("Field{id}DeepEqual"), &format!("$deepequal:{id}"));
        }
    }
    it.fields.iter().map(|field| claims.add(&naming.identify(&field.name.text), &field.name.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(style: NamingStyle, initialisms: bool, cases: &[(&str, &str)]) {
        let naming = Naming { style, initialisms, ..Naming::default() };
        for (name, expected) in cases {
            assert_eq!(naming.styled(name), *expected, "{name}");
        }
    }

    #[test]
    fn thriftgo_keeps_words_that_start_with_a_capital() {
        check(
            NamingStyle::Thriftgo,
            true,
            &[
                ("user_id", "UserID"),
                ("userId", "UserId"),
                ("Id", "Id"),
                ("a_B_c", "ABC"),
                ("_x", "_X"),
                ("a__b", "A_B"),
            ],
        );
        check(NamingStyle::Thriftgo, false, &[("user_id", "UserId"), ("url", "Url")]);
    }

    #[test]
    fn golint_splits_at_changes_of_case() {
        check(
            NamingStyle::Golint,
            true,
            &[
                ("userId", "UserID"),
                ("foo_WiFi", "FooWiFi"),
                ("___Leading", "_Leading"),
                ("trailing_", "Trailing"),
                ("case3__1", "Case3_1"),
                ("id_2_app_2_url", "ID2App2Url"),
                ("version_2_3_4_alpha_1", "Version2_3_4Alpha1"),
                ("IEEE802_16bit", "IEEE802_16bit"),
            ],
        );
        check(
            NamingStyle::Golint,
            false,
            &[("foo_WiFi", "Foo_WiFi"), ("a__b", "A_B"), ("_Leading", "__Leading")],
        );
    }

    #[test]
    fn apache_marks_what_could_be_arguments_or_a_result() {
        check(
            NamingStyle::Apache,
            true,
            &[("a_b", "AB"), ("a_", "A_"), ("my_args", "MyArgs_"), ("url_x", "URLX"), ("x_Y", "X_Y")],
        );
    }
}
