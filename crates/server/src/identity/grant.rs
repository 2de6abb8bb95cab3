//! What somebody may do, and where.

use std::fmt;
use std::sync::Arc;

use arm::Caseless as _;
use arm::deployment::{ActionSet, Rights, ScopeReach, type_of_path};
use http::Method;

use crate::access::Access;

/// What somebody may do. Each of the first three may do what those before it may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads everything in its scope, secrets aside.
    Reader,
    /// Deploys, and changes resources.
    Deployer,
    /// Changes what others depend on: resource groups, resource types.
    Owner,
    /// What the operator says.
    Own(OwnRole),
}

/// A role that an operator made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRole {
    /// In lower case.
    name: String,
    /// None until they were looked up, and if there are none: then it allows nothing.
    actions: Option<Arc<ActionSet>>,
}

/// The longest name of a role.
const LONGEST: usize = 64;

impl Role {
    /// Those that are always there, the weakest first.
    pub const BUILT_IN: [Role; 3] = [Role::Reader, Role::Deployer, Role::Owner];

    /// The name in configurations and tokens.
    pub fn name(&self) -> &str {
        match self {
            Role::Reader => "reader",
            Role::Deployer => "deployer",
            Role::Owner => "owner",
            Role::Own(own) => &own.name,
        }
    }

    /// The role of a name, which need not be there if it is one of an operator; none if nothing can have this name.
    pub fn parse(name: &str) -> Option<Role> {
        if let Some(role) = Role::BUILT_IN.into_iter().find(|role| role.name().eq_ignore_ascii_case(name)) {
            return Some(role);
        }
        let is_name = name.len() <= LONGEST
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-".contains(&it));
        is_name.then(|| Role::Own(OwnRole { name: name.caseless(), actions: None }))
    }

    /// The name of a role that has to be looked up.
    pub(super) fn own_name(&self) -> Option<&str> {
        match self {
            Role::Reader | Role::Deployer | Role::Owner => None,
            Role::Own(own) => Some(&own.name),
        }
    }

    /// The same with the actions that were found for it.
    pub(super) fn with_actions(self, found: Option<Arc<ActionSet>>) -> Role {
        match self {
            Role::Own(own) => Role::Own(OwnRole { actions: found, ..own }),
            role @ (Role::Reader | Role::Deployer | Role::Owner) => role,
        }
    }

    /// Whether a request to a path may be made.
    fn allows(&self, access: Access, method: &Method, path: &[String]) -> bool {
        let own = match (self, access) {
            (_, Access::Anybody | Access::Somebody) | (Role::Owner, _) => return true,
            (Role::Reader | Role::Deployer, Access::List | Access::Read) => return true,
            (Role::Reader, Access::Deploy | Access::Own) | (Role::Deployer, Access::Own) => return false,
            (Role::Deployer, Access::Deploy) => return true,
            (Role::Own(own), Access::List | Access::Read | Access::Deploy | Access::Own) => own,
        };
        let Some(actions) = &own.actions else { return false };
        let (kind, last) = type_of_path(path.iter().map(String::as_str));
        match (access, method) {
            (Access::List | Access::Read, _) => actions.allows(&kind, "read"),
            (_, &Method::DELETE) => actions.allows(&kind, "delete"),
            // What is posted to something is an action of it, or makes something in a collection that has no parent.
            (_, &Method::POST) => match last.and_then(|last| Some((kind.rsplit_once('/')?.0, last))) {
                Some((parent, last)) if parent.contains('/') => {
                    actions.allows(parent, &format!("{last}/action"))
                }
                Some(_) | None => actions.allows(&kind, "write"),
            },
            _ => actions.allows(&kind, "write"),
        }
    }

    /// Whether what has an id is read.
    fn reads(&self, id: &str) -> bool {
        let Role::Own(own) = self else { return true };
        let kind = || type_of_path(id.split('/').filter(|part| !part.is_empty())).0;
        own.actions.as_ref().is_some_and(|actions| actions.allows(&kind(), "read"))
    }

