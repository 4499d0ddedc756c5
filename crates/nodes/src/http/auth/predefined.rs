//! Where the credentials of known services go, as data: one row per type.

use super::super::draft::text_of;
use super::{Placement, basic};
use node_api::prelude::*;

/// One place in a request. `{field}` stands for a field of the credential; a place whose field is empty is left out.
enum Place {
    Header(&'static str, &'static str),
    Query(&'static str, &'static str),
    Basic(&'static str, &'static str),
}
use Place::{Basic, Header, Query};

const BEARER: &str = "Bearer {apiKey}";

#[rustfmt::skip]
const TYPES: &[(&str, &[Place])] = &[
    ("openAiApi", &[Header("Authorization", BEARER), Header("OpenAI-Organization", "{organizationId}")]),
    ("anthropicApi", &[Header("x-api-key", "{apiKey}"), Header("anthropic-version", "2023-06-01")]),
    ("mistralCloudApi", &[Header("Authorization", BEARER)]),
    ("openRouterApi", &[Header("Authorization", BEARER)]),
    ("groqApi", &[Header("Authorization", BEARER)]),
    ("deepSeekApi", &[Header("Authorization", BEARER)]),
    ("xAiApi", &[Header("Authorization", BEARER)]),
    ("cohereApi", &[Header("Authorization", BEARER)]),
    ("huggingFaceApi", &[Header("Authorization", BEARER)]),
    ("perplexityApi", &[Header("Authorization", BEARER)]),
    ("jinaAiApi", &[Header("Authorization", BEARER)]),
    ("vercelAiGatewayApi", &[Header("Authorization", BEARER)]),
    ("googlePalmApi", &[Query("key", "{apiKey}")]),
    ("azureOpenAiApi", &[Header("api-key", "{apiKey}")]),
    ("ollamaApi", &[Header("Authorization", BEARER)]),
    ("qdrantApi", &[Header("api-key", "{apiKey}")]),
    ("pineconeApi", &[Header("Api-Key", "{apiKey}")]),
    ("weaviateApi", &[Header("Authorization", BEARER)]),
    ("supabaseApi", &[Header("apikey", "{serviceRole}"), Header("Authorization", "Bearer {serviceRole}")]),
    ("slackApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("notionApi", &[Header("Authorization", BEARER), Header("Notion-Version", "2022-02-22")]),
    ("airtableTokenApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("airtableApi", &[Query("api_key", "{apiKey}")]),
    ("githubApi", &[Header("Authorization", "token {accessToken}")]),
    ("gitlabApi", &[Header("Private-Token", "{accessToken}")]),
    ("hubspotApi", &[Query("hapikey", "{apiKey}")]),
    ("hubspotAppToken", &[Header("Authorization", "Bearer {appToken}")]),
    ("stripeApi", &[Header("Authorization", "Bearer {secretKey}")]),
    ("sendGridApi", &[Header("Authorization", BEARER)]),
    ("mailgunApi", &[Basic("api", "{apiKey}")]),
    ("mailchimpApi", &[Header("Authorization", "apikey {apiKey}")]),
    ("sendInBlueApi", &[Header("api-key", "{apiKey}")]),
    ("twilioApi", &[Basic("{accountSid}", "{authToken}")]),
    ("telegramApi", &[]),
    ("discordBotApi", &[Header("Authorization", "Bot {botToken}")]),
    ("discordWebhookApi", &[]),
    ("jiraSoftwareCloudApi", &[Basic("{email}", "{apiToken}")]),
    ("jiraSoftwareServerApi", &[Basic("{email}", "{password}")]),
    ("jiraSoftwareServerPatApi", &[Header("Authorization", "Bearer {personalAccessToken}")]),
    ("asanaApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("clickUpApi", &[Header("Authorization", "{accessToken}")]),
    ("linearApi", &[Header("Authorization", "{apiKey}")]),
    ("trelloApi", &[Query("key", "{apiKey}"), Query("token", "{apiToken}")]),
    ("mondayComApi", &[Header("Authorization", "Bearer {apiToken}")]),
    ("todoistApi", &[Header("Authorization", BEARER)]),
    ("pipedriveApi", &[Query("api_token", "{apiToken}")]),
    ("typeformApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("calendlyApi", &[Header("Authorization", BEARER)]),
    ("shopifyAccessTokenApi", &[Header("X-Shopify-Access-Token", "{accessToken}")]),
    ("shopifyApi", &[Basic("{apiKey}", "{password}")]),
    ("wooCommerceApi", &[Basic("{consumerKey}", "{consumerSecret}")]),
    ("wordpressApi", &[Basic("{username}", "{password}")]),
    ("ghostContentApi", &[Query("key", "{apiKey}")]),
    ("webflowApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("zendeskApi", &[Basic("{email}/token", "{apiToken}")]),
    ("freshdeskApi", &[Basic("{apiKey}", "X")]),
    ("intercomApi", &[Header("Authorization", BEARER)]),
    ("helpScoutApi", &[Header("Authorization", BEARER)]),
    ("elasticsearchApi", &[Basic("{username}", "{password}")]),
    ("grafanaApi", &[Header("Authorization", BEARER)]),
    ("pagerDutyApi", &[Header("Authorization", "Token token={apiToken}")]),
    ("sentryIoApi", &[Header("Authorization", "Bearer {token}")]),
    ("sentryIoServerApi", &[Header("Authorization", "Bearer {token}")]),
    ("uptimeRobotApi", &[]),
    ("cloudflareApi", &[Header("Authorization", "Bearer {apiToken}")]),
    ("netlifyApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("digitalOceanApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("n8nApi", &[Header("X-N8N-API-KEY", "{apiKey}")]),
    ("nocoDb", &[Header("xc-auth", "{apiToken}")]),
    ("nocoDbApiToken", &[Header("xc-token", "{apiToken}")]),
    ("baserowTokenApi", &[Header("Authorization", "Token {token}")]),
    ("seaTableApi", &[Header("Authorization", "Token {token}")]),
    ("strapiTokenApi", &[Header("Authorization", "Bearer {apiToken}")]),
    ("directusApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("homeAssistantApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("mattermostApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("rocketchatApi", &[Header("X-Auth-Token", "{authKey}"), Header("X-User-Id", "{userId}")]),
    ("twistApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("whatsAppApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("facebookGraphApi", &[Query("access_token", "{accessToken}")]),
    ("lemlistApi", &[Basic("", "{apiKey}")]),
    ("hunterApi", &[Query("api_key", "{apiKey}")]),
    ("apolloApi", &[Header("X-Api-Key", "{apiKey}")]),
    ("serpApi", &[Query("api_key", "{apiKey}")]),
    ("openWeatherMapApi", &[Query("appid", "{accessToken}")]),
    ("nasaApi", &[Query("api_key", "{api_key}")]),
    ("newsApi", &[Header("X-Api-Key", "{apiKey}")]),
    ("deepLApi", &[Header("Authorization", "DeepL-Auth-Key {apiKey}")]),
    ("bitlyApi", &[Header("Authorization", "Bearer {accessToken}")]),
    ("urlScanIoApi", &[Header("API-KEY", "{apiKey}")]),
    ("virusTotalApi", &[Header("x-apikey", "{apiToken}")]),
    ("apifyApi", &[Header("Authorization", BEARER)]),
    ("firecrawlApi", &[Header("Authorization", BEARER)]),
    ("tavilyApi", &[Header("Authorization", BEARER)]),
    ("browserlessApi", &[Query("token", "{token}")]),
    ("elevenLabsApi", &[Header("xi-api-key", "{apiKey}")]),
    ("videoDBApi", &[Header("x-access-token", "{apiKey}")]),
    ("phantombusterApi", &[Header("X-Phantombuster-Key", "{apiKey}")]),
    ("activeCampaignApi", &[Header("Api-Token", "{apiKey}")]),
    ("klaviyoApi", &[Header("Authorization", "Klaviyo-API-Key {apiKey}")]),
    ("customerIoApi", &[Header("Authorization", "Bearer {appApiKey}")]),
    ("segmentApi", &[Basic("{writekey}", "")]),
    ("contentfulApi", &[Header("Authorization", "Bearer {ContentDeliveryaccessToken}")]),
    ("storyblokContentApi", &[Query("token", "{apiKey}")]),
    ("autopilotApi", &[Header("autopilotapikey", "{apiKey}")]),
    ("brevoApi", &[Header("api-key", "{apiKey}")]),
];

/// What a credential of this type adds to a request; `None` if the type is not in the table.
pub(super) fn placement(kind: &str, fields: &Object) -> Result<Option<Placement>, NodeError> {
    let Some((_, places)) = TYPES.iter().find(|(name, _)| *name == kind) else { return Ok(None) };
    let mut made = Placement::default();
    for place in *places {
        match place {
            Header(name, template) => {
                if let Some(value) = fill(template, fields) {
                    made.headers.push(((*name).to_owned(), value));
                }
            }
            Query(name, template) => {
                if let Some(value) = fill(template, fields) {
                    made.query.insert(*name, value);
                }
            }
            Basic(user, password) => {
                let part = |template: &str| fill(template, fields).unwrap_or_default();
                made.headers.push(("Authorization".to_owned(), basic(&part(user), &part(password))));
            }
        }
    }
    if made == Placement::default() && !places.is_empty() && kind != "ollamaApi" {
        return Err(NodeError::credential(format!("The credential of type '{kind}' is empty")).hint("Open the credential and fill it in."));
    }
    Ok(Some(made))
}

/// The template with its `{field}`s put in; `None` if one of them is empty.
fn fill(template: &str, fields: &Object) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        let value = fields.get(name).map(text_of).filter(|value| !value.is_empty())?;
        out.push_str(before);
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(kind: &str, fields: Value) -> Option<Placement> {
        placement(kind, fields.as_object().unwrap()).unwrap()
    }

    #[test]
    fn secrets_go_where_each_service_wants_them() {
        let openai = placed("openAiApi", json!({ "apiKey": "k" })).unwrap();
        assert_eq!(openai.headers, [("Authorization".to_owned(), "Bearer k".to_owned())]);
        let gemini = placed("googlePalmApi", json!({ "apiKey": "k" })).unwrap();
        assert_eq!(gemini.query.get("key"), Some(&json!("k")));
        let jira = placed("jiraSoftwareCloudApi", json!({ "email": "a@b.c", "apiToken": "t" })).unwrap();
        assert_eq!(jira.headers[0].1, basic("a@b.c", "t"));
        assert_eq!(placed("strangeApi", json!({})), None);
    }

    #[test]
    fn an_empty_credential_is_an_error() {
        assert!(placement("openAiApi", &Object::new()).is_err());
    }

    #[test]
    fn each_type_stands_in_the_table_once() {
        let mut names: Vec<_> = TYPES.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
