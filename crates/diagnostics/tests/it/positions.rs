//! Line and column arithmetic holds for any text and any offset.

use diagnostics::{Columns, LineIndex, Position};
use proptest::prelude::*;

const UNITS: [Columns; 3] = [Columns::Bytes, Columns::Scalars, Columns::Utf16];

/// Texts in which line breaks, wide characters and surrogate pairs are frequent.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab\t\r\n\u{e9}\u{8a9e}\u{1f600}]{0,60}",
        any::<String>(),
        // Longer than one block of the index, with characters across its borders.
        ("[a\u{e9}\u{8a9e}\u{1f600}\r\n]{1,9}", 0..2000usize).prop_map(|(part, times)| part.repeat(times)),
    ]
}

/// The slow and obvious answer.
fn walk(text: &str, offset: usize, columns: Columns) -> Position {
    let (before, after) = text.split_at(offset);
    assert!(
        !(before.ends_with('\r') && after.starts_with('\n')),
        "a clamped offset never splits a line break"
    );
    let lone_cr = before.replace("\r\n", "\n").replace('\r', "\n");
    let line = lone_cr.matches('\n').count() as u32 + 1;
    let last = lone_cr.rsplit('\n').next().unwrap_or_default();
    let width = match columns {
        Columns::Bytes => last.len(),
        Columns::Scalars => last.chars().count(),
        Columns::Utf16 => last.encode_utf16().count(),
    };
    Position { line, column: width as u32 + 1 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_offset_leads_to_a_position_and_back(text in text(), offset in 0..20_000u32) {
        let index = LineIndex::new(text.as_str());
        let at = index.clamp(offset);
        prop_assert!(at <= offset && text.is_char_boundary(at as usize));
        for columns in UNITS {
            let position = index.position(offset, columns);
            prop_assert_eq!(position, walk(&text, at as usize, columns));
            prop_assert_eq!(index.offset(position, columns), at);
        }
    }

    #[test]
    fn every_position_leads_to_an_offset_that_exists(text in text(), line: u32, column: u32, near in 0..40u32) {
        let index = LineIndex::new(text.as_str());
        for columns in UNITS {
            for position in [Position { line, column }, Position { line: near, column: near }] {
                let at = index.offset(position, columns);
                prop_assert_eq!(index.clamp(at), at);
                let back = index.position(at, columns);
                prop_assert!(back.line <= position.line.max(1));
                prop_assert!(back.line < position.line || back.column <= position.column.max(1));
            }
        }
    }

    #[test]
    fn lines_and_breaks_add_up_to_the_text(text in text()) {
        let index = LineIndex::new(text.as_str());
        let lines: Vec<_> = (1..=index.line_count()).map(|line| index.line_text(line)).collect();
        prop_assert_eq!(lines.join("\n"), text.replace("\r\n", "\n").replace('\r', "\n"));
        prop_assert_eq!(index.end() as usize, text.len());
    }
}
