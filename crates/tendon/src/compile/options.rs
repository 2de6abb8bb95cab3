//! How to compile: where types and modules are, and what templates say about their maker.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::files::Mirror;
use bicep::{Compiler, CompilerOptions, Config, Dialect, Generator, InputsForm};
use bicep_types::{INDEX_FILE, TypeStore, read_index};

use super::disk::{self, Disk, FileOverrides, PackOnDisk, file_path};
use super::restore::Failures;
use crate::exit::CommandError;
use crate::files;

pub(crate) use bicep::LANGUAGE_VERSION;

/// The file in the user's data folder with the types that are used unless an option says otherwise.
const TYPES_FILE: &str = "types.pack";

/// The variable that names folders in the place of registries.
const REGISTRIES: &str = "TENDON_REGISTRIES";

/// How to compile.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Compiling")]
pub(crate) struct CompileOptions {
    /// Use other resource types than the built-in ones: a file that `tendon types pack` wrote, or a folder with an index [env: TENDON_TYPES]
    #[arg(long, value_name = "PATH")]
    types: Option<PathBuf>,

    /// The folder with modules and extensions from registries [env: TENDON_MODULES]
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,

    /// Take modules of a registry, or of a part of it, from a folder: `br/public=DIR`, `br:HOST/PATH=DIR`; may be repeated [env: TENDON_REGISTRIES, separated by `;`]
    #[arg(long, value_name = "REGISTRY=DIR")]
    registry: Vec<String>,

    /// Fetch modules and extensions that are not in the cache from their registries
    #[arg(long = "restore", overrides_with = "no_restore")]
    pub(super) is_restoring: bool,

    /// Contact no registry, which is the default; called as `bicep`, the binary restores unless this is given
    #[arg(long, overrides_with = "is_restoring")]
    pub(super) no_restore: bool,

    /// Use symbolic names in every template
    #[arg(long)]
    symbolic_names: bool,

    /// The name of the generator in templates
    #[arg(long, value_name = "NAME", default_value = "bicep")]
    generator_name: String,

    /// The version of the generator in templates
    #[arg(long, value_name = "VERSION", default_value_t = generator_version())]
    generator_version: String,

    /// How parameters JSON asks for external inputs, if that was said.
    #[arg(skip)]
    inputs_form: Option<InputsForm>,
}

/// What a compiler is made of.
pub(crate) struct CompilerParts {
    pub(crate) world: Disk,
    pub(crate) options: CompilerOptions,
    /// Folders that stand in for registries.
    pub(crate) mirrors: Vec<Mirror>,
}

/// The language's version, and who speaks it.
fn generator_version() -> String {
    format!("{LANGUAGE_VERSION}+tendon.{}", env!("CARGO_PKG_VERSION"))
}

impl CompileOptions {
    /// What is used where nothing can be said.
    pub(crate) fn plain() -> CompileOptions {
        CompileOptions {
            generator_name: "bicep".to_owned(),
            generator_version: generator_version(),
            ..CompileOptions::default()
        }
    }

    /// When a server that stays asks registries: it is told to, or forbidden to, or waits for what its client says.
    pub(crate) fn restoring(&self) -> lsp::Restoring {
        match (self.is_restoring, self.no_restore) {
            (_, true) => lsp::Restoring::Never,
            (true, false) => lsp::Restoring::Always,
            (false, false) => lsp::Restoring::IfAsked,
        }
    }

    /// Refuses `--restore` for a command that has no program to restore for.
    pub(crate) fn exclude_restore(&self, command: &str) -> Result<(), CommandError> {
        match self.is_restoring {
            true => Err(CommandError::Usage(format!(
                "`tendon {command}` fetches nothing from registries; leave out `--restore`, and run `tendon restore FILE` before"
            ))),
            false => Ok(()),
        }
    }

    /// Whether every template has symbolic names.
    pub(crate) fn has_symbolic_names(&self) -> bool {
        self.symbolic_names
    }

    /// The same with symbolic names in every template.
    pub(crate) fn with_symbolic_names(self) -> CompileOptions {
        CompileOptions { symbolic_names: true, ..self }
    }

    /// The same with another form of external inputs than the configuration says.
    pub(crate) fn with_inputs_form(self, inputs_form: Option<InputsForm>) -> CompileOptions {
        CompileOptions { inputs_form, ..self }
    }

    /// Makes a compiler; `changed` are files that are other than on the disk.
    ///
    /// It is never dropped: the process ends soon after it, and taking apart all that it knows costs time for nothing.
    pub(crate) fn compiler(
        &self,
        changed: FileOverrides,
        dialect: Dialect,
    ) -> Result<ManuallyDrop<Compiler>, CommandError> {
        self.compiler_knowing(changed, dialect, Failures::default())
    }

    /// Makes a compiler that knows which artifacts could not be restored, and why.
    pub(super) fn compiler_knowing(
        &self,
        changed: FileOverrides,
        dialect: Dialect,
        failures: Failures,
    ) -> Result<ManuallyDrop<Compiler>, CommandError> {
        let CompilerParts { mut world, options, mirrors } = self.parts(changed, dialect)?;
        world.failures = failures;
        Ok(ManuallyDrop::new(Compiler::new(Arc::new(world), options).with_mirrors(mirrors)))
    }

