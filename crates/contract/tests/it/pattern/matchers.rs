//! Each way of running a pattern gives the same answers.

use contract::pattern::PatternSyntax;

use super::Table;

#[test]
fn plain_text_is_compared() {
    Table(PatternSyntax::Re2).check(&[
        ("abc", &["abc", "xabcx"], &["ab", ""]),
        ("^abc", &["abcx"], &["xabc"]),
        ("abc$", &["xabc"], &["abcx"]),
        ("^abc$", &["abc"], &["abcx", "xabc"]),
        ("^(dev|test|prod)$", &["dev", "test", "prod"], &["", "devtest", "pro"]),
        ("^(dev|test)-(eu|us)$", &["dev-eu", "test-us"], &["dev", "dev-", "eu-dev"]),
        ("größe", &["die größe"], &["grosse"]),
    ]);
}

#[test]
fn rows_of_sets_take_as_much_as_they_can() {
    Table(PatternSyntax::Re2).check(&[
        (r"^\d{4}-\d{2}-\d{2}$", &["2024-02-29"], &["2024-2-29", "2024-02-299", "", "20240-2-29"]),
        ("^[a-z][a-z0-9-]{1,61}[a-z0-9]$", &["abc", "a-c"], &["a", "ab", "ab-", "-ab"]),
        ("^[A-Za-z0-9+/]*={0,2}$", &["", "YQ==", "YWI=", "YWJj"], &["YQ===", "Y=Q"]),
        (r"^\d+\.\d+\.\d+$", &["1.2.3", "10.20.30"], &["1.2", "1.2.", "1..3", "1.2.3.4"]),
        ("^[a-z]+-[a-z][a-z0-9-]*[0-9]$", &["ab-c1", "a-b-c-9"], &["ab-1", "ab-c", "-c1"]),
        ("^a?b?c$", &["c", "ac", "bc", "abc"], &["ab", "bac"]),
        ("^a+a+b$", &["aab", "aaaab"], &["ab"]),
        ("^[a-z]+[0-9]", &["abc1", "a1x"], &["1", "abc"]),
        ("^([0-9a-f]{2}:){5}[0-9a-f]{2}$", &["00:1a:2b:3c:4d:5e"], &["00:1a:2b:3c:4d", "00:1a:2b:3c:4d:5e:"]),
        ("^[^/]+/[^/]{2,3}$", &["ä/öü", "a/bcd"], &["ä/ö", "a/b/c", "/ab"]),
        ("^[^/]{2}$", &["äö", "ab"], &["ä", "äöü"]),
        (r"^[\p{L}\p{N}_-]{1,100}$", &["größe-1", "名前"], &["", "a b", "a\u{FFFD}"]),
        ("^[α-ω]+[a-zé]{2}$", &["αβaé"], &["αβa", "aé"]),
    ]);
}

#[test]
fn automata_remember_what_rows_cannot() {
    Table(PatternSyntax::Re2).check(&[
        (r"^(0|[1-9]\d*)\.(0|[1-9]\d*)$", &["0.0", "1.20"], &["00.1", "1.02", "1."]),
        ("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", &["a", "a-b", "a--b"], &["a-", "-a", "A"]),
        ("(a|b)c(d|e)f", &["xacdfx", "bcef"], &["acf"]),
        ("a[0-9]+b", &["aa12b", "a1a2b"], &["ab", "a1"]),
        (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", &["a@b.c", "ä@ö.ü"], &["a@b", "a b@c.d", "@b.c"]),
        ("^(?:ab|a)(?:bc|c)$", &["abc", "abbc", "ac"], &["ab", "abcc"]),
        ("^(é|[a-z])+$", &["aéz"], &["É", "è", ""]),
        ("(?i)^(kelvin|stone)-?$", &["\u{212A}ELVIN", "\u{17F}tone-"], &["kelvi"]),
        (".a.$", &["xaä", "äax"], &["a", "ax", "xa\n"]),
    ]);
}

#[test]
fn the_general_engine_takes_the_rest() {
    let long = "ab".repeat(300);
    Table(PatternSyntax::Re2).check(&[
        (r"(?m)^\w+$", &["x\nab\n- "], &["- \n-"]),
        (r"^\p{Greek}+$", &["αβγ"], &["αbγ", ""]),
        ("^(ab|ba){300}$", &[&long], &["ab"]),
        (r"\b[a-z]{3}\b", &["- abc -"], &["abcd"]),
    ]);
}
