//! What an editor shows about the thing under the pointer: how it is declared, its type, and what is said about it.

use std::fmt::Write as _;

use document::SourceValue;
use syntax::ast::{
    AstNode as _, Expr, NameOrString, Object, ObjectProperty, ObjectTypeProperty, ParameterDeclaration,
    ResourceDeclaration, Statement, TypeExpr,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode};

use super::cursor::Cursor;
use super::display::{MAX_TEXT, cut, description, shown_signature, shown_type};
use super::member::{Entity, Member, MemberKind};
use super::name_at::{NameTarget, ResolvedName};
use crate::check::Checker;
use crate::decorators::{MAX_LENGTH, MAX_VALUE, MIN_LENGTH, MIN_VALUE, SECURE};
use crate::symbols::{Binding, CallSyntax, Model, ModuleTarget, SymbolId, SymbolKind};
use crate::types::{ResourceTy, Ty};
use crate::{Compiler, FilePath};

/// The longest default value that is shown.
const MAX_DEFAULT: usize = 200;

/// What is to be said about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The name that it speaks of, which editors mark.
    pub span: Span,
    /// What is said, as Markdown.
    pub markdown: String,
}

/// What is to be said about what stands at an offset.
#[must_use]
pub fn hover(compiler: &Compiler, path: &FilePath, offset: u32) -> Option<Hover> {
    let model = compiler.model(path).ok()?;
    let cursor = Cursor::at(&model, offset)?;
    if cursor.is_in_comment() {
        return None;
    }
    let named = cursor.named();
    let entity = named.as_ref().and_then(|named| named.target.entity(&model));
    let about = compiler.ask(&model, |checker| match &named {
        Some(named) => about_named(checker, &cursor, named, entity.as_ref()),
        None => about_node(checker, &cursor),
    });
    let (span, about) = about.flatten()?;
    Some(Hover { span, markdown: about.markdown() })
}

/// What is said, before it is put together.
#[derive(Debug, Default)]
struct About {
    /// A line of code, with lines of decorators before it.
    code: String,
    /// What the author says about it.
    description: Option<String>,
    notes: Vec<String>,
}

impl About {
    fn new(code: impl Into<String>) -> About {
        About { code: code.into(), ..About::default() }
    }

    fn described(mut self, description: Option<String>) -> About {
        self.description = description;
        self
    }

    fn markdown(self) -> String {
        let code = cut(self.code, MAX_TEXT);
        // Code cannot end its own block.
        let fence = if code.contains("```") { "````" } else { "```" };
        let mut text = format!("{fence}bicep\n{code}\n{fence}  \n");
        for line in self.description.into_iter().chain(self.notes) {
            // Markdown takes a single line break for a blank.
            text.push_str(&line.replace("\r\n", "\n").replace('\n', "  \n"));
            text.push_str("  \n");
        }
        text
    }
}

fn about_named<'m>(
    checker: &mut Checker<'m>,
    cursor: &Cursor<'_>,
    named: &ResolvedName,
    entity: Option<&Entity>,
) -> Option<(Span, About)> {
    let model = checker.model;
    let node = model.file.node(cursor.node.id());
    let said = entity.and_then(|entity| description(&entity.model, entity.model.node_of(entity.symbol)));
    let about = match &named.target {
        NameTarget::Symbol(symbol) => {
            let call = Expr::cast(node).and_then(CallSyntax::of);
            let said = said.or_else(|| named.target.member(model).and_then(|it| template_description(&it)));
            about_symbol(checker, *symbol, call)?.described(said)
        }
        NameTarget::Member(member) => {
            let code = member_code(checker, node, member)?;
            About::new(code).described(said.or_else(|| template_description(member)))
        }
        NameTarget::Function(function) => {
            let call = CallSyntax::of(Expr::cast(node)?)?;
            About::new(call_code(checker, call)?).described(Some(function.doc.to_owned()))
        }
        NameTarget::File(_) => return None,
    };
    Some((named.span, about))
}

