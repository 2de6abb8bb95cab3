//! The body of a test, and what each of its cases makes of it.

use arm::Value;
use arm::evaluate::{Moment, Scope};

/// The most cases that one test may have.
const MOST_CASES: usize = 10_000;

/// What `utcNow()` sees unless a test says otherwise: the start of 2026.
const DEFAULT_TIME: i64 = 1_767_225_600_000;

/// The members of a case, as of a body.
const MEMBERS: [&str; 16] = [
    "params",
    "data",
    "mocks",
    "given",
    "after",
    "scope",
    "location",
    "name",
    "time",
    "complete",
    "mode",
    "expect",
    "matchSnapshot",
    "generate",
    "checks",
    "skip",
];

/// How a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TestMode {
    /// On the local provider.
    #[default]
    Deploy,
    /// It is evaluated alone.
    Snapshot,
}

/// What gives values to parameters, each over those before.
#[derive(Clone, Debug)]
pub(crate) enum ParamsLayer {
    /// A parameters file, by its path from the test file.
    File(String),
    Values(Value),
}

/// The failure that a test expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExpectedFailure {
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) symbol: Option<String>,
}

/// Which checks a case has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckChoice {
    pub(crate) idempotent: bool,
    pub(crate) unique_ids: bool,
    pub(crate) limits: bool,
    pub(crate) secret_output: bool,
    pub(crate) unused_mocks: bool,
}

impl CheckChoice {
    /// All of them, or none.
    pub(crate) fn all(wanted: bool) -> CheckChoice {
        CheckChoice {
            idempotent: wanted,
            unique_ids: wanted,
            limits: wanted,
            secret_output: wanted,
            unused_mocks: wanted,
        }
    }
}

/// How parameters are generated.
#[derive(Clone, Debug, Default)]
pub(crate) struct GenerateChoice {
    pub(crate) count: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) max: Option<Value>,
}

/// One case of a test.
#[derive(Clone, Debug)]
pub(crate) struct CaseBody {
    pub(crate) label: Option<String>,
    pub(crate) params: Vec<ParamsLayer>,
    pub(crate) data: Value,
    pub(crate) mocks: Value,
    pub(crate) given: Option<Value>,
    /// The name of the test whose state it starts with.
    pub(crate) after: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) location: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) complete: bool,
    pub(crate) time: Moment,
    pub(crate) mode: TestMode,
    pub(crate) failure: Option<ExpectedFailure>,
    pub(crate) diagnostics: Vec<String>,
    pub(crate) match_snapshot: bool,
    pub(crate) generate: Option<GenerateChoice>,
    pub(crate) checks: CheckChoice,
    pub(crate) skip: Option<String>,
}

/// What is wrong with a body: the member, with dots, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyError {
    pub(crate) member: String,
    pub(crate) message: String,
}

impl BodyError {
    pub(crate) fn new(member: &str, message: impl Into<String>) -> BodyError {
        BodyError { member: member.to_owned(), message: message.into() }
    }
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.plain().as_object()?.get(name).filter(|value| !value.is_null())
}

/// The cases of a test with their labels; one without a label if it has no table.
pub(crate) fn cases(body: &Value) -> Result<Vec<(Option<String>, Value)>, BodyError> {
    let Some(table) = member(body, "cases") else { return Ok(vec![(None, body.clone())]) };
    let rows: Vec<(String, &Value)> = match table.plain() {
        Value::Object(rows) => rows.iter().map(|(label, row)| (label.to_string(), row)).collect(),
        Value::Array(rows) => {
            rows.items().iter().enumerate().map(|(place, row)| (place.to_string(), row)).collect()
        }
        _ => return Err(BodyError::new("cases", "`cases` must be an object or an array")),
    };
    if rows.len() > MOST_CASES {
        let message = format!("a test has at most {MOST_CASES} cases, and this one has {}", rows.len());
        return Err(BodyError::new("cases", message));
    }
    let mut all = Vec::with_capacity(rows.len());
    for (label, row) in rows {
        let merged = laid_over(body, row, &label)?;
        all.push((Some(label), merged));
    }
    Ok(all)
}

