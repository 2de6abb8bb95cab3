//! The places of a template where expressions stand, and which functions are legal there.

/// A kind of place where expressions stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Default values of parameters, and arguments of validators.
    Parameter,
    /// Values of variables.
    Variable,
    /// What has to be known before anything is deployed: names, types, conditions, counts.
    Structure,
    /// Everything else in a resource.
    Resource,
    /// Values of outputs, and asserts.
    Output,
    /// Functions that the template defines.
    Function,
    /// Expressions in a parameters file.
    ParametersFile,
}

/// A set of [`Stage`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages(u8);

impl Stages {
    /// Every kind of place.
    pub const ALL: Stages = Stages(0x7f);
    /// In the parameters file alone.
    pub const PARAMETERS_FILE: Stages = Stages::of(&[Stage::ParametersFile]);
    /// In default values of parameters alone.
    pub const PARAMETER: Stages = Stages::of(&[Stage::Parameter]);
    /// Everywhere in the template but in its functions.
    pub const DEPLOYMENT: Stages =
        Stages::of(&[Stage::Parameter, Stage::Variable, Stage::Structure, Stage::Resource, Stage::Output]);
    /// Where the state of resources is known.
    pub const RUN_TIME: Stages = Stages::of(&[Stage::Resource, Stage::Output]);
    /// Everywhere in the template.
    pub const TEMPLATE: Stages = Stages(Stages::ALL.0 & !Stages::PARAMETERS_FILE.0);

    /// A set of some stages.
    pub const fn of(stages: &[Stage]) -> Stages {
        let (mut bits, mut rest) = (0, stages);
        while let [stage, others @ ..] = rest {
            bits |= 1 << *stage as u8;
            rest = others;
        }
        Stages(bits)
    }

    /// Tells whether a stage is in the set.
    pub const fn contains(self, stage: Stage) -> bool {
        self.0 >> stage as u8 & 1 == 1
    }
}
