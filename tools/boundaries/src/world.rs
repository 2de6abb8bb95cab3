//! The programs, templates, types and contracts that values are sent to, written and compiled once.

use std::path::{Path, PathBuf};

use crate::crossing::Level;
use crate::process::{self, Folder};
use crate::{Result, said};

const TYPES: &str = include_str!("../resources/types.bicep");
const RADIUS: &str = include_str!("../resources/types.yaml");
const THRIFT: &str = include_str!("../resources/widget.thrift");
const CONTRACT: &str = include_str!("../resources/widget.contract.json");
const CLUSTER: &str = include_str!("../resources/cluster.json");

/// The subscription that deployments go to.
pub(crate) const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-000000000001";
/// The group that deployments go to.
pub(crate) const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/gate";
/// The environment that Radius resources are in.
pub(crate) const ENVIRONMENT: &str =
    "/planes/radius/local/resourceGroups/default/providers/Applications.Core/environments/env";
/// The group of Radius.
pub(crate) const PLANE: &str = "/planes/radius/local/resourceGroups/default";

/// Everything that does not change from one value to the next.
#[derive(Debug)]
pub(crate) struct World {
    /// The real program.
    pub(crate) binary: PathBuf,
    folder: Folder,
}

/// A resource whose name tells that the deployment got as far as to keep something.
const KEPT: &str = "
resource kept 'Test.Things/things@2025-01-01' = {
  name: 'kept-${deployment().name}'
  properties: { count: p.count, free: p.?free, map: p.?map, q: q }
}
";

/// A resource whose properties are known when it was deployed, not before.
const THING: &str = "
resource thing 'Test.Things/things@2025-01-01' = {
  name: 'thing-${deployment().name}'
  properties: { answer: json(text) }
}
";

const PARAMETERS: &str = "
param p widget
@maxLength(8)
param q string = 'dflt'
";

