//! One template on its way to being a program: what it declares, and what the names in it mean.

use arm::expression::Expression;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::code::is_name;
use crate::declared::{Loop, Symbol};
use crate::json::Json;
use crate::names::{NameAllocator, NameKind, escape, valid};
use crate::output::Output;
use crate::problem::{DecompileError, Result, Under as _};

/// Where a template is deployed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetScope {
    ResourceGroup,
    Subscription,
    ManagementGroup,
    Tenant,
    Local,
}

impl TargetScope {
    /// The target that the schema of a template names.
    fn of(template: &Json) -> Result<TargetScope> {
        let schema = template
            .find("$schema")
            .ok_or_else(|| DecompileError::new("the template has no `$schema`"))?
            .to_text();
        let path = schema.split_once("://").map_or("", |(_, rest)| rest);
        let path = path.find('/').and_then(|at| path.get(at..)).unwrap_or_default();
        match path.split(['#', '?']).next().unwrap_or_default() {
            "/schemas/2019-08-01/tenantDeploymentTemplate.json" => Ok(TargetScope::Tenant),
            "/schemas/2019-08-01/managementGroupDeploymentTemplate.json" => Ok(TargetScope::ManagementGroup),
            "/schemas/2018-05-01/subscriptionDeploymentTemplate.json" => Ok(TargetScope::Subscription),
            "/dsc/schemas/v3/bundled/config/document.json" => Ok(TargetScope::Local),
            "/schemas/2014-04-01-preview/deploymentTemplate.json"
            | "/schemas/2015-01-01/deploymentTemplate.json"
            | "/schemas/2019-04-01/deploymentTemplate.json" => Ok(TargetScope::ResourceGroup),
            _ => Err(DecompileError::new(format!("`{schema}` is not the schema of a deployment template"))
                .under("$schema")),
        }
    }

    /// What `targetScope` says; nothing for what is meant without it.
    pub(crate) fn keyword(self) -> Option<&'static str> {
        match self {
            TargetScope::ResourceGroup => None,
            TargetScope::Subscription => Some("subscription"),
            TargetScope::ManagementGroup => Some("managementGroup"),
            TargetScope::Tenant => Some("tenant"),
            TargetScope::Local => Some("local"),
        }
    }
}

/// A resource or module that an expression mentions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mention {
    pub(crate) symbol: usize,
    /// Which element of a collection; none for all.
    pub(crate) index: Option<Expression>,
    /// Whether nothing of its body is read.
    pub(crate) weak: bool,
}

/// Where the expression that is being written stands, which decides what it may mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionContext {
    /// Where nothing is mentioned: parameters, variables, functions.
    Apart,
    /// In a resource or module, with what it depends on.
    Resource(FxHashSet<usize>),
    Output,
}

/// A template that is being written.
pub(crate) struct Converter<'t> {
    pub(crate) template: &'t Json,
    pub(crate) output: &'t mut Output,
    /// The path of the file that is written.
    pub(crate) file: String,
    /// Whether the result has to compile to this very template, because it is one that a compiler wrote.
    pub(crate) exact: bool,
    /// Whether resources have names of their own in the template.
    pub(crate) symbolic: bool,
    pub(crate) target: TargetScope,
    pub(crate) names: NameAllocator,
    /// Names in the program by those in the template, in small letters.
    pub(crate) parameters: FxHashMap<String, String>,
    pub(crate) variables: FxHashMap<String, String>,
    pub(crate) functions: FxHashMap<String, String>,
    /// The declarations of parameters, by their names in the template, in small letters.
    pub(crate) declarations: FxHashMap<String, &'t Json>,
    /// What variables hold, by their names in the template, in small letters.
    values: FxHashMap<String, &'t Json>,
    /// How types are called where types are being written.
    pub(crate) types: FxHashMap<SmolStr, String>,
    /// The calls that load what variables of the compiler's own hold.
    pub(crate) loaded: FxHashMap<SmolStr, String>,
    pub(crate) outputs: FxHashMap<SmolStr, String>,
    pub(crate) symbols: Vec<Symbol<'t>>,
    /// Symbols by their names in the template.
    pub(crate) by_key: FxHashMap<String, usize>,
    /// Symbols by their ids.
    pub(crate) by_id: FxHashMap<String, Vec<usize>>,
    /// Symbols by what they are called in Azure; none where two are called the same.
    pub(crate) by_name: FxHashMap<String, Option<usize>>,
    /// Collections by the ids of their elements, with the index of their own loop.
    pub(crate) by_element: FxHashMap<String, Vec<usize>>,
    /// The ids of the elements of collections, by what they have in common with those that others name.
    pub(crate) collections: FxHashMap<String, Vec<(usize, Expression)>>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) function_parameters: Vec<SmolStr>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) place: ExpressionContext,
    pub(crate) depth: usize,
    /// How many steps and operands stand in a row around what is being written.
    pub(crate) in_a_row: usize,
}

