//! Signs, reads and checks JSON Web Tokens.

use super::digests::HashAlgorithm;
use super::keys::{self, Scheme};
use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use node_api::credential::is_blank;
use node_api::prelude::*;
use std::sync::Arc;

pub(crate) struct Jwt;

const ALGORITHMS: [&str; 12] = [
    "HS256", "HS384", "HS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256",
    "RS384", "RS512",
];

impl Node for Jwt {
    fn spec() -> Spec {
        let algorithms = ALGORITHMS.map(|name| (name, name));
        Spec::new("n8n-nodes-base.jwt", &[1.0], "JWT", "Sign, decode and verify JSON Web Tokens").icon("key-round")
            .credential("jwtAuth", true)
            .params([
                Param::choice("operation", "Operation", &[("sign", "Sign"), ("decode", "Decode"), ("verify", "Verify")])
                    .raw()
                    .help("What to do."),
                Param::flag("useJson", "Use JSON to build payload", false).help("Write the claims as JSON.").show("operation", &["sign"]),
                Param::collection(
                    "claims",
                    "Payload claims",
                    [
                        Param::text("audience", "Audience", "").help("Audience of the token."),
                        Param::number("expiresIn", "Expires in", 3600).help("The lifetime of the token in seconds."),
                        Param::text("issuer", "Issuer", "").help("Issuer of the token."),
                        Param::text("jwtid", "JWT ID", "").help("The ID of the token."),
                        Param::number("notBefore", "Not before", 0).help("Time before which the token is not valid."),
                        Param::text("subject", "Subject", "").help("Subject of the token."),
                    ],
                )
                .help("The claims of the token.")
                .show("operation", &["sign"])
                .show("useJson", &[false]),
                Param::json("claimsJson", "Payload claims (JSON)", "{\n  \"my_field_1\": \"value 1\",\n  \"my_field_2\": \"value 2\"\n}\n")
                    .help("The claims of the token as JSON.")
                    .show("operation", &["sign"])
                    .show("useJson", &[true]),
                Param::secret("token", "Token").required().help("Token to decode.").show("operation", &["verify", "decode"]),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("complete", "Return additional info", false).help("Also return the header and signature."),
                        Param::flag("ignoreExpiration", "Ignore expiration", false).help("Accept tokens that have expired."),
                        Param::flag("ignoreNotBefore", "Ignore not before claim", false).help("Accept tokens that are not valid yet."),
                        Param::number("clockTolerance", "Clock tolerance", 0).help("Allowed clock difference in seconds."),
                        Param::text("kid", "Key ID", "").help("Key ID for the header."),
                        Param::choice("algorithm", "Override algorithm", &algorithms)
                            .help("Override the algorithm of the credential."),
                    ],
                )
                .help("Further settings."),
            ])
            .alias(&["token", "jws", "bearer", "sign"])
            .repeatable()
            .computes()
            .hint("Use it to sign requests for services that require a JWT, or to verify the token of \
                 a webhook call.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        let credential = ctx.host().credential("jwtAuth", 0)?;
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            let made = match operation.as_str() {
                "sign" => sign(ctx, index, &credential),
                "verify" => verify(ctx, index, &credential),
                _ => decode_only(ctx, index),
            };
            output.push(
                match made {
                    Ok(json) => Item::new(json),
                    Err(error) if ctx.continues_on_fail() => Item {
                        error: Some(Arc::new(error.to_item_error())),
                        ..Item::new(item.json)
                    },
                    Err(error) => return Err(error.on_item(index)),
                }
                .paired_with(index),
            );
        }
        Ok(vec![output.finish()])
    }
}

enum Method {
    Secret(HashAlgorithm),
    Key(Scheme, HashAlgorithm),
}

/// The algorithm of this name, or of the credential if it is empty.
fn method(name: &str, credential: &Object) -> Result<(Str, Method), NodeError> {
    let name: Str = match name {
        "" => credential.get("algorithm").and_then(Value::as_str).unwrap_or("HS256").into(),
        name => name.into(),
    };
    let hash = match name.get(2..) {
        Some("256") => HashAlgorithm::Sha256,
        Some("384") => HashAlgorithm::Sha384,
        Some("512") => HashAlgorithm::Sha512,
        _ => {
            return Err(NodeError::parameter(
                "options.algorithm",
                "\"algorithm\" must be a valid string enum value",
            ));
        }
    };
    let method = match name.get(..2) {
        Some("HS") => Method::Secret(hash),
        Some("RS") => Method::Key(Scheme::RsaPkcs1, hash),
        Some("PS") => Method::Key(Scheme::RsaPss, hash),
        Some("ES") => Method::Key(Scheme::EcdsaFixed, hash),
        _ => {
            return Err(NodeError::parameter(
                "options.algorithm",
                "\"algorithm\" must be a valid string enum value",
            ));
        }
    };
    Ok((name, method))
}

