//! AWS, with an access key.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("aws", "AWS")
        .fields([
            Field::destination("region", "Region").required().placeholder("us-east-1"),
            Field::plain("accessKeyId", "Access key ID").required(),
            Field::secret("secretAccessKey", "Secret access key").required(),
            Field::plain("temporaryCredentials", "Temporary security credentials")
                .flag()
                .advanced(),
            Field::secret("sessionToken", "Session token")
                .hint("Only for temporary credentials.")
                .advanced(),
            Field::destination("customEndpoints", "Custom endpoints").flag().advanced(),
            Field::destination("bedrockRuntimeEndpoint", "Bedrock Runtime endpoint")
                .hint("For VPC endpoints. Leave empty for the endpoint of the region.")
                .placeholder("https://bedrock-runtime.{region}.amazonaws.com")
                .advanced(),
        ])
        .hosts(&["*.amazonaws.com", "*.amazonaws.com.cn", "{bedrockRuntimeEndpoint}"])
        .help_url("https://console.aws.amazon.com/iam/home#/security_credentials")
}