impl<'t> Converter<'t> {
    /// Looks at what a template declares.
    pub(crate) fn new(
        template: &'t Json,
        output: &'t mut Output,
        file: String,
        exact: bool,
    ) -> Result<Converter<'t>> {
        if !template.is_object() {
            return Err(DecompileError::new("a template is an object"));
        }
        let target = TargetScope::of(template)?;
        let symbolic = template.find("resources").is_some_and(Json::is_object);
        let mut converter = Converter {
            template,
            output,
            file,
            exact: exact || symbolic,
            symbolic,
            target,
            names: NameAllocator::default(),
            parameters: FxHashMap::default(),
            variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            declarations: FxHashMap::default(),
            values: FxHashMap::default(),
            types: FxHashMap::default(),
            loaded: FxHashMap::default(),
            outputs: FxHashMap::default(),
            symbols: Vec::new(),
            by_key: FxHashMap::default(),
            by_id: FxHashMap::default(),
            by_element: FxHashMap::default(),
            collections: FxHashMap::default(),
            by_name: FxHashMap::default(),
            loops: Vec::new(),
            function_parameters: Vec::new(),
            mentions: Vec::new(),
            place: ExpressionContext::Apart,
            depth: 0,
            in_a_row: 0,
        };
        for (name, declaration) in converter.section("parameters") {
            converter.declarations.entry(name.to_lowercase()).or_insert(declaration);
        }
        for (name, value) in converter.section("variables") {
            converter.values.entry(name.to_lowercase()).or_insert(value);
        }
        converter.declare()?;
        Ok(converter)
    }

    /// The members of a section of the template.
    pub(crate) fn section(&self, name: &str) -> &'t [(SmolStr, Json)] {
        let template = self.template;
        template.find(name).map(Json::members).unwrap_or_default()
    }

    /// What a variable holds.
    pub(crate) fn variable_value(&self, name: &str) -> Option<&'t Json> {
        self.values.get(&name.to_lowercase()).copied()
    }

    /// Gives everything its name. Those of parameters and outputs can be seen from outside and come first. Of templates that
    /// people wrote, short names are worth more for resources than for variables; of those that a compiler wrote, the names
    /// that the template has come before those that are made up for resources.
    fn declare(&mut self) -> Result<()> {
        for (name, _) in self.section("parameters") {
            let given = self.name(NameKind::Parameter, name).under("parameters")?;
            self.parameters.insert(name.to_lowercase(), given);
        }
        for (name, _) in self.section("outputs") {
            let given = self.name(NameKind::Output, name).under("outputs")?;
            self.outputs.insert(name.clone(), given);
        }
        if self.exact {
            self.reserve_locals();
            for (name, _) in self.section("definitions") {
                self.names.reserve(name);
            }
        }
        let are_made_up = self.exact && !self.symbolic;
        if !are_made_up {
            self.declare_symbols().under("resources")?;
        }
        self.declare_functions().under("functions")?;
        self.declare_variables().under("variables")?;
        if are_made_up {
            self.declare_symbols().under("resources")?;
        }
        self.declare_imports()
    }

    fn declare_variables(&mut self) -> Result<()> {
        for (name, _, _) in self.variable_list()? {
            if name.starts_with("$fxv#") {
                continue;
            }
            let given = self.name(NameKind::Variable, &name)?;
            self.variables.insert(name.to_lowercase(), given);
        }
        Ok(())
    }

    fn name(&mut self, kind: NameKind, name: &str) -> Result<String> {
        if self.exact
            && let Some(name) = self.names.try_assign_exact(kind, name)
        {
            return Ok(name);
        }
        let wanted = match kind {
            NameKind::Output => valid(name, false),
            NameKind::Parameter | NameKind::Resource | NameKind::Variable | NameKind::Function => {
                escape(name, false)
            }
        };
        if self.exact && wanted != name {
            self.note(format!("`{name}` is not a name in Bicep; it becomes `{wanted}`"));
        }
        self.names
            .request(kind, &wanted)
            .ok_or_else(|| DecompileError::new(format!("two things would be called `{wanted}`")).under(name))
    }

    /// Keeps names that lambdas use from being given to loops.
    fn reserve_locals(&mut self) {
        let mut open = vec![self.template];
        while let Some(value) = open.pop() {
            match value {
                Json::Text(text) => {
                    for call in text.split("lambda('").skip(1) {
                        for name in call
                            .split(", ")
                            .map_while(|part| part.trim_start_matches('\'').strip_suffix('\''))
                        {
                            if is_name(name) {
                                self.names.reserve_local(name);
                            }
                        }
                    }
                }
                Json::List(items) => open.extend(items),
                Json::Object(members) => {
                    // Templates inside have names of their own.
                    open.extend(
                        members.iter().filter(|(name, _)| name != "template").map(|(_, value)| value),
                    );
                }
                Json::Null | Json::Bool(_) | Json::Int(_) | Json::Number(_) => {}
            }
        }
        for (_, parameter) in self
            .template
            .find("functions")
            .map(Json::items)
            .unwrap_or_default()
            .iter()
            .flat_map(|it| it.find("members").map(Json::members).unwrap_or_default())
        {
            for parameter in parameter.find("parameters").map(Json::items).unwrap_or_default() {
                if let Some(name) = parameter.find("name").and_then(Json::as_str) {
                    self.names.reserve_local(name);
                }
            }
        }
    }

    /// The variables: their names, their values, and whether a value is a loop.
    pub(crate) fn variable_list(&self) -> Result<Vec<(SmolStr, &'t Json, bool)>> {
        let mut plain = Vec::new();
        let mut copies = Vec::new();
        for (name, value) in self.section("variables") {
            match value {
                Json::List(items) if name.eq_ignore_ascii_case("copy") => {
                    for item in items {
                        let name = item
                            .find("name")
                            .ok_or_else(|| DecompileError::new("a loop has no `name`").under("copy"))?
                            .to_text();
                        copies.push((name.into(), item, true));
                    }
                }
                value => plain.push((name.clone(), value, false)),
            }
        }
        plain.extend(copies);
        Ok(plain)
    }

    /// Says what is worth knowing about the result.
    pub(crate) fn note(&mut self, message: String) {
        let file = self.file.clone();
        self.output.note(file, message);
    }
}
