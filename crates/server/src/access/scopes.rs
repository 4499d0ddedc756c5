//! The one table of what a role may do.

use store::users::UserRole;

/// Each scope with the least role that has it. What is not named here, only an owner may.
#[rustfmt::skip]
const MIN_ROLES: &[(&str, UserRole)] = &[
    ("workflow:list", UserRole::Viewer), ("workflow:read", UserRole::Viewer),
    ("workflow:create", UserRole::Editor), ("workflow:update", UserRole::Editor), ("workflow:delete", UserRole::Editor),
    ("workflow:activate", UserRole::Editor), ("workflow:deactivate", UserRole::Editor), ("workflow:execute", UserRole::Editor),
    ("workflow:move", UserRole::Editor),
    ("workflowTags:list", UserRole::Viewer), ("workflowTags:update", UserRole::Editor),
    ("execution:list", UserRole::Viewer), ("execution:read", UserRole::Viewer),
    ("execution:delete", UserRole::Editor), ("execution:retry", UserRole::Editor), ("execution:stop", UserRole::Editor),
    ("executionTags:list", UserRole::Viewer), ("executionTags:update", UserRole::Editor),
    ("credential:list", UserRole::Viewer), ("credential:read", UserRole::Viewer),
    ("credential:create", UserRole::Editor), ("credential:update", UserRole::Editor), ("credential:delete", UserRole::Editor),
    ("credential:move", UserRole::Editor), ("credential:share", UserRole::Editor), ("credential:test", UserRole::Editor),
    ("tag:list", UserRole::Viewer), ("tag:read", UserRole::Viewer),
    ("tag:create", UserRole::Editor), ("tag:update", UserRole::Editor), ("tag:delete", UserRole::Editor),
    ("variable:list", UserRole::Viewer), ("variable:read", UserRole::Viewer),
    // Those that everybody's workflows read are for admins; the handlers see to it.
    ("variable:create", UserRole::Editor), ("variable:update", UserRole::Editor), ("variable:delete", UserRole::Editor),
    ("dataTable:list", UserRole::Viewer), ("dataTable:read", UserRole::Viewer), ("dataTable:readRow", UserRole::Viewer),
    ("dataTable:create", UserRole::Editor), ("dataTable:update", UserRole::Editor), ("dataTable:delete", UserRole::Editor),
    ("dataTable:writeRow", UserRole::Editor),
    ("collection:list", UserRole::Viewer), ("collection:read", UserRole::Viewer),
    ("collection:create", UserRole::Editor), ("collection:update", UserRole::Editor), ("collection:delete", UserRole::Editor),
    // A search is paid for with the collection's credential.
    ("collection:search", UserRole::Editor), ("collection:write", UserRole::Editor),
    ("memory:list", UserRole::Viewer), ("memory:read", UserRole::Viewer),
    ("memory:write", UserRole::Editor), ("memory:delete", UserRole::Editor),
    ("project:list", UserRole::Viewer), ("project:read", UserRole::Viewer), ("project:create", UserRole::Admin),
    ("project:update", UserRole::Editor), ("project:delete", UserRole::Editor),
    ("user:list", UserRole::Admin), ("user:read", UserRole::Admin), ("user:create", UserRole::Admin), ("user:delete", UserRole::Admin),
    ("user:changeRole", UserRole::Admin), ("user:resetPassword", UserRole::Admin), ("user:resetTwoFactor", UserRole::Admin),
    ("spending:list", UserRole::Viewer), ("metrics:read", UserRole::Viewer),
    ("chat:list", UserRole::Viewer), ("chat:send", UserRole::Editor),
    ("sourceControl:pull", UserRole::Admin),
    ("localModel:download", UserRole::Admin),
    // Testing reaches a server, and records what its tools look like.
    ("mcp:list", UserRole::Viewer), ("mcp:test", UserRole::Editor), ("mcp:approve", UserRole::Editor),
    ("tool:list", UserRole::Viewer), ("tool:call", UserRole::Editor), ("tool:register", UserRole::Editor),
    ("securityAudit:generate", UserRole::Admin),
    ("policy:read", UserRole::Admin), ("policy:update", UserRole::Admin),
];

pub(crate) fn allows(role: UserRole, scope: &str) -> bool {
    let least = MIN_ROLES
        .iter()
        .find(|(name, _)| *name == scope)
        .map_or(UserRole::Owner, |(_, least)| *least);
    role >= least
}

/// Everything a role may do, by name.
pub(crate) fn of_role(role: UserRole) -> impl Iterator<Item = &'static str> {
    MIN_ROLES.iter().filter(move |(_, least)| role >= *least).map(|(name, _)| *name)
}

pub(crate) fn is_known(scope: &str) -> bool {
    MIN_ROLES.iter().any(|(name, _)| *name == scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_role_may_do_what_a_lower_one_may() {
        for (scope, _) in MIN_ROLES {
            let allowed = UserRole::ALL.map(|role| allows(role, scope));
            assert!(allowed.is_sorted(), "{scope}: {allowed:?}");
            assert!(allows(UserRole::Owner, scope));
        }
    }

    #[test]
    fn a_scope_that_nobody_has_written_down_is_for_owners() {
        assert!(
            !allows(UserRole::Admin, "workflow:unheardOf")
                && allows(UserRole::Owner, "workflow:unheardOf")
        );
    }

    #[test]
    fn issue_14_10_whoever_talks_to_a_workflow_may_run_it() {
        for role in UserRole::ALL {
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
            of_role(UserRole::Viewer)
                .all(|scope| reads.contains(&scope.split(':').nth(1).unwrap()))
        );
    }
}