/// A case over its body.
fn laid_over(body: &Value, row: &Value, label: &str) -> Result<Value, BodyError> {
    let at = format!("cases.{label}");
    let Some(row) = row.plain().as_object() else {
        return Err(BodyError::new(&at, format!("the case `{label}` must be an object")));
    };
    let mut all: Vec<(smol_str::SmolStr, Value)> = match body.plain().as_object() {
        Some(body) => body.iter().filter(|(name, _)| name != "cases").cloned().collect(),
        None => Vec::new(),
    };
    for (name, value) in row {
        if !MEMBERS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            let known = || MEMBERS.iter().copied();
            let message = match diagnostics::suggest(name, known()) {
                Some(near) => format!("a case has no member `{name}`; did you mean `{near}`?"),
                None => format!("a case has no member `{name}`"),
            };
            return Err(BodyError::new(&format!("{at}.{name}"), message));
        }
        let before = all.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match before {
            Some((_, before)) if name.eq_ignore_ascii_case("mocks") => *before = before.merged_with(value),
            // Both are kept: what is over the other is read later.
            Some((known, before)) if name.eq_ignore_ascii_case("params") => {
                let layers = Value::array(vec![before.clone(), value.clone()]);
                *before = layers;
                *known = "params".into();
            }
            Some((_, before)) => *before = value.clone(),
            None => all.push((name.clone(), value.clone())),
        }
    }
    Ok(Value::object(all))
}

/// A reader of members that says what is wrong with them.
struct BodyReader<'b> {
    body: &'b Value,
}

impl<'b> BodyReader<'b> {
    fn text(&self, name: &str) -> Result<Option<String>, BodyError> {
        match member(self.body, name).map(Value::plain) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text.to_string())),
            Some(_) => Err(BodyError::new(name, format!("`{name}` must be a text"))),
        }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, BodyError> {
        match member(self.body, name).map(Value::plain) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(BodyError::new(name, format!("`{name}` must be true or false"))),
        }
    }

    fn object(&self, name: &str) -> Result<Option<&'b Value>, BodyError> {
        match member(self.body, name) {
            None => Ok(None),
            Some(value) if value.plain().as_object().is_some() => Ok(Some(value)),
            Some(_) => Err(BodyError::new(name, format!("`{name}` must be an object"))),
        }
    }

    fn params(&self) -> Result<Vec<ParamsLayer>, BodyError> {
        let layer = |value: &Value| match value.plain() {
            Value::Text(path) => Ok(ParamsLayer::File(path.to_string())),
            Value::Object(_) => Ok(ParamsLayer::Values(value.clone())),
            _ => {
                Err(BodyError::new("params", "`params` must be an object, or the path of a parameters file"))
            }
        };
        match member(self.body, "params") {
            None => Ok(Vec::new()),
            Some(Value::Array(layers)) => {
                layers.items().iter().filter(|layer| !layer.is_null()).map(layer).collect()
            }
            Some(value) => Ok(vec![layer(value)?]),
        }
    }

    fn time(&self) -> Result<Moment, BodyError> {
        let milliseconds = match self.text("time")? {
            None => DEFAULT_TIME,
            Some(text) => arm::rest_time::parse_moment(&text).ok_or_else(|| {
                BodyError::new("time", "`time` must be a moment such as `2026-01-31T12:00:00Z`")
            })?,
        };
        Ok(later(Moment { seconds: 0, ticks: 0 }, milliseconds))
    }

    fn failure(&self) -> Result<(Option<ExpectedFailure>, Vec<String>), BodyError> {
        let Some(expect) = self.object("expect")? else { return Ok((None, Vec::new())) };
        only(expect, "expect", &["failure", "diagnostics"])?;
        let failure = match member(expect, "failure").map(Value::plain) {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(ExpectedFailure::default()),
            Some(value @ Value::Object(_)) => {
                only(value, "expect.failure", &["code", "message", "target", "symbol"])?;
                let reader = BodyReader { body: value };
                Some(ExpectedFailure {
                    code: reader.text("code")?,
                    message: reader.text("message")?,
                    target: reader.text("target")?,
                    symbol: reader.text("symbol")?,
                })
            }
            Some(_) => {
                let message =
                    "`failure` must be true, or an object with `code`, `message`, `target` or `symbol`";
                return Err(BodyError::new("expect.failure", message));
            }
        };
        let codes = match member(expect, "diagnostics").map(Value::plain) {
            None => Vec::new(),
            Some(Value::Array(codes)) => {
                let codes = codes.items().iter().map(|code| code.plain().as_str().map(str::to_owned));
                codes.collect::<Option<Vec<String>>>().ok_or_else(|| {
                    BodyError::new("expect.diagnostics", "`diagnostics` must be an array of codes")
                })?
            }
            Some(_) => {
                return Err(BodyError::new("expect.diagnostics", "`diagnostics` must be an array of codes"));
            }
        };
        Ok((failure, codes))
    }

    fn checks(&self) -> Result<CheckChoice, BodyError> {
        let mut choice = CheckChoice::all(true);
        let Some(checks) = self.object("checks")? else { return Ok(choice) };
        only(checks, "checks", &["idempotent", "uniqueIds", "limits", "secretOutput", "unusedMocks"])?;
        let reader = BodyReader { body: checks };
        choice.idempotent = reader.flag("idempotent", true)?;
        choice.unique_ids = reader.flag("uniqueIds", true)?;
        choice.limits = reader.flag("limits", true)?;
        choice.secret_output = reader.flag("secretOutput", true)?;
        choice.unused_mocks = reader.flag("unusedMocks", true)?;
        Ok(choice)
    }

    fn generate(&self) -> Result<Option<GenerateChoice>, BodyError> {
        let Some(generate) = self.object("generate")? else { return Ok(None) };
        only(generate, "generate", &["count", "seed", "max"])?;
        let number = |name: &str| match member(generate, name).map(Value::plain) {
            None => Ok(None),
            Some(Value::Int(number)) if *number >= 0 => Ok(u64::try_from(*number).ok()),
            Some(_) => Err(BodyError::new("generate", format!("`{name}` must be an integer from 0 on"))),
        };
        let (count, seed) = (number("count")?, number("seed")?);
        Ok(Some(GenerateChoice { count, seed, max: member(generate, "max").cloned() }))
    }
}

