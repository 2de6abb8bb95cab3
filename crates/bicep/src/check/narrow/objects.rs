//! Objects, property by property: what is missing, what is known, what is too much.

use smol_str::SmolStr;
use syntax::ast::{AstNode as _, ObjectProperty, Statement};
use syntax::{NodeKind, Span, SyntaxNode};

use super::super::{Checker, nodes};
use super::comparison::{Comparison, Config, Mismatch, Source};
use super::{MAX_DEPTH, Narrow};
use crate::codes;
use crate::types::{
    Object as ObjectTy, Property, PropertyFlags, Role, Ty, TyKind, TypeRef, assignable, non_null, nullable,
    warns, warns_for_properties,
};

/// The objects of a comparison.
#[derive(Clone, Copy)]
struct Objects<'a> {
    own: &'a ObjectTy,
    wanted: &'a ObjectTy,
}

impl<'m> Narrow<'_, 'm> {
    /// Compares an object; nothing if the value is not known to be one.
    pub(super) fn object(&mut self, it: Comparison<'_, 'm>, wanted: &ObjectTy) -> Option<Ty> {
        if let Some(behind) = self.behind(it.source) {
            let config = it.config.behind(it.source.node());
            if config.depth > MAX_DEPTH {
                self.is_too_deep = true;
                return None;
            }
            return self.object(Comparison { config: &config, source: behind, ..it }, wanted);
        }
        if self.checker.has_parse_errors(it.source.node()) {
            return Some(it.target.clone());
        }
        let own = it.ty.as_object()?;
        let objects = Objects { own, wanted };
        self.missing(it, objects);
        let mut properties = wanted.properties.clone();
        for (name, property) in &wanted.properties {
            let Some(given) = own.properties.get(name) else { continue };
            if let Some(made) = self.known_property(it, name, property, given) {
                properties.insert(name.clone(), Property::new(made, property.flags));
            }
        }
        match self.additional(it, wanted) {
            Some(additional) => self.additional_properties(it, objects, additional),
            None => self.extra_properties(it, objects),
        }
        if it.config.is_resource {
            for property in properties.values_mut() {
                property.flags = property.flags.difference(PropertyFlags::READ_ONLY);
                property.ty = without_read_only(&property.ty);
            }
        }
        let made = ObjectTy {
            name: wanted.name.clone(),
            properties,
            additional: wanted.additional.clone(),
            methods: wanted.methods.clone(),
            role: wanted.role.clone(),
            origin: wanted.origin,
        };
        Some(Ty::flagged(TyKind::Object(made), it.target.flags()))
    }

    /// The property as it is written in the value, if it is.
    pub(super) fn written(&self, it: Comparison<'_, 'm>, name: &str) -> Option<ObjectProperty<'m>> {
        it.source.object().and_then(|object| self.checker.model.property(object, name))
    }

    /// Where something about a property is reported.
    pub(super) fn key_place(&self, it: Comparison<'_, 'm>, name: &str) -> Span {
        match (it.config.origin, self.written(it, name)) {
            (None, Some(written)) => written.key().span(),
            _ => self.place(it),
        }
    }

    fn missing(&mut self, it: Comparison<'_, 'm>, Objects { own, wanted }: Objects<'_>) {
        if own.additional.is_some() {
            return;
        }
        let missing = wanted.properties.iter().filter(|(name, property)| {
            property.flags.contains(PropertyFlags::REQUIRED)
                && !property.flags.contains(PropertyFlags::READ_ONLY)
                && !own.properties.contains_key(*name)
                && !assignable(&Ty::null(), &property.ty.get())
        });
        let missing: Vec<(&SmolStr, &Property)> = missing.collect();
        if missing.is_empty() {
            return;
        }
        let system = missing.iter().any(|(_, property)| property.flags.contains(PropertyFlags::SYSTEM));
        let warn = (it.config.is_resource && !system) || warns_for_properties(it.target);
        let (at, block) = self.block(it.source.node());
        let at = it.config.origin.map_or(at, |origin| self.checker.node(origin).span());
        let names = codes::list(missing.iter().map(|(name, _)| name));
        let clause = self.origin_clause(it.config.origin);
        self.out.push(codes::MISSING_PROPERTIES.or_warning(warn).at(at, &[&block, &names, &clause]));
    }

    /// Where missing properties are reported, and what they are missing from.
    fn block(&self, node: SyntaxNode<'m>) -> (Span, &'static str) {
        let object = (node.span(), "object");
        let Some(parent) = self.checker.model.parent(node) else { return object };
        match parent.kind() {
            NodeKind::ObjectProperty => {
                ObjectProperty::cast(parent).map_or(object, |property| (property.key().span(), "object"))
            }
            NodeKind::IfCondition | NodeKind::For => self.block(parent),
            _ => match Statement::cast(parent).and_then(nodes::declared_name) {
                Some((name, keyword)) => {
                    let word = match keyword {
                        "resource" => "resource",
                        "module" => "module",
                        "output" => "output",
                        _ => "declaration",
                    };
                    (name.span(), word)
                }
                None => object,
            },
        }
    }

    /// Compares a property that the type names; nothing if it cannot be given.
    fn known_property(
        &mut self,
        it: Comparison<'_, 'm>,
        name: &SmolStr,
        property: &Property,
        given: &Property,
    ) -> Option<Ty> {
        let flags = property.flags;
        let (value, skip_constant) = self.property_value(it, name, flags);
        let system = flags.contains(PropertyFlags::SYSTEM);
        if flags.contains(PropertyFlags::READ_ONLY) {
            if self.is_existing_body(it.source.node()) == Some(true) {
                self.out.push(codes::EXISTING_PROPERTY.at(self.key_place(it, name), &[name]));
            } else if !given.flags.contains(PropertyFlags::READ_ONLY) {
                let warn = (!system && it.config.is_resource) || warns_for_properties(it.target);
                let rule = codes::READ_ONLY.or_warning(warn);
                self.out.push(rule.at(self.key_place(it, name), &[name, &""]));
            }
            return None;
        }
        if flags.contains(PropertyFlags::FALLBACK) {
            self.out.push(codes::FALLBACK_PROPERTY.at(self.key_place(it, name), &[name, &""]));
        }
        let wanted = property.ty.get();
        let warn = (it.config.is_resource && !system) || warns(&wanted);
        let mismatch = Mismatch::Property { name: name.clone(), warn, origin: it.config.origin };
        let config = property_config(it.config, flags, skip_constant, mismatch);
        let given = given.ty.get();
        if !self.seen.insert((value.node().id(), self.keys.of(&given), self.keys.of(&wanted))) {
            return Some(wanted);
        }
        let keeps = flags.contains(PropertyFlags::REQUIRED) || !flags.contains(PropertyFlags::IMPLICIT_NULL);
        let target = if keeps { wanted } else { nullable(&wanted) };
        let narrowed = self.value(Comparison { config: &config, source: value, ty: &given, target: &target });
        Some(if keeps { narrowed } else { non_null(&narrowed) })
    }

    /// The value of a property, which is reported if it has to be constant and is not, and whether what is in it needs
    /// no such look any more.
    fn property_value(
        &mut self,
        it: Comparison<'_, 'm>,
        name: &SmolStr,
        flags: PropertyFlags,
    ) -> (Source<'m>, bool) {
        let value = self.written(it, name).map_or(it.source, |written| Source::Expr(written.value()));
        let is_constant = flags.contains(PropertyFlags::CONSTANT);
        if !it.config.skip_constant && is_constant {
            Checker::require_constant(value.node(), &mut self.out);
        }
        (value, it.config.skip_constant || is_constant)
    }

    fn is_existing_body(&self, node: SyntaxNode<'m>) -> Option<bool> {
        let mut parent = self.checker.model.parent(node)?;
        if parent.kind() == NodeKind::IfCondition {
            parent = self.checker.model.parent(parent)?;
        }
        match Statement::cast(parent)? {
            Statement::ResourceDeclaration(it) => Some(it.existing().is_some()),
            _ => None,
        }
    }

    /// What properties may be that the type does not name. Those that it only tolerates are not meant to be written.
    fn additional<'a>(&self, it: Comparison<'_, 'm>, wanted: &'a ObjectTy) -> Option<&'a Property> {
        wanted.additional.as_ref().filter(|_| !(is_fallback(wanted) && it.source.object().is_some()))
    }

    /// Reports the properties that the type does not name and does not allow.
    fn extra_properties(&mut self, it: Comparison<'_, 'm>, Objects { own, wanted }: Objects<'_>) {
        let computed = it.source.object().into_iter().flat_map(|object| object.properties());
        let computed: Vec<_> = computed.filter(|property| property.key().constant().is_none()).collect();
        let mut extra =
            own.properties.keys().filter(|name| !wanted.properties.contains_key(*name)).peekable();
        if extra.peek().is_none() && computed.is_empty() {
            return;
        }
        let target = it.target;
        let warn = is_fallback(wanted) || warns_for_properties(target);
        let possible = wanted.properties.iter().filter(|(name, property)| {
            !property.flags.contains(PropertyFlags::READ_ONLY)
                && !property.flags.contains(PropertyFlags::FALLBACK)
                && !own.properties.contains_key(*name)
        });
        let possible: Vec<&str> = possible.map(|(name, _)| name.as_str()).collect();
        let hint = if possible.is_empty() {
            String::new()
        } else {
            format!(", which can have {}", codes::list(&possible))
        };
        for name in extra {
            let at = self.key_place(it, name);
            let near = diagnostics::suggest_without_swaps(name, possible.iter().copied());
            let found = match near.filter(|_| !self.has_origin(it.config)) {
                Some(near) => codes::EXTRA_PROPERTY_NEAR.or_warning(warn).at(at, &[name, target, &near]),
                None => codes::EXTRA_PROPERTY.or_warning(warn).at(at, &[name, target, &hint]),
            };
            self.out.push(found);
        }
        for property in computed {
            let at = property.key().span();
            self.out.push(codes::INTERPOLATED_KEY.or_warning(warn).at(at, &[target, &hint]));
        }
    }

    /// Compares the properties that the type allows without naming them.
    fn additional_properties(
        &mut self,
        it: Comparison<'_, 'm>,
        Objects { own, wanted }: Objects<'_>,
        additional: &Property,
    ) {
        let flags = additional.flags;
        let value_type = additional.ty.get();
        let implicit = flags.contains(PropertyFlags::IMPLICIT_NULL);
        for (name, given) in own.properties.iter().filter(|(name, _)| !wanted.properties.contains_key(*name))
        {
            let (value, skip_constant) = self.property_value(it, name, flags);
            let (name, origin) = (name.clone(), it.config.origin);
            let mismatch = Mismatch::Property { name, warn: warns(&value_type), origin };
            let config = property_config(it.config, flags, skip_constant, mismatch);
            let given = given.ty.get();
            if self.seen.insert((value.node().id(), self.keys.of(&given), self.keys.of(&value_type))) {
                let target = if implicit { nullable(&value_type) } else { value_type.clone() };
                self.value(Comparison { config: &config, source: value, ty: &given, target: &target });
            }
        }
    }
}

