//! Modules: deployments with a template of their own, which becomes a file.

use arm::expression::{Expression, FunctionCall};

use crate::code::{BicepCode, Member, quoted};
use crate::converter::{Converter, TargetScope};
use crate::declared::Repeats;
use crate::json::Json;
use crate::nested;
use crate::outer_parameters;
use crate::output::relative;
use crate::problem::{DecompileError, Result, Under as _};
use crate::types::line;

/// Members of a deployment that a module has in other words, or always.
const KNOWN: [&str; 14] = [
    "name",
    "type",
    "apiVersion",
    "location",
    "properties",
    "dependsOn",
    "comments",
    "metadata",
    "condition",
    "copy",
    "resourceGroup",
    "subscriptionId",
    "scope",
    "@options",
];

/// How many variables are looked up for one link: each can name others, several times.
const MAX_VARIABLES: usize = 64;

impl Converter<'_> {
    pub(crate) fn module_text(&mut self, place: usize) -> Result<String> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(String::new()) };
        let own = symbol.own.clone();
        let Some(json) = symbol.json else { return Ok(String::new()) };
        let is_known = |name: &str| is_known(name) || self.exact && name == "identity";
        if let Some((name, _)) = json.members().iter().find(|(name, _)| !is_known(name)) {
            return Err(DecompileError::new(format!("`{name}` is not a member of deployments")).under(name));
        }
        if !self.exact && json.find("scope").is_some() {
            return Err(DecompileError::new("the scope of a deployment is not supported here").under("scope"));
        }
        let changed;
        let json = if self.exact {
            json
        } else {
            changed = outer_parameters::inner(&self.declarations, json)?;
            changed.as_ref().unwrap_or(json)
        };
        let path = self.module_path(&own, json)?;
        let mut text = String::new();
        let decorators = self.resource_decorators(json)?;
        line(&mut text, &decorators);
        let mut body = self.copied(json, |this| {
            let body = this.module_body(place, json)?;
            if this.exact { this.conditional(place, body) } else { Ok(body) }
        })?;
        if !self.exact && !matches!(body, BicepCode::For { .. }) {
            body = self.conditional(place, body)?;
        }
        text.push_str(&format!("module {own} {path} = {}\n", body.print()));
        Ok(text)
    }

    /// The file of a module as a string of Bicep.
    fn module_path(&mut self, own: &str, json: &Json) -> Result<String> {
        if let Some(template) = json.at(&["properties", "template"]) {
            if !template.is_object() {
                return Err(DecompileError::new("the template of a deployment is not an object")
                    .under("template")
                    .under("properties"));
            }
            let path = nested::file(self.output, &self.file, own, template, self.exact)
                .map_err(|problem| problem.under("template").under("properties"))?;
            let path = relative(&self.file, &path);
            return Ok(quoted(&if path.starts_with('.') { path } else { format!("./{path}") }));
        }
        let link = json.at(&["properties", "templateLink"]);
        let place = |problem: DecompileError| problem.under("templateLink").under("properties");
        if let Some(uri) = link.and_then(|link| link.find("uri").or_else(|| link.find("relativePath"))) {
            let uri = uri.to_text();
            return Ok(match self.linked_path(&uri).map_err(place)? {
                Some(path) => quoted(&path),
                None => format!("'?' /*TODO: replace with correct path to {}*/", uri.replace("*/", "* /")),
            });
        }
        if let Some(id) = link.and_then(|link| link.find("id")) {
            return spec_path(&id.to_text()).map(|path| quoted(&path)).map_err(place);
        }
        Err(place(DecompileError::new("there is neither a template nor a link to one")))
    }

    /// The file that a link to a template means, if that can be told.
    fn linked_path(&self, uri: &str) -> Result<Option<String>> {
        let expression = Json::text(uri).expression()?;
        let expression = self.inlined(&expression, &mut MAX_VARIABLES.clone());
        let text = |expression: Option<&Expression>| match expression {
            Some(Expression::Text(text)) => Some(text.to_string()),
            _ => None,
        };
        let path = match &expression {
            Expression::Text(path) => Some(path.to_string()),
            Expression::Call(call) if call.is_call_to("uri") => text(call.arguments.get(1)),
            Expression::Call(call) if call.is_call_to("concat") => match call.arguments.as_slice() {
                [Expression::Call(first), ..] if first.is_call_to("uri") => text(first.arguments.get(1)),
                [Expression::Call(first), second] if first.is_call_to("parameters") => text(Some(second)),
                _ => None,
            },
            _ => None,
        };
        Ok(path.map(|path| path.strip_prefix("./").unwrap_or(&path).trim_matches('/').to_owned()))
    }

    /// An expression with the texts of variables in their place, as many as `left` says.
    fn inlined(&self, expression: &Expression, left: &mut usize) -> Expression {
        let replaced = expression.clone().rewrite(&mut |part| {
            let Some(name) = part.as_call().filter(|call| call.is_call_to("variables")).and_then(|call| {
                match call.arguments.as_slice() {
                    [Expression::Text(name)] => Some(name.clone()),
                    _ => None,
                }
            }) else {
                return part;
            };
            match self.variable_value(&name) {
                Some(value @ Json::Text(_)) if *left > 0 => {
                    *left -= 1;
                    value.expression().map_or(part, |value| self.inlined(&value, left))
                }
                _ => part,
            }
        });
        crate::flatten::flattened(&replaced)
    }

    fn module_body(&mut self, place: usize, json: &Json) -> Result<BicepCode> {
        let mut members = Vec::new();
        if !(self.symbolic && self.is_own_name(place)) {
            let name =
                json.find("name").ok_or_else(|| DecompileError::new("the deployment has no `name`"))?;
            members.push(Member::Named("name".to_owned(), self.value(name).under("name")?));
        }
        if self.exact {
            self.check_location(json)?;
        }
        self.scope_member(place, json, &mut members)?;
        if let Some(identity) = json.find("identity") {
            members.push(Member::Named("identity".to_owned(), self.value(identity).under("identity")?));
        }
        let mut params = Vec::new();
        let parameters = json.at(&["properties", "parameters"]);
        for (name, parameter) in parameters.map(Json::members).unwrap_or_default() {
            let code =
                self.module_parameter(parameter).under(name).under("parameters").under("properties")?;
            params.push(Member::Named(name.to_string(), code));
        }
        if !self.exact || parameters.is_some() {
            members.push(Member::Named("params".to_owned(), BicepCode::Object(params)));
        }
        if let Some(configs) = json.at(&["properties", "extensionConfigs"]) {
            let configs = self.extension_configs(configs).under("extensionConfigs").under("properties")?;
            members.push(Member::Named("extensionConfigs".to_owned(), configs));
        }
        self.depends_on_member(place, &mut members)?;
        Ok(BicepCode::Object(members))
    }

    /// Where the deployment is kept is written by the compiler; anything else cannot be said.
    fn check_location(&self, json: &Json) -> Result<()> {
        let wanted = if self.target == TargetScope::ResourceGroup { "resourceGroup" } else { "deployment" };
        match json.find("location").and_then(Json::as_str) {
            Some(location) if location != format!("[{wanted}().location]") => {
                Err(DecompileError::new("a module has no location of its own").under("location"))
            }
            _ => Ok(()),
        }
    }

    /// Tells whether a module has the name that the compiler gives it.
    fn is_own_name(&self, place: usize) -> bool {
        const MAX_NAME: usize = 64;
        const HASH: usize = 13;
        const LARGEST_INDEX: usize = 3;
        let Some(symbol) = self.symbols.get(place) else { return false };
        let taken = if symbol.is_loop { LARGEST_INDEX + HASH + 2 } else { HASH + 1 };
        let prefix: String = symbol.own.chars().take(MAX_NAME - taken).collect();
        let deployment = Expression::call("deployment", []).property("name");
        let hash = Expression::call("uniqueString", [Expression::text(symbol.own.as_str()), deployment]);
        let wanted = if symbol.is_loop {
            let index = Expression::call("copyIndex", []);
            Expression::call("format", [Expression::text(format!("{prefix}-{{0}}-{{1}}")), index, hash])
        } else {
            Expression::call("format", [Expression::text(format!("{prefix}-{{0}}")), hash])
        };
        symbol.full_name == wanted
    }

    fn module_parameter(&mut self, parameter: &Json) -> Result<BicepCode> {
        if let Some(value) = parameter.find("value") {
            return self.value(value).under("value");
        }
        if let Some([copy]) = parameter.find("copy").map(Json::items) {
            let count = crate::values::required(copy, "count")?;
            let input = crate::values::required(copy, "input")?;
            let name = copy.find("name").map(Json::to_text);
            return self
                .repeat(Repeats::Member, name.as_deref(), count, |this| this.value(input).under("input"));
        }
        if let Some(reference) = parameter.find("reference") {
            let vault = reference.at(&["keyVault", "id"]).map(Json::expression).transpose()?;
            let name = reference.find("secretName").map(Json::expression).transpose()?;
            let version = reference.find("secretVersion").map(Json::expression).transpose()?;
            return self.secret(vault, name, version).under("reference");
        }
        if let (Json::Text(_), true) = (parameter, self.exact) {
            let expression = parameter.expression()?;
            return self.given(&expression);
        }
        Err(DecompileError::new("the parameter has no value"))
    }

    /// A parameter whose value depends on a condition: what is chosen are objects with the values.
    fn given(&mut self, expression: &Expression) -> Result<BicepCode> {
        let strange = || DecompileError::new("the parameter has neither a value nor a secret");
        let call = expression.as_call().ok_or_else(strange)?;
        match call.arguments.as_slice() {
            [condition, yes, no] if call.is_call_to("if") => Ok(BicepCode::Ternary(
                Box::new(self.expression(condition)?),
                Box::new(self.given(yes)?),
                Box::new(self.given(no)?),
            )),
            [Expression::Text(value), inner] if call.is_call_to("createObject") && value == "value" => {
                self.expression(inner)
            }
            [Expression::Text(reference), Expression::Call(inner)]
                if call.is_call_to("createObject") && reference == "reference" =>
            {
                let vault =
                    member(inner, "keyVault").and_then(Expression::as_call).and_then(|it| member(it, "id"));
                let (name, version) = (member(inner, "secretName"), member(inner, "secretVersion"));
                self.secret(vault.cloned(), name.cloned(), version.cloned())
            }
            _ => Err(strange()),
        }
    }

    /// A secret of a vault that the template names.
    fn secret(
        &mut self,
        vault: Option<Expression>,
        name: Option<Expression>,
        version: Option<Expression>,
    ) -> Result<BicepCode> {
        let (Some(vault), Some(name)) = (vault, name) else {
            return Err(DecompileError::new("the secret has no vault or no name"));
        };
        let Some(place) = self.by_id(&vault.to_string()).filter(|_| self.exact) else {
            return Err(DecompileError::new("the vault of the secret is not a resource of this template"));
        };
        let mut arguments = vec![self.expression(&name)?];
        if let Some(version) = version {
            arguments.push(self.expression(&version)?);
        }
        self.mention(place, None, true);
        Ok(BicepCode::Method(Box::new(self.symbol_code(place)), "getSecret".to_owned(), arguments))
    }

    fn extension_configs(&mut self, configs: &Json) -> Result<BicepCode> {
        let mut aliases = Vec::new();
        for (alias, config) in configs.members() {
            let mut members = Vec::new();
            for (name, value) in config.members() {
                let code = self.module_parameter(value).under(name).under(alias)?;
                members.push(Member::Named(name.to_string(), code));
            }
            aliases.push(Member::Named(alias.to_string(), BicepCode::Object(members)));
        }
        Ok(BicepCode::Object(aliases))
    }
}

fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The value of a name in `createObject(...)`.
fn member<'c>(call: &'c FunctionCall, name: &str) -> Option<&'c Expression> {
    call.arguments.chunks(2).find_map(|pair| match pair {
        [Expression::Text(known), value] if known == name => Some(value),
        _ => None,
    })
}

/// The reference to a template spec, from its id.
fn spec_path(id: &str) -> Result<String> {
    let parts: Vec<&str> = id.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [subscriptions, subscription, groups, group, providers, _, _, name, _, version]
            if subscriptions.eq_ignore_ascii_case("subscriptions")
                && groups.eq_ignore_ascii_case("resourceGroups")
                && providers.eq_ignore_ascii_case("providers") =>
        {
            Ok(format!("ts:{subscription}/{group}/{name}:{version}"))
        }
        _ => Err(DecompileError::new(format!("`{id}` is not the id of a template spec"))),
    }
}