/// What is said about a symbol of the file.
fn about_symbol<'m>(
    checker: &mut Checker<'m>,
    symbol: SymbolId,
    call: Option<CallSyntax<'m>>,
) -> Option<About> {
    let model = checker.model;
    let declared = model.symbol(symbol);
    let name = &declared.name;
    let ty = shown_type(checker, symbol);
    let typed = |keyword: &str| format!("{keyword} {name}: {ty}");
    let mut notes = Vec::new();
    let code = match declared.kind {
        SymbolKind::Parameter => {
            let node = model.node_of(symbol);
            notes.extend(default_note(model, node));
            constraints(model, node) + &typed("param")
        }
        SymbolKind::Variable => typed("var"),
        SymbolKind::Output => typed("output"),
        SymbolKind::Type => typed("type"),
        SymbolKind::Metadata => typed("metadata"),
        SymbolKind::Assert => typed("assert"),
        SymbolKind::Test => format!("test {name}"),
        SymbolKind::Extension => format!("extension {name}"),
        SymbolKind::ExtensionConfig => format!("extensionConfig {name}"),
        SymbolKind::WildcardImport => format!("{name} namespace"),
        SymbolKind::Resource => {
            let declared = checker.declared_resource(symbol);
            notes.extend(declared.as_resource().and_then(documentation));
            match declared.as_resource().map(|resource| resource.reference.full_name()) {
                Some(ty) => format!("resource {name} '{ty}'"),
                None => format!("resource {name} {declared}"),
            }
        }
        SymbolKind::Module => {
            let Some(Statement::ModuleDeclaration(it)) = model.statement_of(symbol) else { return None };
            notes.extend(module_description(model, symbol));
            format!("module {name} {}", it.path().node().text())
        }
        SymbolKind::Function => function_code(checker, symbol, call)?,
        SymbolKind::Imported(_) => {
            if checker.imported_function(symbol).is_some() {
                function_code(checker, symbol, call)?
            } else if checker.imported_type(symbol).is_some() {
                typed("type")
            } else {
                typed("var")
            }
        }
        SymbolKind::ParameterAssignment => {
            let interface = checker.using_interface();
            let parameter = interface.as_ref().and_then(|it| it.parameters.get(name));
            match parameter {
                Some(parameter) => format!("param {name}: {}", parameter.ty),
                None => typed("param"),
            }
        }
        SymbolKind::LoopItem
        | SymbolKind::LoopIndex
        | SymbolKind::LambdaParameter
        | SymbolKind::FunctionParameter
        | SymbolKind::This
        | SymbolKind::Base
        | SymbolKind::Inherited => format!("{name}: {ty}"),
        SymbolKind::FailedImport => return None,
    };
    Some(About { code, description: None, notes })
}

/// `function name(a: string): string`
fn function_code<'m>(
    checker: &mut Checker<'m>,
    symbol: SymbolId,
    call: Option<CallSyntax<'m>>,
) -> Option<String> {
    let model = checker.model;
    if let Some(call) = call
        && model.symbol_at(call.node()) == Some(symbol)
    {
        return call_code(checker, call);
    }
    let signature = match model.symbol(symbol).kind {
        SymbolKind::Function => checker.function_signature(symbol),
        _ => checker.imported_function(symbol),
    }?;
    let shown = shown_signature(&model.symbol(symbol).name, &signature, 0, Some(&signature.result));
    Some(format!("function {}", shown.text))
}

