//! What somebody may do, and where.

use std::fmt;

use arm::Caseless as _;
use arm::deployment::ScopeReach;

use crate::access::Access;

/// What somebody may do. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Reader,
    /// Deploys, and changes resources.
    Deployer,
    /// Changes what others depend on: resource groups, resource types.
    Owner,
}

impl Role {
    /// All of them, the weakest first.
    pub const ALL: [Role; 3] = [Role::Reader, Role::Deployer, Role::Owner];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Deployer => "deployer",
            Role::Owner => "owner",
        }
    }

    /// The role of a name.
    pub fn parse(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(name))
    }

    fn allows(self, access: Access) -> bool {
        match access {
            Access::Anybody | Access::Somebody | Access::List | Access::Read => true,
            Access::Deploy => self >= Role::Deployer,
            Access::Own => self >= Role::Owner,
        }
    }
}

/// A path that something is below: `/` for everything. Case does not matter, and it ends between two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopePath(Vec<String>);

/// How two paths stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The path is the scope or inside it.
    Inside,
    /// The path leads to the scope.
    Above,
    /// Neither.
    Apart,
}

impl ScopePath {
    /// Everything.
    pub fn everything() -> ScopePath {
        ScopePath(Vec::new())
    }

    /// Reads a path such as `/subscriptions/S/resourceGroups/G`; none if it is not one.
    pub fn parse(path: &str) -> Option<ScopePath> {
        let rest = path.strip_prefix('/')?;
        if rest.is_empty() {
            return Some(ScopePath::everything());
        }
        let parts = rest.strip_suffix('/').unwrap_or(rest).split('/');
        let is_part = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && !part.contains(|c: char| c.is_control() || "\\%?#".contains(c))
        };
        parts.map(|part| is_part(part).then(|| part.caseless())).collect::<Option<_>>().map(ScopePath)
    }

    pub(crate) fn relation<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Relation {
        let mut path = path.into_iter();
        for scope in &self.0 {
            match path.next() {
                None => return Relation::Above,
                Some(part) if same(part, scope) => {}
                Some(_) => return Relation::Apart,
            }
        }
        Relation::Inside
    }
}

/// Whether a part of a path is that of a scope, which is in lower case.
fn same(part: &str, scope: &str) -> bool {
    part.eq_ignore_ascii_case(scope) || (!part.is_ascii() && part.caseless() == scope)
}

impl fmt::Display for ScopePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|part| write!(f, "/{part}"))
    }
}

/// A role in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What.
    pub role: Role,
    /// Where.
    pub scope: ScopePath,
}

/// Somebody who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Who it is, for the audit log.
    pub(crate) name: String,
    /// What they may do.
    pub(crate) grants: Vec<Grant>,
}

/// How much of an answer somebody gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    All,
    /// Of lists, what they may see.
    Shown,
    /// Nothing.
    No,
}

impl Caller {
    /// Somebody who may do everything.
    pub(crate) fn everybody(name: &str) -> Caller {
        let grants = vec![Grant { role: Role::Owner, scope: ScopePath::everything() }];
        Caller { name: name.to_owned(), grants }
    }

    /// Somebody who has not said who they are.
    pub(crate) fn nobody() -> Caller {
        Caller { name: String::new(), grants: Vec::new() }
    }

    /// Whether a request may be made.
    pub(crate) fn may(&self, access: Access, path: &[String]) -> Allowed {
        let able = self.grants.iter().filter(|grant| grant.role.allows(access));
        let mut above = false;
        for grant in able {
            match grant.scope.relation(path.iter().map(String::as_str)) {
                Relation::Inside => return Allowed::All,
                Relation::Above => above = true,
                Relation::Apart => {}
            }
        }
        match access {
            Access::Anybody | Access::Somebody => Allowed::All,
            Access::List => Allowed::Shown,
            // The way to what one may see is seen: the subscription of a resource group.
            Access::Read if above => Allowed::Shown,
            Access::Read | Access::Deploy | Access::Own => Allowed::No,
        }
    }