/// Refuses members that nothing knows.
fn only(value: &Value, at: &str, known: &[&str]) -> Result<(), BodyError> {
    for (name, _) in value.plain().as_object().into_iter().flat_map(|object| object.iter()) {
        if !known.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            let names: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
            let message = format!("`{at}` has no member `{name}`; there are {}", names.join(", "));
            return Err(BodyError::new(&format!("{at}.{name}"), message));
        }
    }
    Ok(())
}

/// A moment so many milliseconds later.
pub(crate) fn later(moment: Moment, milliseconds: i64) -> Moment {
    let ticks = i64::from(moment.ticks) + milliseconds.rem_euclid(1_000) * 10_000;
    let seconds = moment.seconds.saturating_add(milliseconds.div_euclid(1_000));
    Moment {
        seconds: seconds.saturating_add(ticks / 10_000_000),
        ticks: u32::try_from(ticks % 10_000_000).unwrap_or_default(),
    }
}

/// The scope that a body names.
pub(crate) fn scope_of(body: &Value) -> Result<Option<Scope>, BodyError> {
    let Some(text) = (BodyReader { body }).text("scope")? else { return Ok(None) };
    match Scope::parse(&text) {
        Some(scope) if text.starts_with('/') => Ok(Some(scope)),
        _ => Err(BodyError::new(
            "scope",
            format!(
                "`{text}` is not the id of a scope; write `/subscriptions/ID/resourceGroups/NAME`, `/subscriptions/ID`, or `/` for the tenant"
            ),
        )),
    }
}

pub(crate) fn read(label: Option<String>, body: &Value) -> Result<CaseBody, BodyError> {
    let reader = BodyReader { body };
    let mode = match reader.text("mode")?.as_deref() {
        None => TestMode::Deploy,
        Some(mode) if mode.eq_ignore_ascii_case("deploy") => TestMode::Deploy,
        Some(mode) if mode.eq_ignore_ascii_case("snapshot") => TestMode::Snapshot,
        Some(_) => return Err(BodyError::new("mode", "`mode` must be `deploy` or `snapshot`")),
    };
    let after = match member(body, "after") {
        None => None,
        Some(after) => {
            let name = member(after, "name").and_then(Value::as_str);
            Some(name.ok_or_else(|| BodyError::new("after", "`after` must be another test"))?.to_owned())
        }
    };
    let given = match member(body, "given") {
        None => None,
        Some(given @ (Value::Array(_) | Value::Text(_))) => Some(given.clone()),
        Some(_) => {
            let message = "`given` must be an array of resources, or the path of a file that `tendon state export` wrote";
            return Err(BodyError::new("given", message));
        }
    };
    let (failure, diagnostics) = reader.failure()?;
    Ok(CaseBody {
        label,
        params: reader.params()?,
        data: member(body, "data").cloned().unwrap_or(Value::Null),
        mocks: reader.object("mocks")?.cloned().unwrap_or(Value::Null),
        given,
        after,
        scope: scope_of(body)?,
        location: reader.text("location")?,
        name: reader.text("name")?,
        complete: reader.flag("complete", false)?,
        time: reader.time()?,
        mode,
        failure,
        diagnostics,
        match_snapshot: reader.flag("matchSnapshot", false)?,
        generate: reader.generate()?,
        checks: reader.checks()?,
        skip: reader.text("skip")?,
    })
}

