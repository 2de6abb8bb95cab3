//! Integers in .NET's standard and custom numeric formats, in the invariant culture.

/// The most digits that a format may ask for.
const MAX_PRECISION: usize = 1_000;

/// An integer in a format such as `D4`, `N0`, `X8` or `000-000`.
pub(super) fn integer(value: i64, format: &str) -> Result<String, String> {
    let mut characters = format.chars();
    let Some(letter) = characters.next() else { return Ok(value.to_string()) };
    let digits = characters.as_str();
    if !letter.is_ascii_alphabetic() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(custom(value, format));
    }
    let precision = match digits {
        "" => None,
        digits => match digits.parse::<usize>() {
            Ok(precision) if precision <= MAX_PRECISION => Some(precision),
            _ => return Err(format!("`{format}` asks for more than {MAX_PRECISION} digits")),
        },
    };
    let sign = if value < 0 { "-" } else { "" };
    let magnitude = value.unsigned_abs().to_string();
    Ok(match letter.to_ascii_uppercase() {
        'D' => format!("{sign}{magnitude:0>width$}", width = precision.unwrap_or(0)),
        'G' if precision.is_none_or(|precision| precision == 0 || precision >= magnitude.len()) => {
            format!("{sign}{magnitude}")
        }
        'G' | 'E' => scientific(value, letter, precision),
        'F' => format!("{sign}{magnitude}{}", fraction(precision.unwrap_or(2))),
        'N' => format!("{sign}{}{}", grouped(&magnitude), fraction(precision.unwrap_or(2))),
        'C' if value < 0 => format!("(¤{}{})", grouped(&magnitude), fraction(precision.unwrap_or(2))),
        'C' => format!("¤{}{}", grouped(&magnitude), fraction(precision.unwrap_or(2))),
        'P' => {
            let hundred = (i128::from(value) * 100).unsigned_abs().to_string();
            format!("{sign}{}{} %", grouped(&hundred), fraction(precision.unwrap_or(2)))
        }
        'X' if letter == 'X' => format!("{value:0>width$X}", width = precision.unwrap_or(0)),
        'X' => format!("{value:0>width$x}", width = precision.unwrap_or(0)),
        'B' => format!("{value:0>width$b}", width = precision.unwrap_or(0)),
        _ => return Err(format!("there is no numeric format `{format}`")),
    })
}

