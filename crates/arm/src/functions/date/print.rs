//! Dates in .NET's standard and custom formats, in the invariant culture.

use super::calendar::Civil;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The date in a format; none if there is no such format.
pub(super) fn print(civil: &Civil, format: &str) -> Option<String> {
    let mut characters = format.chars();
    match (characters.next(), characters.next()) {
        (None, _) => custom(civil, "MM/dd/yyyy HH:mm:ss"),
        (Some(letter), None) => custom(civil, standard(letter)?),
        _ => custom(civil, format),
    }
}

/// The custom format that a standard one stands for.
fn standard(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "MM/dd/yyyy",
        'D' => "dddd, dd MMMM yyyy",
        'f' => "dddd, dd MMMM yyyy HH:mm",
        'F' | 'U' => "dddd, dd MMMM yyyy HH:mm:ss",
        'g' => "MM/dd/yyyy HH:mm",
        'G' => "MM/dd/yyyy HH:mm:ss",
        'm' | 'M' => "MMMM dd",
        'o' | 'O' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK",
        'r' | 'R' => "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'",
        's' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss",
        't' => "HH:mm",
        'T' => "HH:mm:ss",
        'u' => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'",
        'y' | 'Y' => "yyyy MMMM",
        _ => return None,
    })
}

fn custom(civil: &Civil, format: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = format.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => out.push(rest.next()?),
            '\'' | '"' => loop {
                match rest.next()? {
                    c if c == letter => break,
                    '\\' => out.push(rest.next()?),
                    c => out.push(c),
                }
            },
            // Lets a custom format have one letter only.
            '%' => {}
            'd' | 'f' | 'F' | 'g' | 'h' | 'H' | 'K' | 'm' | 'M' | 's' | 't' | 'y' | 'z' => {
                let mut count = 1;
                let mut ahead = rest.clone();
                while ahead.next() == Some(letter) && letter != 'K' {
                    count += 1;
                    rest.next();
                }
                part(civil, letter, count, &mut out)?;
            }
            c => out.push(c),
        }
    }
    Some(out)
}

/// Writes the part of a date that a letter, so many times, stands for.
fn part(civil: &Civil, letter: char, count: usize, out: &mut String) -> Option<()> {
    let name = |names: &[&'static str], at: u32| names.get(at as usize).copied().unwrap_or_default();
    let hour = if civil.hour.is_multiple_of(12) { 12 } else { civil.hour % 12 };
    let half = if civil.hour < 12 { "AM" } else { "PM" };
    match (letter, count) {
        ('d', 1 | 2) => number(civil.day, count, out),
        ('d', 3) => out.push_str(name(&DAYS, civil.weekday).get(..3)?),
        ('d', _) => out.push_str(name(&DAYS, civil.weekday)),
        ('f', 1..=7) => out.push_str(fraction(civil, count).as_str()),
        ('F', 1..=7) => {
            let digits = fraction(civil, count);
            let digits = digits.trim_end_matches('0');
            if digits.is_empty() && out.ends_with('.') {
                out.pop();
            }
            out.push_str(digits);
        }
        ('f' | 'F', _) => return None,
        ('g', _) => out.push_str("A.D."),
        ('h', _) => number(hour, count.min(2), out),
        ('H', _) => number(civil.hour, count.min(2), out),
        ('K', _) => out.push('Z'),
        ('m', _) => number(civil.minute, count.min(2), out),
        ('M', 1 | 2) => number(civil.month, count, out),
        ('M', 3) => out.push_str(name(&MONTHS, civil.month - 1).get(..3)?),
        ('M', _) => out.push_str(name(&MONTHS, civil.month - 1)),
        ('s', _) => number(civil.second, count.min(2), out),
        ('t', 1) => out.push_str(half.get(..1)?),
        ('t', _) => out.push_str(half),
        ('y', 1 | 2) => number((civil.year % 100) as u32, count, out),
        ('y', _) => number(civil.year as u32, count.min(100), out),
        ('z', 1) => out.push_str("+0"),
        ('z', 2) => out.push_str("+00"),
        ('z', _) => out.push_str("+00:00"),
        _ => return None,
    }
    Some(())
}

fn number(number: u32, width: usize, out: &mut String) {
    out.push_str(&format!("{number:0width$}"));
}

fn fraction(civil: &Civil, digits: usize) -> String {
    let mut text = format!("{:07}", civil.ticks);
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Moment;

    #[track_caller]
    fn prints(format: &str, expected: &str) {
        let civil = Civil::of(Moment { seconds: 1_680_224_438, ticks: 2_500_000 }).unwrap();
        assert_eq!(print(&civil, format).as_deref(), Some(expected), "{format}");
    }

    #[test]
    fn standard_formats() {
        prints("d", "03/31/2023");
        prints("D", "Friday, 31 March 2023");
        prints("o", "2023-03-31T01:00:38.2500000Z");
        prints("r", "Fri, 31 Mar 2023 01:00:38 GMT");
        prints("s", "2023-03-31T01:00:38");
        prints("u", "2023-03-31 01:00:38Z");
        prints("", "03/31/2023 01:00:38");
        let civil = Civil::of(Moment { seconds: 0, ticks: 0 }).unwrap();
        assert_eq!(print(&civil, "Q"), None);
    }

    #[test]
    fn custom_formats() {
        prints("yyyyMMddTHHmmssZ", "20230331T010038Z");
        prints("M d", "3 31");
        prints("yy-M-d h:m:s tt", "23-3-31 1:0:38 AM");
        prints("ddd MMM 'of' yyyy \\d", "Fri Mar of 2023 d");
        prints("ss.FFFF|ss.ff|zzz", "38.25|38.25|+00:00");
    }
}
