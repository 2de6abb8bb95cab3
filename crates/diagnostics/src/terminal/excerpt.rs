//! One source line as it is shown: cropped when it is long, tabs widened, controls made visible, secrets masked.

use std::ops::Range;

use crate::printable;

/// Lines of more characters than this are cropped.
const WHOLE: usize = 160;

/// The characters kept on both sides of each place of interest in a cropped line.
const AROUND: usize = 50;

const ELLIPSIS: char = '…';

/// What stands for a hidden part; its width says nothing about that of the part.
const MASK: &str = "********";

/// A line ready to print, and where its bytes went.
pub(super) struct Excerpt {
    /// The text to print.
    pub(super) text: String,
    /// For each character that is shown, its offset in the source and its first terminal column.
    stops: Vec<(u32, usize)>,
}

impl Excerpt {
    /// Takes the line at `line` out of `source`, keeping what is around the `points` and masking what is `hidden`.
    pub(super) fn new(source: &str, line: Range<u32>, points: &[u32], hidden: &[Range<u32>]) -> Excerpt {
        let mut hidden = hidden.iter().map(|part| part.start as usize..part.end as usize).peekable();
        let line = line.start as usize..line.end as usize;
        let mut shown = RenderedLine { text: String::new(), stops: Vec::new(), width: 0 };
        let mut done = line.start;
        // Whether the hidden part at hand is on the line already: one that was cropped in two is masked once.
        let mut masked = false;
        for piece in pieces(source, &line, points) {
            if done < piece.start {
                shown.push(done, ELLIPSIS);
            }
            for (at, character) in source.get(piece.clone()).unwrap_or_default().char_indices() {
                let at = piece.start + at;
                while hidden.next_if(|part| part.end <= at).is_some() {
                    masked = false;
                }
                match hidden.peek() {
                    Some(part) if part.contains(&at) => {
                        if !std::mem::replace(&mut masked, true) {
                            shown.mask(at);
                        }
                    }
                    _ => shown.push(at, character),
                }
            }
            done = piece.end;
        }
        if done < line.end {
            shown.push(done, ELLIPSIS);
        }
        shown.stop(line.end);
        Excerpt { text: shown.text, stops: shown.stops }
    }

    /// Returns the terminal column of an offset; what was cropped away is at its ellipsis.
    pub(super) fn column(&self, offset: u32) -> usize {
        let after = self.stops.partition_point(|(at, _)| *at <= offset);
        self.stops.get(after.saturating_sub(1)).map_or(0, |(_, column)| *column)
    }
}

struct RenderedLine {
    text: String,
    stops: Vec<(u32, usize)>,
    width: usize,
}

impl RenderedLine {
    fn push(&mut self, at: usize, character: char) {
        self.stop(at);
        self.width += printable::push(&mut self.text, character);
    }

    fn mask(&mut self, at: usize) {
        self.stop(at);
        self.text.push_str(MASK);
        self.width += MASK.len();
    }

    fn stop(&mut self, at: usize) {
        self.stops.push((u32::try_from(at).unwrap_or(u32::MAX), self.width));
    }
}