/// The key of a credential. What cannot be seen is none: a token that is signed with nothing is
/// signed by everybody. Nor is a PEM text a secret: everybody may have the public one.
fn key_of<'c>(
    credential: &'c Object,
    pem_field: &str,
    (name, method): (&str, &Method),
) -> Result<&'c str, NodeError> {
    let by_pem = credential.get("keyType").and_then(Value::as_str) == Some("pemKey");
    let key = credential
        .get(if by_pem { pem_field } else { "secret" })
        .and_then(Value::as_str)
        .unwrap_or_default();
    let hint = "Edit the credential selected for the node.";
    match method {
        _ if is_blank(key) => {
            Err(NodeError::credential("The JWT credential has no key to sign or verify a token")
                .hint(hint))
        }
        Method::Secret(_) if by_pem => {
            Err(NodeError::credential(format!("The key must be a passphrase when using {name}"))
                .hint(hint))
        }
        Method::Secret(_) | Method::Key(..) => Ok(key),
    }
}

fn sign(ctx: &Ctx<'_>, index: usize, credential: &Object) -> Result<Object, NodeError> {
    let algorithm = ctx.text("options.algorithm", index)?;
    let payload = match ctx.flag("useJson", index)? {
        true => match ctx.param("claimsJson", index)? {
            Value::String(text) => model::json::parse(&text).map_err(|problem| {
                NodeError::parameter(
                    "claimsJson",
                    format!("The 'JSON Output' in item {index} contains invalid JSON"),
                )
                .describe(problem.to_string())
            })?,
            value => value,
        },
        false => ctx.param("claims", index)?,
    };
    let key_id = ctx.text("options.kid", index)?;
    let token = sign_with(credential, &algorithm, &key_id, payload, ctx.host().now_ms())?;
    Ok(Object::from_iter([("token", token)]))
}

/// A token with these claims, signed as the credential says.
pub(crate) fn signed(credential: &Object, payload: Value, now_ms: i64) -> Result<Str, NodeError> {
    let (algorithm, key_id) = ("", "");
    sign_with(credential, algorithm, key_id, payload, now_ms)
}

fn sign_with(
    credential: &Object,
    algorithm: &str,
    key_id: &str,
    mut payload: Value,
    now_ms: i64,
) -> Result<Str, NodeError> {
    let (name, method) = method(algorithm, credential)?;
    let claims = payload.make_object();
    for claim in ["iat", "exp", "nbf"] {
        if claims.get(claim).is_some_and(|value| !matches!(value, Value::Number(_))) {
            return Err(NodeError::parameter(
                "claims",
                format!("\"{claim}\" should be a number of seconds"),
            ));
        }
    }
    if claims.get("iat").is_none_or(|value| !value.is_truthy()) {
        claims.insert("iat", (now_ms as f64 / 1000.0).floor());
    }
    let key = key_of(credential, "privateKey", (&name, &method))?;
    let mut header = Object::new();
    header.insert("alg", name.clone());
    header.insert("typ", "JWT");
    if !key_id.is_empty() {
        header.insert("kid", key_id);
    }
    let part = |value: Value| URL_SAFE_NO_PAD.encode(model::json::to_string(&value));
    let message = format!("{}.{}", part(header.into()), part(payload));
    let signature = match method {
        Method::Secret(hash) => hash.hmac(key.as_bytes(), message.as_bytes()),
        Method::Key(scheme, hash) => {
            keys::sign(scheme, hash, key, message.as_bytes()).map_err(|problem| {
                NodeError::credential(format!(
                    "secretOrPrivateKey must be an asymmetric key when using {name}"
                ))
                .describe(problem.to_string())
            })?
        }
    };
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)).into())
}

/// A token taken apart.
struct JwtParts<'t> {
    header: Value,
    payload: Value,
    signature: &'t str,
    message: &'t str,
}

fn split_token(token: &str) -> Option<JwtParts<'_>> {
    let (message, signature) = token.rsplit_once('.')?;
    let (header, payload) = message.split_once('.')?;
    let text = |part: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(part).or_else(|_| URL_SAFE.decode(part)).ok()?;
        String::from_utf8(bytes).ok()
    };
    let header = model::json::parse(&text(header)?).ok().filter(Value::is_object)?;
    let payload = text(payload)?;
    let payload = model::json::parse(&payload).unwrap_or_else(|_| Value::from(payload));
    Some(JwtParts { header, payload, signature, message })
}

