//! The bombs: what makes an expression grow, and where it stands.

/// A template that wants too much.
#[derive(Clone, Debug)]
pub struct Bomb {
    /// What grows and where, for people and for the names of deployments.
    pub name: String,
    /// The template.
    pub template: String,
}

/// Expressions whose values are 10 MB and more each, from some dozen characters.
const GROWERS: &[(&str, &str)] = &[
    ("replaced-text", "replace(padLeft('', 1000000, 'x'), 'x', 'xxxxxxxxxxxxxxx')"),
    ("joined-texts", "join(map(range(0, 9000), lambda('i', padLeft('', 1500, 'x'))), ',')"),
    (
        "doubled-text",
        "reduce(range(0, 24), 'x', lambda('a', 'b', concat(lambdaVariables('a'), lambdaVariables('a'))))",
    ),
    (
        "doubled-list",
        "reduce(range(0, 22), createArray(1), lambda('a', 'b', concat(lambdaVariables('a'), lambdaVariables('a'))))",
    ),
    (
        "doubled-tree",
        "reduce(range(0, 22), createArray(1), lambda('a', 'b', createArray(lambdaVariables('a'), lambdaVariables('a'))))",
    ),
    (
        "doubled-object",
        "reduce(range(0, 22), createObject('a', 1), lambda('a', 'b', createObject('l', lambdaVariables('a'), 'r', lambdaVariables('a'))))",
    ),
    ("ranges", "map(range(0, 800), lambda('i', range(0, 10000)))"),
    ("ranges-as-text", "string(map(range(0, 300), lambda('i', range(0, 10000))))"),
    ("texts", "map(range(0, 2000), lambda('i', padLeft('', 100000, 'x')))"),
    (
        "formatted",
        "format('{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}{0,1000000}', 1)",
    ),
    ("json-list", "json(concat('[', replace(padLeft('', 1000000, 'x'), 'x', '1,1,1,'), '1]'))"),
    ("json-tree", "json(concat('[', replace(padLeft('', 500000, 'x'), 'x', '{\"a\":[]},'), '1]'))"),
    (
        "long-names",
        "toObject(range(0, 60), lambda('i', concat(padLeft('', 100000, 'k'), string(lambdaVariables('i')))))",
    ),
    (
        "groups",
        "groupBy(range(0, 60), lambda('i', concat(padLeft('', 100000, 'k'), string(lambdaVariables('i')))))",
    ),
    ("encoded", "uriComponent(base64(replace(padLeft('', 1000000, 'x'), 'x', '//////')))"),
    ("split", "map(range(0, 20), lambda('i', split(padLeft('', 900000, ','), ',')))"),
    ("united", "map(range(0, 40), lambda('i', union(range(0, 10000), range(10000, 10000))))"),
    ("data-uri", "dataUri(replace(padLeft('', 1000000, 'x'), 'x', 'xxxxxxxxxx'))"),
    ("flattened", "flatten(map(range(0, 90), lambda('i', range(0, 10000))))"),
    (
        "nested-maps",
        "map(range(0, 300), lambda('i', map(range(0, 300), lambda('j', padLeft('', 1000, 'x')))))",
    ),
    (
        "mapped-values",
        "mapValues(toObject(range(0, 9000), lambda('i', string(lambdaVariables('i')))), lambda('v', padLeft('', 9000, 'x')))",
    ),
];

/// A text of a million characters; the reader of templates sees some dozen.
const TEXT: &str = "padLeft('', 1000000, 'x')";
/// A list of ten thousand numbers, and an object of nine thousand members.
const LIST: &str = "range(0, 10000)";
const OBJECT: &str = "toObject(range(0, 9000), lambda('k', concat('k', string(lambdaVariables('k')))))";