/// The parts of a line to show, in order and apart from each other. The cost depends on what is shown, not on the
/// length of the line.
fn pieces(source: &str, line: &Range<usize>, points: &[u32]) -> Vec<Range<usize>> {
    let text = source.get(line.clone()).unwrap_or_default();
    // A character has at most four bytes, so that most lines need no counting, and the longest none.
    if text.len() <= WHOLE || (text.len() <= WHOLE * 4 && text.chars().count() <= WHOLE) {
        return vec![line.clone()];
    }
    let mut points: Vec<usize> =
        points.iter().map(|point| (*point as usize).clamp(line.start, line.end) - line.start).collect();
    points.sort_unstable();
    if points.is_empty() {
        points.push(0);
    }
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for point in points {
        let Some((before, after)) = text.split_at_checked(point) else { continue };
        let start = before.char_indices().rev().take(AROUND).last().map_or(point, |(at, _)| at);
        let end = after.char_indices().nth(AROUND).map_or(text.len(), |(at, _)| point + at);
        match pieces.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => pieces.push(start..end),
        }
    }
    pieces.into_iter().map(|piece| line.start + piece.start..line.start + piece.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the shown text and the columns of the points.
    #[track_caller]
    fn check(line: &str, points: &[u32], expect: &str, columns: &[usize]) {
        let excerpt = Excerpt::new(line, 0..line.len() as u32, points, &[]);
        let found: Vec<_> = points.iter().map(|point| excerpt.column(*point)).collect();
        assert_eq!((excerpt.text.as_str(), found.as_slice()), (expect, columns));
    }

    #[test]
    fn a_normal_line_is_shown_whole() {
        check("var a = 1", &[4, 5, 9], "var a = 1", &[4, 5, 9]);
        check("", &[0], "", &[0]);
    }

    #[test]
    fn columns_follow_what_is_shown() {
        check("\tx", &[0, 1, 2], "    x", &[0, 4, 5]);
        check("語x", &[3], "語x", &[2]);
        check("a\u{1b}[0mx", &[1, 2, 5], "a␛[0mx", &[1, 2, 5]);
        check("\u{202e}x", &[3], "<U+202E>x", &[8]);
    }

    #[test]
    fn a_long_line_is_cropped_around_the_points() {
        let line = format!("{}!{}", "a".repeat(1000), "b".repeat(1000));
        let expect = format!("…{}!{}…", "a".repeat(50), "b".repeat(50));
        check(&line, &[1000, 1001], &expect, &[51, 52]);
    }

    #[test]
    fn points_far_apart_are_both_shown() {
        let line = format!("<{}>", "x".repeat(1000));
        let expect = format!("<{}…{}>", "x".repeat(49), "x".repeat(50));
        check(
            &line,
            &[0, 1001, 500],
            &format!("<{}…{}…{}>", "x".repeat(49), "x".repeat(100), "x".repeat(50)),
            &[0, 202, 101],
        );
        check(&line, &[0, 1001], &expect, &[0, 101]);
    }

    #[test]
    fn a_long_line_without_points_shows_its_beginning() {
        let line = "é".repeat(500);
        check(&line, &[], &format!("{}…", "é".repeat(50)), &[]);
    }

    #[test]
    fn a_line_of_wide_characters_just_fits() {
        let line = "😀".repeat(160);
        check(&line, &[640], &line, &[320]);
    }

    /// Checks the shown text when ranges are hidden, and the column of the line's end.
    #[track_caller]
    fn check_hidden(line: &str, hidden: &[Range<u32>], expect: &str, end: usize) {
        let excerpt = Excerpt::new(line, 0..line.len() as u32, &[0], hidden);
        assert_eq!((excerpt.text.as_str(), excerpt.column(line.len() as u32)), (expect, end));
    }

    #[test]
    fn a_hidden_part_has_the_same_width_whatever_its_length() {
        check_hidden("a = 'xyz' b", std::slice::from_ref(&(5..8)), "a = '********' b", 16);
        check_hidden("a = 'x' b", std::slice::from_ref(&(5..6)), "a = '********' b", 16);
        check_hidden("語y", &[0..3, 3..4], "****************", 16);
    }

    #[test]
    fn a_hidden_part_that_runs_over_the_line_masks_all_of_it() {
        check_hidden("abc", std::slice::from_ref(&(0..100)), "********", 8);
    }

    #[test]
    fn a_hidden_part_that_is_cropped_stays_hidden() {
        let line = format!("<{}>", "x".repeat(1000));
        let excerpt = Excerpt::new(&line, 0..1002, &[0, 1001], std::slice::from_ref(&(1..1001)));
        assert_eq!(excerpt.text, "<********…>");
    }
}
