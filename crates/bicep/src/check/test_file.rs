//! Tests of a test file: what their bodies may have, and what asserts see of their results.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Statement, TestDeclaration};

use super::{Checker, Interface, codes};
use crate::Finding;
use crate::files::ReferenceKind;
use crate::symbols::{Model, ModuleTarget, SymbolId};
use crate::types::{Object, Property, PropertyFlags as P, Range, Ty, nullable, union_of};

/// How the parameters of a test are checked before it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParamsCheck {
    /// By the program's types, and none may be missing.
    Whole,
    /// By the program's types; cases or the generator give the rest.
    Partial,
    /// Not at all: the test expects them to be refused, or they come from elsewhere.
    Open,
}

impl<'m> Checker<'m> {
    /// The type of a test of a test file, which is that of its result.
    pub(super) fn test_of_file(
        &mut self,
        it: TestDeclaration<'m>,
        target: &ModuleTarget,
        interface: &Interface,
    ) -> Ty {
        let used = self.used_program(target);
        let params = match (params_check(it.value()), &used) {
            (ParamsCheck::Open, _) => (Ty::any(), P::empty()),
            // A parameters file gives what its program needs.
            (_, Some((_, interface))) => params_type(interface, ParamsCheck::Partial),
            (check, None) => params_type(interface, check),
        };
        let (target, interface) = match &used {
            Some((target, interface)) => (target, &**interface),
            None => (target, interface),
        };
        let body = body_type(params, None);
        let found = self.narrow(it.value(), &body);
        if found.is_error() { found } else { self.result_type(target, interface) }
    }

    /// The program that a parameters file is for, with what it offers; none for a program, or if it cannot be had.
    fn used_program(&self, target: &ModuleTarget) -> Option<(ModuleTarget, Arc<Interface>)> {
        let ModuleTarget::Bicep(model) = target else { return None };
        let using = model.file.references.iter().find(|it| it.kind == ReferenceKind::Using)?;
        let program = model.source_of(using.declaration)?.target.as_ref().ok()?.clone();
        let interface = self.interface_of(&program);
        Some((program, interface))
    }

    /// What the editor offers in the body of a test: also what is only read when it runs.
    pub(super) fn expected_test_body(&mut self, it: TestDeclaration<'m>) -> Option<Ty> {
        let Some(Ok((target, interface))) = self.referred(it.node().id()) else { return None };
        let (target, interface) = self.used_program(&target).unwrap_or((target, interface));
        if !self.model.file.is_test() {
            let params = params_type(&interface, ParamsCheck::Whole);
            return Some(Ty::closed_object("test", [("params", params.0, params.1)]));
        }
        let params = params_type(&interface, ParamsCheck::Partial);
        let named = match &target {
            ModuleTarget::Bicep(model) => resources(model),
            ModuleTarget::Template(_) => Vec::new(),
        };
        Some(body_type(params.clone(), Some(&Offered { params: params.0, named })))
    }

    /// Reports what a test file cannot have: it deploys nothing itself.
    pub(super) fn test_file_rules(&mut self) {
        let model = self.model;
        if !model.file.is_test() {
            return;
        }
        let all = &model.declarations;
        let kinds = [
            (&all.parameters, "param"),
            (&all.resources, "resource"),
            (&all.modules, "module"),
            (&all.outputs, "output"),
            (&all.extensions, "extension"),
        ];
        for (symbols, word) in kinds {
            for symbol in symbols {
                self.push(codes::NOT_IN_TEST_FILES.at(model.node_of(*symbol).span(), &[&word]));
            }
        }
    }
}

/// What is known of a program where its test is written.
struct Offered {
    params: Ty,
    named: Vec<(SmolStr, Ty)>,
}

