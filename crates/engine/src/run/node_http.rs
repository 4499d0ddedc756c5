//! A node's way out. A node that has opened a credential and does not say what of it a request
//! carries is taken to send all of it: the request goes only where the credential may. What a node
//! sends for a model that may be following orders of strangers stays at the host it is addressed
//! to, whoever answers there.

use super::lock;
use node_api::Credential;
use node_api::hosts::{HostAllowlist, SecretBinding};
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse, HttpStream};
use std::sync::{Arc, Mutex};

/// Where redirects may lead the requests of a node that does not say so itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectScope {
    Any,
    SameHost,
}

pub(super) struct NodeHttp {
    out: Arc<dyn Http>,
    hops: RedirectScope,
    /// The binding of all credentials that were opened.
    opened: Mutex<Option<Arc<SecretBinding>>>,
}

impl NodeHttp {
    pub(super) fn new(out: Arc<dyn Http>, hops: RedirectScope) -> Self {
        Self { out, hops, opened: Mutex::default() }
    }

    pub(super) fn opens(&self, credential: &Credential) {
        let bound = credential.binding();
        if bound.hosts.is_any() {
            return;
        }
        let mut opened = lock(&self.opened);
        *opened = Some(match opened.take() {
            Some(earlier) => Arc::new(earlier.and(&bound)),
            None => bound,
        });
    }

    fn bound(&self, mut request: HttpRequest) -> HttpRequest {
        if request.bound.is_none() {
            request.bound.clone_from(&lock(&self.opened));
        }
        if self.hops == RedirectScope::SameHost
            && request.hosts.is_any()
            && let Some(hosts) = HostAllowlist::of_request(&request.url, request.header("host"))
        {
            request.hosts = hosts;
        }
        request
    }
}

#[async_trait::async_trait]
impl Http for NodeHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.out.send(self.bound(request)).await
    }

    async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        self.out.open(self.bound(request)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Object;
    use node_api::credential::CredentialSpec;

    /// Answers with the hosts that a request is bound to.
    struct HostEcho;

    #[async_trait::async_trait]
    impl Http for HostEcho {
        async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
            let told = match (&request.bound, request.header("asks")) {
                (_, Some("hosts")) => request.hosts.to_string(),
                (Some(bound), _) => bound.hosts.to_string(),
                (None, _) => "nothing".to_owned(),
            };
            Ok(HttpResponse {
                status: 200,
                status_text: "OK".into(),
                headers: Vec::new(),
                body: told.into(),
                url: request.url,
                reservation: Default::default(),
            })
        }
    }

    fn credential(kind: &str, hosts: &[&str]) -> Credential {
        let spec = CredentialSpec::service(kind, kind).hosts(hosts);
        Credential::new(Arc::new(spec), kind, Object::new())
    }

    #[tokio::test]
    async fn issue_14_08_a_node_that_does_not_say_what_it_sends_is_bound_to_what_it_opened() {
        let http = NodeHttp::new(Arc::new(HostEcho), RedirectScope::Any);
        let sent = async |bound: Option<Arc<SecretBinding>>| {
            let request = HttpRequest { bound, ..HttpRequest::new("GET", "https://x.test/") };
            String::from_utf8(http.send(request).await.unwrap().body.to_vec()).unwrap()
        };
        assert_eq!(sent(None).await, "nothing");
        http.opens(&credential("httpHeaderAuth", &[]));
        assert_eq!(sent(None).await, "nothing", "it may go anywhere");
        http.opens(&credential("notionApi", &["api.notion.com"]));
        assert_eq!(sent(None).await, "api.notion.com");
        assert_eq!(sent(Some(SecretBinding::deny_all())).await, "any host", "it said so");
        http.opens(&credential("linearApi", &["api.linear.app"]));
        assert_eq!(sent(None).await, "api.notion.com; and also api.linear.app");
    }

    #[tokio::test]
    async fn issue_14_12_requests_for_an_exposed_model_stay_at_their_host() {
        let sent = async |hops: RedirectScope, hosts: HostAllowlist, host_header: Option<&str>| {
            let mut request =
                HttpRequest { hosts, ..HttpRequest::new("GET", " https://x.test:8443/a?b ") };
            request.set_header("asks", "hosts");
            if let Some(name) = host_header {
                request.set_header("host", name);
            }
            String::from_utf8(
                NodeHttp::new(Arc::new(HostEcho), hops).send(request).await.unwrap().body.to_vec(),
            )
            .unwrap()
        };
        assert_eq!(sent(RedirectScope::Any, HostAllowlist::Any, None).await, "any host");
        assert_eq!(sent(RedirectScope::SameHost, HostAllowlist::Any, None).await, "x.test:8443");
        assert_eq!(
            sent(RedirectScope::SameHost, HostAllowlist::Any, Some("y.test")).await,
            "x.test:8443, y.test"
        );
        assert_eq!(
            sent(RedirectScope::SameHost, HostAllowlist::parse_list("z.test"), None).await,
            "z.test",
            "the node says more about it"
        );
    }
}