fn fraction(digits: usize) -> String {
    if digits == 0 { String::new() } else { format!(".{}", "0".repeat(digits)) }
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.234568E+006`, or the shorter form of `G`.
fn scientific(value: i64, letter: char, precision: Option<usize>) -> String {
    let general = letter.eq_ignore_ascii_case(&'g');
    let precision = if general { precision.unwrap_or(1).max(1) - 1 } else { precision.unwrap_or(6) };
    let text = format!("{:.precision$e}", value as f64);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mark = if general == letter.is_lowercase() && general || letter == 'e' { 'e' } else { 'E' };
    let mantissa = if general && mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let width = if general { 2 } else { 3 };
    format!("{mantissa}{mark}{}{:0width$}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// A mask of `0`, `#`, `,`, `.`, `%` and text, with up to three sections for positive, negative and zero.
fn custom(value: i64, format: &str) -> String {
    let sections = sections(format);
    let section = |at: usize| sections.get(at).copied().filter(|section| !section.is_empty());
    let (mask, sign) = match value {
        0 => (section(2).or(section(0)), ""),
        1.. => (section(0), ""),
        _ => match section(1) {
            Some(mask) => (Some(mask), ""),
            None => (section(0), "-"),
        },
    };
    let Some(mask) = mask else { return sign.to_owned() };
    let parts = parts(mask);
    let before = parts.iter().take_while(|part| !matches!(part, FormatPart::Point));
    let places = before.clone().filter(|part| part.is_digit()).count();
    let grouping = is_grouped(&parts);
    let scale = parts.iter().filter(|part| matches!(part, FormatPart::Percent)).count() as u32;
    let mut magnitude = u128::from(value.unsigned_abs()) * 100_u128.pow(scale.min(8));
    // Commas behind the last digit divide by a thousand each.
    let commas = |part: &FormatPart| matches!(part, FormatPart::Comma);
    let last_digit = before.clone().enumerate().filter(|(_, part)| part.is_digit()).map(|(at, _)| at).last();
    let trailing = before.clone().skip(last_digit.map_or(0, |at| at + 1)).filter(|part| commas(part)).count();
    for _ in 0..trailing.min(12) {
        magnitude = (magnitude + 500) / 1000;
    }
    let digits = if magnitude == 0 { String::new() } else { magnitude.to_string() };
    let required = before
        .clone()
        .position(|part| matches!(part, FormatPart::Zero))
        .map_or(0, |first| before.clone().skip(first).filter(|part| part.is_digit()).count());
    let padded = format!("{digits:0>required$}");
    let mut digits: std::collections::VecDeque<char> = padded.chars().collect();
    let mut out = sign.to_owned();
    let mut place = 0;
    let mut behind = false;
    for part in &parts {
        match part {
            FormatPart::Zero | FormatPart::Digit if behind => {
                if matches!(part, FormatPart::Zero) {
                    out.push('0');
                }
            }
            FormatPart::Zero | FormatPart::Digit => {
                // The first place takes all digits that the others have no room for.
                let take = if place == 0 { digits.len().saturating_sub(places - 1) } else { 1 };
                let left_over = places - place - 1;
                for _ in 0..take {
                    if digits.len() > left_over
                        && let Some(digit) = digits.pop_front()
                    {
                        out.push(digit);
                        if grouping && !digits.is_empty() && digits.len().is_multiple_of(3) {
                            out.push(',');
                        }
                    }
                }
                place += 1;
            }
            FormatPart::Point => {
                behind = true;
                if parts
                    .iter()
                    .skip_while(|part| !matches!(part, FormatPart::Point))
                    .any(|part| matches!(part, FormatPart::Zero))
                {
                    out.push('.');
                }
            }
            FormatPart::Comma => {}
            FormatPart::Percent => out.push('%'),
            FormatPart::Text(c) => out.push(*c),
        }
    }
    out
}

enum FormatPart {
    Zero,
    Digit,
    Point,
    Comma,
    Percent,
    Text(char),
}

impl FormatPart {
    fn is_digit(&self) -> bool {
        matches!(self, FormatPart::Zero | FormatPart::Digit)
    }
}

fn parts(mask: &str) -> Vec<FormatPart> {
    let mut parts = Vec::new();
    let mut characters = mask.chars();
    let mut point = false;
    while let Some(c) = characters.next() {
        parts.push(match c {
            '0' => FormatPart::Zero,
            '#' => FormatPart::Digit,
            '.' if !point => {
                point = true;
                FormatPart::Point
            }
            '.' => continue,
            ',' => FormatPart::Comma,
            '%' => FormatPart::Percent,
            '\\' => match characters.next() {
                Some(c) => FormatPart::Text(c),
                None => FormatPart::Text('\\'),
            },
            '\'' | '"' => {
                for inner in characters.by_ref().take_while(|inner| *inner != c) {
                    parts.push(FormatPart::Text(inner));
                }
                continue;
            }
            c => FormatPart::Text(c),
        });
    }
    parts
}

/// A comma between two digits asks for groups of three.
fn is_grouped(parts: &[FormatPart]) -> bool {
    let digit = FormatPart::is_digit;
    let first = parts.iter().position(digit);
    let last = parts.iter().take_while(|part| !matches!(part, FormatPart::Point)).collect::<Vec<_>>();
    let last = last.iter().rposition(|part| digit(part));
    match (first, last) {
        (Some(first), Some(last)) => parts
            .iter()
            .enumerate()
            .any(|(at, part)| matches!(part, FormatPart::Comma) && first < at && at < last),
        _ => false,
    }
}

/// Splits a mask at the semicolons that are not quoted.
fn sections(format: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let mut from = 0;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in format.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None, '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, ';') => {
                sections.push(format.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    sections.push(format.get(from..).unwrap_or_default());
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn formats(value: i64, format: &str, expected: &str) {
        assert_eq!(integer(value, format).unwrap(), expected, "{value:?} {format}");
    }

    #[test]
    fn standard_formats() {
        formats(8_175_133, "N0", "8,175,133");
        formats(-1234, "N", "-1,234.00");
        formats(7, "D4", "0007");
        formats(-7, "D4", "-0007");
        formats(255, "X", "FF");
        formats(255, "x4", "00ff");
        formats(-1, "X", "FFFFFFFFFFFFFFFF");
        formats(42, "F1", "42.0");
        formats(42, "G", "42");
        formats(1_234_567, "E2", "1.23E+006");
        formats(1_234_567, "e3", "1.235e+006");
        formats(12, "P0", "1,200 %");
        formats(5, "", "5");
        assert!(integer(5, "Q3").is_err());
        assert!(integer(5, "D999999999").is_err());
    }

    #[test]
    fn custom_masks() {
        formats(5, "0000", "0005");
        formats(12345, "0000", "12345");
        formats(5, "####", "5");
        formats(0, "####", "");
        formats(1_234_567, "#,##0", "1,234,567");
        formats(1_234_567, "000-0000", "123-4567");
        formats(-5, "000", "-005");
        formats(-5, "0;(0)", "(5)");
        formats(0, "0;(0);zero", "zero");
        formats(5, "'v'0.00", "v5.00");
        formats(5, "0%", "500%");
        formats(1_234_000, "0,K", "1234K");
    }
}