/// The type of the body of a test. What is only read when it runs can be anything, unless it is for somebody who writes.
fn body_type(params: (Ty, P), offered: Option<&Offered>) -> Ty {
    let part = |ty: Ty| (ty, P::empty());
    let texts = |name, members: &[&'static str]| {
        Ty::closed_object(name, members.iter().map(|member| (*member, Ty::string(), P::empty())))
    };
    let checks = ["idempotent", "uniqueIds", "limits", "secretOutput", "unusedMocks"];
    let checks = Ty::closed_object("checks", checks.map(|name| (name, Ty::bool(), P::empty())));
    let failure = match offered {
        Some(_) => texts("failure", &["code", "message", "target", "symbol"]),
        None => Ty::any(),
    };
    let expect = Ty::closed_object(
        "expect",
        [("failure", failure, P::empty()), ("diagnostics", Ty::array(), P::empty())],
    );
    let max = offered.map_or_else(Ty::object, |offered| offered.params.clone());
    let generate = Ty::closed_object(
        "generate",
        [("count", Ty::int(), P::empty()), ("seed", Ty::int(), P::empty()), ("max", max, P::empty())],
    );
    let mocks = offered.map_or_else(Ty::any, mocks_type);
    let modes = union_of(["deploy", "snapshot"].map(Ty::string_literal));
    let mut members = vec![
        ("params", params),
        ("data", part(Ty::any())),
        ("mocks", part(mocks)),
        ("given", part(Ty::any())),
        ("after", part(Ty::any())),
        ("scope", part(Ty::string())),
        ("location", part(Ty::string())),
        ("name", part(Ty::string())),
        ("complete", part(Ty::bool())),
        ("time", part(Ty::string())),
        ("mode", part(modes)),
        ("expect", part(expect)),
        ("matchSnapshot", part(Ty::bool())),
        ("generate", part(generate)),
        ("checks", part(checks)),
        ("skip", part(Ty::string())),
    ];
    let object = |name, members: &[(&'static str, (Ty, P))]| {
        let members = members.iter().cloned().map(|(name, (ty, flags))| (name, ty, flags));
        Ty::closed_object(name, members)
    };
    // A case has the members of its body.
    let cases = match offered {
        Some(_) => Ty::dictionary("cases", object("case", &members)),
        None => Ty::any(),
    };
    members.push(("cases", part(cases)));
    object("test", &members)
}

/// What mocks answer: functions, and resources by their names.
fn mocks_type(offered: &Offered) -> Ty {
    let named = offered.named.iter().map(|(name, _)| (name.clone(), Property::new(Ty::object(), P::empty())));
    let reference = Object { name: "reference".into(), properties: named.collect(), ..Object::default() };
    Ty::closed_object(
        "mocks",
        [
            ("reference", Ty::object_of(reference), P::empty()),
            ("provider", Ty::array(), P::empty()),
            ("secrets", Ty::object(), P::empty()),
            ("externalInputs", Ty::object(), P::empty()),
            ("resourceGroup", Ty::object(), P::empty()),
            ("subscription", Ty::object(), P::empty()),
            ("managementGroup", Ty::object(), P::empty()),
            ("tenant", Ty::object(), P::empty()),
            ("deployer", Ty::object(), P::empty()),
            ("deployment", Ty::object(), P::empty()),
            ("environment", Ty::object(), P::empty()),
        ],
    )
}

/// Whether a file is one of tests in which nothing is wrong but that programs of tests have errors.
pub(crate) fn has_sound_tests(model: &Model, found: &[Finding]) -> bool {
    let programs: std::collections::BTreeSet<syntax::Span> =
        tests(model).map(|(_, it)| it.path().span()).collect();
    let is_of_program =
        |it: &Finding| it.code == codes::MODULE_HAS_ERRORS.code && programs.contains(&it.span);
    model.file.is_test() && found.iter().filter(|it| it.is_error()).all(is_of_program)
}

fn tests(model: &Model) -> impl Iterator<Item = (SymbolId, TestDeclaration<'_>)> {
    model.declarations.tests.iter().filter_map(|symbol| match model.statement_of(*symbol) {
        Some(Statement::TestDeclaration(it)) => Some((*symbol, it)),
        _ => None,
    })
}

/// The tests of a program whose bodies have no errors; none if something else has, which they may need. That a program of a test cannot be had
/// or has errors is no error of its body.
pub(crate) fn sound_tests(model: &Model, found: &[Finding]) -> Option<Vec<SymbolId>> {
    let mut sound: Vec<(SymbolId, TestDeclaration<'_>)> = tests(model).collect();
    for error in found.iter().filter(|it| it.is_error()) {
        let is_in = |span: syntax::Span| span.start <= error.span.start && error.span.end <= span.end;
        let (_, around) = tests(model).find(|(_, it)| is_in(it.node().span()))?;
        if !is_in(around.path().span()) {
            sound.retain(|(_, it)| it.node().id() != around.node().id());
        }
    }
    Some(sound.into_iter().map(|(symbol, _)| symbol).collect())
}

/// The member of an object literal.
fn member<'t>(object: Expr<'t>, name: &str) -> Option<Expr<'t>> {
    let Expr::Object(object) = object else { return None };
    let members = object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
    members
        .filter(|member| member.key().constant().is_some_and(|key| key == name))
        .map(|member| member.value())
        .next()
}