#[cfg(test)]
mod tests {
    use engine::records::parse;

    use super::*;

    fn all(body: &str) -> Vec<CaseBody> {
        let cases = cases(&parse(body).unwrap()).unwrap();
        cases.into_iter().map(|(label, body)| read(label, &body).unwrap()).collect()
    }

    #[track_caller]
    fn refuses(body: &str, member: &str, message: &str) {
        let body = parse(body).unwrap();
        let error = cases(&body)
            .and_then(|all| all.into_iter().try_for_each(|(label, body)| read(label, &body).map(drop)))
            .unwrap_err();
        assert_eq!(error.member, member);
        assert!(error.message.contains(message), "{}", error.message);
    }

    #[test]
    fn a_case_is_laid_over_its_body() {
        let cases = all(r#"{"params":{"a":1},"mocks":{"reference":{"x":{"p":1}}},"data":{"k":1},"cases":{
              "one":{"params":{"b":2},"mocks":{"reference":{"y":{"q":2}}},"data":{"l":2}},"two":{}}}"#);
        let [one, two] = cases.as_slice() else { panic!("{cases:?}") };
        assert_eq!((one.label.as_deref(), one.params.len()), (Some("one"), 2));
        assert_eq!(one.mocks.to_json(), r#"{"reference":{"x":{"p":1},"y":{"q":2}}}"#);
        assert_eq!(one.data.to_json(), r#"{"l":2}"#);
        assert_eq!((two.data.to_json().as_str(), two.params.len()), (r#"{"k":1}"#, 1));
        let numbered = all(r#"{"cases":[{},{"name":"x"}]}"#);
        let labels: Vec<_> = numbered.iter().map(|case| case.label.clone().unwrap()).collect();
        assert_eq!(labels, ["0", "1"]);
    }

    #[test]
    fn a_body_without_a_table_is_one_case() {
        let cases = all(r#"{"time":"2026-03-01T00:00:00Z","expect":{"failure":true}}"#);
        let [one] = cases.as_slice() else { panic!("{cases:?}") };
        assert_eq!((one.label.as_deref(), one.time.seconds), (None, 1_772_323_200));
        assert_eq!(one.failure, Some(ExpectedFailure::default()));
        assert_eq!(all("{}")[0].time.seconds, 1_767_225_600);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        refuses(r#"{"cases":{"a":{"parms":{}}}}"#, "cases.a.parms", "did you mean `params`?");
        refuses(r#"{"cases":{"a":1}}"#, "cases.a", "must be an object");
        refuses(r#"{"cases":3}"#, "cases", "an object or an array");
        refuses(r#"{"time":"soon"}"#, "time", "must be a moment");
        refuses(r#"{"scope":"here"}"#, "scope", "is not the id of a scope");
        refuses(r#"{"expect":{"failure":{"cod":"x"}}}"#, "expect.failure.cod", "there are `code`");
        refuses(r#"{"expect":{"diagnostics":"BCP036"}}"#, "expect.diagnostics", "an array of codes");
        refuses(r#"{"checks":{"idempotency":false}}"#, "checks.idempotency", "there are `idempotent`");
        refuses(r#"{"generate":{"count":-1}}"#, "generate", "an integer from 0 on");
    }

    #[test]
    fn time_goes_on_in_milliseconds() {
        let start = Moment { seconds: 10, ticks: 9_999_999 };
        assert_eq!(later(start, 1), Moment { seconds: 11, ticks: 9_999 });
        assert_eq!(later(start, 3_600_000).seconds, 3_610);
    }
}
