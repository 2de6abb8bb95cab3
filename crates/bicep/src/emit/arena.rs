//! Template expressions while they are built: small nodes in one vector, names and text in one string.
//!
//! Nothing is allocated per expression, an expression can be a part of several others, and the whole arena is cleared at
//! once when a declaration is written. The printed text is the one of [`arm::Expression`].

use arm::Expression;
use arm::expression::is_plain_name;

/// Names an expression of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExprId(u32);

/// A piece of the arena's text.
#[derive(Clone, Copy, Debug)]
struct ArenaText {
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
enum ArenaName {
    Static(&'static str),
    Text(ArenaText),
}

#[derive(Clone, Copy, Debug)]
enum ArenaNode {
    Text(ArenaText),
    Int(i64),
    Call {
        name: ArenaName,
        first: u32,
        count: u32,
    },
    /// One step into the value of `base`, which is a call or a step itself.
    Step {
        base: ExprId,
        step: ExprId,
    },
}

/// Expressions under construction, numbered, so that they are built without allocating each.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    nodes: Vec<ArenaNode>,
    arguments: Vec<ExprId>,
    text: String,
}

impl Arena {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.arguments.clear();
        self.text.clear();
    }

    /// How many expressions there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn push(&mut self, node: ArenaNode) -> ExprId {
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    fn intern(&mut self, text: &str) -> ArenaText {
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.push_str(text);
        ArenaText { start, end: u32::try_from(self.text.len()).unwrap_or(u32::MAX) }
    }

    fn node(&self, id: ExprId) -> ArenaNode {
        self.nodes.get(id.0 as usize).copied().unwrap_or(ArenaNode::Int(0))
    }

    fn slice(&self, text: ArenaText) -> &str {
        self.text.get(text.start as usize..text.end as usize).unwrap_or_default()
    }

    pub(crate) fn text(&mut self, text: &str) -> ExprId {
        let text = self.intern(text);
        self.push(ArenaNode::Text(text))
    }

    /// An integer; one beyond 32 bits is read from text, because the language has no such literals.
    pub(crate) fn int(&mut self, value: i64) -> ExprId {
        if i32::try_from(value).is_ok() {
            return self.push(ArenaNode::Int(value));
        }
        let text = self.text(&value.to_string());
        self.call("json", &[text])
    }

    /// A call of a built-in function.
    pub(crate) fn call(&mut self, name: &'static str, arguments: &[ExprId]) -> ExprId {
        self.push_call(ArenaName::Static(name), arguments)
    }

    /// A call of a function by a name of the program.
    pub(crate) fn call_named(&mut self, name: &str, arguments: &[ExprId]) -> ExprId {
        let name = ArenaName::Text(self.intern(name));
        self.push_call(name, arguments)
    }

    fn push_call(&mut self, name: ArenaName, arguments: &[ExprId]) -> ExprId {
        let first = u32::try_from(self.arguments.len()).unwrap_or(u32::MAX);
        self.arguments.extend_from_slice(arguments);
        self.push(ArenaNode::Call { name, first, count: u32::try_from(arguments.len()).unwrap_or(0) })
    }

    /// A member of a value.
    pub(crate) fn property(&mut self, base: ExprId, name: &str) -> ExprId {
        let step = self.text(name);
        self.step(base, step)
    }

    /// An element of a value, or the member whose name an expression gives. A literal has to be a call to have any.
    pub(crate) fn step(&mut self, base: ExprId, step: ExprId) -> ExprId {
        let base = self.as_call(base);
        self.push(ArenaNode::Step { base, step })
    }

    /// An expression as a call or a step into one.
    pub(crate) fn as_call(&mut self, id: ExprId) -> ExprId {
        match self.node(id) {
            ArenaNode::Text(_) => self.call("string", &[id]),
            ArenaNode::Int(_) => self.call("int", &[id]),
            ArenaNode::Call { .. } | ArenaNode::Step { .. } => id,
        }
    }