fn params_check(body: Expr<'_>) -> ParamsCheck {
    let expects_failure = match member(body, "expect") {
        Some(expect @ Expr::Object(_)) => member(expect, "failure").is_some(),
        // What it expects is known when it runs.
        Some(_) => true,
        None => false,
    };
    let is_object = matches!(member(body, "params"), None | Some(Expr::Object(_)));
    if expects_failure || !is_object {
        return ParamsCheck::Open;
    }
    match member(body, "cases").is_some() || member(body, "generate").is_some() {
        true => ParamsCheck::Partial,
        false => ParamsCheck::Whole,
    }
}

fn params_type(interface: &Interface, check: ParamsCheck) -> (Ty, P) {
    let mut any_required = P::empty();
    let properties = interface.parameters.iter().map(|(name, parameter)| {
        let required = parameter.required && check == ParamsCheck::Whole;
        let flags = if required { P::REQUIRED } else { P::empty() };
        any_required = any_required.union(flags);
        (name.clone(), Property::new(parameter.ty.clone(), flags))
    });
    let properties = properties.collect();
    (Ty::object_of(Object { name: "params".into(), properties, ..Object::default() }), any_required)
}

/// How deep the modules of modules have types of their own.
const DEEPEST_MODULE: usize = 3;

fn object_of(name: &str, members: impl IntoIterator<Item = (SmolStr, Ty)>) -> Object {
    let members = members.into_iter().map(|(name, ty)| (name, Property::new(ty, P::READ_ONLY)));
    Object { name: name.into(), properties: members.collect(), ..Object::default() }
}

/// An array of objects whose members are known.
fn rows<const N: usize>(name: &'static str, members: [(&'static str, Ty); N]) -> Ty {
    let row = object_of(name, members.map(|(name, ty)| (name.into(), ty)));
    Ty::array_of(Ty::object_of(row), Range::default())
}

fn outputs(interface: &Interface) -> Ty {
    let outputs = interface.outputs.iter().map(|output| (output.name.clone(), output.ty.clone()));
    Ty::object_of(object_of("outputs", outputs))
}

/// The parameters as they are bound. Those of a template may be of any type that its text can say.
fn params(interface: &Interface) -> Ty {
    let all = interface.parameters.iter().map(|(name, parameter)| (name.clone(), parameter.ty.clone()));
    Ty::object_of(object_of("params", all))
}

