//! Values of Redis' kinds as JSON and back.

use node_api::connect::RedisSession;
use node_api::prelude::*;

/// The value of a key; `null` if there is none.
pub(super) async fn get(
    session: &mut dyn RedisSession,
    key: &str,
    kind: &str,
) -> Result<Value, NodeError> {
    let kind: Str = match kind {
        "" | "automatic" => session.command(&["TYPE", key]).await?.to_js_string(),
        "sets" => "set".into(),
        kind => kind.into(),
    };
    Ok(match kind.as_str() {
        "string" => session.command(&["GET", key]).await?,
        "hash" => match session.command(&["HGETALL", key]).await? {
            Value::Array(flat) => {
                let pairs = flat
                    .chunks(2)
                    .map(|pair| (pair[0].to_js_string(), pair.get(1).cloned().unwrap_or_default()));
                pairs.collect::<Object>().into()
            }
            value => value,
        },
        "list" => session.command(&["LRANGE", key, "0", "-1"]).await?,
        "set" => session.command(&["SMEMBERS", key]).await?,
        "none" => Value::Null,
        other => {
            return Err(NodeError::failed(format!(
                "The key '{key}' has a value of type '{other}', which is not supported"
            ))
            .hint("Only strings, hashes, lists and sets are supported."));
        }
    })
}

/// Sets a key to the node's value, by the kind that is chosen or that the value shows.
pub(super) async fn set(
    ctx: &Ctx<'_>,
    session: &mut dyn RedisSession,
    key: &str,
    index: usize,
) -> Result<(), NodeError> {
    let value = ctx.param("value", index)?;
    let kind = ctx.text("keyType", index)?;
    let kind = match (kind.as_str(), &value) {
        ("" | "automatic", Value::Array(_)) => "list",
        ("" | "automatic", Value::Object(_)) => "hash",
        ("" | "automatic", _) => "string",
        (kind, _) => kind,
    };
    match kind {
        "string" => {
            session.command(&["SET", key, &text(&value)]).await?;
        }
        "hash" => {
            let fields = hash_fields(ctx, &value, index)?;
            let mut words: Vec<&str> = vec!["HSET", key];
            words.extend(fields.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
            if words.len() > 2 {
                session.command(&words).await?;
            }
        }
        "list" => {
            for (place, entry) in listed(&value)?.iter().enumerate() {
                // An element that is not there yet cannot be set, only added.
                let place = place.to_string();
                let length = session.command(&["LLEN", key]).await?.as_usize().unwrap_or(0);
                match place.parse::<usize>().is_ok_and(|place| place < length) {
                    true => session.command(&["LSET", key, &place, entry]).await?,
                    false => session.command(&["RPUSH", key, entry]).await?,
                };
            }
        }
        "sets" | "set" => {
            let entries = listed(&value)?;
            let mut words: Vec<&str> = vec!["SADD", key];
            words.extend(entries.iter().map(Str::as_str));
            if words.len() > 2 {
                session.command(&words).await?;
            }
        }
        other => {
            return Err(NodeError::parameter("keyType", format!("Unknown key type '{other}'")));
        }
    }
    Ok(())
}

/// The lines of `INFO` as an object; numbers become numbers.
pub(super) fn info(text: &str) -> Object {
    let mut told = Object::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((key, value)) = line.split_once(':') {
            let inner: Option<Object> = value.contains('=').then(|| {
                let pairs = value.split(',').filter_map(|pair| pair.split_once('='));
                pairs.map(|(key, value)| (Str::from(key), number_or_text(value))).collect()
            });
            told.insert(key, inner.map_or_else(|| number_or_text(value), Value::from));
        }
    }
    told
}

fn number_or_text(text: &str) -> Value {
    let looks_like = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && text.matches('.').count() <= 1;
    if looks_like && let Ok(number) = text.parse::<f64>() {
        Value::Number(number)
    } else {
        text.into()
    }
}

fn text(value: &Value) -> Str {
    match value {
        Value::Undefined | Value::Null => Str::new(),
        Value::Object(_) | Value::Array(_) => model::json::to_string(value).into(),
        value => value.to_js_string(),
    }
}

fn hash_fields(ctx: &Ctx<'_>, value: &Value, index: usize) -> Result<Vec<(Str, Str)>, NodeError> {
    let is_json = ctx.param("valueIsJSON", index)?;
    let wrong = || {
        NodeError::parameter("value", "The value of a hash must be an object")
            .hint("Enter an object, or its JSON text.")
    };
    let object = match value {
        Value::Object(fields) => fields.as_ref().clone(),
        value if is_json.is_nullish() || is_json.is_truthy() => {
            let parsed = model::json::parse(&text(value)).map_err(|_| wrong())?;
            parsed.as_object().cloned().ok_or_else(wrong)?
        }
        value => {
            let text = text(value);
            let words: Vec<&str> = text.split_whitespace().collect();
            return Ok(words
                .chunks(2)
                .map(|pair| {
                    (Str::from(pair[0]), Str::from(pair.get(1).copied().unwrap_or_default()))
                })
                .collect());
        }
    };
    Ok(object.iter().map(|(name, value)| (name.clone(), text(value))).collect())
}

/// The elements of a list, which may be given as JSON text.
fn listed(value: &Value) -> Result<Vec<Str>, NodeError> {
    let parsed = match value {
        Value::String(json) => model::json::parse(json).unwrap_or_else(|_| value.clone()),
        value => value.clone(),
    };
    match parsed {
        Value::Array(values) => Ok(values.iter().map(text).collect()),
        value if value.is_nullish() => {
            Err(NodeError::parameter("value", "The value must be a list"))
        }
        value => Ok(vec![text(&value)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_becomes_an_object() {
        let told = info(
            "# Server\r\nredis_version:7.0.15\r\nuptime_in_seconds:12\r\ndb0:keys=3,expires=0\r\n",
        );
        assert_eq!(
            Value::object(told),
            json!({ "redis_version": "7.0.15", "uptime_in_seconds": 12, "db0": { "keys": 3, "expires": 0 } })
        );
    }
}