    /// What a compiler is made of.
    pub(crate) fn parts(
        &self,
        changed: FileOverrides,
        dialect: Dialect,
    ) -> Result<CompilerParts, CommandError> {
        let modules = self.modules.clone().or_else(|| variable("TENDON_MODULES"));
        let changed = changed.into_iter().collect();
        let world = Disk { modules: modules.as_deref().map(file_path), changed, failures: Failures::new() };
        let options = CompilerOptions {
            generator: Generator {
                name: self.generator_name.clone(),
                version: self.generator_version.clone(),
            },
            az_types: Some(Arc::new(self.types()?)),
            symbolic_names: self.symbolic_names,
            dialect,
            inputs_form: self.inputs_form,
            probes: false,
            today: Some(today()),
        };
        let configured = std::env::var(REGISTRIES).unwrap_or_default();
        let configured = configured.split(';').map(str::trim).filter(|mapping| !mapping.is_empty());
        let mirrors = self.registry.iter().map(|mapping| ("--registry", mapping.as_str()));
        let mirrors = mirrors.chain(configured.map(|mapping| (REGISTRIES, mapping)));
        let mirrors =
            mirrors.map(|(from, mapping)| mirror(&world, from, mapping)).collect::<Result<_, _>>()?;
        Ok(CompilerParts { world, options, mirrors })
    }

    /// The same types for the engine: those that a compiler has already, or else opened when the first one is asked for.
    pub(crate) fn engine_types(&self, compiler: Option<&Compiler>) -> engine::provider::LazyTypes {
        let shared = compiler.and_then(|compiler| compiler.options().az_types.clone());
        let options = self.clone();
        engine::provider::LazyTypes::new(move || match &shared {
            Some(shared) => Some(Arc::clone(shared)),
            // Types that cannot be used are what the compiler complains about; templates do without.
            None => options.types().ok().map(Arc::new),
        })
    }

    /// The types that are named, or else those that are installed, or else those in the program.
    fn types(&self) -> Result<TypeStore, CommandError> {
        if let Some(named) = self.types.clone().or_else(|| variable("TENDON_TYPES")) {
            return load_types(&named);
        }
        match default_types() {
            Some(installed) if installed.is_file() => load_types(&installed),
            _ => TypeStore::from_pack(Arc::new(azure_types::PACK))
                .map_err(|error| CommandError::Environment(format!("the types in the program: {error}"))),
        }
    }
}

/// A folder that stands in for a registry. Aliases are those of the configuration of the current folder.
fn mirror(world: &Disk, from: &str, mapping: &str) -> Result<Mirror, CommandError> {
    let usage = |why: &str| CommandError::Usage(format!("`{from} {mapping}` is not understood: {why}"));
    let Some((registry, folder)) = mapping.split_once('=').filter(|(_, folder)| !folder.is_empty()) else {
        return Err(usage("write `br/ALIAS=DIR` or `br:HOST/PATH=DIR`"));
    };
    let config = Config::find(world, &file_path(Path::new(".")));
    Mirror::new(registry, file_path(Path::new(folder)), &config).map_err(|fault| usage(&fault.sentence()))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where types are looked for when nobody says where they are.
pub(crate) fn default_types() -> Option<PathBuf> {
    disk::data_folder().map(|folder| folder.join(TYPES_FILE))
}

fn load_types(path: &Path) -> Result<TypeStore, CommandError> {
    let shown = format!("the resource types `{}`", path.display());
    let broken =
        |error: &dyn std::fmt::Display| CommandError::Environment(format!("cannot use {shown}: {error}"));
    if path.is_dir() {
        let index = path.join(INDEX_FILE);
        let bytes = files::read(&index).map_err(|unread| {
            let message = format!("{unread}; `tendon types pack` makes one file of such a folder");
            broken(&format!("cannot read its `{INDEX_FILE}`: {message}"))
        })?;
        let index = read_index(INDEX_FILE, &bytes).map_err(|error| broken(&error))?;
        return Ok(TypeStore::from_index(&index, folder_source(path.to_owned())));
    }
    let pack = PackOnDisk::open(path).map_err(|error| CommandError::reading(&shown, &error))?;
    TypeStore::from_pack_file(Box::new(pack)).map_err(|error| broken(&error))
}

/// Reads type files from a folder.
pub(crate) fn folder_source(folder: PathBuf) -> impl Fn(&str) -> bicep_types::Result<Vec<u8>> + Send + Sync {
    move |path| {
        files::read(&folder.join(path)).map_err(|unread| bicep_types::Error::Unreadable {
            file: path.to_owned(),
            message: unread.to_string(),
        })
    }
}

/// The day that ages are counted to.
pub(crate) fn today() -> time::Date {
    time::OffsetDateTime::now_utc().date()
}
