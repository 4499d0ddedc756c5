//! The kinds of credentials that nodes use, and the fields of each.

use super::invalid;
use crate::error::ApiError;
use model::{Object, Value};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holds {
    Text,
    Flag,
    Number,
    /// A token as a service gave it.
    Anything,
}

/// A kind of credential: `name` or `name?` for fields that may be left out, `:flag`, `:number` or `:any` behind those that are
/// no texts.
struct Kind {
    fields: Vec<(&'static str, Holds, Presence)>,
    /// The service may have fields that are not written down here.
    is_open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Presence {
    Required,
    Optional,
}

/// Which hosts a credential may be sent to; every kind that signs requests has them.
const DOMAINS: &str = "allowedHttpRequestDomains? allowedDomains?";

/// Kinds that fit any service, whole.
const GENERIC: &[(&str, &str)] = &[
    ("httpBasicAuth", "user? password?"),
    ("httpBearerAuth", "token"),
    ("httpDigestAuth", "user? password?"),
    ("httpHeaderAuth", "name? value?"),
    ("httpQueryAuth", "name? value?"),
    ("httpCustomAuth", "json"),
    ("httpSslAuth", "ca? cert? key? passphrase?"),
    ("jwtAuth", "keyType? secret? privateKey? publicKey? algorithm?"),
    ("totpApi", "secret label?"),
    ("crypto", "hmacSecret? signPrivateKey?"),
    ("oAuth1Api", "authUrl? accessTokenUrl? requestTokenUrl? consumerKey consumerSecret signatureMethod? oauthTokenData?:any"),
    (
        "oAuth2Api",
        "grantType? authUrl? accessTokenUrl? clientId? clientSecret? scope? authQueryParameters? authentication? \
         sendAdditionalBodyProperties?:flag additionalBodyProperties? useDynamicClientRegistration?:flag serverUrl? \
         ignoreSSLIssues?:flag oauthTokenData?:any",
    ),
    ("googleApi", "email privateKey region? inpersonate?:flag delegatedEmail? httpNode?:flag scopes? httpWarning?"),
    ("smtp", "user? password? host port?:number secure?:flag disableStartTls?:flag hostName?"),
    ("imap", "user? password? host port?:number secure?:flag allowUnauthorizedCerts?:flag"),
    (
        "postgres",
        "host? database? user? password? port?:number ssl? allowUnauthorizedCerts?:flag maxConnections?:number sshTunnel?:flag \
         sshAuthenticateWith? sshHost? sshPort?:number sshUser? sshPassword? privateKey? passphrase?",
    ),
    (
        "mySql",
        "host? database? user? password? port?:number connectTimeout?:number ssl?:flag caCertificate? clientPrivateKey? \
         clientCertificate? sshTunnel?:flag sshAuthenticateWith? sshHost? sshPort?:number sshUser? sshPassword? privateKey? passphrase?",
    ),
    ("redis", "password? user? host? port?:number database?:number ssl?:flag disableTlsVerification?:flag"),
];

/// Kinds of single services: the fields by which requests are signed.
#[rustfmt::skip]
const SERVICES: &[(&str, &str)] = &[
    ("openAiApi", "apiKey organizationId? url? header?:flag headerName? headerValue?"),
    ("anthropicApi", "apiKey url? version? header?:flag headerName? headerValue?"),
    ("mistralCloudApi", "apiKey"),
    ("openRouterApi", "apiKey url?"),
    ("groqApi", "apiKey"),
    ("deepSeekApi", "apiKey url?"),
    ("xAiApi", "apiKey url?"),
    ("cohereApi", "apiKey url?"),
    ("huggingFaceApi", "apiKey"),
    ("perplexityApi", "apiKey"),
    ("jinaAiApi", "apiKey"),
    ("vercelAiGatewayApi", "apiKey"),
    ("googlePalmApi", "host? apiKey"),
    ("azureOpenAiApi", "apiKey resourceName? apiVersion? endpoint?"),
    ("ollamaApi", "baseUrl? apiKey?"),
    ("qdrantApi", "apiKey"),
    ("pineconeApi", "apiKey"),
    ("weaviateApi", "apiKey"),
    ("supabaseApi", "serviceRole"),
    ("slackApi", "accessToken"),
    ("notionApi", "apiKey"),
    ("airtableTokenApi", "accessToken"),
    ("airtableApi", "apiKey"),
    ("githubApi", "accessToken"),
    ("gitlabApi", "accessToken"),
    ("hubspotApi", "apiKey"),
    ("hubspotAppToken", "appToken"),
    ("stripeApi", "secretKey"),
    ("sendGridApi", "apiKey"),
    ("mailgunApi", "apiKey"),
    ("mailchimpApi", "apiKey"),
    ("sendInBlueApi", "apiKey"),
    ("twilioApi", "accountSid authToken"),
    ("telegramApi", "accessToken"),
    ("discordBotApi", "botToken"),
    ("discordWebhookApi", "webhookUri"),
    ("jiraSoftwareCloudApi", "email apiToken"),
    ("jiraSoftwareServerApi", "email password"),
    ("jiraSoftwareServerPatApi", "personalAccessToken"),
    ("asanaApi", "accessToken"),
    ("clickUpApi", "accessToken"),
    ("linearApi", "apiKey"),
    ("trelloApi", "apiKey apiToken"),
    ("mondayComApi", "apiToken"),
    ("todoistApi", "apiKey"),
    ("pipedriveApi", "apiToken"),
    ("typeformApi", "accessToken"),
    ("calendlyApi", "apiKey"),
    ("shopifyAccessTokenApi", "accessToken"),
    ("shopifyApi", "apiKey password"),
    ("wooCommerceApi", "consumerKey consumerSecret"),
    ("wordpressApi", "username password"),
    ("ghostContentApi", "apiKey"),
    ("webflowApi", "accessToken"),
    ("zendeskApi", "email apiToken"),
    ("freshdeskApi", "apiKey"),
    ("intercomApi", "apiKey"),
    ("helpScoutApi", "apiKey"),
    ("elasticsearchApi", "username password"),
    ("grafanaApi", "apiKey"),
    ("pagerDutyApi", "apiToken"),
    ("sentryIoApi", "token"),
    ("sentryIoServerApi", "token"),
    ("uptimeRobotApi", "apiKey"),
    ("cloudflareApi", "apiToken"),
    ("netlifyApi", "accessToken"),
    ("digitalOceanApi", "accessToken"),
    ("n8nApi", "apiKey"),
    ("nocoDb", "apiToken"),
    ("nocoDbApiToken", "apiToken"),
    ("baserowTokenApi", "token"),
    ("seaTableApi", "token"),
    ("strapiTokenApi", "apiToken"),
    ("directusApi", "accessToken"),
    ("homeAssistantApi", "accessToken"),
    ("mattermostApi", "accessToken"),
    ("rocketchatApi", "authKey userId"),
    ("twistApi", "accessToken"),
    ("whatsAppApi", "accessToken"),
    ("facebookGraphApi", "accessToken"),
    ("lemlistApi", "apiKey"),
    ("hunterApi", "apiKey"),
    ("apolloApi", "apiKey"),
    ("serpApi", "apiKey"),
    ("openWeatherMapApi", "accessToken"),
    ("nasaApi", "api_key"),
    ("newsApi", "apiKey"),
    ("deepLApi", "apiKey"),
    ("bitlyApi", "accessToken"),
    ("urlScanIoApi", "apiKey"),
    ("virusTotalApi", "apiToken"),
    ("apifyApi", "apiKey"),
    ("firecrawlApi", "apiKey"),
    ("tavilyApi", "apiKey"),
    ("browserlessApi", "token"),
    ("elevenLabsApi", "apiKey"),
    ("videoDBApi", "apiKey"),
    ("phantombusterApi", "apiKey"),
    ("activeCampaignApi", "apiKey"),
    ("klaviyoApi", "apiKey"),
    ("customerIoApi", "appApiKey"),
    ("segmentApi", "writekey"),
    ("contentfulApi", "ContentDeliveryaccessToken"),
    ("storyblokContentApi", "apiKey"),
    ("autopilotApi", "apiKey"),
    ("brevoApi", "apiKey"),
];

/// The JSON schema of a kind, as callers see it.
pub(super) fn schema(kind: &str) -> Option<Value> {
    let found = find(kind)?;
    let properties: Object = found.fields.iter().map(|(name, holds, _)| (*name, holds.schema())).collect();
    let required = found.fields.iter().filter(|(_, _, presence)| *presence == Presence::Required).map(|(name, _, _)| Value::from(*name));
    Some(
        Object::from_iter([
            ("additionalProperties", Value::from(found.is_open)),
            ("type", "object".into()),
            ("properties", properties.into()),
            ("required", Value::array(required.collect())),
        ])
        .into(),
    )
}

pub(super) fn is_known(kind: &str) -> bool {
    find(kind).is_some()
}

/// Whether fields are those of a kind. What they hold is never told.
pub(super) fn check(kind: &str, fields: &Object, may_be_partial: bool) -> Result<(), ApiError> {
    let Some(found) = find(kind) else { return Ok(()) };
    for (name, value) in fields.iter() {
        match found.fields.iter().find(|(known, _, _)| known == name) {
            Some((_, holds, _)) if !holds.fits(value) => return Err(invalid(name, "has the wrong type for this credential")),
            None if !found.is_open => return Err(invalid(name, &format!("is not a field of a credential of type '{kind}'"))),
            _ => {}
        }
    }
    let missing = found.fields.iter().find(|(name, _, presence)| *presence == Presence::Required && !fields.contains_key(name));
    match missing {
        Some((name, _, _)) if !may_be_partial => Err(invalid(name, &format!("is missing in a credential of type '{kind}'"))),
        _ => Ok(()),
    }
}

fn find(kind: &str) -> Option<Kind> {
    let row = |table: &'static [(&'static str, &'static str)]| table.iter().find(|(name, _)| *name == kind).map(|(_, fields)| *fields);
    let (fields, is_open) = row(GENERIC).map(|fields| (fields, false)).or_else(|| row(SERVICES).map(|fields| (fields, true)))?;
    let fields = fields.split_whitespace().chain(DOMAINS.split_whitespace()).map(field).collect();
    Some(Kind { fields, is_open })
}

fn field(text: &'static str) -> (&'static str, Holds, Presence) {
    let (name, holds) = match text.split_once(':') {
        Some((name, "flag")) => (name, Holds::Flag),
        Some((name, "number")) => (name, Holds::Number),
        Some((name, _)) => (name, Holds::Anything),
        None => (text, Holds::Text),
    };
    match name.strip_suffix('?') {
        Some(name) => (name, holds, Presence::Optional),
        None => (name, holds, Presence::Required),
    }
}

impl Holds {
    fn schema(self) -> Value {
        match self {
            Holds::Text => Object::from_iter([("type", "string")]).into(),
            Holds::Flag => Object::from_iter([("type", "boolean")]).into(),
            Holds::Number => Object::from_iter([("type", "number")]).into(),
            Holds::Anything => Value::empty_object(),
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Holds::Text => value.is_string() || value.is_object(),
            Holds::Flag => value.as_bool().is_some(),
            Holds::Number => value.as_f64().is_some(),
            Holds::Anything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_schema_tells_fields_and_which_are_needed() {
        let shown = schema("httpBearerAuth").unwrap();
        assert_eq!(shown.get("required"), Some(&json!(["token"])));
        assert_eq!(shown.get("properties").and_then(|fields| fields.get("token")), Some(&json!({ "type": "string" })));
        assert!(schema("noSuchApi").is_none());
    }

    #[test]
    fn each_kind_stands_in_the_table_once() {
        let mut names: Vec<_> = GENERIC.iter().chain(SERVICES).map(|(name, _)| *name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn fields_are_checked_and_never_repeated() {
        let told = |fields: Value| check("httpBearerAuth", fields.as_object().unwrap(), false).map_err(|error| error.message.to_string());
        assert!(told(json!({ "token": "t" })).is_ok());
        assert!(told(json!({})).unwrap_err().contains("'token' is missing"));
        assert!(told(json!({ "token": 3 })).unwrap_err().contains("wrong type"));
        let error = told(json!({ "token": "t", "x": "canary" })).unwrap_err();
        assert!(error.contains("'x'") && !error.contains("canary"));
    }
}
