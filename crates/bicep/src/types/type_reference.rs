//! The names of resource types.

use smol_str::SmolStr;

/// The type and version of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeReference {
    /// The type, in the spelling of the type data where it is known.
    pub name: SmolStr,
    /// The version; extensions may have none.
    pub version: Option<SmolStr>,
}

impl TypeReference {
    /// Reads `type@version`.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<TypeReference> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric();
        let word = |part: &str| {
            part.bytes().next().is_some_and(plain)
                && part.bytes().all(|byte| plain(byte) || b"-.".contains(&byte))
        };
        let valid =
            name.split('/').all(word) && version.is_none_or(|version| version.len() > 1 && word(version));
        valid.then(|| TypeReference { name: name.into(), version: version.map(Into::into) })
    }

    /// The number of parts between slashes.
    #[must_use]
    pub(crate) fn segments(&self) -> usize {
        self.name.split('/').count()
    }

    /// The type of a resource nested in one of this type.
    #[must_use]
    pub(crate) fn nested(&self, inner: &TypeReference) -> TypeReference {
        TypeReference {
            name: format!("{}/{}", self.name, inner.name).into(),
            version: inner.version.clone().or_else(|| self.version.clone()),
        }
    }

    /// The type and version in one text.
    #[must_use]
    pub(crate) fn full_name(&self) -> String {
        match &self.version {
            Some(version) => format!("{}@{version}", self.name),
            None => self.name.to_string(),
        }
    }

    /// Tells whether this is the type with a name, by whatever case.
    #[must_use]
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Tells whether Azure's resource types look like this.
    #[must_use]
    pub(crate) fn looks_like_azure(&self) -> bool {
        let date = |version: &str| {
            let bytes = version.as_bytes();
            let day = bytes.get(..10).is_some_and(|day| {
                day.iter()
                    .enumerate()
                    .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
            });
            let suffixes = ["", "-preview", "-alpha", "-beta", "-rc", "-privatepreview"];
            day && version
                .get(10..)
                .is_some_and(|rest| suffixes.iter().any(|known| rest.eq_ignore_ascii_case(known)))
        };
        self.segments() > 1 && self.version.as_deref().is_some_and(date)
    }
}
