//! The description of a credential type: its form, how it authenticates, where it may be sent and
//! how it is tested.

use super::template;
use model::{Object, Str, Value};
use serde::{Deserialize, Serialize};

/// Everything there is to know about a credential type, as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialSpec {
    /// The type in workflow JSON, such as `openAiApi`.
    pub id: Str,
    /// Other names that workflows use for the type.
    #[serde(default)]
    pub aliases: Vec<Str>,
    pub name: Str,
    pub group: CredentialGroup,
    pub fields: Vec<CredentialField>,
    /// The service may have fields that are not described here; they count as secret.
    #[serde(default)]
    pub allows_other_fields: bool,
    #[serde(default)]
    pub auth: CredentialAuth,
    /// The address of the service. `{field|default}` stands for a field of the credential.
    #[serde(default)]
    pub base_url: Str,
    /// The hosts that may receive the secrets, unless the owner lists others; any host if there is
    /// none. `{field}` is the host of an address that the owner has set, `{field}.example.com` a
    /// name that is made of a field.
    #[serde(default)]
    pub hosts: Vec<Str>,
    #[serde(default)]
    pub test: Option<CredentialTest>,
    /// The header in which the service takes a key that tells repeated requests from new ones.
    #[serde(default)]
    pub idempotency_header: Option<Str>,
    /// Where the service lists its models, after [`CredentialSpec::base_url`].
    #[serde(default)]
    pub models: Option<Str>,
    #[serde(default)]
    pub provider: Option<ModelProvider>,
    /// Where the service's users create a key.
    #[serde(default)]
    pub help_url: Str,
    /// Environment variables that fill fields for the command line.
    #[serde(default)]
    pub env: Vec<EnvVariable>,
    /// OAuth2 types whose names begin like this belong to the same service.
    #[serde(default)]
    pub prefixes: Vec<Str>,
}

/// Where a type stands in lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CredentialGroup {
    Models,
    /// Types that fit any service.
    Generic,
    /// Databases and mail servers.
    Servers,
    #[default]
    Services,
}

/// One field of a credential.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialField {
    pub name: Str,
    pub label: Str,
    pub kind: FieldKind,
    pub role: FieldRole,
    #[serde(default)]
    pub required: bool,
    /// Few people need it; forms hide it at first.
    #[serde(default)]
    pub advanced: bool,
    #[serde(default)]
    pub hint: Str,
    #[serde(default)]
    pub placeholder: Str,
    #[serde(default)]
    pub options: Vec<Str>,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldKind {
    #[default]
    Text,
    /// Several lines, such as a certificate.
    LongText,
    /// JSON as text.
    Json,
    Flag,
    Number,
    /// One of [`CredentialField::options`].
    Choice,
    /// Never typed, such as the token that a service has issued at sign-in.
    Hidden,
}

/// What a field means for the secrets of its credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldRole {
    /// Is never shown.
    #[default]
    Secret,
    /// May be shown, and does not decide where secrets go.
    Plain,
    /// Decides where the secrets go, or who on the way can read them. The name of a header is one:
    /// there are headers whose values are logged, or send a request elsewhere.
    Destination,
}

/// How requests are authenticated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CredentialAuth {
    /// Requests cannot be signed with it.
    #[default]
    None,
    /// The same additions to every request; none if the nodes of the service do it themselves.
    Request(Vec<AuthPlacement>),
    OAuth2(OAuth2Endpoints),
    GoogleServiceAccount,
}

/// One place in a request. `{field}` stands for a field of the credential; a place whose field is
/// empty is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AuthPlacement {
    Header { name: Str, value: Str },
    Query { name: Str, value: Str },
    Basic { user: Str, password: Str },
}

/// Where tokens come from, for types that do not have these addresses as fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OAuth2Endpoints {
    pub auth_url: Str,
    pub token_url: Str,
    /// Requested if the credential names none, with spaces between.
    #[serde(default)]
    pub scopes: Str,
}

/// How a credential is tested without leaving a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CredentialTest {
    /// A GET request of this path after [`CredentialSpec::base_url`].
    Get(Str),
    /// A node with these parameters.
    Node {
        node_type: Str,
        version: f64,
        parameters: Str,
    },
    /// Sign-in to a mail server.
    Smtp,
    Imap,
}

/// A provider of chat models, for agents without a workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// In `PROVIDER/MODEL`.
    pub name: Str,
    /// The type of the node that supplies its models.
    pub node_type: Str,
}

/// An environment variable and the field that it fills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvVariable {
    pub name: Str,
    pub field: Str,
}