/// How the value of a property is compared.
fn property_config(outer: &Config, flags: PropertyFlags, skip_constant: bool, mismatch: Mismatch) -> Config {
    Config {
        skip_constant,
        skip_errors: true,
        disallow_any: flags.contains(PropertyFlags::DISALLOW_ANY),
        mismatch,
        origin: outer.origin,
        is_resource: outer.is_resource,
        depth: outer.depth + 1,
    }
}

/// Tells whether a type only tolerates properties that it does not name.
fn is_fallback(wanted: &ObjectTy) -> bool {
    wanted.additional.as_ref().is_some_and(|it| it.flags.contains(PropertyFlags::FALLBACK))
}

/// The same type with all that could only be read made readable, worked out when it is asked for.
fn without_read_only(ty: &TypeRef) -> TypeRef {
    let ty = ty.clone();
    // Most types are known and no objects: they stay as they are, and nothing is made for later.
    if let TypeRef::Now(known) = &ty
        && known.as_object().is_none()
    {
        return ty;
    }
    TypeRef::loaded(move || {
        let ty = ty.get();
        let TyKind::Object(object) = ty.kind() else { return ty };
        if !matches!(object.role, Role::Plain) {
            return ty;
        }
        let mut object = object.clone();
        for property in object.properties.values_mut() {
            property.flags = property.flags.difference(PropertyFlags::READ_ONLY);
            property.ty = without_read_only(&property.ty);
        }
        Ty::flagged(TyKind::Object(object), ty.flags())
    })
}
