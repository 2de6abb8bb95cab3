//! The resources and modules of a template: what they are called, where they are, and how they hang together.

use arm::expression::Expression;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::code::is_name;
use crate::converter::{Converter, TargetScope};
use crate::declared::{Dependency, Symbol};
use crate::elements::{self, MAX_COLLECTIONS};
use crate::flatten::{FormatPart, format_parts, normalized};
use crate::json::Json;
use crate::names::{NameKind, escape, is_namespace, without_name};
use crate::nesting::MAX_NESTED;
use crate::problem::{DecompileError, Result, Under as _};

/// The type of deployments, which modules are.
pub(crate) const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";
/// The version of the deployments that modules become.
pub(crate) const DEPLOYMENTS_VERSION: &str = "2025-04-01";

/// The type of the vaults that secrets are in, and a version of it.
const VAULTS: &str = "Microsoft.KeyVault/vaults";
const VAULTS_VERSION: &str = "2023-07-01";
/// How the compiler writes the id of a resource group.
const GROUP: &str = "/subscriptions/{0}/resourceGroups/{1}";

impl<'t> Converter<'t> {
    /// Finds all resources and modules.
    pub(crate) fn declare_symbols(&mut self) -> Result<()> {
        let template = self.template;
        let Some(resources) = template.find("resources") else { return Ok(()) };
        let entries: Vec<(SmolStr, &'t Json)> = match resources {
            Json::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Json::List(items) => items
                .iter()
                .enumerate()
                .map(|(place, value)| (SmolStr::from(place.to_string()), value))
                .collect(),
            _ => return Err(DecompileError::new("`resources` is neither an object nor a list")),
        };
        // Names that the template gives come before those that are made up.
        let given = |json: &Json| self.exact && json.at(&["copy", "name"]).is_some();
        let (first, last): (Vec<_>, Vec<_>) = (0..entries.len())
            .partition(|place| entries.get(*place).is_some_and(|(_, json)| self.symbolic || given(json)));
        let mut symbols: Vec<Option<Symbol<'t>>> = entries.iter().map(|_| None).collect();
        for place in first.into_iter().chain(last) {
            if let (Some((step, json)), Some(slot)) = (entries.get(place), symbols.get_mut(place)) {
                *slot = Some(self.symbol(step, json).under(step)?);
            }
        }
        self.symbols = symbols.into_iter().flatten().collect();
        for place in 0..self.symbols.len() {
            let Some(symbol) = self.symbols.get(place) else { continue };
            if self.symbolic {
                self.by_key.insert(symbol.step.to_string(), place);
            }
            if let Some(name) = symbol.json.and_then(|json| json.at(&["copy", "name"])) {
                self.by_key.entry(name.to_text()).or_insert(place);
            }
        }
        if self.symbolic {
            self.nest()?;
        }
        if self.exact {
            self.find_parents()?;
        }
        if self.exact && !self.symbolic {
            self.nest_by_loops();
        }
        for place in 0..self.symbols.len() {
            self.note_id(place);
        }
        if !self.exact {
            for (place, symbol) in self.symbols.iter().enumerate() {
                // A name that two have names none of them.
                let name = normalized(&symbol.full_name).to_string().to_lowercase();
                self.by_name.entry(name).and_modify(|known| *known = None).or_insert(Some(place));
            }
        }
        if self.exact {
            let mut known = self.known();
            for place in 0..self.symbols.len() {
                self.find_scope(place, &mut known)?;
            }
        }
        if self.exact && !self.symbolic {
            self.find_vaults()?;
        }
        for place in 0..self.symbols.len() {
            self.find_dependencies(place)?;
        }
        Ok(())
    }

