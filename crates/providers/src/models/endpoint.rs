//! Where a provider is and with which key it is asked.

use super::requester::{ModelAccess, ModelRequester};
use super::secret::Secret;
use super::wire::WireRequest;
use crate::aws::AwsSigner;
use model::{Code, Value};
use node_api::ai::ModelError;
use std::sync::Arc;
use url::Url;

/// An address and a key, with what a proxy in between may want.
#[derive(Clone, Debug)]
pub struct ModelEndpoint {
    pub base_url: String,
    pub key: Secret,
    /// Headers of the user's own, which may be keys themselves.
    pub headers: Vec<(String, Secret)>,
    pub allow_invalid_certificates: bool,
    pub proxy: Option<String>,
    /// Signs requests in place of a key that is sent along.
    pub signer: Option<Arc<AwsSigner>>,
}

impl ModelEndpoint {
    pub fn new(base_url: &str, key: Secret) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key,
            headers: Vec::new(),
            allow_invalid_certificates: false,
            proxy: None,
            signer: None,
        }
    }

    pub(super) fn requester(&self, access: &ModelAccess) -> ModelRequester {
        let signers = self.signer.iter().flat_map(|signer| signer.secrets());
        let own = self.headers.iter().map(|(_, value)| value.clone()).chain([self.key.clone()]);
        let secrets = own.chain(signers).collect();
        access.requester(&host_of(&self.base_url), self.key.reveal(), secrets)
    }

    pub(super) fn post(
        &self,
        path: &str,
        headers: Vec<(String, String)>,
        body: &Value,
    ) -> Result<WireRequest, ModelError> {
        Ok(self.dress(WireRequest::post(self.url(path)?, body), headers))
    }

    pub(super) fn get(
        &self,
        path: &str,
        headers: Vec<(String, String)>,
    ) -> Result<WireRequest, ModelError> {
        Ok(self.dress(WireRequest::get(self.url(path)?), headers))
    }

    /// The path behind the address. Addresses that end with the version that the path begins with
    /// do not get it twice.
    fn url(&self, path: &str) -> Result<String, ModelError> {
        let invalid = || {
            ModelError::new(
                Code::EGRESS_URL,
                "The base URL of the model's server is not a valid URL",
            )
        };
        let mut base = Url::parse(self.base_url.trim()).map_err(|_| invalid())?;
        if base.cannot_be_a_base() {
            return Err(invalid());
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let folder = base.path().trim_end_matches('/').to_owned();
        let version = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let folder = folder
            .strip_suffix(version)
            .filter(|rest| rest.ends_with('/'))
            .unwrap_or(&folder)
            .trim_end_matches('/');
        base.set_path(&format!("{folder}{path}"));
        let queries: Vec<&str> = [base.query().unwrap_or_default(), query]
            .into_iter()
            .filter(|query| !query.is_empty())
            .collect();
        let queries = queries.join("&");
        base.set_query(Some(queries.as_str()).filter(|query| !query.is_empty()));
        Ok(base.into())
    }

    /// Headers of the user's own go over those of the format.
    fn dress(&self, mut call: WireRequest, headers: Vec<(String, String)>) -> WireRequest {
        let agent =
            ("user-agent".to_owned(), concat!("heddle/", env!("CARGO_PKG_VERSION")).to_owned());
        let own =
            self.headers.iter().map(|(name, value)| (name.clone(), value.reveal().to_owned()));
        for (name, value) in [agent]
            .into_iter()
            .chain(headers)
            .chain(own)
            .filter(|(_, value)| !value.trim().is_empty())
        {
            call.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
            call.headers.push((name, value.trim().to_owned()));
        }
        call.allow_invalid_certificates = self.allow_invalid_certificates;
        call.proxy.clone_from(&self.proxy);
        call.signer.clone_from(&self.signer);
        call.bound = Secret::binding_of(
            [&self.key].into_iter().chain(self.headers.iter().map(|(_, value)| value)),
        );
        call
    }
}

/// The host and the port of an address, for the door that all requests to it share.
pub(super) fn host_of(base_url: &str) -> String {
    let url = Url::parse(base_url.trim()).ok();
    let place = |url: Url| {
        format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or_default()
        )
    };
    url.map(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str, path: &str) -> String {
        ModelEndpoint::new(base, Secret::default()).url(path).unwrap()
    }

    #[test]
    fn paths_stand_behind_the_address() {
        assert_eq!(
            url("https://api.anthropic.com", "/v1/messages"),
            "https://api.anthropic.com/v1/messages"
        );
        assert_eq!(
            url("https://api.anthropic.com/v1/", "/v1/messages"),
            "https://api.anthropic.com/v1/messages"
        );
        assert_eq!(
            url("http://gateway/team/v1beta", "/v1beta/models/m:x?alt=sse"),
            "http://gateway/team/v1beta/models/m:x?alt=sse"
        );
        assert_eq!(url("http://h:11434/?team=a", "/api/chat"), "http://h:11434/api/chat?team=a");
        assert_eq!(url("http://h/myv1", "/v1/messages"), "http://h/myv1/v1/messages");
        for wrong in ["no url", "data:text,x", ""] {
            assert_eq!(
                ModelEndpoint::new(wrong, Secret::default()).url("/v1").unwrap_err().code,
                Code::EGRESS_URL,
                "{wrong}"
            );
        }
    }

    #[test]
    fn headers_of_the_users_own_win_and_empty_ones_are_not_sent() {
        let mut place = ModelEndpoint::new("http://h", Secret::new("k"));
        place.headers =
            vec![("X-Api-Key".into(), Secret::new("mine\n")), ("x-empty".into(), Secret::new(""))];
        let call = place.get("/v1/models", vec![("x-api-key".into(), "k".into())]).unwrap();
        let named: Vec<_> =
            call.headers.iter().filter(|(name, _)| name.to_lowercase().starts_with("x-")).collect();
        assert_eq!(named, [&("X-Api-Key".to_owned(), "mine".to_owned())]);
    }
}
