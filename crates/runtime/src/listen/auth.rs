//! Whose calls an address takes.

mod jwt;

use crate::execute::runner::Runner;
use crate::listen::endpoint::EndpointRequest;
use crate::listen::routes::TriggerEndpoint;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};
use node_api::credential::is_blank;
use node_api::trigger::{ResponseBody, WebhookAuth, WebhookResponse};

/// Parts of the names that crawlers and link previewers give themselves.
const BOTS: [&str; 12] = [
    "bot",
    "crawler",
    "spider",
    "facebookexternalhit",
    "slurp",
    "preview",
    "whatsapp",
    "embedly",
    "quora",
    "pinterest",
    "skype",
    "discord",
];

/// The answer to a call that is not taken.
pub(crate) fn refusal(
    runner: &Runner,
    hook: &TriggerEndpoint,
    call: &EndpointRequest,
) -> Option<WebhookResponse> {
    let route = &hook.route;
    if route.ignores_bots && call.header("user-agent").is_some_and(is_bot) {
        return Some(refused(403, "Authorization data is wrong!", None));
    }
    if !route.allowed_ips.is_empty()
        && !call
            .remote
            .is_some_and(|ip| route.allowed_ips.iter().any(|allowed| covers(allowed, ip)))
    {
        return Some(refused(403, "IP is not allowed to access the webhook!", None));
    }
    let credential = |kind: &str| runner.credential(&hook.workflow, &hook.node, kind);
    let text = |fields: &Object, key: &str| {
        fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match route.auth {
        WebhookAuth::None => None,
        WebhookAuth::User => {
            call.user.is_none().then(|| refused(401, "User not authenticated!", None))
        }
        WebhookAuth::Basic => {
            let challenge = Some(("www-authenticate", "Basic realm=\"Webhook\""));
            let Ok(fields) = credential("httpBasicAuth") else {
                return Some(undefined());
            };
            let (user, password) = (text(&fields, "user"), text(&fields, "password"));
            if is_blank(&password) {
                return Some(undefined());
            }
            let expected = format!("{user}:{password}");
            let given =
                call.header("authorization").and_then(|header| header.strip_prefix("Basic "));
            let Some(given) = given.and_then(|given| STANDARD.decode(given.trim()).ok()) else {
                return Some(refused(401, "Authorization is required!", challenge));
            };
            (!is_same(&given, expected.as_bytes()))
                .then(|| refused(403, "Authorization data is wrong!", None))
        }
        WebhookAuth::Header => {
            let Ok(fields) = credential("httpHeaderAuth") else {
                return Some(undefined());
            };
            let (name, value) = (text(&fields, "name"), text(&fields, "value"));
            if is_blank(&name) || is_blank(&value) {
                return Some(undefined());
            }
            let given = call.header(&name.to_lowercase()).unwrap_or_default();
            (!is_same(given.as_bytes(), value.as_bytes()))
                .then(|| refused(403, "Authorization data is wrong!", None))
        }
        WebhookAuth::Bearer => {
            let Ok(fields) = credential("httpBearerAuth") else { return Some(undefined()) };
            let expected = text(&fields, "token");
            if is_blank(&expected) {
                return Some(undefined());
            }
            let Some(given) = bearer_token(call) else {
                let challenge = Some(("www-authenticate", "Bearer"));
                return Some(refused(401, "Authorization is required!", challenge));
            };
            (!is_same(given.as_bytes(), expected.as_bytes()))
                .then(|| refused(403, "Authorization data is wrong!", None))
        }
        WebhookAuth::Jwt => {
            let Ok(fields) = credential("jwtAuth") else { return Some(undefined()) };
            if !jwt::has_key(&fields) {
                return Some(undefined());
            }
            let Some(token) = bearer_token(call) else {
                return Some(refused(401, "No token provided", None));
            };
            (!jwt::is_valid(token, &fields))
                .then(|| refused(403, "Authorization data is wrong!", None))
        }
    }
}

fn bearer_token(call: &EndpointRequest) -> Option<&str> {
    call.header("authorization").and_then(|header| header.strip_prefix("Bearer "))
}

/// A credential without a secret protects nothing, so that nobody is let in with it.
fn undefined() -> WebhookResponse {
    refused(500, "No authentication data defined on node!", None)
}

fn is_same(given: &[u8], expected: &[u8]) -> bool {
    !expected.is_empty() && verify_slices_are_equal(given, expected).is_ok()
}

fn is_bot(agent: &str) -> bool {
    let agent = agent.to_lowercase();
    BOTS.iter().any(|bot| agent.contains(bot))
}

fn covers(allowed: &str, ip: std::net::IpAddr) -> bool {
    let ip = ip.to_canonical();
    match allowed.trim().parse::<ipnet::IpNet>() {
        Ok(net) => net.contains(&ip),
        Err(_) => allowed
            .trim()
            .parse::<std::net::IpAddr>()
            .is_ok_and(|allowed| allowed.to_canonical() == ip),
    }
}

fn refused(status: u16, message: &str, header: Option<(&str, &str)>) -> WebhookResponse {
    let headers =
        header.map(|(name, value)| (Str::from(name), Str::from(value))).into_iter().collect();
    WebhookResponse {
        status,
        headers,
        body: ResponseBody::Json(Object::from_iter([("message", message)]).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_addresses_are_single_ones_or_networks_in_either_family() {
        let covers = |allowed: &str, ip: &str| covers(allowed, ip.parse().unwrap());
        assert!(covers("10.0.0.0/8", "10.255.0.1") && !covers("10.0.0.0/8", "11.0.0.1"));
        assert!(covers(" 192.0.2.7 ", "192.0.2.7") && !covers("192.0.2.7", "192.0.2.70"));
        assert!(covers("192.0.2.7", "::ffff:192.0.2.7") && covers("2001:db8::/32", "2001:db8::1"));
        assert!(!covers("", "127.0.0.1") && !covers("localhost", "127.0.0.1"));
    }

    #[test]
    fn bots_are_known_by_their_user_agent() {
        assert!(is_bot("Mozilla/5.0 (compatible; Googlebot/2.1)") && is_bot("WhatsApp/2.0"));
        assert!(!is_bot("Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0") && !is_bot(""));
    }

    #[test]
    fn an_empty_secret_is_the_same_as_nothing() {
        assert!(is_same(b"a", b"a") && !is_same(b"a", b"b") && !is_same(b"a", b"ab"));
        assert!(!is_same(b"", b""));
    }
}