/// The programs by name: whether they have the types, and what else is in them.
const PROGRAMS: &[(&str, bool, &[&str])] = &[
    ("main", true, &[PARAMETERS, KEPT]),
    // The type of the parameter is a secret as a whole, so that a key vault may have it.
    ("vaulted", true, &[PARAMETERS, KEPT]),
    ("bare", true, &[PARAMETERS, "output name string = p.name\n"]),
    (
        "inner",
        true,
        &[
            PARAMETERS,
            "param mark string
resource kept 'Test.Things/things@2025-01-01' = {
  name: 'kept-${mark}'
  properties: { count: p.count, free: p.?free, map: p.?map, q: q }
}
output name string = p.name
",
        ],
    ),
    ("giving", true, &["param text string\noutput o widget = json(text)\n"]),
    (
        "expression",
        false,
        &["param text string
module m 'inner.bicep' = { name: 'm', params: { p: json(text), mark: deployment().name } }
"],
    ),
    (
        "loop",
        false,
        &["param text string
module m 'inner.bicep' = [for i in range(0, 2): {
  name: 'm${i}'
  params: { p: json(text), mark: '${deployment().name}-${i}' }
}]
"],
    ),
    (
        "runtime",
        false,
        &[
            "param text string\n",
            THING,
            "module m 'inner.bicep' = { name: 'm', params: { p: thing.properties.answer, mark: deployment().name } }\n",
        ],
    ),
    (
        "mock",
        false,
        &["
resource thing 'Test.Things/things@2025-01-01' = {
  name: 'thing-${deployment().name}'
  properties: { asked: true }
}
module m 'inner.bicep' = { name: 'm', params: { p: thing.properties.answer, mark: deployment().name } }
"],
    ),
    (
        "output",
        false,
        &["param text string
module m 'giving.bicep' = { name: 'm', params: { text: text } }
resource kept 'Test.Things/things@2025-01-01' = {
  name: 'kept-${deployment().name}'
  properties: { count: m.outputs.o.count }
}
"],
    ),
    (
        "open",
        false,
        &["param text string
resource kept 'Test.Things/things@2025-01-01' = { name: 'kept-${deployment().name}', properties: json(text) }
"],
    ),
    (
        "open-runtime",
        false,
        &[
            "param text string\n",
            THING,
            "resource kept 'Test.Things/things@2025-01-01' = { name: 'kept-${deployment().name}', properties: thing.properties.answer }\n",
        ],
    ),
    (
        "argument",
        true,
        &["param text string
func taken(w widget) int => w.count
resource kept 'Test.Things/things@2025-01-01' = {
  name: 'kept-${deployment().name}'
  properties: { count: taken(json(text)) }
}
"],
    ),
    (
        "result",
        true,
        &["param text string
func made(text string) widget => json(text)
resource kept 'Test.Things/things@2025-01-01' = {
  name: 'kept-${deployment().name}'
  properties: { count: made(text).count }
}
"],
    ),
];

impl World {
    /// Writes everything into a folder, and compiles it.
    pub(crate) fn new(binary: &Path, path: PathBuf) -> Result<World> {
        let world = World { binary: std::path::absolute(binary).map_err(said)?, folder: Folder::new(path)? };
        let folder = &world.folder;
        for (name, has_types, parts) in PROGRAMS {
            let types = match *name {
                "vaulted" => TYPES.replace("type widget = {", "@secure()\ntype widget = {"),
                _ if *has_types => TYPES.to_owned(),
                _ => String::new(),
            };
            folder.write(&format!("{name}.bicep"), format!("{types}{}", parts.concat()))?;
            world.compile(name)?;
        }
        for (level, scope) in [
            (Level::Subscription, "subscription"),
            (Level::ManagementGroup, "managementGroup"),
            (Level::Tenant, "tenant"),
        ] {
            let name = bare(level);
            let text = format!("targetScope = '{scope}'\n{TYPES}{PARAMETERS}output name string = p.name\n");
            folder.write(&format!("{name}.bicep"), text)?;
            world.compile(name)?;
        }
        folder.write("types.yaml", RADIUS)?;
        folder.write("widget.thrift", THRIFT)?;
        folder.write("widget.contract.json", CONTRACT)?;
        folder.write("cluster.json", CLUSTER)?;
        folder.write("bicepconfig.json", BICEPCONFIG)?;
        world.run(&["bicep", "publish-extension", "-f", "types.yaml", "--target", "gate.tgz"])?;
        for (name, parts) in [
            (
                "deployed",
                "extension gate
param text string
resource w 'Test.Gate/widgets@2025-01-01' = { name: 'kept-${deployment().name}', properties: json(text) }
",
            ),
            (
                "deployed-runtime",
                "extension gate
param text string
resource thing 'Test.Things/things@2025-01-01' = {
  name: 'thing-${deployment().name}'
  properties: { answer: json(text) }
}
resource w 'Test.Gate/widgets@2025-01-01' = { name: 'kept-${deployment().name}', properties: thing.properties.answer }
",
            ),
            (
                "deployed-rest",
                "extension gate
param v object
resource w 'Test.Gate/widgets@2025-01-01' = { name: 'kept-${deployment().name}', properties: any(v) }
",
            ),
            (
                "answered",
                "extension gate
param environment string
resource w 'Test.Gate/widgets@2025-01-01' = {
  name: 'kept-${deployment().name}'
  properties: { environment: environment, name: 'abc', count: 3 }
}
",
            ),
        ] {
            folder.write(&format!("{name}.bicep"), parts)?;
            world.compile(name)?;
        }
        Ok(world)
    }

    fn compile(&self, name: &str) -> Result {
        self.run(&["build", &format!("{name}.bicep"), "--outfile", &format!("{name}.json")])
    }

    fn run(&self, arguments: &[&str]) -> Result {
        let mut command = process::command(&self.binary, self.folder.path());
        command.args(arguments);
        let ended = process::run(command, None)?;
        match ended.code {
            Some(0) => Ok(()),
            _ => Err(format!(
                "`tendon {}` failed:\n{}",
                arguments.join(" "),
                String::from_utf8_lossy(&ended.text)
            )),
        }
    }

    /// The text of one of the files.
    pub(crate) fn text(&self, name: &str) -> Result<String> {
        std::fs::read_to_string(self.folder.join(name))
            .map_err(|error| format!("cannot read `{name}`: {error}"))
    }

    /// Copies everything to another folder.
    pub(crate) fn copy_to(&self, folder: &Folder) -> Result {
        for entry in std::fs::read_dir(self.folder.path()).map_err(said)? {
            let entry = entry.map_err(said)?;
            if entry.file_type().map_err(said)?.is_file() {
                std::fs::copy(entry.path(), folder.join(entry.file_name())).map_err(said)?;
            }
        }
        Ok(())
    }
}

const BICEPCONFIG: &str = r#"{"experimentalFeaturesEnabled": {"extensibility": true}, "extensions": {"gate": "./gate.tgz"},
  "externalInputs": {"test.*": {"command": ["/bin/cat", "answer.json"]}},
  "decorators": {"notify": {"targets": ["resource"], "parameters": [{"name": "what",
    "type": "{ channel: string, level: 'low' | 'high', tries: int, list: string[], inner: { leaf: string } }"}]}}}"#;

/// The name of the program without resources for a scope.
pub(crate) fn bare(level: Level) -> &'static str {
    match level {
        Level::Group | Level::Plane => "bare",
        Level::Subscription => "bare-subscription",
        Level::ManagementGroup => "bare-managementgroup",
        Level::Tenant => "bare-tenant",
    }
}