/// What functions make of something large: each is asked for a hundred times, with another number each time.
const MADE: &[&str] = &[
    "base64({text})",
    "base64ToString(base64({text}))",
    "uriComponentToString(uriComponent({text}))",
    "dataUriToString(dataUri({text}))",
    "toUpper({text})",
    "toLower(concat({text}, 'X'))",
    "trim(concat(' ', {text}, ' '))",
    "substring(concat({text}, 'y'), 1, 900000)",
    "take(concat('y', {text}), 900000)",
    "skip(concat('y', {text}), 1)",
    "first(createArray(concat({text}, {i})))",
    "last(split(concat({text}, ',', {text}), ','))",
    "string(createArray({text}, {i}))",
    "json(concat('\"', {text}, '\"'))",
    "uri('https://our.example/', concat({text}, {i}))",
    "if(true(), concat({text}, {i}), 'no')",
    "coalesce(null(), concat({text}, {i}))",
    "createObject('a', concat({text}, {i}))",
    "shallowMerge(createArray({object}, createObject('i', {i})))",
    "union({object}, createObject('i', {i}))",
    "items({object})",
    "objectKeys({object})",
    "map({list}, lambda('n', concat('number-', {i}, '-', string(lambdaVariables('n')))))",
    "filter({list}, lambda('n', greater(lambdaVariables('n'), int({i}))))",
    "sort({list}, lambda('a', 'b', greater(lambdaVariables('a'), lambdaVariables('b'))))",
    "intersection(createArray({list}, 1), createArray({list}, 2))",
    "concat({list}, {list})",
    "skip({list}, int({i}))",
    "reduce({list}, createArray(), lambda('a', 'b', concat(take(lambdaVariables('a'), 5000), createArray(lambdaVariables('b')))))",
];

/// What takes long and gives little: each is asked for ten thousand times.
const TOILS: &[&str] = &[
    "uniqueString({text}, {i})",
    "guid({text}, {i})",
    "length(concat({text}, {i}))",
    "contains({text}, concat('y', {i}))",
    "indexOf({text}, concat(padLeft('', 1000, 'x'), {i}))",
    "lastIndexOf({text}, concat({i}, padLeft('', 1000, 'x')))",
    "equals({text}, concat({text}, {i}))",
    "less({text}, concat({text}, {i}))",
    "startsWith(concat({text}, {i}), {text})",
    "endsWith(concat({i}, {text}), {text})",
    "length(replace({text}, concat(padLeft('', 500, 'x'), {i}), ''))",
    "length(split({text}, concat(padLeft('', 500, 'x'), {i})))",
    "max(concat({list}, createArray(int({i}))))",
    "contains({list}, add(20000, int({i})))",
    "length(intersection({list}, range(int({i}), 10000)))",
    "length(union({list}, range(int({i}), 10000)))",
    "contains({object}, concat('z', {i}))",
    "empty(json(string({object})))",
    "length(sort({list}, lambda('a', 'b', less(lambdaVariables('b'), lambdaVariables('a')))))",
    "reduce({list}, 0, lambda('a', 'b', add(lambdaVariables('a'), int({i}))))",
];

/// The expression in which a function works so often.
fn repeated(times: usize, work: &str) -> String {
    let work = work
        .replace("{text}", TEXT)
        .replace("{list}", LIST)
        .replace("{object}", OBJECT)
        .replace("{i}", "string(lambdaVariables('i'))");
    format!("map(range(0, {times}), lambda('i', {work}))")
}

/// Bombs of all functions: each in some place, and all in each place if all are wanted.
fn of_functions(all: bool) -> Vec<Bomb> {
    let made = MADE.iter().map(|work| (*work, repeated(100, work)));
    let toils = TOILS.iter().map(|work| (*work, repeated(10_000, work)));
    let mut bombs = Vec::new();
    for (number, (work, it)) in made.chain(toils).enumerate() {
        let letters = work.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        let label: String = letters.take(40).collect();
        for (at, (place, make)) in PLACES.iter().enumerate() {
            if all || number % PLACES.len() == at {
                let name = format!("{place}.{number}-{}", label.trim_end_matches('-'));
                bombs.push(Bomb { name, template: make(&it.replace('"', "\\\"")) });
            }
        }
    }
    bombs
}

/// Makes a template in which an expression stands somewhere.
type Place = fn(&str) -> String;

