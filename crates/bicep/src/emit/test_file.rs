//! The template of a file of tests. It deploys nothing: whoever runs the tests evaluates its outputs, with the results of tests as the
//! values of its parameters.

use syntax::ast::Statement;

use super::emitter::Emitter;
use crate::layout::assert_parts;
use crate::symbols::SymbolId;

impl<'u> Emitter<'u> {
    /// A parameter for each test, which is null until the test has run.
    pub(super) fn test_parameters(&mut self) {
        let model = self.unit.model;
        self.out.key("parameters");
        self.out.begin_object();
        for symbol in &model.declarations.tests {
            self.out.key(&model.symbol(*symbol).name);
            self.out.begin_object();
            self.text_member("type", "object");
            self.out.key("nullable");
            self.out.bool(true);
            self.out.end_object();
        }
        self.out.end_object();
    }

    /// An output for the body of each of some tests, and outputs for each assert: as a whole, each part, and the sides of what parts compare.
    pub(super) fn test_outputs(&mut self, tests: &[SymbolId]) {
        let model = self.unit.model;
        self.out.key("outputs");
        self.out.begin_object();
        for symbol in tests {
            let Some(Statement::TestDeclaration(test)) = model.statement_of(*symbol) else { continue };
            self.test_output(&format!("test:{}", model.symbol(*symbol).name), "object", test.value());
        }
        for symbol in &model.declarations.asserts {
            let Some(Statement::AssertDeclaration(assert)) = model.statement_of(*symbol) else { continue };
            let name = format!("assert:{}", model.symbol(*symbol).name);
            self.test_output(&name, "bool", assert.value());
            for (place, part) in assert_parts(assert.value()).into_iter().enumerate() {
                self.test_output(&format!("{name}:{place}"), "bool", part.condition);
                if let Some(compared) = part.compared {
                    self.test_output(&format!("{name}:{place}:left"), "object", compared.left);
                    self.test_output(&format!("{name}:{place}:right"), "object", compared.right);
                }
            }
        }
        self.out.end_object();
    }

    fn test_output(&mut self, name: &str, ty: &str, value: syntax::ast::Expr<'u>) {
        self.out.key(name);
        self.out.begin_object();
        self.text_member("type", ty);
        self.out.key("value");
        self.value(value);
        self.out.end_object();
    }
}