/// The way to call a function that a call uses; all ways, line by line, if none or more than one fits.
fn call_code<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>) -> Option<String> {
    let callee = checker.declared_callee(call)?;
    let arguments: Vec<Ty> = call.arguments().map(|argument| checker.ty(argument)).collect();
    let fitting = super::signature::fitting(&callee, &arguments);
    let is_decorator =
        checker.model.parent(call.node()).is_some_and(|parent| parent.kind() == NodeKind::Decorator);
    let result = if is_decorator { None } else { Some(checker.ty(Expr::cast(call.node())?)) };
    let shown = |signature: &crate::types::Signature| {
        let usual = super::signature::result(signature);
        let known = result.as_ref().map(|result| if result.is_error() { &usual } else { result });
        format!("function {}", shown_signature(call.name(), signature, arguments.len(), known).text)
    };
    let lines: Vec<String> = match fitting {
        Some(place) => callee.get(place).map(shown).into_iter().collect(),
        None => callee.iter().map(shown).collect(),
    };
    Some(lines.join("\n"))
}

/// The decorators that bound a parameter, a line each.
fn constraints(model: &Model, node: SyntaxNode<'_>) -> String {
    let mut text = String::new();
    for row in [&MIN_LENGTH, &MAX_LENGTH, &MIN_VALUE, &MAX_VALUE, &SECURE] {
        if let Some(call) = model.decorator(model.file.node(node.id()), row) {
            let argument = call.argument(0).map_or("", |argument| argument.node().text());
            let _written = writeln!(text, "@{}({argument})", row.name);
        }
    }
    text
}

/// The default value of a parameter. A secret is shown to nobody.
fn default_note(model: &Model, node: SyntaxNode<'_>) -> Option<String> {
    let node = model.file.node(node.id());
    let modifier = ParameterDeclaration::cast(node)?.modifier().and_then(SyntaxElement::node)?;
    let default = syntax::ast::ParameterDefaultValue::cast(modifier)?;
    let text = default.value().node().text();
    let is_plain = text.len() <= MAX_DEFAULT && !text.contains(['`', '\n', '\r']);
    (is_plain && model.decorator(node, &SECURE).is_none()).then(|| format!("Default: `{text}`"))
}

/// What a module says about itself.
fn module_description(model: &Model, symbol: SymbolId) -> Option<String> {
    let target = model.source_of(model.symbol(symbol).node)?.target.as_ref().ok()?;
    match target {
        ModuleTarget::Bicep(model) => {
            let own =
                model.declarations.metadata.iter().find(|it| model.symbol(**it).name == "description")?;
            let Some(Statement::MetadataDeclaration(it)) = model.statement_of(*own) else { return None };
            super::display::constant_text(Some(it.value()))
        }
        ModuleTarget::Template(template) => text_at(template.root()?, &["metadata", "description"]),
    }
}

fn text_at(value: SourceValue<'_>, names: &[&str]) -> Option<String> {
    names.iter().try_fold(value, |value, name| value.member(name))?.as_str().map(str::to_owned)
}

/// What a template says about one of its parameters, outputs or types.
fn template_description(member: &Member) -> Option<String> {
    let ModuleTarget::Template(template) = &member.target else { return None };
    let section = match member.kind {
        MemberKind::Parameter => "parameters",
        MemberKind::Output => "outputs",
        MemberKind::Export => "definitions",
    };
    text_at(template.root()?, &[section, &member.name, "metadata", "description"])
}

/// The page about a resource type.
fn documentation(resource: &ResourceTy) -> Option<String> {
    let version = resource.reference.version.as_ref()?;
    let (provider, ty) = resource.reference.name.split_once('/')?;
    (resource.is_defined && resource.extension.is_none()).then(|| {
        let (provider, ty) = (provider.to_ascii_lowercase(), ty.to_ascii_lowercase());
        format!(
            "[View Documentation](https://learn.microsoft.com/azure/templates/{provider}/{version}/{ty}?pivots=deployment-language-bicep)"
        )
    })
}

