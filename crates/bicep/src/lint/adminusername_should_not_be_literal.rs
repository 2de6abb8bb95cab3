//! `adminusername-should-not-be-literal`: names of administrators that everyone who has the file knows.

use syntax::ast::{AstNode as _, ObjectProperty};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "adminusername-should-not-be-literal",
    Category::Security,
    "The name of an administrator is a parameter and not written into the file.",
    "Who knows the name of an account has only its password to guess. Take it as a parameter without a default value.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
  properties: {
    adminUsername: 'admin'
  }
}
",
            "'admin'",
        ),
        Example::keeps(
            "param user string

resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
  properties: {
    adminUsername: user
  }
}
",
        ),
    ],
    LintCheck::Nodes(&[NodeKind::ObjectProperty], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(property) = ObjectProperty::cast(node).filter(|it| is_user_name(*it)) else { return };
    let mut at = linter.model.parent(node);
    loop {
        match at {
            Some(outer) if outer.kind() == NodeKind::ResourceDeclaration => break,
            // One inside another is not looked at.
            Some(outer) if ObjectProperty::cast(outer).is_some_and(is_user_name) => return,
            Some(outer) => at = linter.model.parent(outer),
            None => return,
        }
    }
    if let Some(name) = linter.constant(property.value()) {
        linter
            .report(property.value().span(), format!("everyone with the file knows the user name `{name}`"));
    }
}

fn is_user_name(property: ObjectProperty<'_>) -> bool {
    property.key().constant().is_some_and(|key| key.eq_ignore_ascii_case("adminUsername"))
}
