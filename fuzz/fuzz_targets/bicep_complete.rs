//! Every place of every program is answered, and what is offered replaces a stretch of the text.
//!
//! An input is an offset, as four bytes in little-endian order, and the text of a program; with an odd offset the text is
//! a parameters file.

#![no_main]

use bicep::editor::completion::complete;
use bicep::{FilePath, MemoryWorld};
use libfuzzer_sys::fuzz_target;
use tendon_fuzz::compiler;

fuzz_target!(|input: &[u8]| {
    let Some((head, text)) = input.split_first_chunk::<4>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    // The mark at the beginning of a file is not a part of its text, so that places count from behind it.
    let text = text.trim_start_matches('\u{feff}');
    let offset = u32::from_le_bytes(*head);
    let path = if offset % 2 == 0 { "/main.bicep" } else { "/main.bicepparam" };
    let world = MemoryWorld::default()
        .with_file(
            "/part.bicep",
            "param size 'a' | 'b'\n@export()\ntype t = { a: int }\noutput o string = ''\n",
        )
        .with_file(path, text);
    let compiler = compiler(world);
    let path = FilePath::new(path);
    // Any offset will do, and one inside of the text is more interesting.
    let inside = u32::try_from(text.len()).map_or(0, |length| offset % (length + 1));
    for offset in [offset, inside] {
        for item in complete(&compiler, &path, offset) {
            let edits = item.additional_edits.iter().chain([&item.edit]);
            for edit in edits {
                let span = edit.span;
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "{}", item.label);
            }
            assert!(!item.label.is_empty() && !item.sort_text.is_empty());
        }
    }
});
