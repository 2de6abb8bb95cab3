//! How the work of the compiler grows with a program: one construct at a time, again and again, from small to large.
//!
//! What is measured is the exponent: with 1, ten times as much to read and write takes ten times as long; with 2, a
//! hundred times. Templates that have to be longer than their programs are so no excuse and no offence.

use std::time::Duration;

use crate::growth::numbered;
use crate::{Program, compile};

/// A family of programs that say one thing very often.
pub struct Construct {
    /// What it is called.
    pub name: &'static str,
    shape: Shape,
}

/// How the programs of a family are made. `N` behind a small letter is the number of a line, and `M` that of the line
/// before; in the last line, `M` is the last number.
enum Shape {
    /// A first line, one that is repeated, and a last one.
    Lines(&'static str, &'static str, &'static str),
    /// Something that is repeated within a line: what is before, the repeated, what is after.
    Within(&'static str, &'static str, &'static str),
    /// Two repeated parts, one after the other: what is before them, between them and after them are the odd ones.
    Twice([&'static str; 5]),
    /// A program that uses all files; each file with its own text, which may use the file before; and what the program
    /// says of each.
    Files { main: &'static str, each: &'static str, first: &'static str, uses: &'static str },
    /// A configuration with a repeated part, and a program.
    Config { config: [&'static str; 3], main: &'static str },
}

const fn lines(name: &'static str, first: &'static str, step: &'static str, last: &'static str) -> Construct {
    Construct { name, shape: Shape::Lines(first, step, last) }
}

const fn within(
    name: &'static str,
    before: &'static str,
    each: &'static str,
    after: &'static str,
) -> Construct {
    Construct { name, shape: Shape::Within(before, each, after) }
}

/// Every construct that can be repeated.
pub const CONSTRUCTS: &[Construct] = &[
    lines("variables", "", "var vN = N", ""),
    lines("variables behind each other", "var v0 = 1", "var vN = vM", "output o int = vM"),
    lines("sums of variables", "var v0 = 1", "var vN = vM + 1", "output o int = vM"),
    lines("texts of variables", "var v0 = 'x'", "var vN = '${vM}'", "output o string = vM"),
    lines("calls of variables", "param p string\nvar v0 = p", "var vN = toLower(vM)", "output o string = vM"),
    lines("objects of variables", "var v0 = { a: 1 }", "var vN = { a: vM.?a }", "output o object = vM"),
    lines(
        "conditions of variables",
        "param c bool\nvar v0 = 'x'",
        "var vN = c ? vM : 'vN'",
        "output o string = vM",
    ),
    lines("loops in variables", "", "var vN = [for i in range(0, N): i]", ""),
    lines("parameters", "", "param pN string", ""),
    lines("parameters with defaults", "", "param pN string = 'N'", ""),
    lines("parameters behind each other", "param p0 string", "param pN string = pM", ""),
    lines("parameters with decorators", "", "@description('N')\n@minLength(1)\nparam pN string", ""),
    lines("parameters with allowed values", "", "@allowed(['a', 'b'])\nparam pN string", ""),
    lines("outputs", "param p string", "output oN string = p", ""),
    lines("metadata", "", "metadata mN = 'N'", ""),
    lines("types", "", "type tN = string", ""),
    lines("types behind each other", "type t0 = string", "type tN = tM", "param p tM"),
    lines("types that double as unions", "type t0 = 'a'", "type tN = tM | tM", "param p tM\noutput o tM = p"),
    lines("types that double as properties", "type t0 = 'a'", "type tN = { a: tM, b: tM }", "param p tM"),
    lines("types that double as items", "type t0 = 'a'", "type tN = [tM, tM]", "param p tM"),
    lines(
        "types that double by property",
        "type t0 = 'a'",
        "type oN = { x: tM | tM }\ntype tN = oN.x",
        "param p tM",
    ),
    lines(
        "types that double by item",
        "type t0 = 'a'",
        "type oN = (tM | tM)[]\ntype tN = oN[*]",
        "param p tM",
    ),
    lines(
        "types that double by place",
        "type t0 = 'a'",
        "type oN = [tM | tM]\ntype tN = oN[0]",
        "param p tM",
    ),
    lines(
        "types that double by other property",
        "type t0 = 'a'",
        "type oN = { *: tM | tM }\ntype tN = oN.*",
        "param p tM",
    ),
    lines("types that double and may be null", "type t0 = 'a'", "type tN = (tM | tM)?", "param p tM"),
    lines("types that double by null", "type t0 = 'a'", "type tN = tM! | tM?", "param p tM"),
    lines("unions that grow", "type t0 = 'a'", "type tN = tM | 'xN'", "param p tM\noutput o tM = p"),
    lines("lists in lists", "type t0 = string", "type tN = tM[]", "param p tM\noutput o tM = p"),
    lines("objects in objects", "type t0 = string", "type tN = { a: tM }", "param p tM\noutput o tM = p"),
    lines(
        "types that contain each other",
        "type t0 = { a: t0? }",
        "type tN = { a: tN?, b: tM? }",
        "param p tM",
    ),
    lines(
        "discriminated types",
        "type t0 = { kind: 'a' }",
        "type tN = { kind: 'xN', next: tM? }",
        "@discriminator('kind')\ntype u = t0 | tM\nparam p u",
    ),
    lines(
        "discriminated types that grow",
        "type t0 = { kind: 'a' }",
        "@discriminator('kind')\ntype tN = tM | { kind: 'xN' }",
        "param p tM",
    ),
    lines("functions", "", "func fN(x string) string => x", ""),
    lines(
        "functions behind each other",
        "func f0(x string) string => x",
        "func fN(x string) string => fM(x)",
        "",
    ),
    lines("calls of a function", "func f(x string) string => x", "output oN string = f('a')", ""),
    lines("resources", "", "resource rN 'A.B/c@2020-01-01' = { name: 'xN' }", ""),
    lines("existing resources", "", "resource rN 'A.B/c@2020-01-01' existing = { name: 'xN' }", ""),
    lines(
        "resources that depend on each other",
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' = { name: 'xN', dependsOn: [rM] }",
        "",
    ),
    lines(
        "resources that mention each other",
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' = { name: 'xN', properties: { a: rM.id } }",
        "",
    ),
    lines(
        "resources that all mention one",
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c@2020-01-01' = { name: 'xN', properties: { a: r0.id } }",
        "",
    ),
    lines(
        "children of a resource",
        "resource r0 'A.B/c@2020-01-01' = { name: 'x' }",
        "resource rN 'A.B/c/d@2020-01-01' = { parent: r0, name: 'xN' }",
        "",
    ),
    lines(
        "resources in loops",
        "",
        "resource rN 'A.B/c@2020-01-01' = [for i in [1, 2]: { name: 'xN${i}' }]",
        "",
    ),
    lines(
        "conditional resources",
        "param c bool",
        "resource rN 'A.B/c@2020-01-01' = if (c) { name: 'xN' }",
        "",
    ),
    within(
        "a resource that depends on many",
        "resource q 'A.B/c@2020-01-01' = { name: 'q' }\nresource r 'A.B/c@2020-01-01' = { name: 'x', dependsOn: [",
        "\nq",
        "\n] }",
    ),
    within(
        "nested resources",
        "resource r 'A.B/c@2020-01-01' = { name: 'x'\n",
        "resource qN 'd' = { name: 'yN' }\n",
        "}",
    ),
    within("decorators of a parameter", "", "@description('N')\n", "param p string"),
    within("unknown decorators", "", "@unknownN()\n", "param p string"),
    within("validators", "", "@minLength(N)\n", "param p string"),
    within("decorators of a type", "", "@metadata({ a: N })\n", "type t = string"),
    within(
        "decorators of a resource",
        "",
        "@batchSize(N)\n",
        "resource r 'A.B/c@2020-01-01' = [for i in [1]: { name: 'x' }]",
    ),
    within("items", "var v = [", "\nN", "\n]"),
    within("items of two kinds", "var v = [", "\nN\n'N'", "\n]"),
    within("objects in a list", "var v = [", "\n{ a: N, bN: 'x' }", "\n]"),
    within("members", "var v = {", "\naN: N", "\n}"),
    within("members that are there twice", "var v = {", "\na: N", "\n}"),
    within("spread members", "var w = {}\nvar v = {", "\n...w", "\n}"),
    within("spread items", "var w = []\nvar v = [", "\n...w", "\n]"),
    within("holes", "param p string\nvar v = '", "${p}", "'"),
    within("terms", "param p int\nvar v = 0", " + p", ""),
    within("alternatives", "param p bool\nvar v = p", " || p", ""),
    within("substitutes", "param p string?\nvar v = p", " ?? p", ""),
    within("arguments", "var v = concat('a'", ", 'N'", ")"),
    within("objects that are joined", "var v = union({}", ", { aN: N }", ")"),
    within("lists that are joined", "var v = concat([]", ", [N]", ")"),
    within("literals of a union", "type t = 'a'", " | 'xN'", ""),
    within("numbers of a union", "type t = 0", " | N", ""),
    within("one literal again and again", "type t = 'a'", " | 'a'", ""),
    within("objects of a union", "type t = { a: 0 }", " | { a: N }", "\nparam p t"),
    within("properties of a type", "type t = {", "\npN: string", "\n}\nparam p t\noutput o string = p.p1"),
    within("optional properties of a type", "type t = {", "\npN: string?", "\n}\nparam p t\noutput o t = {}"),
    within("items of a tuple", "type t = [", "\nint", "\n]\nparam p t\noutput o t = p"),
    within(
        "variants",
        "@discriminator('k')\ntype t = { k: 'a' }",
        " | { k: 'xN' }",
        "\nparam p t\noutput o t = p",
    ),
    within("allowed texts", "@allowed([", "\n'xN'", "\n])\nparam p string"),
    within("allowed numbers", "@allowed([", "\nN", "\n])\nparam p int"),
    within("allowed items", "@allowed([", "\n'xN'", "\n])\nparam p array = ['x1', 'x2']"),
    within("allowed lists", "@allowed([", "\n['xN']", "\n])\nparam p array"),
    within("allowed objects", "@allowed([", "\n{ a: N }", "\n])\nparam p object"),
    within("parameters of a function", "func f(x int", ", yN int", ") int => x"),
    within("parameters of a lambda", "var v = map([1], (x", ", yN", ") => x)"),
    within("lines of a text", "var v = '''", "line N\n", "'''"),
    within("comments", "", "// N\n", "var v = 1"),
    within("a long comment", "/*", " N\n", "*/ var v = 1"),
    within("pragmas", "", "#disable-next-line BCP001\n", "var v = 1"),
    within("pragmas of many codes", "#disable-diagnostics", " codeN", "\nvar v = 1"),
    within("what is no language", "", "= N\n", ""),
    within("open brackets", "var v = ", "[\n", ""),
    lines("names that are there twice", "", "var v = N", ""),
    lines("names that are not there", "", "output oN string = missingN", ""),
    lines("names like others", "", "var variableN = varibleN", ""),
    lines("properties that are not there", "var v = { a: 1 }", "output oN string = v.bN", ""),
    lines("values of the wrong type", "", "output oN int = 'x'", ""),
    lines("imports that are not there", "", "import * as iN from 'missingN.bicep'", ""),
    lines("modules that are not there", "", "module mN 'missingN.bicep' = { name: 'x' }", ""),
    lines("variables in a circle", "var v0 = v0", "var vN = vM", ""),
    within("a name in a circle", "var v = [v", ", v", "]"),
    Construct {
        name: "two unions of many literals",
        shape: Shape::Twice([
            "type a = 'b'",
            " | 'xN'",
            "\ntype b = 'c'",
            " | 'yN'",
            "\nparam p a\nparam c bool\nparam q b\noutput o a = c ? p : q",
        ]),
    },
    Construct {
        name: "a union given to another one",
        shape: Shape::Twice([
            "type a = 'b'",
            " | 'xN'",
            "\ntype b = 'b'",
            " | 'xN'",
            "\nparam p a\noutput o b = p",
        ]),
    },
    Construct {
        name: "an object given to a type",
        shape: Shape::Twice(["type a = {", "\npN: int", "\n}\nparam p a = {", "\npN: N", "\n}"]),
    },
    Construct {
        name: "an object given to another type",
        shape: Shape::Twice(["type a = {", "\npN: int", "\n}\nparam p a = {", "\nqN: N", "\n}"]),
    },
    Construct {
        name: "items given to a union",
        shape: Shape::Twice(["type a = 'b'", " | 'xN'", "\nparam p a[] = [", "\n'xN'", "\n]"]),
    },
    Construct {
        name: "objects given to variants",
        shape: Shape::Twice([
            "@discriminator('k')\ntype a = { k: 'b' }",
            " | { k: 'xN' }",
            "\nparam p a[] = [",
            "\n{ k: 'xN' }",
            "\n]",
        ]),
    },
    Construct {
        name: "items given to a tuple",
        shape: Shape::Twice(["type a = [", "\nint", "\n]\nparam p a = [", "\nN", "\n]"]),
    },
    Construct {
        name: "types of an output that are joined",
        shape: Shape::Twice([
            "param c bool\nvar a = {",
            "\npN: 1",
            "\n}\nvar b = {",
            "\npN: 'x'",
            "\n}\noutput o object = c ? a : b",
        ]),
    },
    Construct {
        name: "modules",
        shape: Shape::Files {
            main: "",
            first: "",
            each: "param p string = 'N'",
            uses: "module mN 'fN.bicep' = { name: 'xN' }",
        },
    },
    Construct {
        name: "one module again and again",
        shape: Shape::Files {
            main: "",
            first: "param p string",
            each: "",
            uses: "module mN 'f0.bicep' = { name: 'xN', params: { p: 'x' } }",
        },
    },
    Construct {
        name: "imports of many files",
        shape: Shape::Files {
            main: "",
            first: "",
            each: "@export()\nvar v = N",
            uses: "import { v as vN } from 'fN.bicep'",
        },
    },
    Construct {
        name: "imports of all of many files",
        shape: Shape::Files {
            main: "",
            first: "",
            each: "@export()\nvar v = N",
            uses: "import * as iN from 'fN.bicep'",
        },
    },
    Construct {
        name: "values in a chain of imports",
        shape: Shape::Files {
            main: "import { v } from 'fM.bicep'\noutput o int = v",
            first: "@export()\nvar v = 0",
            each: "import { v as w } from 'fM.bicep'\n@export()\nvar v = w",
            uses: "",
        },
    },
    Construct {
        name: "functions in a chain of imports",
        shape: Shape::Files {
            main: "import { f } from 'fM.bicep'\noutput o int = f(1)",
            first: "@export()\nfunc f(x int) int => x",
            each: "import { f as g } from 'fM.bicep'\n@export()\nfunc f(x int) int => g(x)",
            uses: "",
        },
    },
    Construct {
        name: "types in a chain of imports",
        shape: Shape::Files {
            main: "import { t } from 'fM.bicep'\nparam p t",
            first: "@export()\ntype t = { a: string }",
            each: "import { t as u } from 'fM.bicep'\n@export()\ntype t = u",
            uses: "",
        },
    },
    Construct {
        name: "all of a file in a chain of imports",
        shape: Shape::Files {
            main: "import * as i from 'fM.bicep'\noutput o int = i.v",
            first: "@export()\nvar v = 0",
            each: "import * as i from 'fM.bicep'\n@export()\nvar v = i.v",
            uses: "",
        },
    },
    Construct {
        name: "rules in a configuration",
        shape: Shape::Config {
            config: [
                "{ \"analyzers\": { \"core\": { \"rules\": {",
                "\"rule-N\": { \"level\": \"warning\" },\n",
                "\"no-unused-vars\": { \"level\": \"off\" } } } } }",
            ],
            main: "var v = 1",
        },
    },
    Construct {
        name: "aliases in a configuration",
        shape: Shape::Config {
            config: [
                "{ \"moduleAliases\": { \"br\": {",
                "\"aN\": { \"registry\": \"example.invalid\", \"modulePath\": \"p\" },\n",
                "\"last\": { \"registry\": \"example.invalid\" } } } }",
            ],
            main: "module m 'br/a1:x:1' = { name: 'x' }",
        },
    },
];

impl Construct {
    /// The program that says it so many times.
    #[must_use]
    pub fn program(&self, count: usize) -> Program {
        let one = |text: String| Program { files: vec![("main.bicep".to_owned(), text)] };
        let repeated = |each: &str| -> String { (1..=count).map(|number| filled(each, number)).collect() };
        match &self.shape {
            Shape::Lines(first, step, last) => {
                let steps = repeated(&format!("{step}\n"));
                one(format!("{first}\n{steps}{}\n", filled(last, count + 1)))
            }
            Shape::Within(before, each, after) => one(format!("{before}{}{after}\n", repeated(each))),
            Shape::Twice([before, first, between, second, after]) => {
                one(format!("{before}{}{between}{}{after}\n", repeated(first), repeated(second)))
            }
            Shape::Files { main, first, each, uses } => {
                let uses = repeated(&format!("{uses}\n"));
                let text = format!("{uses}{}\n", filled(main, count + 1));
                let each = (1..=count).map(|number| (format!("f{number}.bicep"), filled(each, number)));
                let first = ("f0.bicep".to_owned(), (*first).to_owned());
                Program { files: [("main.bicep".to_owned(), text), first].into_iter().chain(each).collect() }
            }
            Shape::Config { config: [before, each, after], main } => {
                let config = format!("{before}{}{after}\n", repeated(each));
                let mut made = one(format!("{main}\n"));
                made.files.push(("bicepconfig.json".to_owned(), config));
                made
            }
        }
    }
}

/// A line with its number, and that of the line before.
fn filled(line: &str, number: usize) -> String {
    let own = numbered(line, 'N', number);
    // In texts and lists the number stands alone.
    let own = if own.contains('N') { own.replace('N', &number.to_string()) } else { own };
    numbered(&own, 'M', number - 1)
}

/// What compiling a program of one size took.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How many times it says the same.
    pub count: usize,
    /// How many bytes were read.
    pub read: usize,
    /// How many bytes were written, if there is a template.
    pub written: Option<usize>,
    /// The processor time.
    pub time: Duration,
}

/// How the time of a construct grows.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// The smallest program.
    pub small: Sample,
    /// The largest one.
    pub large: Sample,
}

impl Growth {
    /// The power of the bytes with which the time grows: of those that are read and written, or of those that are read
    /// where a program is rejected.
    #[must_use]
    pub fn exponent(&self) -> f64 {
        let more = |small: f64, large: f64| (large / small).ln();
        let bytes = |sample: &Sample| match (self.small.written, self.large.written) {
            (Some(_), Some(_)) => (sample.read + sample.written.unwrap_or_default()) as f64,
            _ => sample.read as f64,
        };
        more(self.small.time.as_secs_f64(), self.large.time.as_secs_f64())
            / more(bytes(&self.small), bytes(&self.large))
    }
}

/// The least time of the smaller program: less is lost in what the clock cannot tell.
const LEAST: Duration = Duration::from_millis(40);
/// How much larger the large program is.
const TIMES: usize = 8;
/// The most repetitions of the large program.
const MOST: usize = 64_000;

/// Measures how the time of a construct grows. `clock` is the processor time of the process.
///
/// # Errors
///
/// A promise that the compiler broke.
pub fn measure(construct: &Construct, clock: impl Fn() -> Duration) -> Result<Growth, String> {
    let mut count = 125;
    let mut small = sample(construct, count, &clock)?;
    while small.time < LEAST && count * 2 * TIMES <= MOST {
        count *= 2;
        small = sample(construct, count, &clock)?;
    }
    // The first programs pay for what is made once.
    small = sample(construct, count, &clock)?;
    Ok(Growth { small, large: sample(construct, count * TIMES, &clock)? })
}

/// Compiles a program until enough time has passed; the mean counts.
fn sample(construct: &Construct, count: usize, clock: impl Fn() -> Duration) -> Result<Sample, String> {
    const ENOUGH: Duration = Duration::from_millis(200);
    let program = construct.program(count);
    let start = clock();
    let mut runs = 0;
    loop {
        let made = compile(&program)?;
        runs += 1;
        let passed = clock().saturating_sub(start);
        if passed >= ENOUGH {
            let read: usize = program.files.iter().map(|(_, text)| text.len()).sum();
            return Ok(Sample { count, read, written: made.template, time: passed / runs });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_say_the_same_more_often() {
        let construct = lines("x", "var v0 = 1", "var vN = vM", "output o int = vM");
        let text = construct.program(2).text();
        assert_eq!(text, "--- main.bicep\nvar v0 = 1\nvar v1 = v0\nvar v2 = v1\noutput o int = v2\n\n");
    }

    #[test]
    fn every_construct_is_written_or_rejected() {
        let written = |construct: &&Construct| match compile(&construct.program(20)) {
            Ok(made) => made.template.is_some(),
            Err(broken) => panic!("{}: {broken}", construct.name),
        };
        let count = CONSTRUCTS.iter().filter(written).count();
        // What has no template is there to be wrong.
        assert!(count * 5 > CONSTRUCTS.len() * 3, "{count} of {} are programs", CONSTRUCTS.len());
    }

    #[test]
    fn names_of_constructs_are_told_apart() {
        let names: std::collections::BTreeSet<&str> = CONSTRUCTS.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), CONSTRUCTS.len());
    }

    #[test]
    fn what_grows_with_the_square_has_the_exponent_two() {
        let sample = |count: usize, time| Sample {
            count,
            read: count * 10,
            written: None,
            time: Duration::from_millis(time),
        };
        let growth = Growth { small: sample(100, 5), large: sample(1_000, 500) };
        assert!((growth.exponent() - 2.0).abs() < 1e-9);
    }
}
