//! The address that a node listens at.

use node_api::prelude::*;
use node_api::trigger::TriggerSetup;

const MAX_BYTES: usize = 1024;

/// The longest webhook id; n8n's have 36 letters.
const MAX_ID_BYTES: usize = 128;

/// The path of a trigger. Without one it is the node's webhook id, or, where that was stripped from
/// the workflow, the ids of workflow and node. A path with parts such as `:id` stands behind the
/// id, so that it cannot take the calls of another workflow.
pub(crate) fn path_of(
    setup: &TriggerSetup<'_>,
    parameter: &str,
    given: &str,
) -> Result<Str, NodeError> {
    let path = checked(parameter, given)?;
    if !path.is_empty() && !has_variables(&path) {
        return Ok(path);
    }
    let id = setup.webhook_id.filter(|id| !id.is_empty()).map(checked_id).transpose()?;
    match (path.is_empty(), id) {
        (false, Some(id)) => checked(parameter, &format!("{id}/{path}")),
        (false, None) => checked(parameter, &format!("{}/{path}", checked_id(setup.workflow_id)?)),
        (true, Some(id)) => Ok(id.into()),
        (true, None) if is_plain(setup.workflow_id) && is_plain(&setup.node.id) => {
            checked(parameter, &format!("{}/{}", setup.workflow_id, setup.node.id))
        }
        (true, None) => Err(NodeError::parameter(parameter, "The webhook path is required")
            .hint("Enter a path, such as `orders`.")),
    }
}

/// A path without slashes at its ends, found fit for an address; empty if nothing is left.
pub(crate) fn checked(parameter: &str, given: &str) -> Result<Str, NodeError> {
    let path = given.trim().trim_matches('/');
    let refused = |reason: &str, hint: &str| {
        let start: String = given
            .chars()
            .take(60)
            .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
            .collect();
        Err(NodeError::parameter(parameter, format!("The path '{start}' is not valid: {reason}"))
            .hint(hint))
    };
    if path.len() > MAX_BYTES {
        return refused(
            "it is longer than 1 KB",
            "Shorten the path. Put values that vary from call to call in the query or the body.",
        );
    }
    if path.chars().any(char::is_control) {
        return refused(
            "it has control characters",
            "Remove line breaks and other invisible characters from the path.",
        );
    }
    if path.contains(['?', '#', '\\']) {
        return refused(
            "it has a '?', '#' or backslash",
            "Enter only the path. The query of a call is available in `query`.",
        );
    }
    if path.is_empty() {
        return Ok(Str::new());
    }
    let mut names = Vec::new();
    for part in path.split('/') {
        if part.is_empty() {
            return refused("it contains an empty segment", "Use a single slash between segments.");
        }
        if matches!(part, "." | "..") {
            return refused(
                "'.' and '..' are not allowed",
                "Enter the path from its beginning, such as `orders/new`.",
            );
        }
        if let Some(name) = part.strip_prefix(':') {
            if name.is_empty() || names.contains(&name) {
                return refused(
                    "each ':' needs a unique name",
                    "Name the segments that vary, such as `user/:userId/order/:orderId`.",
                );
            }
            names.push(name);
        }
    }
    Ok(path.into())
}

/// An id is one part of a path that varies in nothing: neither `:a` nor `a/b`.
fn checked_id(id: &str) -> Result<&str, NodeError> {
    if is_plain(id) && id.len() <= MAX_ID_BYTES {
        return Ok(id);
    }
    let start: String = id
        .chars()
        .take(60)
        .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
        .collect();
    Err(NodeError::parameter("webhookId", format!("The ID '{start}' is not valid in a URL")).hint(
        "IDs contain only letters, digits, '-' and '_'. Remove `webhookId` from the node to \
             generate a new one.",
    ))
}

fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
}

fn has_variables(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::NodeInfo;

    fn path(given: &str, webhook_id: Option<&str>) -> Result<Str, NodeError> {
        let (node, params) = (NodeInfo { id: "n-1".into(), ..NodeInfo::default() }, Object::new());
        path_of(
            &TriggerSetup {
                node: &node,
                params: &params,
                webhook_id,
                workflow_id: "w1",
                now_ms: 0,
                timezone: "UTC",
            },
            "path",
            given,
        )
    }

    #[test]
    fn a_path_is_itself_or_the_id_and_parts_that_vary_stand_behind_the_id() {
        let cases = [
            ("orders", Some("u-1"), "orders"),
            ("/orders/new/", Some("u-1"), "orders/new"),
            (" orders ", None, "orders"),
            ("", Some("u-1"), "u-1"),
            ("/", Some("u-1"), "u-1"),
            ("user/:id", Some("u-1"), "u-1/user/:id"),
            (":a/x/:b", Some("u-1"), "u-1/:a/x/:b"),
            ("user/:id", None, "w1/user/:id"),
            ("", None, "w1/n-1"),
            ("time/12:30", Some("u-1"), "time/12:30"),
            ("straße/日本", Some("u-1"), "straße/日本"),
        ];
        for (given, id, wanted) in cases {
            assert_eq!(path(given, id).unwrap(), wanted, "{given}");
        }
    }

    #[test]
    fn issue_14_03_an_id_is_one_part_that_does_not_vary() {
        for id in
            [":a", "a/b", "/", "a/:b", "..", ".", "a b", "a%2fb", "a\n", "ä", &"x".repeat(200)]
        {
            for given in ["", ":b/:c", "user/:id"] {
                let error = path(given, Some(id)).unwrap_err();
                assert_eq!(error.code(), Code::NODE_PARAMETER, "{id} with {given}");
            }
            assert_eq!(
                path("orders", Some(id)).unwrap(),
                "orders",
                "an id that is not used harms nobody"
            );
        }
    }

    #[test]
    fn what_is_no_path_is_refused_with_advice() {
        let long = "a/".repeat(600);
        let cases = [
            "a//b", "../etc", "a/../b", "a/./b", "a\nb", "a\0b", "a?b=1", "a#b", "a\\b", "x/:",
            ":id/:id", &long,
        ];
        for given in cases {
            let error = path(given, Some("u-1")).unwrap_err();
            assert_eq!(error.code(), Code::NODE_PARAMETER, "{given}");
            assert!(!error.message().chars().any(char::is_control), "{given}");
            assert!(error.to_run_error("Webhook").hint.is_some(), "{given}");
        }
        let (node, params) = (NodeInfo::default(), Object::new());
        let nameless = TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: None,
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        };
        assert_eq!(path_of(&nameless, "path", "").unwrap_err().code(), Code::NODE_PARAMETER);
    }
}
