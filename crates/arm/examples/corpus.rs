//! Reads every template below a folder, those inside of others included, and reports what is wrong with them.
//!
//! `cargo run --release -p tendon-arm --example corpus -- FOLDER [NAME]` looks at all files of that name (`main.json`). Each
//! expression is printed and read again, which must give the same expression.

#![expect(
    clippy::disallowed_methods,
    reason = "a program for people: it reads folders and looks at the clock"
)]
#![expect(clippy::print_stdout, reason = "a program for people: it prints what it found")]

mod folder;

use std::time::{Duration, Instant};

use arm::expression::parse;
use arm::template::{
    OutputValue, Resource, Template, TemplateLimits, TemplateMember, TemplateNode, VariableValue,
};
use document::{Document, FileId};

#[derive(Default)]
struct Report {
    files: usize,
    templates: usize,
    resources: usize,
    expressions: usize,
    errors: usize,
    /// How long the text takes to become a document, as a part of reading.
    documents: Duration,
    reading: Duration,
    types: Duration,
}

fn main() {
    let files = folder::files();
    let mut report = Report::default();
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        report.files += 1;
        let start = Instant::now();
        let _ = Document::from_json(text.as_str(), FileId::FIRST, &document::ReadLimits::DEFAULT);
        report.documents += start.elapsed();
        let start = Instant::now();
        let template = Template::read(text, &TemplateLimits::DEFAULT);
        report.reading += start.elapsed();
        look(&file.display().to_string(), template, &mut report);
    }
    println!(
        "{} files, {} templates, {} resources, {} expressions, {} errors",
        report.files, report.templates, report.resources, report.expressions, report.errors
    );
    println!(
        "read in {:?}, of which the documents are {:?}; types lowered in {:?}",
        report.reading, report.documents, report.types
    );
}

fn look(name: &str, template: Result<Template, Vec<arm::template::TemplateError>>, report: &mut Report) {
    report.templates += 1;
    let template = match template {
        Ok(template) => template,
        Err(errors) => {
            report.errors += errors.len();
            errors.iter().take(5).for_each(|error| println!("{name}: {error}"));
            return;
        }
    };
    report.resources += template.resources.len();
    let start = Instant::now();
    let flaws = template.type_errors();
    report.types += start.elapsed();
    report.errors += flaws.len();
    flaws.iter().for_each(|error| println!("{name}: {error}"));
    let mut see = |json: &TemplateNode| {
        json.for_each_expression(&mut |expression, _| {
            report.expressions += 1;
            let printed = expression.to_string();
            if parse(&printed).as_ref() != Ok(expression) {
                report.errors += 1;
                println!("{name}: prints as {printed}");
            }
        });
    };
    template.parameters.iter().filter_map(|parameter| parameter.default.as_ref()).for_each(&mut see);
    for variable in &template.variables {
        match &variable.value {
            VariableValue::Json(json) => see(json),
            VariableValue::Loop(copy) => [&copy.count, &copy.input].into_iter().for_each(&mut see),
        }
    }
    for output in &template.outputs {
        match &output.value {
            OutputValue::Json(json) => see(json),
            OutputValue::Loop { count, input } => [count, input].into_iter().for_each(|json| see(json)),
        }
    }
    template.resources.iter().for_each(|resource| parts(resource, &mut see));
    for (index, resource) in template.resources.iter().enumerate() {
        if let Some(nested) = &resource.nested {
            let start = Instant::now();
            let inner = template.nested(nested);
            report.reading += start.elapsed();
            if let Some(inner) = inner {
                look(&format!("{name}#{index}"), inner, report);
            }
        }
    }
}

fn parts(resource: &Resource, see: &mut impl FnMut(&TemplateNode)) {
    let optional = [
        &resource.api_version,
        &resource.name,
        &resource.condition,
        &resource.depends_on,
        &resource.scope,
        &resource.resource_group,
        &resource.subscription_id,
    ];
    see(&resource.kind);
    optional.into_iter().flatten().for_each(&mut *see);
    if let Some(copy) = &resource.copy {
        see(&copy.count);
    }
    resource.options.iter().flat_map(|option| &option.arguments).for_each(&mut *see);
    for member in &resource.body {
        match member {
            TemplateMember::Property { value, .. } => see(value),
            TemplateMember::Loop(copy) => see(&copy.input),
        }
    }
}