impl CredentialGroup {
    /// As lists show it.
    pub fn name(self) -> &'static str {
        match self {
            CredentialGroup::Models => "Models",
            CredentialGroup::Generic => "Any service",
            CredentialGroup::Servers => "Databases and email",
            CredentialGroup::Services => "Services",
        }
    }
}

impl CredentialSpec {
    /// A type whose fields are all described.
    pub fn new(id: &str, name: &str, group: CredentialGroup) -> Self {
        Self { id: id.into(), name: name.into(), group, ..Self::default() }
    }

    /// A type of one service, which may have fields that are not described.
    pub fn service(id: &str, name: &str) -> Self {
        Self {
            allows_other_fields: true,
            auth: CredentialAuth::Request(Vec::new()),
            ..Self::new(id, name, CredentialGroup::Services)
        }
    }

    /// A type that nobody has described: all its fields are secret, and any change of one may lead
    /// the others elsewhere.
    pub fn unknown(id: &str) -> Self {
        Self { auth: CredentialAuth::None, ..Self::service(id, id) }
    }

    pub fn group(mut self, group: CredentialGroup) -> Self {
        self.group = group;
        self
    }

    pub fn alias(mut self, id: &str) -> Self {
        self.aliases.push(id.into());
        self
    }

    pub fn fields(mut self, fields: impl IntoIterator<Item = CredentialField>) -> Self {
        self.fields.extend(fields);
        self
    }

    pub fn header(self, name: &str, value: &str) -> Self {
        self.placed(AuthPlacement::Header { name: name.into(), value: value.into() })
    }

    pub fn query(self, name: &str, value: &str) -> Self {
        self.placed(AuthPlacement::Query { name: name.into(), value: value.into() })
    }

    pub fn basic(self, user: &str, password: &str) -> Self {
        self.placed(AuthPlacement::Basic { user: user.into(), password: password.into() })
    }

    /// Authenticates with the field `apiKey` as a bearer token.
    pub fn bearer_key(self) -> Self {
        self.header("Authorization", "Bearer {apiKey}")
    }

    fn placed(mut self, placement: AuthPlacement) -> Self {
        match &mut self.auth {
            CredentialAuth::Request(placements) => placements.push(placement),
            _ => self.auth = CredentialAuth::Request(vec![placement]),
        }
        self
    }

    /// A service with OAuth2 and fixed endpoints, with the fields that all such types share. Types
    /// whose names begin with one of `prefixes` belong to it as well.
    pub fn oauth2(mut self, auth_url: &str, token_url: &str, prefixes: &[&str]) -> Self {
        self.auth = CredentialAuth::OAuth2(OAuth2Endpoints {
            auth_url: auth_url.into(),
            token_url: token_url.into(),
            scopes: Str::new(),
        });
        self.prefixes = prefixes.iter().map(|prefix| Str::from(*prefix)).collect();
        self.fields([
            CredentialField::plain("clientId", "Client ID"),
            CredentialField::secret("clientSecret", "Client secret"),
            CredentialField::plain("scope", "Scope"),
            CredentialField::plain("grantType", "Grant type").advanced(),
            CredentialField::plain("authentication", "Authentication").advanced(),
            CredentialField::destination("authUrl", "Authorization URL").advanced(),
            CredentialField::destination("accessTokenUrl", "Access token URL").advanced(),
            CredentialField::secret("oauthTokenData", "Token").kind(FieldKind::Hidden),
        ])
    }

    pub fn google_service_account(mut self) -> Self {
        self.auth = CredentialAuth::GoogleServiceAccount;
        self
    }

    /// Where requests go without anything that a field of the credential says.
    pub fn fixed_base_url(&self) -> Option<String> {
        template::fill(&self.base_url, |_| None).ok().filter(|url| !url.is_empty())
    }

    pub fn base_url(mut self, url: &str) -> Self {
        self.base_url = url.into();
        self
    }

    pub fn hosts(mut self, hosts: &[&str]) -> Self {
        self.hosts = hosts.iter().map(|host| Str::from(*host)).collect();
        self
    }

    pub fn test_get(mut self, path: &str) -> Self {
        self.test = Some(CredentialTest::Get(path.into()));
        self
    }

    pub fn test_node(mut self, node_type: &str, version: f64, parameters: &str) -> Self {
        let (node_type, parameters) = (node_type.into(), parameters.into());
        self.test = Some(CredentialTest::Node { node_type, version, parameters });
        self
    }

    pub fn test(mut self, test: CredentialTest) -> Self {
        self.test = Some(test);
        self
    }