impl<'m> Checker<'m> {
    /// What asserts see of a test.
    fn result_type(&self, target: &ModuleTarget, interface: &Interface) -> Ty {
        let optional = |ty: Ty| nullable(&ty);
        let error = [
            ("code", Ty::string()),
            ("message", Ty::string()),
            ("target", optional(Ty::string())),
            ("details", Ty::array()),
            ("file", optional(Ty::string())),
            ("line", optional(Ty::int())),
        ];
        let error = object_of("error", error.map(|(name, ty)| (name.into(), ty)));
        let calls = rows(
            "call",
            [
                ("method", Ty::string()),
                ("id", Ty::string()),
                ("type", Ty::string()),
                ("symbol", optional(Ty::string())),
                ("index", optional(Ty::int())),
                ("body", Ty::any()),
                ("code", optional(Ty::string())),
                ("at", Ty::int()),
            ],
        );
        let changes = rows(
            "change",
            [
                ("id", Ty::string()),
                ("type", optional(Ty::string())),
                ("symbol", optional(Ty::string())),
                ("change", Ty::string()),
                ("delta", Ty::array()),
            ],
        );
        let diagnostics = rows(
            "diagnostic",
            [
                ("code", Ty::string()),
                ("severity", Ty::string()),
                ("message", Ty::string()),
                ("file", Ty::string()),
                ("line", Ty::int()),
                ("column", Ty::int()),
            ],
        );
        let (resources, modules) = self.parts_of(target, 0);
        let members = [
            ("outputs", outputs(interface)),
            ("resources", resources),
            ("modules", modules),
            ("all", Ty::array()),
            ("calls", calls),
            ("changes", changes),
            ("status", Ty::string()),
            ("error", optional(Ty::object_of(error))),
            ("diagnostics", diagnostics),
            ("elapsed", Ty::int()),
            ("params", params(interface)),
            ("data", Ty::any()),
            ("name", Ty::string()),
            ("case", optional(Ty::string())),
        ];
        Ty::object_of(object_of("test", members.map(|(name, ty)| (name.into(), ty))))
    }

    /// The resources and the modules of a program, by their names. Those of a template are known when it is read. Recursion is bounded.
    fn parts_of(&self, target: &ModuleTarget, depth: usize) -> (Ty, Ty) {
        let ModuleTarget::Bicep(model) = target else { return (Ty::any(), Ty::any()) };
        let modules = model.modules.iter().map(|module| {
            let name = model.symbol(module.symbol).name.clone();
            let target = model.module_target(module).filter(|_| depth < DEEPEST_MODULE);
            let one = target.map_or_else(Ty::any, |target| self.module_type(target, depth + 1));
            (name, if module.body.is_collection() { Ty::array_of(one, Range::default()) } else { one })
        });
        let modules = Ty::object_of(object_of("modules", modules));
        (Ty::object_of(object_of("resources", resources(model))), modules)
    }

    /// What asserts see of a module.
    fn module_type(&self, target: &ModuleTarget, depth: usize) -> Ty {
        let interface = self.interface_of(target);
        let (resources, modules) = self.parts_of(target, depth);
        let members = [
            ("outputs", outputs(&interface)),
            ("resources", resources),
            ("modules", modules),
            ("params", params(&interface)),
            ("status", Ty::string()),
        ];
        Ty::object_of(object_of("module", members.map(|(name, ty)| (name.into(), ty))))
    }
}

fn several(is_collection: bool) -> Ty {
    if is_collection { Ty::array_of(Ty::any(), Range::default()) } else { Ty::any() }
}

fn resources(model: &Model) -> Vec<(SmolStr, Ty)> {
    let mut found = Vec::new();
    for resource in &model.resources {
        let mut name = model.symbol(resource.symbol).name.clone();
        let mut parent = resource.parent.filter(|parent| parent.is_nested);
        let mut several_of = resource.body.is_collection();
        while let Some(outer) = parent {
            let outer = model.resource(outer.resource);
            name = format_smolstr!("{}::{name}", model.symbol(outer.symbol).name);
            several_of |= outer.body.is_collection();
            parent = outer.parent.filter(|parent| parent.is_nested);
        }
        found.push((name, several(several_of)));
    }
    found
}