    /// What deployments may do.
    fn rights(&self) -> Rights {
        match self {
            Role::Reader => Rights::Reads,
            Role::Deployer | Role::Owner => Rights::Writes,
            Role::Own(own) => Rights::Actions(own.actions.clone().unwrap_or_default()),
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
    Apart,
}

impl ScopePath {
    /// The scope in which all others are.
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
    /// What may be done.
    pub role: Role,
    /// The scope in which it may be done, with all below.
    pub scope: ScopePath,
}

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
    pub(crate) fn may(&self, access: Access, method: &Method, path: &[String]) -> Allowed {
        let able = self.grants.iter().filter(|grant| grant.role.allows(access, method, path));
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
        self.grants.iter().filter(|grant| grant.role.reads(id)).any(|grant| {
            match grant.scope.relation(parts()) {
                Relation::Inside => true,
                Relation::Above => !is_resource,
                Relation::Apart => false,
            }
        })
    }

    /// Where their deployments may read and write.
    pub(crate) fn reach(&self) -> ScopeReach {
        let scopes: Vec<(String, Rights)> =
            self.grants.iter().map(|grant| (grant.scope.to_string(), grant.role.rights())).collect();
        if scopes.iter().any(|(scope, rights)| scope == "/" && *rights == Rights::Writes) {
            return ScopeReach::everything();
        }
        ScopeReach::within(scopes.iter().map(|(scope, rights)| (scope.as_str(), rights.clone())))
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
        let may = |path: &str| caller.may(Access::Read, &Method::GET, &parts(path));
        assert_eq!(may("/Subscriptions/s/RESOURCEGROUPS/App"), Allowed::All);
        assert_eq!(may("/subscriptions/s/resourcegroups/app/providers/x"), Allowed::All);
        assert_eq!(may("/subscriptions/s/resourcegroups/apples"), Allowed::No);
        assert_eq!(may("/subscriptions/s/resourcegroups"), Allowed::Shown);
        assert_eq!(may("/subscriptions/other"), Allowed::No);
        assert_eq!(
            caller.may(Access::Deploy, &Method::PUT, &parts("/subscriptions/s/resourcegroups/app")),
            Allowed::No
        );
        assert_eq!(caller.may(Access::Somebody, &Method::GET, &parts("/tenants")), Allowed::All);
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
                let caller = caller(role.clone(), "/");
                assert_eq!(caller.may(access, &Method::PUT, &path), expected, "{role:?} {access:?}");
            }
        }
    }

    fn releaser() -> Role {
        let actions = ActionSet::new(
            ["*/read", "Microsoft.Resources/deployments/*", "A.B/c/*", "Tendon/tokens/write"],
            ["Microsoft.Resources/deployments/delete"],
        );
        Role::parse("Releaser").unwrap().with_actions(Some(Arc::new(actions.unwrap())))
    }

    #[test]
    fn a_role_of_an_operator_may_do_its_actions_in_its_scope() {
        let group = "/subscriptions/s/resourceGroups/g";
        let caller = caller(releaser(), group);
        let may = |access, method: &Method, rest: &str| {
            caller.may(access, method, &parts(&format!("{group}{rest}"))) == Allowed::All
        };
        let deployment = "/providers/Microsoft.Resources/deployments/d";
        assert!(may(Access::Read, &Method::GET, ""));
        assert!(may(Access::Deploy, &Method::PUT, deployment));
        assert!(may(Access::Deploy, &Method::POST, &format!("{deployment}/cancel")));
        assert!(!may(Access::Deploy, &Method::DELETE, deployment));
        assert!(may(Access::Deploy, &Method::POST, "/providers/A.B/c/n/listKeys"));
        assert!(!may(Access::Deploy, &Method::POST, "/providers/A.B/d/n/listKeys"));
        assert!(!may(Access::Deploy, &Method::PUT, "/providers/A.B/d/n"));
        assert!(!may(Access::Own, &Method::PUT, ""));
        let outside = caller.may(
            Access::Deploy,
            &Method::PUT,
            &parts("/subscriptions/s/resourceGroups/h/providers/A.B/c/n"),
        );
        assert_eq!(outside, Allowed::No);
        let everywhere = self::caller(releaser(), "/");
        assert_eq!(everywhere.may(Access::Own, &Method::POST, &parts("/tendon/tokens")), Allowed::All);
        assert_eq!(everywhere.may(Access::Own, &Method::DELETE, &parts("/tendon/tokens/x")), Allowed::No);
        let reach = caller.reach();
        assert!(reach.can_write(&format!("{group}/providers/A.B/c/n")));
        assert!(!reach.can_write(&format!("{group}/providers/A.B/d/n")));
        assert_ne!(everywhere.reach(), ScopeReach::everything());
    }

    #[test]
    fn a_role_that_is_not_there_may_nothing() {
        let caller = caller(Role::parse("gone").unwrap(), "/");
        for (access, method) in
            [(Access::Read, Method::GET), (Access::Deploy, Method::PUT), (Access::Own, Method::DELETE)]
        {
            assert_eq!(caller.may(access, &method, &parts("/subscriptions/s/resourceGroups/g")), Allowed::No);
        }
        assert!(!caller.sees("/subscriptions/s"));
        assert!(!caller.reach().can_read("/subscriptions/s/resourceGroups/g"));
    }

    #[test]
    fn a_name_of_a_role_is_a_word() {
        assert_eq!(Role::parse("OWNER"), Some(Role::Owner));
        assert_eq!(Role::parse("Our-Role.1").unwrap().name(), "our-role.1");
        for wrong in ["", "1a", "a b", "a/b", "a@b", "a:b", "ä", &"x".repeat(65)] {
            assert_eq!(Role::parse(wrong), None, "{wrong}");
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
