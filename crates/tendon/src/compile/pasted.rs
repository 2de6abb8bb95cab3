//! Bicep that somebody pasted into a page of the server: one file, and nothing beside it.

use std::sync::{Arc, OnceLock};

use bicep::{Compiler, CompilerOptions, Dialect, FilePath, MemoryWorld};
use diagnostics::{Diagnostic, FileId};
use server::{Compile, CompileResult};

use super::work::STACK;
use super::{CompileOptions, diagnostic};

/// The name of the file.
const FILE: &str = "/main.bicep";

impl CompileOptions {
    /// A compiler for texts. Types are opened when the first one comes; a text that needs other files has errors.
    pub(crate) fn pasted(&self) -> Arc<Compile> {
        let made = self.clone();
        let options: OnceLock<Option<CompilerOptions>> = OnceLock::new();
        Arc::new(move |text: &str| {
            let make = || made.parts(Vec::new(), Dialect::Tendon).ok().map(|parts| parts.options);
            match options.get_or_init(make) {
                Some(options) => compiled(text, options.clone()),
                None => failed("the resource types of the server cannot be used"),
            }
        })
    }
}

fn compiled(text: &str, options: CompilerOptions) -> CompileResult {
    let world = MemoryWorld::default().with_file(FILE, text);
    let compiler = Compiler::new(Arc::new(world), options);
    let path = FilePath::new(FILE);
    // Threads of the server have less stack than programs may need.
    let compilation = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, || compiler.compile(&path)).ok()?.join().ok()
    });
    let Some(compilation) = compilation else { return failed("the compiler cannot be run") };
    let found = compilation.findings.iter().filter(|(of, _)| *of == path);
    let found = found.flat_map(|(_, found)| found.iter());
    let secrets = compiler.secret_values(&path);
    CompileResult {
        secrets: secrets.into_iter().map(|span| span.start..span.end).collect(),
        template: compilation.template,
        diagnostics: found.map(|finding| diagnostic(FileId::FIRST, finding)).collect(),
        origin: Box::new(move |part| compiler.origin(&path, part).map(|span| span.start..span.end)),
    }
}

fn failed(why: &'static str) -> CompileResult {
    CompileResult {
        template: None,
        diagnostics: vec![Diagnostic::error("Environment", why)],
        secrets: Vec::new(),
        origin: Box::new(|_| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_alone_is_compiled_and_its_parts_are_found_again() {
        let compile = CompileOptions::plain().pasted();
        let program =
            compile("param a string\n@maxValue(3)\nparam size int\noutput b string = '${a}${size}'\n");
        assert!(program.template.is_some_and(|text| text.contains("\"size\"")));
        assert_eq!((program.origin)("parameters.size.maxValue"), Some(16..27));
        assert!(program.diagnostics.is_empty());
    }

    #[test]
    fn defaults_of_secure_parameters_are_known_whatever_is_wrong() {
        let compile = CompileOptions::plain().pasted();
        for text in [
            "@secure()\nparam a string = 'hunter2'\n",
            "@secure()\nparam a int = 'hunter2'\noutput x string = 5\n",
            "@sys.secure()\nparam a string = 'hunter2\n\nvar b = [\n",
            "@description('x=1')\n@secure()\nparam a object = {\n  b: 1\n  c: 'hunter2'\n}\nparam d string = 5\n",
            "@secure()\nparam a string = hunter2 hunter2\n",
            "type t = {\n  @secure()\n  b: string\n}\nparam a t = { b: 'hunter2' }\n",
        ] {
            let program = compile(text);
            let mut shown = text.to_owned();
            for part in program.secrets.iter().rev() {
                shown.replace_range(part.start as usize..part.end as usize, "");
            }
            assert!(!shown.contains("hunter2"), "{shown}");
        }
        assert!(compile("param a string = 'hunter2'\n").secrets.is_empty());
    }

    #[test]
    fn nothing_stands_beside_it() {
        let compile = CompileOptions::plain().pasted();
        for text in [
            "module m 'other.bicep' = {\n  name: 'm'\n}\n",
            "var t = loadTextContent('/etc/passwd')\n",
            "output o string = 5\n",
        ] {
            let program = compile(text);
            assert!(program.template.is_none() && !program.diagnostics.is_empty(), "{text}");
        }
    }
}
