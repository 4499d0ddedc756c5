//! Reads and changes keys of a Redis database, and publishes messages.

mod values;

use super::credential::CredentialFields;
use node_api::connect::{RedisServer, RedisSession, Security};
use node_api::prelude::*;

pub struct Redis;

/// Keys that one look at the database gives at most.
const MAX_KEYS: usize = 100_000;

impl Node for Redis {
    fn spec() -> Spec {
        let operations = [
            ("info", "Info"),
            ("delete", "Delete"),
            ("get", "Get"),
            ("incr", "Increment"),
            ("keys", "Keys"),
            ("llen", "List Length"),
            ("pop", "Pop"),
            ("publish", "Publish"),
            ("push", "Push"),
            ("set", "Set"),
        ];
        let kinds = [
            ("automatic", "Automatic"),
            ("hash", "Hash"),
            ("list", "List"),
            ("sets", "Sets"),
            ("string", "String"),
        ];
        let dotted = || {
            Param::collection(
                "options",
                "Options",
                [Param::flag("dotNotation", "Dot notation", true)
                    .help("Treat dots in the property name as paths into objects.")],
            )
            .help("Fine points.")
        };
        Spec::new("n8n-nodes-base.redis", &[1.0], "Redis", "Read and write keys in a Redis database").icon("database")
            .untrusted()
            .private()
            .group(NodeGroup::Integration)
            .credential("redis", true)
            .params([
                Param::choice("operation", "Operation", &operations).help("Operation on the database."),
                Param::text("propertyName", "Name", "propertyName")
                    .show("operation", &["get", "pop"])
                    .help("Field of the item for the value."),
                Param::text("key", "Key", "").show("operation", &["delete", "get", "incr", "set"]).required().help("The name of the key."),
                Param::choice("keyType", "Key type", &kinds)
                    .show("operation", &["get", "set"])
                    .help("Type of the value. Automatic detects it from the database or the value."),
                dotted().show("operation", &["get", "pop"]),
                Param::text("value", "Value", "").show("operation", &["set"]).help("Value to set."),
                Param::flag("valueIsJSON", "Value is JSON", true)
                    .show("operation", &["set"])
                    .show("keyType", &["hash"])
                    .help("Whether the value is an object, or text such as `field value field value`."),
                Param::flag("expire", "Expire", false).show("operation", &["set", "incr"]).help("Let the key expire."),
                Param::number("ttl", "TTL", 60)
                    .at_least(1.0)
                    .show("operation", &["set", "incr"])
                    .show("expire", &[true])
                    .help("Time to live in seconds."),
                Param::text("keyPattern", "Key pattern", "")
                    .show("operation", &["keys"])
                    .required()
                    .help("Pattern of the keys: `*` matches any text, `?` a single character."),
                Param::flag("getValues", "Get values", true)
                    .show("operation", &["keys"])
                    .help("Whether to also read the values of the keys."),
                Param::text("list", "List", "").show("operation", &["push", "pop", "llen"]).required().help("The name of the list."),
                Param::text("messageData", "Data", "").show("operation", &["push", "publish"]).required().help("Data to send or add."),
                Param::flag("tail", "Tail", false)
                    .show("operation", &["push", "pop"])
                    .help("Use the end of the list instead of the start."),
                Param::text("channel", "Channel", "").show("operation", &["publish"]).required().help("Channel to publish to."),
            ])
            .hint("Use it for counters, locks, caches and short-lived state that several workflows share.")
            .alias(&["valkey", "cache", "key value"])
            .repeatable_when("operation", &["get", "info", "keys", "llen"])
            .note("The Keys operation returns at most 100 000 keys.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let server = server(ctx)?;
        let mut session = ctx.host().connections().redis(&server).await?;
        let operation = ctx.text("operation", 0)?;
        if operation == "info" {
            let info = session.command(&["INFO"]).await?;
            return Ok(vec![Items::one(
                Item::new(values::info(&info.to_js_string())).paired_with(0),
            )]);
        }
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match run_one(ctx, session.as_mut(), &operation, &item, index).await {
                Ok(made) => output.push(made.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

/// The server that the node's credential is for.
pub(crate) fn server(ctx: &Ctx<'_>) -> Result<RedisServer, NodeError> {
    let fields = CredentialFields::of(ctx, "redis")?;
    let mut server = fields.server(6379)?;
    server.allow_invalid_certificates = fields.flag("disableTlsVerification", Default::default());
    if fields.flag("ssl", Default::default()) {
        server.security = Security::Tls;
    }
    Ok(RedisServer { server, database: fields.number("database", 0.0)? as i64 })
}

async fn run_one(
    ctx: &Ctx<'_>,
    session: &mut dyn RedisSession,
    operation: &str,
    item: &Item,
    index: usize,
) -> Result<Item, NodeError> {
    let text = |path: &str| ctx.text(path, index);
    match operation {
        "delete" => {
            session.command(&["DEL", &required_text(ctx, "key", index)?]).await?;
            Ok(item.clone())
        }
        "get" => {
            let value =
                values::get(session, &required_text(ctx, "key", index)?, &text("keyType")?).await?;
            Ok(Item::new(nest_value(ctx, Object::new(), value, index)?))
        }
        "incr" => {
            let key = required_text(ctx, "key", index)?;
            let count = session.command(&["INCR", &key]).await?;
            expire(ctx, session, &key, index).await?;
            Ok(Item::new(Object::from_iter([(key, count)])))
        }
        "set" => {
            let key = required_text(ctx, "key", index)?;
            values::set(ctx, session, &key, index).await?;
            expire(ctx, session, &key, index).await?;
            Ok(item.clone())
        }
        "keys" => {
            let keys = keys(session, &required_text(ctx, "keyPattern", index)?).await?;
            let mut found = Object::with_capacity(keys.len());
            if !ctx.flag("getValues", index)? {
                found.insert("keys", keys.into_iter().map(Value::from).collect::<Vec<_>>());
                return Ok(Item::new(found));
            }
            for key in keys {
                let value = values::get(session, &key, "automatic").await?;
                found.insert(key, value);
            }
            Ok(Item::new(found))
        }
        "llen" => {
            let list = required_text(ctx, "list", index)?;
            let length = session.command(&["LLEN", &list]).await?;
            Ok(Item::new(Object::from_iter([(list, length)])))
        }
        "push" => {
            let word = if ctx.flag("tail", index)? { "RPUSH" } else { "LPUSH" };
            session
                .command(&[word, &required_text(ctx, "list", index)?, &text("messageData")?])
                .await?;
            Ok(item.clone())
        }
        "pop" => {
            let word = if ctx.flag("tail", index)? { "RPOP" } else { "LPOP" };
            let value = session.command(&[word, &required_text(ctx, "list", index)?]).await?;
            let parsed =
                value.as_str().and_then(|text| model::json::parse(text).ok()).unwrap_or(value);
            Ok(Item::new(nest_value(ctx, Object::new(), parsed, index)?))
        }
        "publish" => {
            session
                .command(&[
                    "PUBLISH",
                    &required_text(ctx, "channel", index)?,
                    &text("messageData")?,
                ])
                .await?;
            Ok(item.clone())
        }
        other => Err(NodeError::parameter("operation", format!("Unknown operation '{other}'"))),
    }
}

fn required_text(ctx: &Ctx<'_>, path: &str, index: usize) -> Result<Str, NodeError> {
    let text = ctx.text(path, index)?;
    if text.is_empty() {
        return Err(NodeError::parameter(path, format!("The parameter '{path}' is empty"))
            .hint("Enter a value."));
    }
    Ok(text)
}

/// The value under the property's name, with dots leading into objects unless that is switched off.
fn nest_value(
    ctx: &Ctx<'_>,
    mut object: Object,
    value: Value,
    index: usize,
) -> Result<Object, NodeError> {
    let name = required_text(ctx, "propertyName", index)?;
    let dots = ctx.param("options.dotNotation", index)?;
    if dots.is_nullish() || dots.is_truthy() {
        let mut keys = name.split('.').peekable();
        let mut place = &mut object;
        while let Some(key) = keys.next() {
            if keys.peek().is_none() {
                place.insert(key, value);
                break;
            }
            place = place.entry(key).make_object();
        }
        return Ok(object);
    }
    object.insert(name, value);
    Ok(object)
}

async fn expire(
    ctx: &Ctx<'_>,
    session: &mut dyn RedisSession,
    key: &str,
    index: usize,
) -> Result<(), NodeError> {
    if ctx.flag("expire", index)? {
        let seconds = ctx.number("ttl", index)?;
        if seconds.fract() != 0.0 || seconds < 1.0 {
            return Err(NodeError::parameter(
                "ttl",
                format!("The TTL must be a whole number of seconds, but it is {seconds}"),
            ));
        }
        session.command(&["EXPIRE", key, &(seconds as u64).to_string()]).await?;
    }
    Ok(())
}

/// Keys that fit a pattern, walked in steps so that the server is not held up.
async fn keys(session: &mut dyn RedisSession, pattern: &str) -> Result<Vec<Str>, NodeError> {
    let mut found: Vec<Str> = Vec::new();
    let mut cursor = Str::from("0");
    loop {
        let answer = session.command(&["SCAN", &cursor, "MATCH", pattern, "COUNT", "1000"]).await?;
        found.extend(
            answer
                .at(1)
                .and_then(Value::as_array)
                .unwrap_or_default()
                .iter()
                .map(Value::to_js_string),
        );
        if found.len() > MAX_KEYS {
            return Err(NodeError::new(
                Code::UPSTREAM_TOO_LARGE,
                format!("More than {MAX_KEYS} keys match '{pattern}'"),
            )
            .hint("Use a pattern that matches fewer keys."));
        }
        cursor = answer.at(0).map(Value::to_js_string).unwrap_or_default();
        if cursor == "0" || cursor.is_empty() {
            found.sort_unstable();
            found.dedup();
            return Ok(found);
        }
    }
}
