//! Names for sets of characters: POSIX classes, Unicode categories, scripts and properties.
//!
//! The members come from the Unicode tables of `regex-syntax`; which names exist, and how they may be spelled, is each
//! dialect's own affair and is listed here.

use regex_syntax::hir::{Class, HirKind};

use super::set::CharSet;

/// POSIX class names with their ASCII members. `word` is not POSIX but RE2 has it.
const POSIX_ASCII: &[(&str, &[(char, char)])] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("ascii", &[('\0', '\x7F')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("cntrl", &[('\0', '\x1F'), ('\x7F', '\x7F')]),
    ("digit", &[('0', '9')]),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("word", &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// POSIX class names with what they hold beyond ASCII in a Unicode locale of the GNU C library; an empty text is nothing.
const POSIX_WIDE: &[(&str, &str)] = &[
    ("alnum", r"[\p{Alphabetic}\p{Nd}]"),
    ("alpha", r"[\p{Alphabetic}\p{Nd}]"),
    ("blank", r"[\p{Zs}--[\u{A0}\u{2007}\u{202F}]]"),
    ("cntrl", r"[\p{Cc}\u{2028}\u{2029}]"),
    ("digit", ""),
    ("graph", r"[[^\p{Cc}\p{Cn}\p{Z}]\u{A0}\u{2007}\u{202F}]"),
    ("lower", r"[\p{Lowercase}\u{1C5}\u{1C8}\u{1CB}\u{1F2}]"),
    ("print", r"[^\p{Cc}\p{Cn}\u{2028}\u{2029}]"),
    ("punct", r"[[^\p{Cc}\p{Cn}\p{Z}\p{Alphabetic}\p{Nd}]\u{A0}\u{2007}\u{202F}]"),
    ("space", r"[\p{White_Space}--[\u{85}\u{A0}\u{2007}\u{202F}]]"),
    ("upper", r"[\p{Uppercase}\p{Lt}]"),
    ("xdigit", ""),
];

/// General categories: the short name and the long one. RE2 and ECMAScript know both.
const CATEGORIES: &[(&str, &str)] = &[
    ("C", "Other"),
    ("Cc", "Control"),
    ("Cf", "Format"),
    ("Cn", "Unassigned"),
    ("Co", "Private_Use"),
    ("Cs", "Surrogate"),
    ("L", "Letter"),
    ("LC", "Cased_Letter"),
    ("Ll", "Lowercase_Letter"),
    ("Lm", "Modifier_Letter"),
    ("Lo", "Other_Letter"),
    ("Lt", "Titlecase_Letter"),
    ("Lu", "Uppercase_Letter"),
    ("M", "Mark"),
    ("Mc", "Spacing_Mark"),
    ("Me", "Enclosing_Mark"),
    ("Mn", "Nonspacing_Mark"),
    ("N", "Number"),
    ("Nd", "Decimal_Number"),
    ("Nl", "Letter_Number"),
    ("No", "Other_Number"),
    ("P", "Punctuation"),
    ("Pc", "Connector_Punctuation"),
    ("Pd", "Dash_Punctuation"),
    ("Pe", "Close_Punctuation"),
    ("Pf", "Final_Punctuation"),
    ("Pi", "Initial_Punctuation"),
    ("Po", "Other_Punctuation"),
    ("Ps", "Open_Punctuation"),
    ("S", "Symbol"),
    ("Sc", "Currency_Symbol"),
    ("Sk", "Modifier_Symbol"),
    ("Sm", "Math_Symbol"),
    ("So", "Other_Symbol"),
    ("Z", "Separator"),
    ("Zl", "Line_Separator"),
    ("Zp", "Paragraph_Separator"),
    ("Zs", "Space_Separator"),
    // Further names of categories above.
    ("M", "Combining_Mark"),
    ("Cc", "cntrl"),
    ("Nd", "digit"),
    ("P", "punct"),
];

/// Scripts that Go's `regexp` knows. It compares names with underscores removed against names that have them, so scripts of
/// more than one word cannot be written there, and are not listed.
const GO_SCRIPTS: &[&str] = &[
    "Adlam",
    "Ahom",
    "Arabic",
    "Armenian",
    "Avestan",
    "Balinese",
    "Bamum",
    "Batak",
    "Bengali",
    "Bhaiksuki",
    "Bopomofo",
    "Brahmi",
    "Braille",
    "Buginese",
    "Buhid",
    "Carian",
    "Chakma",
    "Cham",
    "Cherokee",
    "Chorasmian",
    "Common",
    "Coptic",
    "Cuneiform",
    "Cypriot",
    "Cyrillic",
    "Deseret",
    "Devanagari",
    "Dogra",
    "Duployan",
    "Elbasan",
    "Elymaic",
    "Ethiopic",
    "Georgian",
    "Glagolitic",
    "Gothic",
    "Grantha",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Han",
    "Hangul",
    "Hanunoo",
    "Hatran",
    "Hebrew",
    "Hiragana",
    "Inherited",
    "Javanese",
    "Kaithi",
    "Kannada",
    "Katakana",
    "Kawi",
    "Kharoshthi",
    "Khmer",
    "Khojki",
    "Khudawadi",
    "Lao",
    "Latin",
    "Lepcha",
    "Limbu",
    "Lisu",
    "Lycian",
    "Lydian",
    "Mahajani",
    "Makasar",
    "Malayalam",
    "Mandaic",
    "Manichaean",
    "Marchen",
    "Medefaidrin",
    "Miao",
    "Modi",
    "Mongolian",
    "Mro",
    "Multani",
    "Myanmar",
    "Nabataean",
    "Nandinagari",
    "Newa",
    "Nko",
    "Nushu",
    "Ogham",
    "Oriya",
    "Osage",
    "Osmanya",
    "Palmyrene",
    "Phoenician",
    "Rejang",
    "Runic",
    "Samaritan",
    "Saurashtra",
    "Sharada",
    "Shavian",
    "Siddham",
    "Sinhala",
    "Sogdian",
    "Soyombo",
    "Sundanese",
    "Syriac",
    "Tagalog",
    "Tagbanwa",
    "Takri",
    "Tamil",
    "Tangsa",
    "Tangut",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
    "Tifinagh",
    "Tirhuta",
    "Toto",
    "Ugaritic",
    "Vai",
    "Vithkuqi",
    "Wancho",
    "Yezidi",
    "Yi",
];

/// Properties that hold or do not hold, as ECMAScript spells them: the long name and the short one.
const ECMA_BINARY: &[(&str, &str)] = &[
    ("ASCII", ""),
    ("ASCII_Hex_Digit", "AHex"),
    ("Alphabetic", "Alpha"),
    ("Any", ""),
    ("Assigned", ""),
    ("Bidi_Control", "Bidi_C"),
    ("Case_Ignorable", "CI"),
    ("Cased", ""),
    ("Changes_When_Casefolded", "CWCF"),
    ("Changes_When_Casemapped", "CWCM"),
    ("Changes_When_Lowercased", "CWL"),
    ("Changes_When_Titlecased", "CWT"),
    ("Changes_When_Uppercased", "CWU"),
    ("Dash", ""),
    ("Default_Ignorable_Code_Point", "DI"),
    ("Deprecated", "Dep"),
    ("Diacritic", "Dia"),
    ("Emoji", ""),
    ("Emoji_Component", "EComp"),
    ("Emoji_Modifier", "EMod"),
    ("Emoji_Modifier_Base", "EBase"),
    ("Emoji_Presentation", "EPres"),
    ("Extended_Pictographic", "ExtPict"),
    ("Extender", "Ext"),
    ("Grapheme_Base", "Gr_Base"),
    ("Grapheme_Extend", "Gr_Ext"),
    ("Hex_Digit", "Hex"),
    ("IDS_Binary_Operator", "IDSB"),
    ("IDS_Trinary_Operator", "IDST"),
    ("ID_Continue", "IDC"),
    ("ID_Start", "IDS"),
    ("Ideographic", "Ideo"),
    ("Join_Control", "Join_C"),
    ("Logical_Order_Exception", "LOE"),
    ("Lowercase", "Lower"),
    ("Math", ""),
    ("Noncharacter_Code_Point", "NChar"),
    ("Pattern_Syntax", "Pat_Syn"),
    ("Pattern_White_Space", "Pat_WS"),
    ("Quotation_Mark", "QMark"),
    ("Radical", ""),
    ("Regional_Indicator", "RI"),
    ("Sentence_Terminal", "STerm"),
    ("Soft_Dotted", "SD"),
    ("Terminal_Punctuation", "Term"),
    ("Unified_Ideograph", "UIdeo"),
    ("Uppercase", "Upper"),
    ("Variation_Selector", "VS"),
    ("White_Space", "space"),
    ("XID_Continue", "XIDC"),
    ("XID_Start", "XIDS"),
];

/// The ASCII members of a POSIX class.
pub(super) fn posix_ascii(name: &str) -> Option<CharSet> {
    let (_, ranges) = POSIX_ASCII.iter().find(|(known, _)| *known == name)?;
    Some(CharSet::ascii(ranges))
}

/// The members of a POSIX class in a Unicode locale.
pub(super) fn posix_unicode(name: &str) -> Option<CharSet> {
    let (_, wide) = POSIX_WIDE.iter().find(|(known, _)| *known == name)?;
    let mut set = posix_ascii(name)?;
    if !wide.is_empty() {
        for &(lo, hi) in members(wide)?.wide() {
            set.add_range(lo, hi);
        }
    }
    Some(set)
}

/// The set RE2 means by `\p{name}`: a category or a script, in any case, with `_`, `-` and spaces ignored.
pub(super) fn re2_property(name: &str) -> Option<CharSet> {
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect();
    let is = |known: &str| known.bytes().filter(|b| *b != b'_').eq_ignore_case(plain.bytes());
    if let Some(special) = ["Any", "Assigned", "ASCII"].into_iter().find(|known| is(known)) {
        return members(&format!(r"\p{{{special}}}"));
    }
    if let Some((short, _)) = CATEGORIES.iter().find(|(short, long)| is(short) || is(long)) {
        return category(short);
    }
    let script = GO_SCRIPTS.iter().find(|known| is(known))?;
    members(&format!(r"\p{{sc={script}}}"))
}

/// The set ECMAScript means by `\p{text}`, where `text` is a lone name or `Property=Value`, spelled exactly.
pub(super) fn ecma_property(text: &str) -> Option<CharSet> {
    let known = |names: &[(&str, &str)], name: &str| {
        names.iter().any(|(a, b)| !name.is_empty() && (*a == name || *b == name))
    };
    match text.split_once('=') {
        None if known(ECMA_BINARY, text) => members(&format!(r"\p{{{text}}}")),
        None | Some(("General_Category" | "gc", _)) => {
            let name = text.rsplit('=').next()?;
            let (short, _) = CATEGORIES.iter().find(|(short, long)| *short == name || *long == name)?;
            category(short)
        }
        Some(("Script" | "sc", name)) if is_script_name(name) => members(&format!(r"\p{{sc={name}}}")),
        Some(("Script_Extensions" | "scx", name)) if is_script_name(name) => {
            members(&format!(r"\p{{scx={name}}}"))
        }
        Some(_) => None,
    }
}

/// Whether `name` is spelled as the Unicode database spells scripts: capitalised words joined by `_`.
fn is_script_name(name: &str) -> bool {
    name == "SignWriting"
        || name.split('_').all(|word| {
            let mut letters = word.chars();
            letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.all(|c| c.is_ascii_lowercase())
        })
}

fn category(short: &str) -> Option<CharSet> {
    // Surrogates exist in the tables only; text never holds one.
    if short == "Cs" { Some(CharSet::default()) } else { members(&format!(r"\p{{gc={short}}}")) }
}

/// The set of characters that a class in `regex-syntax` notation stands for.
fn members(class: &str) -> Option<CharSet> {
    match regex_syntax::parse(class).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(CharSet::from_class(&class)),
        // A class with one member comes back as that member.
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            chars.next().map(CharSet::single)
        }
        _ => None,
    }
}

trait EqIgnoreCase: Iterator<Item = u8> + Sized {
    fn eq_ignore_case(self, other: impl Iterator<Item = u8>) -> bool {
        self.map(|b| b.to_ascii_lowercase()).eq(other.map(|b| b.to_ascii_lowercase()))
    }
}

impl<I: Iterator<Item = u8>> EqIgnoreCase for I {}