/// The places.
const PLACES: &[(&str, Place)] = &[
    ("output", |it| outputs(1, it)),
    ("outputs", |it| outputs(60, it)),
    ("output-loop", |it| {
        template(
            "",
            &format!(
                r#""outputs": {{"o": {{"type": "array", "copy": {{"count": 100, "input": "[{it}]"}}}}}}"#
            ),
        )
    }),
    ("variables", |it| {
        let all: Vec<String> = (0..100).map(|at| format!(r#""v{at}": "[{it}]""#)).collect();
        let lengths: Vec<String> = (0..100).map(|at| format!("length(variables('v{at}'))")).collect();
        let rest = format!(
            r#""variables": {{{}}}, "outputs": {{"o": {{"type": "array", "value": "[createArray({})]"}}}}"#,
            all.join(", "),
            lengths.join(", ")
        );
        template("", &rest)
    }),
    ("variable-loop", |it| {
        let rest = format!(
            r#""variables": {{"copy": [{{"name": "v", "count": 200, "input": "[{it}]"}}]}}, "outputs": {{"o": {{"type": "int", "value": "[length(variables('v'))]"}}}}"#
        );
        template("", &rest)
    }),
    ("defaults", |it| {
        let all: Vec<String> = (0..100)
            .map(|at| format!(r#""p{at}": {{"type": "{}", "defaultValue": "[{it}]"}}"#, type_of(it)))
            .collect();
        template("", &format!(r#""parameters": {{{}}}"#, all.join(", ")))
    }),
    ("resource", |it| template(&resource(&format!(r#""properties": {{"p": "[{it}]"}}"#)), "")),
    ("resources", |it| {
        template(
            &resource(&format!(r#""copy": {{"name": "l", "count": 200}}, "properties": {{"p": "[{it}]"}}"#)),
            "",
        )
    }),
    ("resource-loop", |it| {
        let members =
            format!(r#""properties": {{"copy": [{{"name": "l", "count": 200, "input": "[{it}]"}}]}}"#);
        template(&resource(&members), "")
    }),
    ("tags", |it| template(&resource(&format!(r#""tags": {{"t": "[{it}]"}}, "properties": {{}}"#)), "")),
    ("name", |it| {
        template(
            &format!(
                r#"{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[string({it})]", "properties": {{}}}}"#
            ),
            "",
        )
    }),
    ("member-name", |it| template(&resource(&format!(r#""properties": {{"[string({it})]": 1}}"#)), "")),
    ("depends-on", |it| {
        template(&resource(&format!(r#""dependsOn": ["[string({it})]"], "properties": {{}}"#)), "")
    }),
    ("nested-parameters", |it| {
        nested(50, &format!(r#""parameters": {{"p": {{"value": "[{it}]"}}}}, "#), &inner(it, ""))
    }),
    ("nested-outputs", |it| {
        let output = format!(r#", "outputs": {{"o": {{"type": "{}", "value": "[{it}]"}}}}"#, type_of(it));
        nested(10, "", &format!("{INNER}{output}}}"))
    }),
    ("nested-outer-scope", |it| {
        let template = format!(
            r#"{{{SCHEMA}, "resources": [], "outputs": {{"o": {{"type": "{}", "value": "[{it}]"}}}}}}"#,
            type_of(it)
        );
        nested(10, "", &template).replace(r#""scope": "inner""#, r#""scope": "outer""#)
    }),
    ("nested-template", |it| {
        let made = format!(
            "[createObject('contentVersion', '1.0.0.0', 'resources', createArray(), 'metadata', {it})]"
        );
        nested(10, "", &format!("\"{made}\"")).replace(r#""scope": "inner""#, r#""scope": "outer""#)
    }),
    ("user-function", |it| {
        let function = format!(
            r#""functions": [{{"namespace": "n", "members": {{"f": {{"parameters": [], "output": {{"type": "{}", "value": "[{it}]"}}}}}}}}], "outputs": {{"o": {{"type": "array", "value": "[map(range(0, 200), lambda('i', n.f()))]"}}}}"#,
            type_of(it)
        );
        template("", &function)
    }),
    ("lambda", |it| outputs(1, &format!("map(range(0, 200), lambda('x', createArray({it})))"))),
    ("condition", |it| {
        template(
            &resource(&format!(
                r#""condition": "[empty(map(range(0, 200), lambda('x', {it})))]", "properties": {{}}"#
            )),
            "",
        )
    }),
    ("assert", |it| {
        template("", &format!(r#""asserts": {{"a": "[empty(map(range(0, 200), lambda('x', {it})))]"}}"#))
    }),
    ("option", |it| {
        template(
            &resource(&format!(
                r#""@options": {{"retryOn": ["[string(map(range(0, 200), lambda('x', {it})))]"]}}, "properties": {{}}"#
            )),
            "",
        )
    }),
    ("scope", |it| template(&resource(&format!(r#""scope": "[string({it})]", "properties": {{}}"#)), "")),
    ("read", |it| {
        let read =
            format!("reference(resourceId('Our.Things/things', take(string({it}), 10000000)), '2025-01-01')");
        outputs(1, &read)
    }),
    ("argument", |it| outputs(1, &format!("createArray({}, {it})", vec![it; 40].join(", ")))),
    ("message", |it| outputs(1, &format!("fail(string({it}))"))),
];

const SCHEMA: &str = r#""$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0""#;
/// The start of a template without resources.
const INNER: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": []"#;

fn template(resources: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { ", " };
    format!(r#"{{{SCHEMA}, "resources": [{resources}]{comma}{rest}}}"#)
}

fn resource(members: &str) -> String {
    format!(
        r#"{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat('n', string(copyIndex()))]", {members}}}"#
    )
    .replace("[concat('n', string(copyIndex()))]", if members.contains(r#""copy": {"#) { "[concat('n', string(copyIndex()))]" } else { "n" })
}

fn outputs(count: usize, it: &str) -> String {
    let all: Vec<String> = (0..count)
        .map(|at| format!(r#""o{at}": {{"type": "{}", "value": "[{it}]"}}"#, type_of(it)))
        .collect();
    template("", &format!(r#""outputs": {{{}}}"#, all.join(", ")))
}

fn nested(count: usize, parameters: &str, inner: &str) -> String {
    template(
        &format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "[concat(deployment().name, '-', copyIndex())]", "copy": {{"name": "l", "count": {count}}}, "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, {parameters}"template": {inner}}}}}"#
        ),
        "",
    )
}

fn inner(it: &str, rest: &str) -> String {
    format!(r#"{INNER}, "parameters": {{"p": {{"type": "{}"}}}}{rest}}}"#, type_of(it))
}

/// The type of what an expression gives.
fn type_of(it: &str) -> &'static str {
    let texts = ["replace", "join", "string", "format", "uriComponent", "dataUri", "fail"];
    let is_text =
        texts.iter().any(|name| it.starts_with(&format!("{name}("))) || it.contains("range(0, 24), 'x'");
    let objects = ["toObject", "groupBy", "mapValues", "reference"];
    let is_object = objects.iter().any(|name| it.starts_with(&format!("{name}(")))
        || it.contains("range(0, 22), createObject");
    match (is_text, is_object) {
        (true, _) => "string",
        (false, true) => "object",
        (false, false) => "array",
    }
}

/// All bombs, or some: each way to grow and each place several times, and none of the pairs twice.
pub fn bombs(all: bool) -> Vec<Bomb> {
    let mut bombs = Vec::new();
    for (at, (place, make)) in PLACES.iter().enumerate() {
        for (number, (grower, it)) in GROWERS.iter().enumerate() {
            // In each place some other ones.
            if all || (number * 5 + at * 4) % GROWERS.len() < 2 {
                let escaped = it.replace('"', "\\\"");
                bombs.push(Bomb { name: format!("{place}.{grower}"), template: make(&escaped) });
            }
        }
    }
    bombs.extend(of_functions(all));
    bombs.extend(odd());
    bombs
}

/// Some bombs that take a minute or two: each place once, and what is no expression in a place.
pub fn sample(bombs: Vec<Bomb>) -> Vec<Bomb> {
    let mut places = std::collections::HashSet::new();
    let place = |bomb: &Bomb| bomb.name.split('.').next().unwrap_or_default().to_owned();
    bombs.into_iter().filter(|bomb| !bomb.name.contains('.') || places.insert(place(bomb))).collect()
}

/// Bombs that are no expression in a place.
fn odd() -> Vec<Bomb> {
    let one = |name: &str, template: String| Bomb { name: name.to_owned(), template };
    let wide = |count: usize| vec!["1"; count].join(",");
    let deep =
        |open: &str, close: &str, count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
    let mut matryoshka = format!("{INNER}}}");
    for _ in 0..20 {
        matryoshka = nested(20, "", &matryoshka);
    }
    let waits: Vec<String> = (0..400)
        .map(|at| {
            let before: Vec<String> = (0..at).map(|before| format!("\"n{before}\"")).collect();
            format!(
                r#"{{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "n{at}", "dependsOn": [{}], "properties": {{"p": "[replace(padLeft('', 10000, 'x'), 'x', 'xxxxxxxxxxxxxxxxxxxx')]"}}}}"#,
                before.join(", ")
            )
        })
        .collect();
    vec![
        one(
            "literal-list",
            template(&resource(&format!(r#""properties": {{"p": [{}]}}"#, wide(1_500_000))), ""),
        ),
        one("literal-tree", outputs(1, "1").replace("\"[1]\"", &deep("[", "]", 5_000))),
        one("deep-expression", outputs(1, &deep("createArray(", ")", 5_000))),
        one("nested-in-nested", matryoshka),
        one("waits-for-all", template(&waits.join(", "), "")),
        one(
            "waits-for-numbers",
            template(
                &resource(
                    r#""dependsOn": ["[map(range(0, 800), lambda('i', range(0, 10000)))]"], "properties": {}"#,
                ),
                "",
            ),
        ),
        one("loops-in-nested", nested(100, "", &LOADS_INNER.replace("COUNT", "800"))),
    ]
}

/// A template with a loop of resources, to be nested.
const LOADS_INNER: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat(deployment().name, copyIndex())]", "copy": {"name": "k", "count": COUNT}, "properties": {}}]}"#;

/// What one caller may ask for, and what is too much when many ask for it at once.
pub fn loads() -> Vec<Bomb> {
    let one = |name: &str, template: String| Bomb { name: name.to_owned(), template };
    let many = |count: usize, members: &str| {
        let resource = resource(&format!(r#""copy": {{"name": "l", "count": {count}}}, {members}"#));
        template(&resource, "")
    };
    vec![
        // The same name a million times is one step to wait for.
        one(
            "waits-a-million-times",
            template(
                &format!(
                    "{}, {}",
                    resource(r#""properties": {}"#),
                    resource(
                        r#""copy": {"name": "l", "count": 200}, "dependsOn": ["[map(range(0, 100), lambda('i', map(range(0, 10000), lambda('j', 'n'))))]"], "properties": {}"#
                    )
                    .replace("concat('n'", "concat('m'")
                ),
                "",
            ),
        ),
        one("large-bodies", many(800, r#""properties": {"p": "[padLeft('', 15000, 'x')]"}"#)),
        one(
            "one-after-the-other",
            many(800, r#""properties": {"p": "[padLeft('', 15000, 'x')]"}"#)
                .replace(r#""count": 800"#, r#""count": 800, "mode": "serial", "batchSize": 1"#),
        ),
        one(
            "many-tags",
            many(
                100,
                r#""tags": "[toObject(range(0, 9000), lambda('i', concat('t', lambdaVariables('i'))))]", "properties": {}"#,
            ),
        ),
        one(
            "long-ids",
            many(800, r#""properties": {}"#).replace("concat('n'", "concat(padLeft('', 7000, 'n')"),
        ),
        one("loops-in-nested", nested(20, "", &LOADS_INNER.replace("COUNT", "800"))),
        one("large-parts", many(12, r#""sku": {"name": "[padLeft('', 1000000, 's')]"}, "properties": {}"#)),
        one(
            "waits-for-an-hour",
            many(
                200,
                r#""@options": {"waitUntil": ["[lambda('x', equals(lambdaVariables('x').size, 2))]", "PT1H"]}, "properties": {"size": 1, "p": "[padLeft('', 15000, 'x')]"}"#,
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_grow_and_every_place_are_among_some_of_them() {
        let some = bombs(false);
        assert!(some.len() >= 40, "{}", some.len());
        for (place, _) in PLACES {
            assert!(some.iter().any(|bomb| bomb.name.starts_with(&format!("{place}."))), "{place}");
        }
        for number in 0..MADE.len() + TOILS.len() {
            assert!(some.iter().any(|bomb| bomb.name.contains(&format!(".{number}-"))), "{number}");
        }
        for (grower, _) in GROWERS {
            assert!(some.iter().any(|bomb| bomb.name.ends_with(&format!(".{grower}"))), "{grower}");
        }
        assert!(bombs(true).len() > GROWERS.len() * PLACES.len());
    }

    #[test]
    fn the_sample_has_every_place() {
        let some = sample(bombs(false));
        assert!(some.len() > PLACES.len() && some.len() < PLACES.len() + 20, "{}", some.len());
        for (place, _) in PLACES {
            assert!(some.iter().any(|bomb| bomb.name.starts_with(&format!("{place}."))), "{place}");
        }
    }

    #[test]
    fn bombs_are_small() {
        for bomb in bombs(true).iter().filter(|bomb| bomb.name.contains('.')) {
            assert!(bomb.template.len() < 64 * 1024, "{}: {}", bomb.name, bomb.template.len());
        }
    }
}
