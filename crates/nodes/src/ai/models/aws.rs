//! How models on AWS are reached: which region, where it is, and with which key.

use super::{field, secret};
use node_api::prelude::*;
use node_api::{Credential, SupplyCtx};
use providers::aws::AwsSigner;
use providers::models::bedrock::base_url;
use providers::models::endpoint::ModelEndpoint;
use std::sync::Arc;

const CREDENTIAL: &str = "aws";
const ASSUME_ROLE: &str = "assumeRole";

/// How to sign in, where n8n offers more than one way.
pub(in crate::ai) fn authentication_param() -> Param {
    let ways = [("iam", "Access key"), (ASSUME_ROLE, "Assume role")];
    Param::choice("authentication", "Authentication", &ways).raw().help("How to sign in to AWS.")
}

/// What the node says that does not sign in in every way.
pub(in crate::ai) fn with_access_key(spec: Spec) -> Spec {
    spec.credential(CREDENTIAL, true).differs_when(
        "authentication",
        &[ASSUME_ROLE],
        "Assuming a role is not supported. Use an access key, or temporary credentials.",
    )
}

/// Bedrock in the region of the credential, or in that of a model with a full name.
pub(in crate::ai) fn bedrock_endpoint(
    ctx: &SupplyCtx,
    model: &str,
) -> Result<ModelEndpoint, NodeError> {
    let inner = ctx.ctx();
    if inner.text("authentication", ctx.item())? == ASSUME_ROLE {
        return Err(NodeError::parameter("authentication", "Assuming a role is not supported")
            .hint("Use an AWS credential with an access key."));
    }
    let credential = inner.host().credential(CREDENTIAL, ctx.item())?;
    let region = match region_of_arn(model) {
        Some(region) => region.to_owned(),
        None => field(&credential, "region").trim().to_owned(),
    };
    if !is_region(&region) {
        return Err(NodeError::credential(format!(
            "'{}' is not an AWS region",
            region.chars().take(50).collect::<String>()
        ))
        .hint("Enter the region in the AWS credential, such as us-east-1."));
    }
    let own = field(&credential, "bedrockRuntimeEndpoint");
    let uses_own = credential.get("customEndpoints").is_some_and(Value::is_truthy);
    let url = match own.trim() {
        url if uses_own && !url.is_empty() => url.replace("{region}", &region),
        _ => base_url(&region),
    };
    // Requests of one key share a limit; nothing but a signature is sent of it.
    let mut place = ModelEndpoint::new(&url, secret(&credential, "accessKeyId"));
    place.signer = Some(Arc::new(signer(&credential, region)));
    Ok(place)
}

fn signer(credential: &Credential, region: String) -> AwsSigner {
    let is_temporary = credential.get("temporaryCredentials").is_some_and(Value::is_truthy);
    let token = secret(credential, "sessionToken");
    AwsSigner {
        access_key_id: secret(credential, "accessKeyId"),
        secret_access_key: secret(credential, "secretAccessKey"),
        session_token: (is_temporary && !token.is_empty()).then_some(token),
        region,
        service: "bedrock",
    }
}

/// `arn:aws:bedrock:REGION:ACCOUNT:inference-profile/NAME`.
fn region_of_arn(model: &str) -> Option<&str> {
    let mut parts = model.split(':');
    let is_arn = parts.next() == Some("arn") && parts.next()?.starts_with("aws");
    let region = parts.nth(1).filter(|region| !region.is_empty())?;
    is_arn.then_some(region)
}

/// The region becomes part of a host name.
fn is_region(region: &str) -> bool {
    let is_plain =
        |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
    (4..=30).contains(&region.len())
        && region.bytes().all(is_plain)
        && !region.starts_with('-')
        && !region.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_cannot_lead_to_another_host() {
        for region in ["us-east-1", "eu-central-1", "us-gov-west-1", "cn-north-1"] {
            assert!(is_region(region), "{region}");
        }
        for other in ["", "us", "us-east-1.evil.test#", "a.b", "US-EAST-1", "x@evil", "-east-1"] {
            assert!(!is_region(other), "{other}");
        }
    }

    #[test]
    fn a_full_name_says_its_region() {
        let arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.x-v1:0";
        assert_eq!(region_of_arn(arn), Some("eu-west-1"));
        assert_eq!(
            region_of_arn("arn:aws-us-gov:bedrock:us-gov-west-1:1:x"),
            Some("us-gov-west-1")
        );
        assert_eq!(region_of_arn("anthropic.claude-sonnet-4-5-20250929-v1:0"), None);
        assert_eq!(region_of_arn("arn:aws:bedrock::1:foundation-model/x"), None);
    }
}
