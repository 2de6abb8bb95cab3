//! Tendon in a browser tab and in Node.js.
//!
//! A `Project` is a set of files in memory. Lines and columns are from 1, columns and offsets in UTF-16 code units, as JavaScript counts.
//! What is made comes back as plain objects; `types.d.ts`, which is a part of the module, says what they have.

use std::sync::Arc;

use embed::{
    CheckedContract, Columns, MessageContract, MessageProtocol, PictureForm, PlacedDiagnostic,
    PredictionInputs, ProjectOptions,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = JSON, js_name = parse)]
    fn parse_json(text: &str) -> JsValue;

    #[wasm_bindgen(js_namespace = JSON, js_name = stringify)]
    fn write_json(value: &JsValue) -> Option<String>;

    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn milliseconds() -> f64;
}

/// The largest pack of types, inflated.
const MOST_TYPES: u64 = 256 << 20;

/// How much memory the decoder of a pack may take, in KiB.
const DECODER_MEMORY: u32 = 80 << 10;

/// A set of files in memory, and what is worked out of them.
#[wasm_bindgen]
pub struct Project {
    inner: embed::Project,
}

/// What a prediction is told, as JavaScript has it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Inputs {
    /// An object of values by name, or the text of a parameters file.
    parameters: Option<serde_json::Value>,
    mocks: Option<serde_json::Value>,
    scope: Option<String>,
    location: Option<String>,
    name: Option<String>,
}

/// A result, or why there is none.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    text: Option<String>,
    diagnostics: Vec<PlacedDiagnostic>,
}

impl From<Result<String, Vec<PlacedDiagnostic>>> for Made {
    fn from(made: Result<String, Vec<PlacedDiagnostic>>) -> Made {
        match made {
            Ok(text) => Made { text: Some(text), diagnostics: Vec::new() },
            Err(diagnostics) => Made { text: None, diagnostics },
        }
    }
}

/// A plain object of JavaScript.
fn shown(value: &impl Serialize) -> JsValue {
    match serde_json::to_string(value) {
        Ok(text) => parse_json(&text),
        Err(_) => JsValue::NULL,
    }
}

fn error(message: &str) -> JsValue {
    JsError::new(message).into()
}

/// All that is wrong, as an exception that has it as `diagnostics`.
fn refused(found: &[PlacedDiagnostic]) -> JsValue {
    let messages: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
    error(&messages.join("; "))
}

fn seconds() -> i64 {
    (milliseconds() / 1000.0) as i64
}

