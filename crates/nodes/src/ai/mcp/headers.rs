//! The headers of a credential for an MCP server.

use node_api::Credential;
use node_api::prelude::*;

pub(super) type Headers = Vec<(String, String)>;

/// The headers that n8n's choice of authentication asks for, and the credential they come from.
pub(super) fn chosen(
    ctx: &Ctx<'_>,
    item: usize,
) -> Result<Option<(Headers, Credential)>, NodeError> {
    let kind = match &*ctx.text("authentication", item)? {
        "" | "none" => return Ok(None),
        "bearerAuth" => "httpBearerAuth",
        "headerAuth" => "httpHeaderAuth",
        "multipleHeadersAuth" => "httpMultipleHeadersAuth",
        "mcpOAuth2Api" => "mcpOAuth2Api",
        other => {
            let message = format!("The authentication '{other}' is not known");
            return Err(NodeError::parameter("authentication", message).on_item(item));
        }
    };
    let credential = ctx.host().credential(kind, item)?;
    let headers = headers(kind, &credential)?;
    Ok(Some((headers, credential)))
}

fn headers(kind: &str, credential: &Credential) -> Result<Headers, NodeError> {
    let text = |name: &str| credential.get(name).and_then(Value::as_str).unwrap_or_default();
    let bearer = |token: &str| vec![("Authorization".to_owned(), format!("Bearer {token}"))];
    let headers = match kind {
        "httpBearerAuth" => bearer(text("token")),
        "httpHeaderAuth" => vec![(text("name").to_owned(), text("value").to_owned())],
        "mcpOAuth2Api" => bearer(&access_token(credential).ok_or_else(|| {
            NodeError::credential("The credential has no access token")
                .hint("Connect the account of the credential first.")
        })?),
        _ => listed(credential),
    };
    match headers.iter().all(|(name, value)| is_token(name) && !value.contains(['\r', '\n', '\0']))
    {
        true => Ok(headers),
        false => Err(NodeError::credential("The credential has a header that is not valid")),
    }
}

fn is_token(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    !name.is_empty() && name.chars().all(fits)
}

/// Several headers, as n8n keeps them: `{ values: [{ name, value }] }`.
fn listed(credential: &Credential) -> Headers {
    let rows = credential.get("headers").and_then(|headers| match headers {
        Value::String(text) => model::json::parse(text).ok(),
        other => Some(other.clone()),
    });
    let rows = rows.unwrap_or_default();
    let rows = rows.get("values").and_then(Value::as_array).or(rows.as_array()).unwrap_or_default();
    let field = |row: &Value, name: &str| {
        row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    rows.iter().map(|row| (field(row, "name"), field(row, "value"))).collect()
}

fn access_token(credential: &Credential) -> Option<String> {
    let data = match credential.get("oauthTokenData")? {
        Value::String(text) => model::json::parse(text).ok()?,
        other => other.clone(),
    };
    let token = data.get("access_token")?.as_str()?.trim();
    (!token.is_empty()).then(|| token.to_owned())
}

/// The headers of the community node's credentials: `name=value`, by line or comma.
pub(super) fn pairs(text: &str) -> Headers {
    text.split(['\n', ','])
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .filter(|(name, value)| is_token(name) && !value.contains(['\r', '\0']))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_community_node_are_separated_by_lines_or_commas() {
        let expected = vec![
            ("Authorization".to_owned(), "Bearer a=b".to_owned()),
            ("X-Key".to_owned(), "1".to_owned()),
        ];
        assert_eq!(pairs("Authorization=Bearer a=b\n X-Key = 1,no header, =x"), expected);
    }
}
