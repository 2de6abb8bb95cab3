//! Text in boxes: how wide it is, what fits, and what strangers may not make of it.

use diagnostics::printable;
use unicode_width::UnicodeWidthChar as _;

/// A font: one of the sizes that pictures use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    /// The size in pixels.
    pub(crate) size: i32,
    /// Whether it is bold.
    pub(crate) bold: bool,
}

pub(crate) const TITLE: Font = Font { size: 13, bold: true };
pub(crate) const LINE: Font = Font { size: 11, bold: false };
pub(crate) const SMALL: Font = Font { size: 10, bold: false };

/// The widths of the characters from blank to tilde in thousandths of the size. They are those of DejaVu Sans, which is wider than the
/// fonts that people have instead, so that what fits by this table fits in them.
const PLAIN: [u16; 95] = [
    317, 400, 459, 837, 636, 950, 779, 274, 390, 390, 500, 837, 317, 360, 317, 336, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 336, 336, 837, 837, 837, 530, 1000, 684, 686, 698, 770, 631, 575, 774, 751, 294,
    294, 655, 557, 862, 748, 787, 603, 787, 694, 634, 610, 731, 684, 988, 685, 610, 685, 390, 336, 390, 837,
    500, 500, 612, 634, 549, 634, 615, 352, 634, 633, 277, 277, 579, 277, 974, 633, 611, 634, 634, 411, 520,
    392, 633, 591, 817, 591, 591, 524, 636, 336, 636, 837,
];

/// The same for bold text.
const BOLD: [u16; 95] = [
    348, 456, 520, 837, 695, 1001, 872, 306, 457, 457, 522, 837, 379, 415, 379, 365, 695, 695, 695, 695, 695,
    695, 695, 695, 695, 695, 399, 399, 837, 837, 837, 580, 1000, 773, 762, 733, 830, 683, 683, 820, 836, 372,
    372, 774, 637, 995, 836, 850, 732, 850, 770, 720, 682, 812, 773, 1103, 770, 724, 725, 457, 365, 457, 837,
    500, 500, 674, 715, 592, 715, 678, 435, 715, 711, 342, 342, 665, 342, 1041, 711, 687, 715, 715, 493, 595,
    478, 711, 651, 923, 645, 651, 582, 711, 365, 711, 837,
];

/// What stands for what was cut out.
const CUT: char = '…';

/// How much of a text is looked at from either end: more never fits.
const LOOKED_AT: usize = 400;

/// How long the whole of a name may be where it is shown on demand.
const WHOLE: usize = 1_000;

/// A text that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// The text, safe to be shown.
    pub(crate) text: String,
    /// How wide it is, in pixels.
    pub(crate) width: i32,
    /// Whether it has characters of which the width is only an estimate.
    pub(crate) estimated: bool,
}

impl Font {
    /// How wide a character is, in thousandths of a pixel.
    fn advance(self, character: char) -> i64 {
        let table = if self.bold { &BOLD } else { &PLAIN };
        let known = u32::from(character).checked_sub(32).and_then(|at| table.get(usize::try_from(at).ok()?));
        let thousandths = match known {
            Some(width) => i64::from(*width),
            None => match (character, character.width()) {
                (CUT, _) => 1_000,
                (_, Some(0)) => 0,
                (_, Some(2)) => 1_400,
                (_, Some(_) | None) => 900,
            },
        };
        thousandths * i64::from(self.size)
    }

    /// How wide a text is, in pixels.
    pub(crate) fn width(self, text: &str) -> i32 {
        pixels(text.chars().map(|character| self.advance(character)).sum())
    }

    /// A text that is at most so wide; where it is wider, its middle is cut out.
    pub(crate) fn fit(self, text: &str, most: i32) -> Fitted {
        let text = shown(text, LOOKED_AT);
        let most = i64::from(most) * 1_000;
        let whole: i64 = text.chars().map(|character| self.advance(character)).sum();
        let text = if whole <= most { text } else { self.cut(&text, most) };
        let width = self.width(&text);
        let estimated = text.chars().any(|character| !character.is_ascii() && character != CUT);
        Fitted { text, width, estimated }
    }

    /// As much of the start and of the end as there is room for.
    fn cut(self, text: &str, most: i64) -> String {
        let characters: Vec<char> = text.chars().collect();
        let mut left = most - self.advance(CUT);
        let (mut start, mut end) = (0, characters.len());
        while start < end {
            let takes_start = start <= characters.len() - end;
            let next = if takes_start { characters.get(start) } else { characters.get(end - 1) };
            left -= next.map_or(0, |character| self.advance(*character));
            if left < 0 {
                break;
            }
            if takes_start { start += 1 } else { end -= 1 }
        }
        let front = characters.iter().take(start);
        front.chain([&CUT]).chain(characters.iter().skip(end)).collect()
    }
}

fn pixels(thousandths: i64) -> i32 {
    i32::try_from((thousandths + 999) / 1_000).unwrap_or(i32::MAX)
}

/// A text that people are shown on demand: all of it, unless it is absurdly long.
pub(crate) fn whole(text: &str) -> String {
    shown(text, WHOLE)
}

/// A text without power over what shows it, at most twice so many characters long.
fn shown(text: &str, half: usize) -> String {
    // What is looked at must not depend on how long the text is.
    let long = text.char_indices().nth(2 * half).is_some();
    let text = if long {
        let front: String = text.chars().take(half).collect();
        let back: Vec<char> = text.chars().rev().take(half).collect();
        let back: String = back.into_iter().rev().collect();
        printable(&format!("{front}{CUT}{back}")).into_owned()
    } else {
        printable(text).into_owned()
    };
    // Marks that pile up on one character would leave their box at the top.
    let mut piled = 0;
    let keeps = |character: &char| {
        piled = if character.width() == Some(0) { piled + 1 } else { 0 };
        piled <= 2 && !is_foreign(*character)
    };
    text.chars().filter(keeps).collect()
}

/// Characters that XML does not have.
fn is_foreign(character: char) -> bool {
    matches!(character, '\u{FFFE}' | '\u{FFFF}') || character.is_control()
}

/// Text in XML and HTML, between tags and in attributes.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_in_the_middle() {
        let fitted = LINE.fit("Microsoft.ContainerService/managedClusters", 160);
        assert_eq!(fitted.text, "Microsoft.Con…agedClusters");
        assert!(fitted.width <= 160 && !fitted.estimated);
        assert_eq!(LINE.fit("short", 160).text, "short");
        assert_eq!(LINE.fit("short", 0).text, "…");
    }

    #[test]
    fn whatever_a_name_holds_it_fits_and_has_no_power() {
        let piled = format!("a{}b", "\u{301}".repeat(500));
        let names = [
            "\u{202e}evil\u{0}\u{1b}[31m",
            "日本語の名前はとても長いことがあります",
            &piled,
            &"x".repeat(1 << 20),
        ];
        for name in names {
            for most in [0, 20, 100] {
                let fitted = TITLE.fit(name, most);
                assert!(fitted.width <= most.max(13), "{name:.40} {most} {fitted:?}");
                assert!(!fitted.text.contains(['\u{202e}', '\u{0}', '\u{1b}']));
            }
            assert!(whole(name).chars().count() <= 2 * WHOLE + 1);
        }
        assert_eq!(whole(&piled), "a\u{301}\u{301}b");
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(xml("<a b=\"c\">'&'"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#39;");
    }
}