    /// Whether something with an id is shown: it is within a scope, or on the way to one, which leads through subscriptions and groups. A
    /// resource that the scope is inside of is not: it says more than that it is there.
    pub(crate) fn sees(&self, id: &str) -> bool {
        let parts = || id.split('/').filter(|part| !part.is_empty());
        let is_group = parts().nth(1).is_some_and(|part| part.eq_ignore_ascii_case("Microsoft.Management"))
            && parts().count() == 4;
        let is_resource = parts().any(|part| part.eq_ignore_ascii_case("providers")) && !is_group;
        self.grants.iter().any(|grant| match grant.scope.relation(parts()) {
            Relation::Inside => true,
            Relation::Above => !is_resource,
            Relation::Apart => false,
        })
    }

    /// Where their deployments may read and write.
    pub(crate) fn reach(&self) -> ScopeReach {
        let scopes: Vec<(String, bool)> = self
            .grants
            .iter()
            .map(|grant| (grant.scope.to_string(), grant.role.allows(Access::Deploy)))
            .collect();
        if scopes.iter().any(|(scope, writes)| scope == "/" && *writes) {
            return ScopeReach::everything();
        }
        ScopeReach::within(scopes.iter().map(|(scope, writes)| (scope.as_str(), *writes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: Role, scope: &str) -> Caller {
        let grants = vec![Grant { role, scope: ScopePath::parse(scope).unwrap() }];
        Caller { name: "n".to_owned(), grants }
    }

    fn parts(path: &str) -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn scopes_end_between_parts_and_do_not_depend_on_case() {
        let caller = caller(Role::Reader, "/subscriptions/S/resourceGroups/app/");
        let may = |path: &str| caller.may(Access::Read, &parts(path));
        assert_eq!(may("/Subscriptions/s/RESOURCEGROUPS/App"), Allowed::All);
        assert_eq!(may("/subscriptions/s/resourcegroups/app/providers/x"), Allowed::All);
        assert_eq!(may("/subscriptions/s/resourcegroups/apples"), Allowed::No);
        assert_eq!(may("/subscriptions/s/resourcegroups"), Allowed::Shown);
        assert_eq!(may("/subscriptions/other"), Allowed::No);
        assert_eq!(caller.may(Access::Deploy, &parts("/subscriptions/s/resourcegroups/app")), Allowed::No);
        assert_eq!(caller.may(Access::Somebody, &parts("/tenants")), Allowed::All);
    }

    #[test]
    fn lists_show_what_is_within_a_scope_and_the_way_to_it() {
        let caller = caller(Role::Owner, "/subscriptions/s/resourceGroups/g");
        assert!(caller.sees("/subscriptions/S"));
        assert!(caller.sees("/subscriptions/s/resourceGroups/G/providers/a/b/c"));
        assert!(!caller.sees("/subscriptions/s/resourceGroups/h"));
        assert!(!caller.sees("/subscriptions/s/providers/Microsoft.Resources/deployments/d"));
        assert!(caller.reach().can_write("/subscriptions/s/resourceGroups/g/x"));
        let inside = self::caller(Role::Reader, "/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f");
        assert!(inside.sees("/subscriptions/s/resourceGroups/g") && inside.sees("/subscriptions/s"));
        assert!(inside.sees("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f"));
        assert!(!inside.sees("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"));
        assert!(!caller.reach().can_read("/subscriptions/s"));
    }

    #[test]
    fn each_role_may_do_what_those_before_it_may() {
        let path = parts("/subscriptions/s");
        for (role, least) in
            [(Role::Reader, Access::Read), (Role::Deployer, Access::Deploy), (Role::Owner, Access::Own)]
        {
            for access in [Access::Read, Access::Deploy, Access::Own] {
                let expected = if access <= least { Allowed::All } else { Allowed::No };
                assert_eq!(caller(role, "/").may(access, &path), expected, "{role:?} {access:?}");
            }
        }
    }

    #[test]
    fn what_is_not_a_path_is_no_scope() {
        for path in ["", "subscriptions/s", "//", "/a//b", "/a/../b", "/a/./b", "/a/%2e", "/a\\b", "/a?b"] {
            assert_eq!(ScopePath::parse(path), None, "{path}");
        }
        assert_eq!(ScopePath::parse("/").unwrap().to_string(), "/");
        assert_eq!(ScopePath::parse("/A/b/").unwrap().to_string(), "/a/b");
    }
}
