//! The providers of Azure's resources, by name. Where there are no types, this is enough to tell a misspelt one.

use std::sync::LazyLock;

/// The names in small letters, one on each line, sorted.
const NAMES: &str = include_str!("../../resources/azure-providers.txt");

/// Tells whether a resource type, such as `Microsoft.Storage/storageAccounts`, is of a provider that Azure has.
pub(crate) fn is_of_azure(type_name: &str) -> bool {
    static LINES: LazyLock<Vec<&str>> = LazyLock::new(|| NAMES.lines().collect());
    let provider = type_name.split('/').next().unwrap_or_default();
    LINES.binary_search(&provider.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_known_in_any_case() {
        assert!(is_of_azure("Microsoft.Storage/storageAccounts"));
        assert!(is_of_azure("microsoft.WEB/sites/config"));
        assert!(!is_of_azure("Microsoft.Strage/storageAccounts"));
        assert!(!is_of_azure("My.Rp/things"));
        assert!(NAMES.lines().is_sorted());
    }
}