/// What another file declares, without a symbol here.
fn member_code<'m>(checker: &mut Checker<'m>, node: SyntaxNode<'m>, member: &Member) -> Option<String> {
    let name = &member.name;
    let node = if node.kind() == NodeKind::String { checker.model.parent(node)? } else { node };
    if let Some(property) = ObjectProperty::cast(node) {
        return Some(format!("{name}: {}", property_type(checker, property)?));
    }
    if let Some(expr) = Expr::cast(node) {
        if let Some(call) = CallSyntax::of(expr) {
            return call_code(checker, call);
        }
        return Some(format!("{name}: {}", checker.ty(expr)));
    }
    if TypeExpr::cast(node).is_some() {
        let ty = checker.type_node(node).get();
        return Some(format!("type {name}: {ty}"));
    }
    let symbol = checker.model.symbol_at(node)?;
    about_symbol(checker, symbol, None).map(|about| about.code)
}

/// What is said about what has no declaration of its own.
fn about_node<'m>(checker: &mut Checker<'m>, cursor: &Cursor<'_>) -> Option<(Span, About)> {
    let model = checker.model;
    let node = model.file.node(cursor.node.id());
    let (text, span) = (cursor.token.text(), cursor.token.span());
    let typed = |ty: &Ty| (!ty.is_error()).then(|| (span, About::new(format!("{text}: {ty}"))));
    match node.kind() {
        NodeKind::VariableAccess | NodeKind::TypeVariableAccess => match model.binding(node.id()) {
            Binding::Namespace(namespace) => {
                Some((span, About::new(format!("{} namespace", namespace.name()))))
            }
            _ => None,
        },
        NodeKind::PropertyAccess if super::name_at::named_by(node).map(|it| it.span()) == Some(span) => {
            let ty = checker.ty(Expr::cast(node)?);
            typed(&ty)
        }
        NodeKind::FunctionCall | NodeKind::InstanceFunctionCall
            if super::name_at::named_by(node).map(|it| it.span()) == Some(span) =>
        {
            let call = CallSyntax::of(Expr::cast(node)?)?;
            let said = match model.binding(node.id()) {
                Binding::Decorator(row) => Some(row.doc.to_owned()),
                _ => None,
            };
            Some((span, About::new(call_code(checker, call)?).described(said)))
        }
        NodeKind::ObjectProperty => {
            let property = ObjectProperty::cast(node)?;
            if property.key().span() != span {
                return None;
            }
            let ty = property_type(checker, property)?;
            typed(&ty)
        }
        NodeKind::ObjectTypeProperty => {
            let property = ObjectTypeProperty::cast(node)?;
            if !matches!(property.key(), NameOrString::Name(name) if name.span() == span) {
                return None;
            }
            let ty = checker.type_node(node).get();
            let (span, about) = typed(&ty)?;
            Some((span, about.described(description(model, node))))
        }
        NodeKind::String => about_resource_type(checker, node),
        _ => None,
    }
}

/// What is said about the string that names the type of a resource.
fn about_resource_type<'m>(checker: &mut Checker<'m>, node: SyntaxNode<'m>) -> Option<(Span, About)> {
    let model = checker.model;
    let declaration = ResourceDeclaration::cast(model.parent(node)?)?;
    if declaration.ty().node() != node {
        return None;
    }
    let declared = checker.declared_resource(model.symbol_at(declaration.node())?);
    let resource = declared.as_resource()?;
    let mut about = About::new(format!("resource '{}'", resource.reference.full_name()));
    about.notes.extend(documentation(resource));
    Some((node.span(), about))
}

/// The type of a property: the one that is asked for, and else that of its value.
fn property_type<'m>(checker: &mut Checker<'m>, property: ObjectProperty<'m>) -> Option<Ty> {
    let model = checker.model;
    let object = Object::cast(model.parent(property.node())?)?;
    let name = property.key().constant()?;
    if let Some(wanted) = checker.expected(object.node()) {
        let wanted = checker.fitting_object(&wanted, Some(object));
        let found = wanted.as_object().and_then(|it| it.properties.get(name.as_ref()));
        if let Some(found) = found {
            return Some(found.ty.get());
        }
    }
    Some(checker.ty(property.value()))
}
