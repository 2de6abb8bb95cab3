//! The hash of a template that is indented text: its lines say where values begin and end, so nothing is read as JSON.

use super::model::{self, MemberForm, ObjectLayout};
use super::upper::Upper;
use super::{MAX_DEPTH, known};
use crate::hash::Hasher;
use crate::template_text::{HOLE, Layered, Sink, key_length};

/// The hash of a template as text in the [indented](crate::template_text::JsonLayout::Indented) layout. The templates inside
/// are taken as they are: what was worked out when a module was compiled is not looked at again.
#[must_use]
pub fn indented_hash(template: &Layered) -> u64 {
    let mut walk = LineWalk { lines: lines(template), out: Upper::new(Hasher::default()) };
    walk.node(0, &model::TEMPLATE, 0);
    walk.out.finish().finish()
}

/// A line of a text.
#[derive(Clone, Copy)]
struct SourceLine<'t> {
    /// The name of a member, in quotes; nothing in a list and where something ends.
    key: &'t str,
    /// The value, or the bracket with which it begins or ends; without the comma behind it.
    value: &'t str,
    /// The template that is the value.
    template: Option<&'t Layered>,
    /// The line on which the value ends.
    last: usize,
}

impl SourceLine<'_> {
    fn closes(&self) -> bool {
        matches!(self.value, "}" | "]")
    }
}

fn lines(template: &Layered) -> Vec<SourceLine<'_>> {
    // Templates have short lines; a guess that is too low costs one more allocation.
    const LINE: usize = 24;
    let text = template.own_text();
    let mut lines: Vec<SourceLine<'_>> = Vec::with_capacity(text.len() / LINE);
    let mut open: Vec<usize> = Vec::new();
    let mut inner = template.inner();
    let mut start = 0;
    while let Some(rest) = text.get(start..) {
        let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(text.len(), |length| start + length);
        let blanks = rest.bytes().take_while(|byte| *byte == b' ').count();
        let line = text.get(start + blanks..end).unwrap_or_default();
        let (key, value) = match key_length(line.as_bytes()).and_then(|at| line.split_at_checked(at)) {
            Some((key, rest)) if rest.starts_with(": ") => (key, rest.get(2..).unwrap_or_default()),
            _ => ("", line),
        };
        let at = lines.len();
        start = end + 1;
        let value = value.strip_suffix(',').unwrap_or(value);
        let template = if value == HOLE { inner.next() } else { None };
        let line = SourceLine { key, value, template, last: at };
        if matches!(value, "{" | "[") {
            open.push(at);
        } else if line.closes()
            && let Some(opened) = open.pop().and_then(|opened| lines.get_mut(opened))
        {
            opened.last = at;
        }
        lines.push(line);
    }
    lines
}

/// A walk over the lines in the order of the model.
struct LineWalk<'t> {
    lines: Vec<SourceLine<'t>>,
    out: Upper<Hasher>,
}

impl<'t> LineWalk<'t> {
    fn line(&self, at: usize) -> SourceLine<'t> {
        self.lines.get(at).copied().unwrap_or(SourceLine { key: "", value: "", template: None, last: at })
    }

    /// The line on which the value behind the one of a line begins; none behind the last one in an object or list.
    fn next(&self, at: usize) -> Option<usize> {
        let next = self.line(at).last + 1;
        self.lines.get(next).filter(|line| !line.closes()).map(|_| next)
    }

    /// The line on which the first value inside an object or list begins.
    fn first(&self, at: usize) -> Option<usize> {
        (self.line(at).last > at).then_some(at + 1)
    }

    /// Writes an object in the order of its kind; anything else as it is.
    fn node(&mut self, at: usize, kind: &ObjectLayout, depth: usize) {
        if self.line(at).value != "{" || depth > MAX_DEPTH {
            return self.free(at);
        }
        let mut members: Vec<(usize, MemberForm, usize)> = Vec::new();
        let mut next = self.first(at);
        while let Some(member) = next {
            let line = self.line(member);
            let name = line.key.get(1..line.key.len().saturating_sub(1)).unwrap_or_default();
            let (place, form) = known(kind, name);
            if form != MemberForm::Left && !(kind.drops_nulls && line.value == "null") {
                members.push((place, form, member));
            }
            next = self.next(member);
        }
        if kind.ordered {
            members.sort_by_key(|(place, ..)| *place);
        }
        self.out.put_ascii(b'{');
        for (position, (_, form, member)) in members.into_iter().enumerate() {
            self.member(position, member);
            self.part(member, form, depth + 1);
        }
        self.out.put_ascii(b'}');
    }

    fn member(&mut self, position: usize, at: usize) {
        if position > 0 {
            self.out.put_ascii(b',');
        }
        let key = self.line(at).key;
        if !key.is_empty() {
            self.out.put(key);
            self.out.put_ascii(b':');
        }
    }

    fn part(&mut self, at: usize, form: MemberForm, depth: usize) {
        match (form, self.line(at).value) {
            (MemberForm::Node(kind), _) => self.node(at, kind, depth),
            (MemberForm::Resources, "{}") => self.out.put("[]"),
            (MemberForm::Map(kind), "{") | (MemberForm::List(kind), "[") => self.all(at, kind, depth),
            (MemberForm::Resources, "{" | "[") => self.all(at, &model::RESOURCE, depth),
            (
                MemberForm::Free
                | MemberForm::Left
                | MemberForm::Map(_)
                | MemberForm::List(_)
                | MemberForm::Resources,
                _,
            ) => self.free(at),
        }
    }

    /// Writes an object or list whose values are all of a kind.
    fn all(&mut self, at: usize, kind: &ObjectLayout, depth: usize) {
        let line = self.line(at);
        self.out.put(line.value);
        let (mut position, mut next) = (0, self.first(at));
        while let Some(member) = next {
            self.member(position, member);
            self.node(member, kind, depth + 1);
            (position, next) = (position + 1, self.next(member));
        }
        self.out.put(self.line(line.last).value);
    }

    /// Writes a value as it is.
    fn free(&mut self, at: usize) {
        let first = self.line(at);
        self.value(first);
        let mut begins = true;
        for at in at + 1..=first.last {
            let line = self.line(at);
            // A comma stands between two values, and so neither behind an opening nor before a closing bracket.
            if !begins && !line.closes() {
                self.out.put_ascii(b',');
            }
            if !line.key.is_empty() {
                self.out.put(line.key);
                self.out.put_ascii(b':');
            }
            self.value(line);
            begins = matches!(line.value, "{" | "[");
        }
    }

    fn value(&mut self, line: SourceLine<'t>) {
        match line.template {
            Some(template) => template.compact(&mut |piece| self.out.put_long(piece)),
            None => self.out.put_long(line.value),
        }
    }
}