    /// The same call with more arguments; `None` when this is not a call of one of the functions.
    pub(crate) fn extend_call(&mut self, id: ExprId, functions: &[&str], more: &[ExprId]) -> Option<ExprId> {
        let ArenaNode::Call { name, first, count } = self.node(id) else { return None };
        if !functions.contains(&self.name(name)) {
            return None;
        }
        let (from, to) = (first as usize, (first + count) as usize);
        let mut all = self.arguments.get(from..to).unwrap_or_default().to_vec();
        all.extend_from_slice(more);
        Some(self.push_call(name, &all))
    }

    /// Tells whether this is `if(..., ..., null())`.
    pub(crate) fn is_guarded(&self, id: ExprId) -> bool {
        let ArenaNode::Call { name, first, count } = self.node(id) else { return false };
        let last = (first + count).checked_sub(1).and_then(|at| self.arguments.get(at as usize));
        let is_null = last.is_some_and(
            |last| matches!(self.node(*last), ArenaNode::Call { name, .. } if self.name(name) == "null"),
        );
        self.name(name) == "if" && is_null
    }

    /// Tells whether an expression has a call of a function in it.
    pub(crate) fn mentions(&self, id: ExprId, function: &str) -> bool {
        match self.node(id) {
            ArenaNode::Text(_) | ArenaNode::Int(_) => false,
            ArenaNode::Call { name, first, count } => {
                let arguments =
                    self.arguments.get(first as usize..(first + count) as usize).unwrap_or_default();
                self.name(name) == function
                    || arguments.iter().any(|argument| self.mentions(*argument, function))
            }
            ArenaNode::Step { base, step } => self.mentions(base, function) || self.mentions(step, function),
        }
    }

    fn name(&self, name: ArenaName) -> &str {
        match name {
            ArenaName::Static(name) => name,
            ArenaName::Text(text) => self.slice(text),
        }
    }

