//! The page of functions and decorators is made from their rows.

use bicep::reference::{entries, entry, page};

#[test]
fn the_page_of_functions_is_up_to_date() {
    spec_test::check_page("docs/functions.md", &page());
}

#[test]
fn functions_and_decorators_are_found_by_the_names_that_programs_use() {
    for known in entries() {
        assert_eq!(entry(&known.name).unwrap().name, known.name);
        let qualified = format!("{}.{}", known.namespace, known.name.trim_start_matches('@'));
        assert_eq!(entry(&qualified).unwrap().name, known.name);
    }
    assert_eq!(entry("secure").unwrap().name, "@secure");
    assert_eq!(entry("listKeys").unwrap().name, "list*");
    assert!(entry("@concat").is_none() && entry("az.concat").is_none() && entry("nothing").is_none());
}