/// Text as it is, everything else as JSON.
fn written(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

fn inputs(given: &JsValue) -> Result<PredictionInputs, JsValue> {
    let given = match write_json(given) {
        Some(text) if text != "null" => {
            serde_json::from_str::<Inputs>(&text).map_err(|wrong| error(&format!("inputs: {wrong}")))?
        }
        _ => Inputs::default(),
    };
    Ok(PredictionInputs {
        parameters: given.parameters.map(written),
        mocks: given.mocks.map(written),
        scope: given.scope,
        location: given.location,
        name: given.name,
        now: seconds(),
    })
}

#[wasm_bindgen]
impl Project {
    /// A project without files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Project {
        let options = ProjectOptions { columns: Columns::Utf16, ..ProjectOptions::default() };
        Project { inner: embed::Project::new(options) }
    }

    /// Takes the types of Azure's resources: `types.pack.lzma`, which stands beside this module.
    #[wasm_bindgen(js_name = useTypes)]
    pub fn use_types(&mut self, packed: &[u8]) -> Result<(), JsValue> {
        use std::io::Read as _;
        let wrong = |failed: std::io::Error| error(&format!("the types cannot be unpacked: {failed}"));
        let reader = lzma_rust2::LzmaReader::new_mem_limit(packed, DECODER_MEMORY, None).map_err(wrong)?;
        let mut pack = Vec::new();
        reader.take(MOST_TYPES).read_to_end(&mut pack).map_err(wrong)?;
        self.inner.use_types(Arc::new(pack)).map_err(|message| error(&message))
    }

    /// Says which day it is: to it, ages of API versions are counted.
    #[wasm_bindgen(js_name = setDay)]
    pub fn set_day(&mut self, year: i32, month: u8, day: u8) -> Result<(), JsValue> {
        self.inner.set_day(year, month, day).map_err(|message| error(&message))
    }

    /// Adds a file, or gives it another text.
    #[wasm_bindgen(js_name = setFile)]
    pub fn set_file(&mut self, name: &str, text: &str) {
        self.inner.set_file(name, text);
    }

    /// Adds a file that need not be text, or gives it other contents.
    #[wasm_bindgen(js_name = setBytes)]
    pub fn set_bytes(&mut self, name: &str, contents: &[u8]) {
        self.inner.set_file(name, contents);
    }

    /// Removes a file, if it is there.
    #[wasm_bindgen(js_name = removeFile)]
    pub fn remove_file(&mut self, name: &str) {
        self.inner.remove_file(name);
    }

    /// The names of the files, in order.
    #[wasm_bindgen(js_name = fileNames)]
    pub fn file_names(&self) -> Vec<String> {
        self.inner.file_names()
    }

    /// Compiles a program or a parameters file.
    #[wasm_bindgen(unchecked_return_type = "CompiledProgram")]
    pub fn compile(&self, name: &str) -> JsValue {
        shown(&self.inner.compile(name))
    }

    /// Lays a program out, or says why not.
    #[wasm_bindgen(unchecked_return_type = "Made")]
    pub fn format(&self, name: &str) -> JsValue {
        shown(&Made::from(self.inner.format(name)))
    }

    /// What is to be said about what stands at a place.
    #[wasm_bindgen(unchecked_return_type = "HoverText | null")]
    pub fn hover(&self, name: &str, line: u32, column: u32) -> JsValue {
        shown(&self.inner.hover(name, line, column))
    }

    /// What could be written at a place, in the order in which it is shown.
    #[wasm_bindgen(unchecked_return_type = "ListedCompletion[]")]
    pub fn complete(&self, name: &str, line: u32, column: u32) -> JsValue {
        shown(&self.inner.complete(name, line, column))
    }

    /// The words of a program with what they are.
    #[wasm_bindgen(unchecked_return_type = "PaintedToken[]")]
    pub fn tokens(&self, name: &str) -> JsValue {
        shown(&self.inner.tokens(name))
    }

    /// Predicts what a deployment of a program, a parameters file or a template would make.
    #[wasm_bindgen(unchecked_return_type = "Made")]
    pub fn snapshot(
        &self,
        name: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "PredictionInputs")] given: JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(shown(&Made::from(self.inner.snapshot(name, &inputs(&given)?))))
    }

    /// The value of a template expression with the declarations of a program around it.
    #[wasm_bindgen(unchecked_return_type = "Made")]
    pub fn evaluate(
        &self,
        name: &str,
        expression: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "PredictionInputs")] given: JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(shown(&Made::from(self.inner.evaluate(name, expression, &inputs(&given)?))))
    }

    /// Draws what a deployment has and what depends on what, as `svg`, `mermaid` or `dot`.
    #[wasm_bindgen(unchecked_return_type = "Made")]
    pub fn picture(
        &self,
        name: &str,
        #[wasm_bindgen(unchecked_param_type = "'svg' | 'mermaid' | 'dot'")] form: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "PredictionInputs")] given: JsValue,
    ) -> Result<JsValue, JsValue> {
        let form = match form {
            "svg" => PictureForm::Svg,
            "mermaid" => PictureForm::Mermaid,
            "dot" => PictureForm::Dot,
            other => {
                return Err(error(&format!(
                    "`{other}` is no form of pictures; `svg`, `mermaid` and `dot` are"
                )));
            }
        };
        Ok(shown(&Made::from(self.inner.picture(name, &inputs(&given)?, form))))
    }

    /// Everything that is to be said about a Thrift file and what it includes.
    #[wasm_bindgen(js_name = lintThrift, unchecked_return_type = "PlacedDiagnostic[]")]
    pub fn lint_thrift(&self, name: &str) -> JsValue {
        shown(&self.inner.lint_thrift(name))
    }

    /// The contract that a reference such as `order.contract.json#Item` names, or what is wrong with it.
    #[wasm_bindgen(js_name = contractFindings, unchecked_return_type = "PlacedDiagnostic[]")]
    pub fn contract_findings(&self, reference: &str) -> JsValue {
        shown(&self.inner.contract(reference, seconds()).err().unwrap_or_default())
    }

    /// A contract, ready for values. Throws if it cannot be used; `contractFindings` says where that is written.
    pub fn contract(&self, reference: &str) -> Result<Contract, JsValue> {
        let inner = self.inner.contract(reference, seconds()).map_err(|found| refused(&found))?;
        Ok(Contract { inner })
    }

    /// The rules of a Thrift type, ready for messages: `orders.thrift#Order`.
    pub fn messages(&self, reference: &str) -> Result<Messages, JsValue> {
        let nanoseconds = seconds().saturating_mul(1_000_000_000);
        let inner = self.inner.messages(reference, nanoseconds).map_err(|found| refused(&found))?;
        Ok(Messages { inner })
    }
}

impl Default for Project {
    fn default() -> Project {
        Project::new()
    }
}

/// A contract, ready for values.
#[wasm_bindgen]
pub struct Contract {
    inner: CheckedContract,
}

#[wasm_bindgen]
impl Contract {
    /// Holds a text of values against the contract: JSON, or YAML of one or several documents.
    #[wasm_bindgen(unchecked_return_type = "CheckResult")]
    pub fn check(&self, name: &str, text: &str) -> JsValue {
        shown(&self.inner.check(name, text))
    }
}

/// The rules of a Thrift type, ready for messages.
#[wasm_bindgen]
pub struct Messages {
    inner: MessageContract,
}

#[wasm_bindgen]
impl Messages {
    /// Validates a message, which is one struct, bare, as `binary`, `compact` or `json`.
    #[wasm_bindgen(unchecked_return_type = "MessageResult")]
    pub fn validate(
        &self,
        message: &[u8],
        #[wasm_bindgen(unchecked_param_type = "'binary' | 'compact' | 'json'")] protocol: &str,
    ) -> Result<JsValue, JsValue> {
        let protocol = MessageProtocol::named(protocol).ok_or_else(|| {
            error(&format!("`{protocol}` is no protocol; `binary`, `compact` and `json` are"))
        })?;
        Ok(shown(&self.inner.validate(message, protocol)))
    }
}
