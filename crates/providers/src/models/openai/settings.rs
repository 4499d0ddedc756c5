//! How a server that speaks OpenAI's format is reached: its address, its keys, and what it knows of
//! the format.

use crate::models::endpoint::host_of;
use crate::models::secret::Secret;
use crate::models::wire::WireRequest;
use model::{Code, Str, Value};
use node_api::ai::{ModelError, ModelOptions};
use url::Url;

/// One server and one key.
#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// Where the paths begin, such as `https://api.openai.com/v1`.
    pub base_url: String,
    pub surface: Surface,
    pub auth: OpenAiAuth,
    pub organization: Option<Str>,
    pub project: Option<Str>,
    /// Sent as they are, in place of ours of the same name.
    pub headers: Vec<(String, Secret)>,
    pub api: OpenAiApi,
    pub token_field: TokenField,
    /// Whether the server is asked to stream; without, the whole answer comes at once.
    pub streams: bool,
    /// Whether the server knows `stream_options`.
    pub usage_in_streams: bool,
    /// Whether what the model thought goes back to it as `reasoning_content`.
    pub returns_reasoning: bool,
    /// For every request, under those of the request itself.
    pub options: ModelOptions,
    pub allow_invalid_certificates: bool,
    pub proxy: Option<String>,
}

/// How the paths are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The model is named in the body: OpenAI, Azure's `v1`, and everybody who is compatible.
    V1,
    /// Azure's older one: the model is the name of a deployment in the path.
    AzureDated { api_version: Str },
}

#[derive(Clone, Debug)]
pub enum OpenAiAuth {
    Bearer(Secret),
    /// The header `api-key`, as Azure has it.
    ApiKey(Secret),
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenAiApi {
    ChatCompletions,
    Responses,
}

/// What the limit on tokens is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenField {
    MaxCompletionTokens,
    /// The older name, the only one that many compatible servers know.
    MaxTokens,
}

impl OpenAiSettings {
    pub const OPENAI: &str = "https://api.openai.com/v1";

    pub fn openai(key: Secret) -> Self {
        Self::new(Self::OPENAI, OpenAiAuth::Bearer(key), TokenField::MaxCompletionTokens)
    }

    /// Any server that speaks the format.
    pub fn compatible(base_url: &str, key: Secret) -> Self {
        Self::new(base_url, OpenAiAuth::Bearer(key), TokenField::MaxTokens)
    }

    /// Azure's `v1`: `resource` is `https://NAME.openai.azure.com`.
    pub fn azure(resource: &str, auth: OpenAiAuth) -> Self {
        let resource = resource
            .trim_end_matches('/')
            .trim_end_matches("/openai/v1")
            .trim_end_matches("/openai");
        Self::new(&format!("{resource}/openai/v1"), auth, TokenField::MaxCompletionTokens)
    }

    /// Azure's older surface with its date.
    pub fn azure_dated(resource: &str, api_version: &str, auth: OpenAiAuth) -> Self {
        let resource = resource.trim_end_matches('/').trim_end_matches("/openai");
        let surface = Surface::AzureDated { api_version: api_version.into() };
        Self { surface, ..Self::new(resource, auth, TokenField::MaxTokens) }
    }

    fn new(base_url: &str, auth: OpenAiAuth, token_field: TokenField) -> Self {
        Self {
            base_url: base_url.to_owned(),
            surface: Surface::V1,
            auth,
            organization: None,
            project: None,
            headers: Vec::new(),
            api: OpenAiApi::ChatCompletions,
            token_field,
            streams: true,
            usage_in_streams: true,
            returns_reasoning: false,
            options: ModelOptions::default(),
            allow_invalid_certificates: false,
            proxy: None,
        }
    }

    pub(super) fn post(
        &self,
        path: &[&str],
        model: &str,
        body: &Value,
    ) -> Result<WireRequest, ModelError> {
        Ok(self.dress(WireRequest::post(self.url(path, Some(model))?, body)))
    }

    pub(super) fn get(&self, path: &[&str]) -> Result<WireRequest, ModelError> {
        Ok(self.dress(WireRequest::get(self.url(path, None)?)))
    }

    pub(super) fn url(&self, path: &[&str], model: Option<&str>) -> Result<String, ModelError> {
        let invalid = || {
            ModelError::new(
                Code::EGRESS_URL,
                "The base URL of the model's server is not a valid URL",
            )
        };
        let mut url = Url::parse(self.base_url.trim()).map_err(|_| invalid())?;
        {
            let mut segments = url.path_segments_mut().map_err(|()| invalid())?;
            segments.pop_if_empty();
            if matches!(self.surface, Surface::AzureDated { .. }) {
                segments.push("openai");
                if let Some(deployment) = model {
                    segments.push("deployments").push(deployment);
                }
            }
            segments.extend(path);
        }
        if let Surface::AzureDated { api_version } = &self.surface {
            url.query_pairs_mut().append_pair("api-version", api_version);
        }
        Ok(url.into())
    }

