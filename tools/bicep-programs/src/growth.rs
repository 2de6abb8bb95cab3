//! Programs that grow: what one line does, the next does twice, or one level deeper.

use crate::{Choices, Program};

/// A family of programs with a first line, one that is repeated, and a last one. `N` is the number of a line, `M` that
/// of the line before; in the last, `M` is the last number.
struct Ladder {
    first: &'static str,
    step: &'static str,
    last: &'static str,
}

const fn ladder(first: &'static str, step: &'static str, last: &'static str) -> Ladder {
    Ladder { first, step, last }
}

const LADDERS: &[Ladder] = &[
    ladder("var v0 = ['x']", "var vN = [...vM, ...vM]", "output o array = vM"),
    ladder("var v0 = { a: 1 }", "var vN = { a: vM, b: vM }", "output o object = vM"),
    ladder("var v0 = { a: 1 }", "var vN = { ...vM, ...vM, kN: vM }", "output o object = vM"),
    ladder("var v0 = 'x'", "var vN = '${vM}${vM}'", "output o string = vM"),
    ladder("param p string\nvar v0 = p", "var vN = '${vM}${vM}'", "output o string = vM"),
    ladder("var v0 = ['x']", "var vN = concat(vM, vM)", "output o bool = contains(vM, 'x')"),
    ladder("var v0 = ['x']", "var vN = [vM, vM]", "type t = any\noutput o array = vM"),
    ladder("var v0 = []", "var vN = [vM, vM]", "type a = a[]\nparam p a = vM\noutput o a = vM"),
    ladder("var v0 = ['x']", "var vN = true ? [vM] : [vM, vM]", "output o array = vM"),
    ladder("param c bool\nvar v0 = ['x']", "var vN = c ? [vM, 1] : [vM, 'a']", "output o array = vM"),
    ladder("param c bool\nvar v0 = { x: 1 }", "var vN = c ? { a: vM } : { b: vM }", "output o object = vM"),
    ladder("var v0 = ['x']", "var vN = map(vM, x => [x, x])", "output o array = vM"),
    ladder("var v0 = [['x']]", "var vN = flatten([vM, vM])", "output o array = vM"),
    ladder("var v0 = {}", "var vN = union(vM, { kN: vM })", "output o object = vM"),
    ladder(
        "resource r 'A.B/c@2020-01-01' existing = { name: 'r' }\nvar v0 = r.properties.x",
        "var vN = [vM, vM]",
        "output o array = vM",
    ),
    ladder("type t0 = string", "type tN = [tM, tM]", "param p tM\noutput o tM = p"),
    ladder("type t0 = 'x'", "type tN = [tM, tM]", "type u = tM | ['y']\nparam p u\noutput o u = p"),
    ladder("type t0 = string", "type tN = { a: tM, b: tM? }", "param p tM\noutput o tM = p"),
    ladder("type t0 = string", "type tN = tM[]", "param p tM\noutput o tM = p"),
    ladder("type t0 = string", "type tN = tM?", "param p tM\noutput o tM = p"),
    ladder("type t0 = [t0?, t1?]", "type tN = [tM?, tN?, t0?]", "param p tM\noutput o t0 = p"),
    ladder(
        "type t0 = { a: t0?, b: t1? }",
        "type tN = { a: tM?, b: tN?, c: t0? }",
        "param p tM\nparam q t0\nvar v = true ? p : q\noutput o t0 = p\noutput q object = { x: v.a }",
    ),
    ladder(
        "param c bool\ntype t0 = { a: t0?, x: string? }",
        "type tN = { a: tM?, b: tN?, c: string? }\nparam pN tN",
        "param q t0\nvar v = c ? pM : q\noutput o t0 = c ? v : q",
    ),
    ladder(
        "type t0 = { kind: 'a' }",
        "@discriminator('kind')\ntype tN = { kind: 'b', next: tM? } | { kind: 'c', other: tM }",
        "param p tM\noutput o tM = p",
    ),
    ladder(
        "func f0(x string) string => x",
        "func fN(x string) string => '${fM(x)}${fM(x)}'",
        "output o string = fM('a')",
    ),
    ladder(
        "func f0(x array) array => x",
        "func fN(x array) array => [fM(x), ...fM(x)]",
        "output o array = fM([])",
    ),
    ladder(
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' = { scope: rM, name: rM.name }",
        "output o string = rM.id",
    ),
    ladder(
        "resource r0 'A.B/c@2020-01-01' existing = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' existing = { scope: rM, name: '${rM.properties.x}${rM.id}' }",
        "output o string = rM.id",
    ),
    ladder(
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' = { name: 'xN', dependsOn: [rM, r0], properties: { a: rM.id, b: rM.properties.x } }",
        "",
    ),
    ladder(
        "targetScope = 'subscription'\nresource r0 'Microsoft.Resources/resourceGroups@2025-04-01' = { name: 'x', location: 'y' }",
        "resource rN 'Microsoft.Resources/resourceGroups@2025-04-01' = { scope: rM, name: 'x', location: 'y' }",
        "",
    ),
    ladder("param p0 string", "param pN string = '${pM}${pM}'", "output o string = pM"),
    ladder("param p0 object = {}", "param pN object = { ...pM, ...pM }", "output o object = pM"),
];

