//! Resources.

use arm::expression::{Expression, FunctionCall};
use rustc_hash::FxHashSet;

use crate::code::{BicepCode, Member, checked, quoted};
use crate::converter::{Converter, ExpressionContext, Mention, TargetScope};
use crate::declared::{Dependency, Repeats};
use crate::json::Json;
use crate::problem::{DecompileError, Result, Under as _};
use crate::symbols::scope_members;
use crate::types::line;

/// Members of a resource that Bicep writes elsewhere or not at all.
const ELSEWHERE: [&str; 13] = [
    "condition",
    "copy",
    "type",
    "apiVersion",
    "dependsOn",
    "scope",
    "metadata",
    "existing",
    "@options",
    "import",
    "extension",
    "subscriptionId",
    "resourceGroup",
];

/// Members that resources of every type can have.
const COMMON: [&str; 14] = [
    "name",
    "sku",
    "kind",
    "managedBy",
    "managedByExtended",
    "location",
    "extendedLocation",
    "zones",
    "plan",
    "eTag",
    "tags",
    "scale",
    "identity",
    "properties",
];

impl Converter<'_> {
    /// Writes a resource or module.
    pub(crate) fn symbol_text(&mut self, place: usize) -> Result<String> {
        let allowed = self.allowed(place);
        let around = std::mem::replace(&mut self.place, ExpressionContext::Resource(allowed));
        let mentions = std::mem::take(&mut self.mentions);
        let is_module = self.symbols.get(place).is_some_and(|symbol| symbol.is_module);
        let text = if is_module { self.module_text(place) } else { self.resource_text(place) };
        self.place = around;
        self.mentions = mentions;
        text
    }

    /// What a symbol may mention: what it depends on.
    fn allowed(&self, place: usize) -> FxHashSet<usize> {
        let Some(symbol) = self.symbols.get(place) else { return FxHashSet::default() };
        symbol
            .depends_on
            .iter()
            .filter_map(|dependency| match dependency {
                Dependency::Symbol(place, _) => Some(*place),
                Dependency::Other(_) => None,
            })
            .collect()
    }

    fn resource_text(&mut self, place: usize) -> Result<String> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(String::new()) };
        let (own, is_existing) = (symbol.own.clone(), symbol.is_existing);
        let (ty, version) = (symbol.ty.clone(), symbol.version.clone());
        let (json, nested) = (symbol.json, symbol.nested_in.is_some());
        let mut text = String::new();
        if let Some(json) = json {
            let decorators = self.resource_decorators(json)?;
            line(&mut text, &decorators);
        }
        let shown = match ty.rsplit_once('/') {
            Some((_, last)) if nested => last,
            _ => ty.as_str(),
        };
        let full = if version.is_empty() { shown.to_owned() } else { format!("{shown}@{version}") };
        let body = match json {
            Some(json) => self.copied(json, |this| {
                let body = this.resource_body(place, json)?;
                this.conditional(place, body)
            })?,
            None => self.lent_body(place)?,
        };
        let existing = if is_existing { "existing " } else { "" };
        text.push_str(&format!("resource {own} {} {existing}= {}\n", quoted(&full), body.print()));
        let mentioned: FxHashSet<usize> = self.mentions.iter().map(|mention| mention.symbol).collect();
        if let Some(symbol) = self.symbols.get_mut(place).filter(|symbol| symbol.is_existing) {
            symbol.mentioned = mentioned.into_iter().collect();
            symbol.mentioned.sort_unstable();
        }
        Ok(text)
    }

    /// Decorators of a resource or module.
    pub(crate) fn resource_decorators(&mut self, json: &Json) -> Result<Vec<String>> {
        let mut decorators = Vec::new();
        if let Some(description) = json.at(&["metadata", "description"]) {
            let description = self.value(description).under("metadata")?;
            decorators.push(format!("{}({})", self.decorator("description"), description.print()));
        }
        for (name, arguments) in json.find("@options").map(Json::members).unwrap_or_default() {
            let mut codes = Vec::new();
            for argument in arguments.items() {
                codes.push(self.value(argument).under(name).under("@options")?.print());
            }
            name.split('.').try_for_each(|part| checked(part).map(drop)).under("@options")?;
            decorators.push(format!("@{name}({})", codes.join(", ")));
        }
        let mode = json.at(&["copy", "mode"]).map(Json::to_text).unwrap_or_default();
        if mode.eq_ignore_ascii_case("serial") {
            let size = match json.at(&["copy", "batchSize"]) {
                None => 1,
                Some(Json::Int(size)) => *size,
                Some(_) => {
                    return Err(DecompileError::new("`batchSize` is not an integer")
                        .under("batchSize")
                        .under("copy"));
                }
            };
            decorators.push(format!("{}({size})", self.decorator("batchSize")));
        } else if !mode.is_empty() && !mode.eq_ignore_ascii_case("parallel") {
            let message = format!("`mode` is neither `serial` nor `parallel`, but `{mode}`");
            return Err(DecompileError::new(message).under("mode").under("copy"));
        }
        Ok(decorators)
    }

    /// The body of a declaration, in a loop if there is one.
    pub(crate) fn copied(
        &mut self,
        json: &Json,
        body: impl FnOnce(&mut Self) -> Result<BicepCode>,
    ) -> Result<BicepCode> {
        match json.find("copy") {
            Some(copy) if copy.is_object() => {
                let name = copy.find("name").map(Json::to_text);
                let name = name.ok_or_else(|| DecompileError::new("the loop has no `name`").under("copy"))?;
                let count = crate::values::required(copy, "count").under("copy")?;
                self.repeat(Repeats::Declaration, Some(&name), count, body)
            }
            _ => body(self),
        }
    }

    /// A body with the condition of its declaration.
    pub(crate) fn conditional(&mut self, place: usize, body: BicepCode) -> Result<BicepCode> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(body) };
        let Some(condition) = symbol.condition.clone() else { return Ok(body) };
        let outer = symbol.nested_in.and_then(|outer| self.symbols.get(outer)?.condition.clone());
        let condition = match (&condition, &outer) {
            (condition, Some(outer)) if condition == outer => return Ok(body),
            (Expression::Call(both), Some(outer)) if both.is_call_to("and") => {
                match both.arguments.as_slice() {
                    [first, own] if first == outer => own.clone(),
                    _ => condition,
                }
            }
            _ => condition,
        };
        let condition = match symbol.json.and_then(|json| json.find("condition")) {
            Some(Json::Bool(it)) => BicepCode::Bool(*it),
            _ => self.expression(&condition).under("condition")?,
        };
        let condition = match condition {
            BicepCode::Paren(inner) => *inner,
            other => other,
        };
        Ok(BicepCode::If(Box::new(condition), Box::new(body)))
    }

    fn lent_body(&mut self, place: usize) -> Result<BicepCode> {
        let mut members = Vec::new();
        self.parent_member(place, &mut members)?;
        if let Some((subscription, group)) = self.symbols.get(place).and_then(|symbol| symbol.group.clone()) {
            let own = Expression::call("subscription", []).property("subscriptionId");
            let mut arguments = Vec::new();
            if subscription != own {
                arguments.push(self.expression(&subscription)?);
            }
            arguments.push(self.expression(&group)?);
            let code = BicepCode::call(self.function_name("resourceGroup"), arguments);
            members.push(Member::Named("scope".to_owned(), code));
        }
        let name = self.symbols.get(place).map(|symbol| symbol.short_name.clone());
        if let Some(name) = name {
            members.push(Member::Named("name".to_owned(), self.expression(&name)?));
        }
        self.nested_members(place, &mut members)?;
        Ok(BicepCode::Object(members))
    }

    /// The resources that are declared in another one.
    fn nested_members(&mut self, place: usize, members: &mut Vec<Member>) -> Result<()> {
        let children = self.symbols.get(place).map(|symbol| symbol.children.clone()).unwrap_or_default();
        for child in children {
            let text = self.symbol_text(child).under(&self.step_of(child))?;
            members.push(Member::Declaration(text.trim_end().to_owned()));
        }
        Ok(())
    }

    fn resource_body(&mut self, place: usize, json: &Json) -> Result<BicepCode> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(BicepCode::Null) };
        let is_extension = symbol.version.is_empty();
        let (short_name, short_code) = (symbol.short_name.clone(), symbol.short_code.clone());
        let mut members = Vec::new();
        if is_extension {
            for (name, value) in json.find("properties").map(Json::members).unwrap_or_default() {
                self.member(name, value, &mut members).under(name).under("properties")?;
            }
        } else {
            self.parent_member(place, &mut members)?;
            let has_parent = self.symbols.get(place).is_some_and(|symbol| symbol.parent.is_some());
            if !(self.exact && has_parent) {
                self.scope_member(place, json, &mut members)?;
            }
            let copies = json.find("copy").filter(|copy| matches!(copy, Json::List(_)));
            for (name, value) in json.members() {
                let lower = name.to_ascii_lowercase();
                if name == "copy" && copies.is_some() {
                    self.member(name, value, &mut members).under(name)?;
                } else if lower == "name" && self.exact {
                    members
                        .push(Member::Named("name".to_owned(), self.expression(&short_name).under("name")?));
                } else if let (true, Some(code)) = (lower == "name", &short_code) {
                    members.push(Member::Named("name".to_owned(), code.clone()));
                } else if !self.exact && lower == "comments" || is_elsewhere(&lower) {
                    continue;
                } else if !self.exact
                    && !COMMON.iter().any(|known| known.eq_ignore_ascii_case(name))
                    && lower != "asserts"
                {
                    return Err(
                        DecompileError::new(format!("`{name}` is not a member of resources")).under(name)
                    );
                } else {
                    self.member(name, value, &mut members).under(name)?;
                }
            }
        }
        self.depends_on_member(place, &mut members)?;
        self.nested_members(place, &mut members)?;
        Ok(BicepCode::Object(members))
    }

    /// The place of a symbol in the template.
    pub(crate) fn step_of(&self, place: usize) -> String {
        self.symbols.get(place).map(|symbol| symbol.step.to_string()).unwrap_or_default()
    }

    /// `parent`, where it is not the resource around.
    fn parent_member(&mut self, place: usize, members: &mut Vec<Member>) -> Result<()> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(()) };
        let Some(parent) = symbol.parent else { return Ok(()) };
        let index = symbol.parent_index.clone();
        if symbol.nested_in.is_some() {
            self.mention(parent, None, true);
            return Ok(());
        }
        if self.exact && symbol.json.is_some() && !self.may_mention(parent) {
            // The name says it all, then.
            let full = symbol.full_name.clone();
            if let Some(symbol) = self.symbols.get_mut(place) {
                symbol.short_name = full;
                symbol.parent = None;
            }
            return Ok(());
        }
        let code = self.element(parent, index.as_ref(), true).under("name")?;
        members.push(Member::Named("parent".to_owned(), code));
        Ok(())
    }

    /// `scope`, if it is not where the template is deployed to.
    pub(crate) fn scope_member(
        &mut self,
        place: usize,
        json: &Json,
        members: &mut Vec<Member>,
    ) -> Result<()> {
        let [scope, subscription, group] = scope_members(Some(json));
        let code = match (scope, subscription, group) {
            (Some(scope), _, _) => self.scope(place, scope).under("scope")?,
            (None, Some(subscription), Some(group)) => {
                let subscription = self.value(subscription).under("subscriptionId")?;
                BicepCode::call(
                    self.function_name("resourceGroup"),
                    vec![subscription, self.value(group).under("resourceGroup")?],
                )
            }
            (None, None, Some(group)) => BicepCode::call(
                self.function_name("resourceGroup"),
                vec![self.value(group).under("resourceGroup")?],
            ),
            (None, Some(Json::Text(own)), None)
                if self.exact
                    && self.target == TargetScope::ResourceGroup
                    && own == "[subscription().subscriptionId]" =>
            {
                BicepCode::call(self.function_name("subscription"), Vec::new())
            }
            (None, Some(subscription), None) => BicepCode::call(
                self.function_name("subscription"),
                vec![self.value(subscription).under("subscriptionId")?],
            ),
            (None, None, None) => return Ok(()),
        };
        members.push(Member::Named("scope".to_owned(), code));
        Ok(())
    }

    fn scope(&mut self, place: usize, scope: &Json) -> Result<BicepCode> {
        if scope.as_str() == Some("/") {
            return Ok(BicepCode::call(self.function_name("tenant"), Vec::new()));
        }
        let expression = scope.expression()?;
        if !self.exact {
            return match self.classic_target(&expression) {
                Some(target) => {
                    self.mention(target, None, true);
                    Ok(self.symbol_code(target))
                }
                None => self.expression(&expression),
            };
        }
        let lent = self.symbols.get(place).and_then(|symbol| symbol.scope);
        if let Some(target) = lent.or_else(|| self.by_id(&expression.to_string())) {
            self.mention(target, None, true);
            return Ok(self.symbol_code(target));
        }
        let collection =
            self.by_element.get(&expression.to_string()).and_then(|known| known.first().copied());
        if let Some(target) = collection {
            let index = Expression::call("copyIndex", []);
            let code = self.expression(&index)?;
            self.mention(target, Some(&index), true);
            return Ok(self.symbol_code(target).index(code));
        }
        if let Some((target, index)) = self.element_of(&expression) {
            return self.element(target, Some(&index), true);
        }
        match expression.as_call().and_then(management_group) {
            Some(group) => {
                Ok(BicepCode::call(self.function_name("managementGroup"), vec![self.expression(group)?]))
            }
            None => Err(DecompileError::new(format!(
                "`{expression}` is not the id of a resource of this template"
            ))),
        }
    }

    /// `dependsOn`, without what the body shows already.
    pub(crate) fn depends_on_member(&mut self, place: usize, members: &mut Vec<Member>) -> Result<()> {
        let Some(symbol) = self.symbols.get(place) else { return Ok(()) };
        if symbol.json.is_none_or(|json| json.find("dependsOn").is_none()) {
            return Ok(());
        }
        let wanted = symbol.depends_on.clone();
        let mut shown: Vec<Mention> = self.mentions.clone();
        let known: FxHashSet<usize> = self.reached();
        let in_loop = symbol.is_loop;
        let mut codes = Vec::new();
        for dependency in &wanted {
            let (symbol, index) = match dependency {
                Dependency::Other(json) => {
                    if self.exact {
                        return Err(DecompileError::new(format!(
                            "`{}` is not in this template",
                            json.to_text()
                        ))
                        .under("dependsOn"));
                    }
                    codes.push(self.value(json).under("dependsOn")?);
                    continue;
                }
                Dependency::Symbol(symbol, index) => (*symbol, index.as_ref()),
            };
            if (self.exact || !in_loop) && self.is_shown(symbol, index, &mut shown, &known) {
                continue;
            }
            let code = match index {
                Some(index) => {
                    let index = self.expression(index).under("dependsOn")?;
                    self.symbol_code(symbol).index(index)
                }
                None => self.symbol_code(symbol),
            };
            codes.push(code);
        }
        if !codes.is_empty() || !self.exact && wanted.is_empty() {
            members.push(Member::Named("dependsOn".to_owned(), BicepCode::Array(codes)));
        }
        Ok(())
    }

    /// Tells whether a dependency is there because of a mention; mentions of elements count once.
    fn is_shown(
        &self,
        symbol: usize,
        index: Option<&Expression>,
        shown: &mut Vec<Mention>,
        reached: &FxHashSet<usize>,
    ) -> bool {
        let is_existing = self.symbols.get(symbol).is_some_and(|it| it.is_existing);
        let same = |mention: &Mention| {
            mention.symbol == symbol && mention.index.as_ref() == index && !(is_existing && mention.weak)
        };
        match (shown.iter().position(same), index) {
            (Some(place), Some(_)) => {
                shown.swap_remove(place);
                true
            }
            (Some(_), None) => true,
            (None, None) => reached.contains(&symbol),
            (None, Some(_)) => false,
        }
    }

    /// What is depended on through resources that are not deployed themselves.
    fn reached(&self) -> FxHashSet<usize> {
        let mut reached = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let is_existing = |place: usize| self.symbols.get(place).is_some_and(|it| it.is_existing);
        let mut open: Vec<usize> = self
            .mentions
            .iter()
            .filter(|mention| mention.weak && is_existing(mention.symbol))
            .map(|mention| mention.symbol)
            .collect();
        while let Some(place) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            let Some(symbol) = self.symbols.get(place) else { continue };
            if symbol.is_existing {
                open.extend(symbol.mentioned.iter().copied());
            } else {
                reached.insert(place);
            }
        }
        reached
    }
}

fn is_elsewhere(lower: &str) -> bool {
    ELSEWHERE.iter().any(|known| known.eq_ignore_ascii_case(lower))
}

/// The name in the id of a management group, as scopes have it.
fn management_group(call: &FunctionCall) -> Option<&Expression> {
    const TYPE: &str = "Microsoft.Management/managementGroups";
    match call.arguments.as_slice() {
        [Expression::Text(ty), name] if call.is_call_to("tenantResourceId") && ty == TYPE => Some(name),
        [Expression::Text(format), name]
            if call.is_call_to("format") && format.strip_suffix("/{0}") == Some(TYPE) =>
        {
            Some(name)
        }
        _ => None,
    }
}