    /// The place, for the door that all requests with this key share.
    pub(super) fn host(&self) -> String {
        host_of(&self.base_url)
    }

    pub(super) fn key(&self) -> &str {
        match &self.auth {
            OpenAiAuth::Bearer(key) | OpenAiAuth::ApiKey(key) => key.reveal(),
            OpenAiAuth::None => "",
        }
    }

    /// Everything that no message may show.
    pub(super) fn secrets(&self) -> Vec<Secret> {
        let own = self.headers.iter().map(|(_, value)| value.clone());
        own.chain([Secret::new(self.key())]).collect()
    }

    fn dress(&self, mut call: WireRequest) -> WireRequest {
        let mut set = |name: &str, value: &str| {
            if !value.is_empty() {
                call.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
                call.headers.push((name.to_owned(), value.to_owned()));
            }
        };
        set("user-agent", concat!("heddle/", env!("CARGO_PKG_VERSION")));
        match &self.auth {
            OpenAiAuth::Bearer(key) if !key.is_empty() => {
                set("authorization", &format!("Bearer {}", key.reveal().trim()))
            }
            OpenAiAuth::ApiKey(key) => set("api-key", key.reveal().trim()),
            OpenAiAuth::Bearer(_) | OpenAiAuth::None => {}
        }
        set("openai-organization", self.organization.as_deref().unwrap_or_default());
        set("openai-project", self.project.as_deref().unwrap_or_default());
        for (name, value) in &self.headers {
            set(name, value.reveal());
        }
        call.allow_invalid_certificates = self.allow_invalid_certificates;
        call.proxy.clone_from(&self.proxy);
        let key = match &self.auth {
            OpenAiAuth::Bearer(key) | OpenAiAuth::ApiKey(key) => Some(key),
            OpenAiAuth::None => None,
        };
        call.bound =
            Secret::binding_of(key.into_iter().chain(self.headers.iter().map(|(_, value)| value)));
        call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &[&str] = &["chat", "completions"];

    fn url(settings: &OpenAiSettings) -> String {
        settings.url(CHAT, Some("my model")).unwrap()
    }

    #[test]
    fn paths_follow_the_surface() {
        let key = || OpenAiAuth::ApiKey(Secret::new("k"));
        assert_eq!(
            url(&OpenAiSettings::openai(Secret::default())),
            "https://api.openai.com/v1/chat/completions"
        );
        let compatible =
            OpenAiSettings::compatible("http://localhost:1234/v1/?team=a", Secret::default());
        assert_eq!(url(&compatible), "http://localhost:1234/v1/chat/completions?team=a");
        for resource in ["https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1/"] {
            assert_eq!(
                url(&OpenAiSettings::azure(resource, key())),
                "https://r.openai.azure.com/openai/v1/chat/completions"
            );
        }
        let dated = OpenAiSettings::azure_dated("https://r.openai.azure.com/", "2024-10-21", key());
        let expected = "https://r.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21";
        assert_eq!(url(&dated), expected);
        assert_eq!(
            dated.url(&["models"], None).unwrap(),
            "https://r.openai.azure.com/openai/models?api-version=2024-10-21"
        );
        assert_eq!(
            OpenAiSettings::compatible("no url", Secret::default())
                .url(CHAT, None)
                .unwrap_err()
                .code,
            Code::EGRESS_URL
        );
    }

    #[test]
    fn headers_of_the_users_own_win() {
        let mut settings = OpenAiSettings::openai(Secret::new(" sk-key\n"));
        settings.organization = Some("org".into());
        settings.headers =
            vec![("User-Agent".into(), Secret::new("mine")), ("x-title".into(), Secret::new("t"))];
        let call = settings.post(CHAT, "m", &Value::empty_object()).unwrap();
        let find = |name: &str| -> Vec<String> {
            let same = call.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
            same.map(|(_, value)| value.clone()).collect()
        };
        assert_eq!(find("authorization"), ["Bearer sk-key"]);
        assert_eq!(find("user-agent"), ["mine"]);
        assert_eq!(find("openai-organization"), ["org"]);
        assert!(!format!("{settings:?} {call:?}").contains("sk-key"));
        let without_key =
            OpenAiSettings::compatible("http://h/v1", Secret::default()).get(&["models"]).unwrap();
        assert!(without_key.headers.iter().all(|(name, _)| name != "authorization"));
    }
}