    fn symbol(&mut self, step: &SmolStr, json: &'t Json) -> Result<Symbol<'t>> {
        if !json.is_object() {
            return Err(DecompileError::new("a resource is an object"));
        }
        let required = |name: &str| {
            json.find(name)
                .map(Json::to_text)
                .ok_or_else(|| DecompileError::new(format!("the resource has no `{name}`")))
        };
        let ty = required("type")?.trim_matches('/').to_owned();
        let is_extension = json.find("import").is_some() || json.find("extension").is_some();
        let full_name = match json.find("name") {
            Some(name) => name.expression().under("name")?,
            None if is_extension => Expression::text(""),
            None => return Err(DecompileError::new("the resource has no `name`")),
        };
        let version = match json.find("apiVersion") {
            Some(version) => self.constant(version),
            None if is_extension => String::new(),
            None => return Err(DecompileError::new("the resource has no `apiVersion`")),
        };
        let is_module = self.is_module(json, &ty, &version);
        if self.exact && !is_module && ty.eq_ignore_ascii_case(DEPLOYMENTS) {
            let scope = json.at(&["properties", "expressionEvaluationOptions", "scope"]);
            let is_structure = json.at(&["properties", "template"]).is_some_and(Json::is_object);
            let is_inner =
                scope.and_then(Json::as_str).is_some_and(|scope| scope.eq_ignore_ascii_case("inner"));
            if is_inner && is_structure {
                return Err(DecompileError::new(format!(
                    "it is a deployment of the version `{version}` with a template of its own; modules become \
                     deployments of the version `{DEPLOYMENTS_VERSION}`"
                )));
            }
        }
        let copy_name = json.at(&["copy", "name"]).map(Json::to_text);
        let own = if self.symbolic {
            let last = step.rsplit("::").next().unwrap_or_default();
            let kept = if step.contains("::") {
                None
            } else {
                self.names.try_assign_exact(NameKind::Resource, last)
            };
            match kept {
                Some(name) => name,
                None => {
                    let name = escape(last, false);
                    if name != last {
                        self.note(format!("`{last}` is not a name in Bicep; it becomes `{name}`"));
                    }
                    if step.contains("::") {
                        name
                    } else {
                        self.names.request(NameKind::Resource, &name).ok_or_else(|| {
                            DecompileError::new(format!("two things would be called `{name}`"))
                        })?
                    }
                }
            }
        } else {
            self.made_up_name(&ty, &full_name, copy_name.as_deref().filter(|_| self.exact))?
        };
        let condition = json.find("condition").map(Json::expression).transpose().under("condition")?;
        let outputs = json.at(&["properties", "template", "outputs"]).map(Json::members).unwrap_or_default();
        let is_secure = |output: &Json| {
            output
                .find("type")
                .and_then(Json::as_str)
                .is_some_and(|ty| ty.to_ascii_lowercase().starts_with("secure"))
        };
        Ok(Symbol {
            json: Some(json),
            step: step.clone(),
            name: own.clone(),
            own,
            ty,
            version,
            is_module,
            is_existing: json.find("existing") == Some(&Json::Bool(true)),
            is_loop: copy_name.is_some(),
            short_name: full_name.clone(),
            short_code: None,
            full_name,
            segments: None,
            condition,
            parent: None,
            parent_index: None,
            nested_in: None,
            children: Vec::new(),
            scope: None,
            group: None,
            outputs: outputs.iter().map(|(name, output)| (name.clone(), is_secure(output))).collect(),
            depends_on: Vec::new(),
            mentioned: Vec::new(),
        })
    }

    /// A text that has to be constant in Bicep, through the variables of the template.
    fn constant(&self, json: &Json) -> String {
        let mut value = json.clone();
        for _ in 0..16 {
            let (call, path) = match value.expression() {
                Ok(Expression::Call(call)) => (*call, Vec::new()),
                Ok(Expression::Access(access)) => match access.into_parts() {
                    (Expression::Call(call), path) => (*call, path),
                    _ => break,
                },
                _ => break,
            };
            let [Expression::Text(name)] = call.arguments.as_slice() else { break };
            if !call.is_call_to("variables") {
                break;
            }
            let found = self.variable_value(name).and_then(|value| {
                path.iter().try_fold(value, |value, step| match step {
                    Expression::Text(name) => value.find(name),
                    _ => None,
                })
            });
            let Some(found @ Json::Text(_)) = found else { break };
            value = found.clone();
        }
        value.to_text()
    }

    /// Tells whether a deployment is what a module becomes.
    fn is_module(&self, json: &Json, ty: &str, version: &str) -> bool {
        if !ty.eq_ignore_ascii_case(DEPLOYMENTS) || json.find("existing").is_some() {
            return false;
        }
        if !self.exact {
            return true;
        }
        let properties = json.find("properties");
        let has = |path: &[&str], text: &str| {
            properties.and_then(|it| it.at(path)).and_then(Json::as_str).is_some_and(|it| it == text)
        };
        let known = [
            "expressionEvaluationOptions",
            "mode",
            "parameters",
            "template",
            "templateLink",
            "extensionConfigs",
        ];
        // A nested template can stay as it is instead; for the outermost one, another version is better than nothing.
        (version == DEPLOYMENTS_VERSION || self.output.depth == 0)
            && has(&["expressionEvaluationOptions", "scope"], "inner")
            && has(&["mode"], "Incremental")
            && properties
                .is_some_and(|it| it.members().iter().all(|(name, _)| known.contains(&name.as_str())))
            && properties.is_some_and(|it| {
                it.find("template").is_some_and(Json::is_object) || it.find("templateLink").is_some()
            })
    }

    /// A name for a resource that has none in the template.
    fn made_up_name(&mut self, ty: &str, name: &Expression, given: Option<&str>) -> Result<String> {
        if let Some(given) = given.filter(|given| is_name(given) && !is_namespace(given))
            && let Some(name) = self.names.assign_generated(given)
        {
            return Ok(name);
        }
        let spoken = escape(&without_name(&escape(&spoken(&normalized(name)), true)), true);
        if let Some(name) = self.names.assign_generated(&spoken) {
            return Ok(name);
        }
        let qualified = escape(&format!("{ty}_{spoken}"), true);
        match self.names.assign_generated(&qualified) {
            Some(name) => Ok(name),
            None if self.exact => Ok(self.names.fresh(&qualified)),
            None => Err(DecompileError::new(format!("two resources of the type `{ty}` have the same name"))),
        }
    }

    /// What a nested resource is called from elsewhere: its own name behind those around it, which can be others than in the template.
    fn nested_name(&self, step: &str) -> String {
        let mut ends = step.match_indices("::").map(|(end, _)| end).collect::<Vec<_>>();
        ends.push(step.len());
        let names = ends.into_iter().map(|end| {
            let key = step.get(..end).unwrap_or_default();
            let symbol = self.by_key.get(key).and_then(|place| self.symbols.get(*place));
            symbol.map_or_else(|| key.rsplit("::").next().unwrap_or_default(), |symbol| symbol.own.as_str())
        });
        names.collect::<Vec<_>>().join("::")
    }

    /// Puts resources whose names say so into others.
    fn nest(&mut self) -> Result<()> {
        for place in 0..self.symbols.len() {
            let Some(symbol) = self.symbols.get(place) else { continue };
            let Some((outer, _)) = symbol.step.rsplit_once("::") else { continue };
            if symbol.step.matches("::").count() > MAX_NESTED {
                return Err(
                    DecompileError::new("too many resources are inside each other").under(&symbol.step)
                );
            }
            let Some(&around) = self.by_key.get(outer).filter(|around| **around != place) else {
                return Err(
                    DecompileError::new(format!("there is no resource `{outer}`")).under(&symbol.step)
                );
            };
            let name = self.nested_name(&symbol.step);
            if let Some(symbol) = self.symbols.get_mut(place) {
                symbol.nested_in = Some(around);
                symbol.parent = Some(around);
                symbol.name = name;
            }
            if let Some(outer) = self.symbols.get_mut(around) {
                outer.children.push(place);
            }
        }
        Ok(())
    }

    /// Finds the parents of resources by their types and names, outer ones first.
    fn find_parents(&mut self) -> Result<()> {
        let mut order: Vec<usize> = (0..self.symbols.len()).collect();
        let depth = |symbol: &Symbol<'_>| symbol.ty.split('/').count();
        order.sort_by_key(|place| self.symbols.get(*place).map(depth));
        // Resources by type and parts of the name, all in small letters or as text.
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        let mut collections: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for place in order {
            self.find_parent(place, &mut known, &collections)?;
            if let Some(symbol) = self.symbols.get(place).filter(|symbol| symbol.is_loop) {
                collections.entry(symbol.ty.to_lowercase()).or_default().push(place);
            }
        }
        Ok(())
    }

    fn find_parent(
        &mut self,
        place: usize,
        known: &mut FxHashMap<String, usize>,
        collections: &FxHashMap<String, Vec<usize>>,
    ) -> Result<()> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(()) };
        let (ty, full_name) = (symbol.ty.clone(), symbol.full_name.clone());
        let count = ty.split('/').count().saturating_sub(1).max(1);
        let is_extension = symbol.version.is_empty();
        if is_extension || symbol.is_module || count < 2 {
            let segments = vec![full_name];
            let key = key_of(&ty, &segments);
            if let Some(symbol) = self.symbols.get_mut(place) {
                if !symbol.is_loop {
                    known.entry(key).or_insert(place);
                }
                symbol.segments = Some(segments);
            }
            return Ok(());
        }
        let Some(segments) = segments_of(&full_name, count) else { return Ok(()) };
        let Some((short, front)) = segments.split_last() else { return Ok(()) };
        let outer_type = ty.rsplit_once('/').map_or("", |(front, _)| front);
        let mut parent = symbol.nested_in;
        let own_scope = scope_members(symbol.json);
        if parent.is_none() {
            let found = known.get(&key_of(outer_type, front)).copied();
            parent = found.filter(|found| {
                let parent = self.symbols.get(*found);
                parent.is_some_and(|it| scope_members(it.json) == own_scope || it.json.is_none())
            });
        }
        let mut parent_index = None;
        if parent.is_none() && !self.symbolic && own_scope.iter().all(Option::is_none) {
            let collections = collections.get(&outer_type.to_lowercase()).map_or(&[][..], Vec::as_slice);
            let element = collections.iter().take(MAX_COLLECTIONS).find_map(|place| {
                let parent = self.symbols.get(*place)?;
                let is_beside = scope_members(parent.json).iter().all(Option::is_none);
                let index = elements::index(parent.segments.as_ref().filter(|_| is_beside)?, front)?;
                Some((*place, index))
            });
            match element {
                Some((place, index)) => (parent, parent_index) = (Some(place), Some(index)),
                // What is made up stands outside of the loop.
                None if elements::is_repeated(front) => {}
                None => parent = Some(self.lend(outer_type, front, None, known)?),
            }
        }
        let Some(parent) = parent else { return Ok(()) };
        let key = key_of(&ty, &segments);
        let short = short.clone();
        if let Some(symbol) = self.symbols.get_mut(place) {
            symbol.parent = Some(parent);
            symbol.parent_index = parent_index;
            symbol.short_name = short;
            symbol.segments = Some(segments);
            if !symbol.is_loop {
                known.entry(key).or_insert(place);
            }
        }
        Ok(())
    }

    /// Adds an existing resource that is not in the template, so that others can name it.
    fn lend(
        &mut self,
        ty: &str,
        segments: &[Expression],
        version: Option<&str>,
        known: &mut FxHashMap<String, usize>,
    ) -> Result<usize> {
        const MAX_SEGMENTS: usize = 16;
        if segments.len() > MAX_SEGMENTS {
            return Err(DecompileError::new("a resource has too many parents"));
        }
        let key = key_of(ty, segments);
        if let Some(place) = known.get(&key) {
            return Ok(*place);
        }
        let Some((short, front)) = segments.split_last() else {
            return Err(DecompileError::new("a resource has no name"));
        };
        let parent = match ty.rsplit_once('/') {
            Some((outer, _)) if !front.is_empty() => Some(self.lend(outer, front, version, known)?),
            _ => None,
        };
        let version = version.map(str::to_owned).or_else(|| {
            let same = |symbol: &&Symbol<'_>| symbol.ty.starts_with(ty) && !symbol.version.is_empty();
            self.symbols.iter().find(same).map(|symbol| symbol.version.clone())
        });
        let own = self.made_up_name(ty, short, None)?;
        let place = self.symbols.len();
        self.symbols.push(Symbol {
            json: None,
            step: SmolStr::default(),
            name: own.clone(),
            own,
            ty: ty.to_owned(),
            version: version.unwrap_or_else(|| "2024-01-01".to_owned()),
            is_module: false,
            is_existing: true,
            is_loop: false,
            full_name: short.clone(),
            short_name: short.clone(),
            short_code: None,
            segments: Some(segments.to_vec()),
            condition: None,
            parent,
            parent_index: None,
            nested_in: None,
            children: Vec::new(),
            scope: None,
            group: None,
            outputs: FxHashMap::default(),
            depends_on: Vec::new(),
            mentioned: Vec::new(),
        });
        known.insert(key, place);
        self.note_id(place);
        Ok(place)
    }

    /// Resources by type and parts of the name, without those of loops.
    fn known(&self) -> FxHashMap<String, usize> {
        let mut known = FxHashMap::default();
        for (place, symbol) in self.symbols.iter().enumerate() {
            let is_here = scope_members(symbol.json).iter().all(Option::is_none);
            if let Some(segments) = symbol.segments.as_ref().filter(|_| is_here && !symbol.is_loop) {
                known.entry(key_of(&symbol.ty, segments)).or_insert(place);
            }
        }
        known
    }

    /// Finds the resource that another one extends.
    fn find_scope(&mut self, place: usize, known: &mut FxHashMap<String, usize>) -> Result<()> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(()) };
        if symbol.parent.is_some() || symbol.is_module {
            return Ok(());
        }
        let Some(scope) = symbol.json.and_then(|json| json.find("scope")) else { return Ok(()) };
        let Expression::Call(id) = scope.expression().under("scope")? else { return Ok(()) };
        let text = Expression::Call(id.clone()).to_string();
        let mut found = None;
        if !self.by_id.contains_key(&text)
            && !self.symbolic
            && id.is_call_to("resourceId")
            && let [Expression::Text(ty), segments @ ..] = id.arguments.as_slice()
            && segments.len() + 1 == ty.split('/').count()
            && !elements::is_repeated(segments)
        {
            found = Some(self.lend(ty, segments, None, known)?);
        }
        if let Some(symbol) = self.symbols.get_mut(place) {
            symbol.scope = found;
        }
        Ok(())
    }

    /// Adds the vaults that modules take secrets from and that are not in the template.
    fn find_vaults(&mut self) -> Result<()> {
        let modules = self.symbols.iter().filter(|symbol| symbol.is_module);
        let vaults: Vec<Expression> = modules.filter_map(|symbol| symbol.json).flat_map(vaults).collect();
        for vault in vaults {
            let text = vault.to_string();
            if self.by_id.contains_key(&text) || elements::is_repeated(std::slice::from_ref(&vault)) {
                continue;
            }
            let Some(call) = vault.as_call() else { continue };
            let (group, name) = match call.arguments.as_slice() {
                [Expression::Text(ty), name] if call.is_call_to("resourceId") && ty == VAULTS => (None, name),
                [scope, Expression::Text(ty), name]
                    if call.is_call_to("extensionResourceId") && ty == VAULTS =>
                {
                    match scope.as_call().map(|call| call.arguments.as_slice()) {
                        Some([Expression::Text(format), subscription, group]) if format == GROUP => {
                            (Some((subscription.clone(), group.clone())), name)
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let segments = std::slice::from_ref(name);
            let place = self.lend(VAULTS, segments, Some(VAULTS_VERSION), &mut FxHashMap::default())?;
            if group.is_some() {
                let here = self.id_of(place).map(|id| id.to_string()).unwrap_or_default();
                if let Some(known) = self.by_id.get_mut(&here) {
                    known.retain(|known| *known != place);
                }
                self.by_id.entry(text).or_default().push(place);
            }
            if let Some(symbol) = self.symbols.get_mut(place) {
                symbol.group = group;
            }
        }
        Ok(())
    }

    /// Notes the id that the compiler would write for a resource.
    fn note_id(&mut self, place: usize) {
        let Some(symbol) = self.symbols.get(place) else { return };
        let is_loop = self.exact && symbol.is_loop;
        let id = match self.exact {
            false => classic_key(&symbol.ty, &symbol.full_name),
            true => {
                let Some(id) = self.id_of(place) else { return };
                let text = id.to_string();
                if let Some(key) = elements::key(&id).filter(|_| is_loop && !self.symbolic) {
                    self.collections.entry(key).or_default().push((place, id));
                }
                text
            }
        };
        let ids = if is_loop { &mut self.by_element } else { &mut self.by_id };
        let known = ids.entry(id).or_default();
        if !known.contains(&place) {
            known.push(place);
        }
    }

    /// The resource that an id names and that may be mentioned here.
    pub(crate) fn by_id(&self, id: &str) -> Option<usize> {
        let known = self.by_id.get(id)?;
        known.iter().copied().find(|place| self.may_mention(*place))
    }

    /// The first resource that an id names.
    fn first_by_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).and_then(|known| known.first().copied())
    }

    fn id_of(&self, place: usize) -> Option<Expression> {
        let symbol = self.symbols.get(place)?;
        if symbol.version.is_empty() {
            return None;
        }
        let count = symbol.ty.split('/').count().saturating_sub(1).max(1);
        let segments = match &symbol.segments {
            Some(segments) => segments.clone(),
            None => (0..count)
                .map(|part| {
                    let split = Expression::call("split", [symbol.full_name.clone(), Expression::text("/")]);
                    split.index(Expression::Int(i64::try_from(part).unwrap_or(0)))
                })
                .collect(),
        };
        let with = |function: &str, first: Option<Expression>| {
            let mut arguments: Vec<Expression> = first.into_iter().collect();
            arguments.push(Expression::text(symbol.ty.as_str()));
            arguments.extend(segments.iter().cloned());
            Some(Expression::call(function, arguments))
        };
        let [scope, subscription, group] = scope_members(symbol.json);
        let parse = |json: &Json| json.expression().ok();
        match (scope, subscription, group) {
            (Some(scope), _, _) if scope.as_str() == Some("/") => with("tenantResourceId", None),
            (Some(scope), _, _) => with("extensionResourceId", Some(parse(scope)?)),
            (None, subscription, Some(group)) => {
                let subscription = match subscription {
                    Some(subscription) => parse(subscription)?,
                    None => Expression::call("subscription", []).property("subscriptionId"),
                };
                let format = Expression::text(GROUP);
                with(
                    "extensionResourceId",
                    Some(Expression::call("format", [format, subscription, parse(group)?])),
                )
            }
            (None, Some(subscription), None) => with("subscriptionResourceId", Some(parse(subscription)?)),
            (None, None, None) => match self.target {
                TargetScope::ResourceGroup | TargetScope::Local => with("resourceId", None),
                TargetScope::Subscription => with("subscriptionResourceId", None),
                TargetScope::ManagementGroup => {
                    with("extensionResourceId", Some(Expression::call("managementGroup", []).property("id")))
                }
                TargetScope::Tenant => with("tenantResourceId", None),
            },
        }
    }

    /// Reads what a resource depends on, as symbols where they are known.
    fn find_dependencies(&mut self, place: usize) -> Result<()> {
        let Some(json) = self.symbols.get(place).and_then(|symbol| symbol.json) else { return Ok(()) };
        let Some(list) = json.find("dependsOn") else { return Ok(()) };
        let Json::List(entries) = list else {
            return Err(DecompileError::new("`dependsOn` is not a list").under("dependsOn"));
        };
        let mut found = Vec::new();
        for entry in entries {
            let expression = entry.expression().under("dependsOn")?;
            found.push(match self.target_of(&expression) {
                Some((symbol, index)) => Dependency::Symbol(symbol, index),
                None => Dependency::Other(entry.clone()),
            });
        }
        if let Some(symbol) = self.symbols.get_mut(place) {
            symbol.depends_on = found;
        }
        Ok(())
    }

    /// The symbol that an expression names, and which of its elements.
    pub(crate) fn target_of(&self, expression: &Expression) -> Option<(usize, Option<Expression>)> {
        if !self.exact {
            return self.classic_target(expression).map(|place| (place, None));
        }
        match expression {
            Expression::Text(key) => self.by_key.get(key.as_str()).map(|place| (*place, None)),
            Expression::Call(call) if self.symbolic && call.is_call_to("format") => {
                match call.arguments.as_slice() {
                    [Expression::Text(format), index] => {
                        let key = format.strip_suffix("[{0}]")?;
                        self.by_key.get(key).map(|place| (*place, Some(index.clone())))
                    }
                    _ => None,
                }
            }
            Expression::Call(_) => match self.first_by_id(&expression.to_string()) {
                Some(place) => Some((place, None)),
                None => self.element_of(expression).map(|(place, index)| (place, Some(index))),
            },
            Expression::Int(_) | Expression::Access(_) | Expression::Secret(_) => None,
        }
    }

    /// The symbol that a resource id, or a text that looks like one, names.
    pub(crate) fn classic_target(&self, expression: &Expression) -> Option<usize> {
        // An element of a collection is not the collection.
        let mut is_element = false;
        expression.for_each(&mut |part| {
            is_element |= part.as_call().is_some_and(|call| call.is_call_to("copyIndex"))
        });
        if is_element {
            return None;
        }
        match classic_form(&normalized(expression)) {
            Some((ty, name)) => self.first_by_id(&classic_key(&ty, &name)),
            None => {
                // Others are often named by their names alone, or by the name of their loop.
                let name = normalized(expression).to_string().to_lowercase();
                let by_name = self.by_name.get(&name).copied().flatten();
                match expression {
                    Expression::Text(text) => by_name.or_else(|| self.by_key.get(text.as_str()).copied()),
                    _ => by_name,
                }
            }
        }
    }
}

/// The ids of the vaults that the parameters of a module name.
fn vaults(module: &Json) -> Vec<Expression> {
    let mut found = Vec::new();
    let parameters = module.at(&["properties", "parameters"]).map(Json::members).unwrap_or_default();
    for (_, parameter) in parameters {
        let id = parameter.at(&["reference", "keyVault", "id"]);
        found.extend(id.and_then(|id| id.expression().ok()));
        let Some(value) = Some(parameter).filter(|it| it.as_str().is_some()) else { continue };
        let Ok(value) = value.expression() else { continue };
        value.for_each(&mut |part| {
            if let Some(call) = part.as_call().filter(|call| call.is_call_to("createObject"))
                && let [Expression::Text(name), Expression::Call(vault), ..] = call.arguments.as_slice()
                && let [Expression::Text(id), value] = vault.arguments.as_slice()
                && name == "keyVault"
                && id == "id"
            {
                found.push(value.clone());
            }
        });
    }
    found
}

/// The scope that a declaration names: `scope`, `subscriptionId` and `resourceGroup`.
pub(crate) fn scope_members(json: Option<&Json>) -> [Option<&Json>; 3] {
    ["scope", "subscriptionId", "resourceGroup"].map(|name| json.and_then(|json| json.find(name)))
}

fn key_of(ty: &str, segments: &[Expression]) -> String {
    let mut key = ty.to_lowercase();
    for segment in segments {
        key.push('\n');
        key.push_str(&segment.to_string());
    }
    key
}

/// The parts of a name that is put together as the compiler does it.
fn segments_of(name: &Expression, count: usize) -> Option<Vec<Expression>> {
    let call = name.as_call().filter(|call| call.is_call_to("format"))?;
    let [Expression::Text(format), segments @ ..] = call.arguments.as_slice() else { return None };
    let parts = format_parts(format)?;
    let wanted = (0..count * 2 - 1).map(|place| match place % 2 {
        0 => FormatPart::Hole(place / 2),
        _ => FormatPart::Text("/".to_owned()),
    });
    (segments.len() == count && parts.into_iter().eq(wanted)).then(|| segments.to_vec())
}

/// What a name says, read aloud.
fn spoken(expression: &Expression) -> String {
    let join = |parts: &mut dyn Iterator<Item = &Expression>| parts.map(spoken).collect::<Vec<_>>().join("_");
    match expression {
        Expression::Text(text) => text.to_string(),
        Expression::Int(number) => number.to_string(),
        Expression::Call(call) => join(&mut call.arguments.iter()),
        Expression::Access(access) => {
            let base = match access.base() {
                Expression::Call(call) => call.arguments.as_slice(),
                other => std::slice::from_ref(other),
            };
            join(&mut base.iter().chain(access.path()))
        }
        Expression::Secret(_) => "_".to_owned(),
    }
}

/// What two ways to name the same resource have in common.
fn classic_key(ty: &str, name: &Expression) -> String {
    escape(&format!("{}_{}", ty.trim_end_matches('/'), normalized(name)), true).to_lowercase()
}

/// The type and name in a resource id, or in a text that is put together like one.
fn classic_form(expression: &Expression) -> Option<(String, Expression)> {
    let name_of = |parts: &[Expression]| {
        let mut name = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                name.push(Expression::text("/"));
            }
            name.push(part.clone());
        }
        Expression::call("concat", name)
    };
    match expression {
        Expression::Call(call) if call.is_call_to("resourceId") => match call.arguments.as_slice() {
            [Expression::Text(ty), names @ ..] if !names.is_empty() => Some((ty.to_string(), name_of(names))),
            _ => None,
        },
        Expression::Call(call) if call.is_call_to("concat") => from_parts(&call.arguments, name_of),
        Expression::Text(_) => from_parts(std::slice::from_ref(expression), name_of),
        _ => None,
    }
}

fn from_parts(
    parts: &[Expression],
    name_of: impl Fn(&[Expression]) -> Expression,
) -> Option<(String, Expression)> {
    let mut segments: Vec<Expression> = Vec::new();
    for part in parts {
        match part {
            Expression::Text(text) => {
                segments.extend(text.split('/').filter(|it| !it.is_empty()).map(Expression::text));
            }
            other => segments.push(other.clone()),
        }
    }
    if segments.len() < 3 || segments.len() % 2 != 1 {
        return None;
    }
    let mut types: Vec<&str> = Vec::new();
    let mut names = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        match segment {
            Expression::Text(text) if place == 0 || place % 2 == 1 => types.push(text),
            _ if place == 0 || place % 2 == 1 => return None,
            other => names.push(other.clone()),
        }
    }
    Some((types.join("/"), name_of(&names)))
}