fn token(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let token = ctx.text("token", index)?;
    if token.is_empty() {
        let description = "Be sure to add a valid JWT token to the 'Token' parameter";
        return Err(
            NodeError::parameter("token", "The JWT token was not provided").describe(description)
        );
    }
    Ok(token)
}

fn token_fields(ctx: &Ctx<'_>, index: usize, parts: JwtParts<'_>) -> Result<Object, NodeError> {
    let mut json = Object::new();
    if ctx.flag("options.complete", index)? {
        json.insert("header", parts.header);
        json.insert("payload", parts.payload);
        json.insert("signature", parts.signature);
    } else {
        json.insert("payload", parts.payload);
    }
    Ok(json)
}

fn decode_only(ctx: &Ctx<'_>, index: usize) -> Result<Object, NodeError> {
    match split_token(&token(ctx, index)?) {
        Some(parts) => token_fields(ctx, index, parts),
        None => Ok(Object::from_iter([("payload", Value::Null)])),
    }
}

fn verify(ctx: &Ctx<'_>, index: usize, credential: &Object) -> Result<Object, NodeError> {
    let token = token(ctx, index)?;
    let failed = |message: &str| NodeError::input(message);
    if token.split('.').count() != 3 {
        return Err(failed("jwt malformed"));
    }
    let parts = split_token(&token).ok_or_else(|| failed("invalid token"))?;
    if parts.signature.is_empty() {
        return Err(failed("jwt signature is required"));
    }
    let (name, method) = method(&ctx.text("options.algorithm", index)?, credential)?;
    if parts.header.get("alg").and_then(Value::as_str) != Some(&*name) {
        return Err(failed("invalid algorithm"));
    }
    let key = key_of(credential, "publicKey", (&name, &method))?;
    let signature =
        URL_SAFE_NO_PAD.decode(parts.signature.trim_end_matches('=')).unwrap_or_default();
    let genuine = match method {
        Method::Secret(hash) => aws_lc_rs::constant_time::verify_slices_are_equal(
            &hash.hmac(key.as_bytes(), parts.message.as_bytes()),
            &signature,
        )
        .is_ok(),
        Method::Key(scheme, hash) => {
            keys::verify(scheme, hash, key, parts.message.as_bytes(), &signature).map_err(
                |problem| {
                    NodeError::credential(format!(
                        "secretOrPublicKey must be an asymmetric key when using {name}"
                    ))
                    .describe(problem.to_string())
                },
            )?
        }
    };
    if !genuine {
        let description = "Be sure that the provided JWT token is correctly encoded and matches the selected credentials";
        return Err(failed("The JWT token can't be verified").describe(description));
    }
    let tolerance = match ctx.param("options.clockTolerance", index)? {
        Value::Undefined | Value::Null => 0.0,
        _ => ctx.number("options.clockTolerance", index)?,
    };
    let now = (ctx.host().now_ms() as f64 / 1000.0).floor();
    for (claim, ignore) in [("nbf", "options.ignoreNotBefore"), ("exp", "options.ignoreExpiration")]
    {
        let Some(value) =
            parts.payload.get(claim).filter(|_| !matches!(ctx.flag(ignore, index), Ok(true)))
        else {
            continue;
        };
        match value {
            Value::Number(from) if claim == "nbf" && *from > now + tolerance => {
                return Err(failed("jwt not active"));
            }
            Value::Number(until) if claim == "exp" && now >= until + tolerance => {
                return Err(failed("jwt expired"));
            }
            Value::Number(_) => {}
            _ => return Err(failed(&format!("invalid {claim} value"))),
        }
    }
    token_fields(ctx, index, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::keys::tests::{ec_keys, rsa_keys};
    use aws_lc_rs::signature;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, to_json};

    async fn run(credential: &Object, params: Value) -> Result<Value, NodeError> {
        let mut host = TestHost::new(&Jwt::spec(), 1.0, &params);
        host.credentials = Object::from_iter([("jwtAuth", credential.clone())]);
        let made =
            run_on::<Jwt>(&host, 1.0, vec![items(&json!([{ "in": 1 }]))], OnError::Stop).await?;
        Ok(to_json(&made[0]).at(0).cloned().unwrap())
    }

    fn secret(text: &str) -> Object {
        Object::from_iter([("keyType", "passphrase"), ("secret", text), ("algorithm", "HS256")])
    }

    #[tokio::test]
    async fn a_known_token_comes_out() {
        let params = json!({ "useJson": true, "claimsJson": "{\"sub\":\"1234567890\",\"name\":\"John Doe\",\"iat\":1516239022}" });
        let made = run(&secret("your-256-bit-secret"), params).await.unwrap();
        let expected = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
        assert_eq!(made.get("token"), Some(&json!(expected)));
    }

    #[tokio::test]
    async fn tokens_of_all_kinds_check_out() {
        let (rsa_private, rsa_public) = rsa_keys();
        let curves = [
            ("ES256", ec_keys(&signature::ECDSA_P256_SHA256_FIXED_SIGNING)),
            ("ES384", ec_keys(&signature::ECDSA_P384_SHA384_FIXED_SIGNING)),
            ("ES512", ec_keys(&signature::ECDSA_P521_SHA512_FIXED_SIGNING)),
        ];
        let rsa = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
            .map(|name| (name, (rsa_private.clone(), rsa_public.clone())));
        for (name, (private, public)) in curves.into_iter().chain(rsa) {
            let credential = Object::from_iter([
                ("keyType", "pemKey"),
                ("privateKey", &*private),
                ("publicKey", &*public),
                ("algorithm", name),
            ]);
            let mut params = json!({ "operation": "verify", "options": { "complete": true } });
            params.set_path(
                "token",
                run(&credential, json!({ "claims": { "subject": "me" } }))
                    .await
                    .unwrap()
                    .get("token")
                    .cloned(),
            );
            let made = run(&credential, params).await.unwrap();
            assert_eq!(made.get_path("payload.subject"), Some(&json!("me")), "{name}");
            assert_eq!(made.get_path("header.alg"), Some(&json!(name)));
        }
    }

    #[tokio::test]
    async fn forged_and_expired_tokens_are_refused() {
        let claims = json!({ "useJson": true, "claimsJson": { "exp": 10 } });
        let token = run(&secret("a"), claims).await.unwrap().get("token").cloned();
        let mut params = json!({ "operation": "verify" });
        params.set_path("token", token);
        assert_eq!(
            run(&secret("b"), params.clone()).await.unwrap_err().message(),
            "The JWT token can't be verified"
        );
        assert_eq!(run(&secret("a"), params.clone()).await.unwrap_err().message(), "jwt expired");
        params.set_path("options.ignoreExpiration", true);
        assert!(run(&secret("a"), params.clone()).await.is_ok());
        params.set_path("options.algorithm", "HS512");
        assert_eq!(
            run(&secret("a"), params.clone()).await.unwrap_err().message(),
            "invalid algorithm"
        );
        params.set_path("token", "a.b");
        assert_eq!(run(&secret("a"), params).await.unwrap_err().message(), "jwt malformed");
    }

    #[tokio::test]
    async fn issue_14_16_a_key_that_cannot_be_seen_neither_signs_nor_checks() {
        // As everybody can sign who knows that there is no key.
        let forged = |key: &str| {
            let message = format!(
                "{}.{}",
                URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256"}"#),
                URL_SAFE_NO_PAD.encode(r#"{"sub":"admin"}"#)
            );
            let signature = HashAlgorithm::Sha256.hmac(key.as_bytes(), message.as_bytes());
            format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
        };
        for blank in ["", " ", "\0", "\0\0\0\0", "\u{200b}", "\u{feff}\n"] {
            for credential in [
                secret(blank),
                Object::from_iter([
                    ("keyType", "pemKey"),
                    ("publicKey", blank),
                    ("algorithm", "HS256"),
                ]),
            ] {
                let mut params = json!({ "operation": "verify" });
                params.set_path("token", forged(blank));
                let refused = [
                    run(&credential, params).await,
                    run(&credential, json!({ "claims": {} })).await,
                ];
                for refused in refused {
                    assert_eq!(refused.unwrap_err().code(), Code::NODE_CREDENTIAL, "{blank:?}");
                }
            }
        }
    }

    #[tokio::test]
    async fn issue_14_16_a_public_key_is_no_secret() {
        let (private, public) = rsa_keys();
        let credential = Object::from_iter([
            ("keyType", "pemKey"),
            ("privateKey", &*private),
            ("publicKey", &*public),
            ("algorithm", "HS256"),
        ]);
        let forged =
            run(&secret(&public), json!({ "claims": { "subject": "admin" } })).await.unwrap();
        let mut params = json!({ "operation": "verify" });
        params.set_path("token", forged.get("token").cloned());
        assert_eq!(run(&credential, params).await.unwrap_err().code(), Code::NODE_CREDENTIAL);
    }

    #[tokio::test]
    async fn reading_a_broken_token_gives_nothing() {
        assert_eq!(
            run(&secret("a"), json!({ "operation": "decode", "token": "x" })).await.unwrap(),
            json!({ "payload": null })
        );
        let error = run(&secret("a"), json!({ "operation": "decode" })).await.unwrap_err();
        assert_eq!(error.message(), "The JWT token was not provided");
    }
}