/// What is repeated around something, and what is in the middle.
const NESTS: &[(&str, &str, &str, &str)] = &[
    ("output o object[] = ", "[for x in range(0, 2): ", "{ wrong: 1 }", "]"),
    ("output o { a: string }[] = ", "[for x in range(0, 2): ", "{ b: 1 }", "]"),
    ("resource r 'A.B/c@2020-01-01' = ", "[for x in [1]: ", "{ name: 'x' }", "]"),
    ("resource r 'A.B/c@2020-01-01' = ", "if (true) ", "{ nam: 'x' }", ""),
    ("var v = ", "map([1], x => ", "x", ")"),
    ("var v = ", "{ a: ", "1", " }"),
    ("var v = ", "[", "1, 2", ", 3]"),
    ("var v = ", "'${", "1", "}'"),
    ("var v = ", "true ? 1 : ", "'a'", ""),
    ("var v = ", "!", "true", ""),
    ("var v = ", "(", "1", ")!"),
    ("var v = ", "[...", "[1]", ", ...[2]]"),
    ("var v = ", "{ ...", "{ a: 1 }", " }"),
    ("var v = ", "union(", "{}", ", {})"),
    ("param p ", "{ a: ", "string", " }"),
    ("param p ", "[", "string", ", int?]"),
    ("type t = ", "(", "t?", ")[]"),
    ("type t = ", "{ a: ", "t?", "? }"),
    (
        "resource r 'A.B/c@2020-01-01' = ",
        "{ name: 'x', properties: { a: 1 }\nresource q 'd' = ",
        "{ name: 'y' }",
        "\n}",
    ),
];

/// Makes a program that grows in one way, more or less far.
pub(crate) fn program(choices: &mut Choices<'_>) -> Program {
    let far = [3, 8, 24, 40, 60, 120, 400];
    match choices.below(10) {
        0 => modules(choices),
        1..4 => {
            let (before, open, middle, close) = choices.one(NESTS).copied().unwrap_or_default();
            let depth = choices.one(&far).copied().unwrap_or_default();
            one(format!("{before}{}{middle}{}\n", open.repeat(depth), close.repeat(depth)))
        }
        _ => {
            let Some(ladder) = choices.one(LADDERS) else { return Program::default() };
            let far = choices.one(&far).copied().unwrap_or_default();
            let cycle = choices.one_in(6);
            let fill =
                |line: &str, own: usize, before: usize| numbered(&numbered(line, 'N', own), 'M', before);
            let mut text = format!("{}\n", ladder.first);
            for place in 1..=far {
                // The first steps can lead to the last ones: then all of them are in a cycle.
                let before = if cycle && place == 1 { far } else { place - 1 };
                text.push_str(&fill(ladder.step, place, before));
                text.push('\n');
            }
            text.push_str(&fill(ladder.last, far, far));
            one(text + "\n")
        }
    }
}

/// Puts a number in place of a letter that stands behind a small one.
pub(crate) fn numbered(line: &str, letter: char, number: usize) -> String {
    let mut text = String::new();
    let mut before = ' ';
    for character in line.chars() {
        if character == letter && (before.is_ascii_lowercase()) {
            text.push_str(&number.to_string());
        } else {
            text.push(character);
        }
        before = character;
    }
    text
}

fn one(text: String) -> Program {
    Program { files: vec![("main.bicep".to_owned(), text)] }
}

/// Modules that use the next one, once or several times.
fn modules(choices: &mut Choices<'_>) -> Program {
    let depth = choices.one(&[2, 5, 12, 24, 60]).copied().unwrap_or_default();
    let uses = 1 + choices.below(3);
    let wide = choices.below(3) == 0;
    let name = |level: usize| if level == 0 { "main.bicep".to_owned() } else { format!("m{level}.bicep") };
    let files = (0..depth).map(|level| {
        let next = if level + 1 < depth { name(level + 1) } else { "leaf.bicep".to_owned() };
        let mut text = String::new();
        for number in 0..uses {
            let each = if wide { "[for x in range(0, 2): { name: 'm${x}' }]" } else { "{ name: 'm' }" };
            text.push_str(&format!("module m{number} '{next}' = {each}\n"));
            text.push_str(&format!("import * as i{number} from '{next}'\n"));
        }
        text.push_str("@export()\ntype t = { a: i0.t?, b: i0.t? }\nparam p t?\noutput o string = 'x'\n");
        (name(level), text)
    });
    let leaf = "@export()\ntype t = string\noutput o string = 'x'\n".to_owned();
    Program { files: files.chain([("leaf.bicep".to_owned(), leaf)]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_letters_behind_small_ones() {
        assert_eq!(numbered("var vN = [...vM, N, MoN]", 'N', 7), "var v7 = [...vM, N, Mo7]");
    }
}
