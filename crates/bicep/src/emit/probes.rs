//! Calls that tell which parts of a program were evaluated, and with what: for tests that say what they reached.

use syntax::Span;

use super::arena::ExprId;
use super::emitter::Emitter;

impl Emitter<'_> {
    /// A value that tells when it is evaluated, if that is wanted: by the kind of the place, where it begins and ends, and its file.
    pub(super) fn probed(&mut self, kind: &str, place: Span, value: ExprId) -> ExprId {
        if !self.host.options().probes {
            return value;
        }
        let id = format!("{kind}:{}-{}:{}", place.start, place.end, self.unit.model.file.path);
        let id = self.arena.text(&id);
        self.arena.call_named("testing.probe", &[id, value])
    }
}
