//! Names that stand for something that a pipeline knows: `GET-PREREQ-vaultName`, `GEN-VNET-NAME`.

/// Whether a text is a placeholder as the parameters files of public templates have them: `GEN-` or `GET-`,
/// and a name that begins with a capital letter.
pub fn is_placeholder(text: &str) -> bool {
    let name = ["GEN-", "GET-"].iter().find_map(|start| text.strip_prefix(start));
    name.is_some_and(|name| {
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_a_whole_text_with_capitals() {
        for text in ["GEN-UNIQUE", "GEN-UNIQUE-8", "GET-PREREQ-storageAccountName", "GET-PREREQ-a_b", "GEN-A"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in
            ["", "GEN-", "GET-", "GEN-unique", "gen-UNIQUE", "GENERATE", "GET-/X", "GEN-UNIQUE@a.b", "GEN-É"]
        {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
