//! The one table of what a role may do.

use store::users::Role;

/// Each scope with the least role that has it. What is not named here, only an owner may.
#[rustfmt::skip]
const LEAST: &[(&str, Role)] = &[
    ("workflow:list", Role::Viewer), ("workflow:read", Role::Viewer),
    ("workflow:create", Role::Editor), ("workflow:update", Role::Editor), ("workflow:delete", Role::Editor),
    ("workflow:activate", Role::Editor), ("workflow:deactivate", Role::Editor), ("workflow:execute", Role::Editor),
    ("workflow:move", Role::Editor),
    ("workflowTags:list", Role::Viewer), ("workflowTags:update", Role::Editor),
    ("execution:list", Role::Viewer), ("execution:read", Role::Viewer),
    ("execution:delete", Role::Editor), ("execution:retry", Role::Editor), ("execution:stop", Role::Editor),
    ("executionTags:list", Role::Viewer), ("executionTags:update", Role::Editor),
    ("credential:list", Role::Viewer), ("credential:read", Role::Viewer),
    ("credential:create", Role::Editor), ("credential:update", Role::Editor), ("credential:delete", Role::Editor),
    ("credential:move", Role::Editor), ("credential:share", Role::Editor), ("credential:test", Role::Editor),
    ("tag:list", Role::Viewer), ("tag:read", Role::Viewer),
    ("tag:create", Role::Editor), ("tag:update", Role::Editor), ("tag:delete", Role::Editor),
    ("variable:list", Role::Viewer), ("variable:read", Role::Viewer),
    // Those that everybody's workflows read are for admins; the handlers see to it.
    ("variable:create", Role::Editor), ("variable:update", Role::Editor), ("variable:delete", Role::Editor),
    ("dataTable:list", Role::Viewer), ("dataTable:read", Role::Viewer), ("dataTable:readRow", Role::Viewer),
    ("dataTable:create", Role::Editor), ("dataTable:update", Role::Editor), ("dataTable:delete", Role::Editor),
    ("dataTable:writeRow", Role::Editor),
    ("collection:list", Role::Viewer), ("collection:read", Role::Viewer),
    ("collection:create", Role::Editor), ("collection:update", Role::Editor), ("collection:delete", Role::Editor),
    // A search is paid for with the collection's credential.
    ("collection:search", Role::Editor), ("collection:write", Role::Editor),
    ("project:list", Role::Viewer), ("project:read", Role::Viewer), ("project:create", Role::Admin),
    ("project:update", Role::Editor), ("project:delete", Role::Editor),
    ("user:list", Role::Admin), ("user:read", Role::Admin), ("user:create", Role::Admin), ("user:delete", Role::Admin),
    ("user:changeRole", Role::Admin), ("user:resetPassword", Role::Admin),
    ("spending:list", Role::Viewer), ("metrics:read", Role::Viewer),
    ("chat:list", Role::Viewer), ("chat:send", Role::Editor),
    ("sourceControl:pull", Role::Admin),
    ("securityAudit:generate", Role::Admin),
];

pub(crate) fn allows(role: Role, scope: &str) -> bool {
    let least =
        LEAST.iter().find(|(name, _)| *name == scope).map_or(Role::Owner, |(_, least)| *least);
    role >= least
}

/// Everything a role may do, by name.
pub(crate) fn of_role(role: Role) -> impl Iterator<Item = &'static str> {
    LEAST.iter().filter(move |(_, least)| role >= *least).map(|(name, _)| *name)
}

pub(super) fn is_known(scope: &str) -> bool {
    LEAST.iter().any(|(name, _)| *name == scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_role_may_do_what_a_lower_one_may() {
        for (scope, _) in LEAST {
            let allowed = Role::ALL.map(|role| allows(role, scope));
            assert!(allowed.is_sorted(), "{scope}: {allowed:?}");
            assert!(allows(Role::Owner, scope));
        }
    }

    #[test]
    fn a_scope_that_nobody_has_written_down_is_for_owners() {
        assert!(
            !allows(Role::Admin, "workflow:unheardOf") && allows(Role::Owner, "workflow:unheardOf")
        );
    }

    #[test]
    fn issue_14_10_whoever_talks_to_a_workflow_may_run_it() {
        for role in Role::ALL {
            assert_eq!(
                allows(role, "chat:send"),
                allows(role, "workflow:execute"),
                "{}",
                role.name()
            );
        }
    }

    #[test]
    fn viewers_change_nothing() {
        let reads = ["list", "read", "readRow"];
        assert!(
            of_role(Role::Viewer).all(|scope| reads.contains(&scope.split(':').nth(1).unwrap()))
        );
    }
}