    /// The integer, if the expression is a literal one.
    pub(crate) fn as_int(&self, id: ExprId) -> Option<i64> {
        match self.node(id) {
            ArenaNode::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if the expression is `true()` or `false()`.
    pub(crate) fn as_bool(&self, id: ExprId) -> Option<bool> {
        let ArenaNode::Call { name, count: 0, .. } = self.node(id) else { return None };
        match self.name(name) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Tells whether two expressions have the same value, as far as their form shows it: `range(0, n)[i]` is `i`.
    pub(crate) fn means_the_same(&self, left: ExprId, right: ExprId) -> bool {
        let (left, right) = (self.position(left), self.position(right));
        if left == right {
            return true;
        }
        match (self.node(left), self.node(right)) {
            (ArenaNode::Text(left), ArenaNode::Text(right)) => self.slice(left) == self.slice(right),
            (ArenaNode::Int(left), ArenaNode::Int(right)) => left == right,
            (
                ArenaNode::Call { name, first, count },
                ArenaNode::Call { name: other, first: other_first, count: other_count },
            ) => {
                let (ours, theirs) =
                    (self.arguments_of(first, count), self.arguments_of(other_first, other_count));
                self.name(name) == self.name(other)
                    && count == other_count
                    && ours.iter().zip(theirs).all(|(ours, theirs)| self.means_the_same(*ours, *theirs))
            }
            (ArenaNode::Step { base, step }, ArenaNode::Step { base: other, step: other_step }) => {
                self.means_the_same(base, other) && self.means_the_same(step, other_step)
            }
            _ => false,
        }
    }

    /// What an element of a list of positions is: `i` for `range(0, n)[i]`.
    fn position(&self, id: ExprId) -> ExprId {
        let mut id = id;
        while let ArenaNode::Step { base, step } = self.node(id)
            && let ArenaNode::Call { name, first, count } = self.node(base)
            && self.name(name) == "range"
            && let Some(start) = self.arguments_of(first, count).first()
            && self.as_int(*start) == Some(0)
        {
            id = step;
        }
        id
    }

    fn arguments_of(&self, first: u32, count: u32) -> &[ExprId] {
        self.arguments.get(first as usize..(first + count) as usize).unwrap_or_default()
    }

    /// Appends what a JSON string holds for an expression: `[...]`, or the text itself for a string literal.
    pub(crate) fn print_string(&self, id: ExprId, out: &mut String) {
        if let ArenaNode::Text(text) = self.node(id) {
            out.push_str(&arm::expression::escape_text(self.slice(text)));
            return;
        }
        out.push('[');
        self.print(id, out);
        out.push(']');
    }

    /// Takes over an expression that is a tree of its own.
    pub(crate) fn add(&mut self, expression: &Expression) -> ExprId {
        match expression {
            Expression::Text(text) => self.text(text),
            Expression::Int(value) => self.push(ArenaNode::Int(*value)),
            // Programs have no secrets; should there ever be one, it is not written.
            Expression::Secret(_) => self.text(&expression.to_string()),
            Expression::Call(call) => {
                let arguments: Vec<ExprId> = call.arguments.iter().map(|it| self.add(it)).collect();
                match &call.namespace {
                    Some(space) => self.call_named(&format!("{space}.{}", call.name), &arguments),
                    None => self.call_named(&call.name, &arguments),
                }
            }
            Expression::Access(access) => {
                let base = self.add(access.base());
                access.path().iter().fold(base, |base, step| {
                    let step = self.add(step);
                    self.step(base, step)
                })
            }
        }
    }

    /// The expression as a tree of its own, for evaluating it.
    pub(crate) fn to_expression(&self, id: ExprId) -> Expression {
        match self.node(id) {
            ArenaNode::Text(text) => Expression::text(self.slice(text)),
            ArenaNode::Int(value) => Expression::Int(value),
            ArenaNode::Call { name, first, count } => {
                let arguments =
                    self.arguments.get(first as usize..(first + count) as usize).unwrap_or_default();
                let arguments: Vec<Expression> =
                    arguments.iter().map(|argument| self.to_expression(*argument)).collect();
                match self.name(name).split_once('.') {
                    Some((space, name)) => Expression::user_call(space, name, arguments),
                    None => Expression::call(self.name(name), arguments),
                }
            }
            ArenaNode::Step { base, step } => self.to_expression(base).index(self.to_expression(step)),
        }
    }

    fn print(&self, id: ExprId, out: &mut String) {
        match self.node(id) {
            ArenaNode::Text(text) => quote(self.slice(text), out),
            ArenaNode::Int(value) => out.push_str(&value.to_string()),
            ArenaNode::Call { name, first, count } => {
                out.push_str(self.name(name));
                out.push('(');
                let arguments =
                    self.arguments.get(first as usize..(first + count) as usize).unwrap_or_default();
                for (position, argument) in arguments.iter().enumerate() {
                    if position > 0 {
                        out.push_str(", ");
                    }
                    self.print(*argument, out);
                }
                out.push(')');
            }
            ArenaNode::Step { base, step } => {
                self.print(base, out);
                match self.node(step) {
                    ArenaNode::Text(text) if is_plain_name(self.slice(text)) => {
                        out.push('.');
                        out.push_str(self.slice(text));
                    }
                    _ => {
                        out.push('[');
                        self.print(step, out);
                        out.push(']');
                    }
                }
            }
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('\'');
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\'') {
        out.push_str(before);
        out.push_str("''");
        rest = after;
    }
    out.push_str(rest);
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(arena: &Arena, id: ExprId) -> String {
        let mut out = String::new();
        arena.print_string(id, &mut out);
        out
    }

    #[test]
    fn expressions_print_as_the_template_language_writes_them() {
        let mut arena = Arena::default();
        let name = arena.text("it's");
        let parameters = arena.call("parameters", &[name]);
        let index = arena.int(0);
        let element = arena.step(parameters, index);
        let member = arena.property(element, "a b");
        assert_eq!(text(&arena, member), "[parameters('it''s')[0]['a b']]");
        let of_literal = arena.property(name, "x");
        assert_eq!(text(&arena, of_literal), "[string('it''s').x]");
        let long = arena.int(1 << 40);
        assert_eq!(text(&arena, long), "[json('1099511627776')]");
        let literal = arena.text("[x]");
        assert_eq!(text(&arena, literal), "[[x]");
    }

    #[test]
    fn a_chain_extends_the_call_it_starts_with() {
        let mut arena = Arena::default();
        let a = arena.text("a");
        let get = arena.call("tryGet", &[a, a]);
        let more = arena.extend_call(get, &["tryGet"], &[a]).unwrap();
        assert_eq!(text(&arena, more), "[tryGet('a', 'a', 'a')]");
        assert!(arena.extend_call(get, &["if"], &[a]).is_none());
    }
}