    /// The service documents that of several requests with the same key in this header only the
    /// first takes effect.
    pub fn idempotency_header(mut self, name: &str) -> Self {
        self.idempotency_header = Some(name.into());
        self
    }

    pub fn models(mut self, path: &str) -> Self {
        self.models = Some(path.into());
        self
    }

    pub fn provider(mut self, name: &str, node_type: &str) -> Self {
        self.provider = Some(ModelProvider { name: name.into(), node_type: node_type.into() });
        self
    }

    pub fn help_url(mut self, url: &str) -> Self {
        self.help_url = url.into();
        self
    }

    /// Several variables may fill one field; the first that is set counts.
    pub fn env(mut self, name: &str, field: &str) -> Self {
        self.env.push(EnvVariable { name: name.into(), field: field.into() });
        self
    }

    /// The description of a field, those that every type has included.
    pub fn field(&self, name: &str) -> Option<&CredentialField> {
        let described = self.fields.iter().find(|field| field.name == name);
        described.or_else(|| host_fields().iter().find(|field| field.name == name))
    }

    /// All fields: its own, then those that every type has.
    pub fn all_fields(&self) -> impl Iterator<Item = &CredentialField> {
        self.fields.iter().chain(host_fields())
    }

    /// Whether a field may be shown to somebody who may see the credential.
    pub fn is_public(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.role != FieldRole::Secret)
    }

    /// The URL of a path of the service, with the fields of a credential in it.
    pub fn url(&self, path: &str, fields: &Object) -> Result<String, String> {
        let text = |name: &str| {
            let value = fields.get(name).and_then(Value::as_str).map(str::trim);
            value.map(|value| value.trim_end_matches('/').to_owned())
        };
        let url = template::fill(&format!("{}{path}", self.base_url), text)
            .map_err(|template::EmptyField(name)| format!("The field '{name}' is empty"))?;
        // What begins with `=` would be an expression.
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(
                "The address in the credential does not start with http:// or https://".to_owned()
            );
        }
        Ok(url)
    }
}

/// The two fields of every type: which hosts its owner lets requests send it to.
fn host_fields() -> &'static [CredentialField] {
    static FIELDS: std::sync::LazyLock<[CredentialField; 2]> = std::sync::LazyLock::new(|| {
        [
            CredentialField::destination(super::USE_FIELD, "Allowed hosts")
                .choices(&["all", "domains", "none"])
                .hint("Hosts that HTTP requests may send this credential to.")
                .advanced(),
            CredentialField::destination(super::LIST_FIELD, "Hosts")
                .hint("Comma-separated hosts, such as api.example.com, *.example.org.")
                .advanced(),
        ]
    });
    FIELDS.as_slice()
}

impl CredentialField {
    fn new(name: &str, label: &str, role: FieldRole) -> Self {
        Self { name: name.into(), label: label.into(), role, ..Self::default() }
    }

    /// A text that is never shown.
    pub fn secret(name: &str, label: &str) -> Self {
        Self::new(name, label, FieldRole::Secret)
    }

    /// A text that may be shown.
    pub fn plain(name: &str, label: &str) -> Self {
        Self::new(name, label, FieldRole::Plain)
    }

    /// A text that decides where the secrets go.
    pub fn destination(name: &str, label: &str) -> Self {
        Self::new(name, label, FieldRole::Destination)
    }

    pub fn kind(mut self, kind: FieldKind) -> Self {
        self.kind = kind;
        self
    }

    pub fn long(self) -> Self {
        self.kind(FieldKind::LongText)
    }

    pub fn flag(self) -> Self {
        self.kind(FieldKind::Flag)
    }

    pub fn number(self) -> Self {
        self.kind(FieldKind::Number)
    }

    pub fn choices(mut self, options: &[&str]) -> Self {
        self.options = options.iter().map(|option| Str::from(*option)).collect();
        self.kind(FieldKind::Choice)
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn advanced(mut self) -> Self {
        self.advanced = true;
        self
    }

    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = hint.into();
        self
    }

    pub fn placeholder(mut self, placeholder: &str) -> Self {
        self.placeholder = placeholder.into();
        self
    }

    /// Whether a value has the type that the field holds.
    pub fn accepts(&self, value: &Value) -> bool {
        match self.kind {
            FieldKind::Text | FieldKind::LongText | FieldKind::Json | FieldKind::Choice => {
                value.is_string() || value.is_object()
            }
            FieldKind::Flag => value.as_bool().is_some(),
            FieldKind::Number => value.as_f64().is_some(),
            FieldKind::Hidden => true,
        }
    }
}
