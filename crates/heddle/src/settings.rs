//! Settings: this table is their manual. A value comes from a flag, else the environment, else a
//! file, else the default.

#[expect(clippy::disallowed_methods, reason = "the settings file named by the operator")]
mod file;
mod oidc;
mod page;
mod sources;

pub(crate) use oidc::OidcSettings;
pub(crate) use page::page;
pub(crate) use sources::{GlobalArgs, SettingOrigin, Sources, use_sources};

use anyhow::{Context as _, Result};
use model::SpendingLimit;
use node_api::ai::AgentLimits;
use node_api::collections::CollectionLimits;
use node_api::host::Feature;
use node_api::tables::TableLimits;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// Everything an operator can set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) timezone: String,
    pub(crate) files_root: PathBuf,
    /// The folder of the weights of built-in models.
    pub(crate) models: PathBuf,
    pub(crate) test_nodes: bool,
    pub(crate) egress_allow: String,
    pub(crate) features: Vec<Feature>,
    pub(crate) run_data_limit: usize,
    pub(crate) run_memory_limit: usize,
    /// The same for all runs together.
    pub(crate) run_memory_total: usize,
    /// CPU time of one step, and of all steps of a run.
    pub(crate) cpu: [std::time::Duration; 2],
    /// For the JavaScript of all runs together.
    pub(crate) sandbox_memory: usize,
    pub(crate) compute_memory: usize,
    pub(crate) retention: runtime::Retention,
    pub(crate) max_body: usize,
    pub(crate) table_bytes: usize,
    pub(crate) collections: CollectionLimits,
    pub(crate) run_limits: runtime::RunLimits,
    pub(crate) admission_limits: server::AdmissionLimits,
    pub(crate) catch_up: runtime::CatchUp,
    pub(crate) spending: SpendingLimit,
    pub(crate) agents: AgentLimits,
    /// The operator's file of models.
    pub(crate) model_catalog: Option<PathBuf>,
    pub(crate) server: ServerSettings,
}

/// How the server is reached and what it logs.
#[derive(Clone, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) host: IpAddr,
    pub(crate) port: u16,
    pub(crate) base_url: Option<String>,
    /// The origin of webhooks, forms and chats, if it is another.
    pub(crate) webhook_url: Option<String>,
    /// Further names of the editor and the API.
    pub(crate) allowed_hosts: Vec<String>,
    /// Whether the first owner can be made from another machine.
    pub(crate) remote_setup: bool,
    /// With whom people sign in beside their password.
    pub(crate) oidc: Option<OidcSettings>,
    /// Whether the first start opens a browser.
    pub(crate) open_browser: bool,
    pub(crate) log: String,
    pub(crate) log_format: LogFormat,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 5678,
            base_url: None,
            webhook_url: None,
            allowed_hosts: Vec::new(),
            remote_setup: false,
            oidc: None,
            open_browser: true,
            log: "info".into(),
            log_format: LogFormat::Text,
        }
    }
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// A setting as it is documented.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
}

impl Setting {
    /// Its name in a file and behind `--set`: `HEDDLE_KEEP_DAYS` is `keep_days` there.
    pub(crate) fn key(&self) -> String {
        self.name.strip_prefix("HEDDLE_").unwrap_or(self.name).to_lowercase()
    }

    /// Whether its value is kept out of what is printed.
    pub(crate) fn is_secret(&self) -> bool {
        SECRET.contains(&self.name)
    }

    /// Whether it says where the file is, and so cannot stand in it.
    pub(crate) fn is_excluded_from_files(&self) -> bool {
        EXCLUDED_FROM_FILES.contains(&self.name)
    }
}

const SECRET: &[&str] =
    &["HEDDLE_MCP_KEY", "HEDDLE_OIDC_CLIENT_SECRET", "OTEL_EXPORTER_OTLP_HEADERS"];

const EXCLUDED_FROM_FILES: &[&str] = &["HEDDLE_DATA", "HEDDLE_CONFIG", "HEDDLE_MCP_KEY"];

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "HEDDLE_TIMEZONE",
        default: "UTC",
        help: "Time zone of workflows that set none, such as Europe/Berlin. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_FILES_ROOT",
        default: "./workspace",
        help: "Folder that file nodes may read and write. The first project uses it directly; each \
             other project has a subfolder in `.projects`. Must not contain the data folder. Since \
             0.1.",
    },
    Setting {
        name: "HEDDLE_MODELS",
        default: "",
        help: "Folder for the weights of built-in models; several instances may share it. Default: \
             `models` in the data folder. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_EGRESS_ALLOW",
        default: "",
        help: "Private hosts that workflows may call: host, host:port or CIDR, comma-separated. Since \
             0.1.",
    },
    Setting {
        name: "HEDDLE_ALLOW_EXECUTE_COMMAND",
        default: "0",
        help: "Set to 1 to allow the Execute Command node to run programs. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_ALLOW_ENV",
        default: "0",
        help: "Set to 1 to allow expressions to read environment variables through $env. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUN_DATA_LIMIT",
        default: "8GB",
        help: "Maximum data that one run may produce. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUN_MEMORY_LIMIT",
        default: "256MB",
        help: "Maximum data of one run in memory; the rest goes to a temporary file. Also limits \
             responses and files parsed as JSON, with a minimum of 64 MB. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUN_MEMORY_TOTAL",
        default: "256MB",
        help: "Maximum data of all runs in memory. Their incoming requests have a separate limit of \
             the same size, and so do responses being read from other services (at least 64 MB). \
             Since 0.1.",
    },
    Setting {
        name: "HEDDLE_STEP_CPU_TIME",
        default: "120",
        help: "CPU time limit of one step, in seconds. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUN_CPU_TIME",
        default: "600",
        help: "CPU time limit of all steps of a run, in seconds. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_SANDBOX_MEMORY",
        default: "256MB",
        help: "Shared JavaScript memory of all runs; each run also has 16 MB for itself. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_COMPUTE_MEMORY",
        default: "128MB",
        help: "Process memory limit for long computations. Above it, only a few run at a time, and \
             large requests wait or are rejected with 503. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MAX_BODY",
        default: "16MB",
        help: "Maximum size of a request body. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_TOKENS_PER_DAY",
        default: "",
        help: "Maximum model tokens of all workflows per day (UTC); unlimited if empty. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_DOLLARS_PER_DAY",
        default: "",
        help: "Maximum spending of all workflows on models with known prices per day (UTC), in US \
             dollars; unlimited if empty. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MODEL_CATALOG",
        default: "",
        help: "JSON file with prices and capabilities of models, used before those that are built in: \
             `{ \"models\": [{ \"provider\": \"openai\", \"model\": \"gpt-4o\", \"price\": { \"input\": 2.5, \
             \"output\": 10 } }] }`, in US dollars per million tokens. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_AGENT_ITERATIONS",
        default: "100",
        help: "Maximum model calls of an agent for one item, whatever its node says. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_TOOL_TIMEOUT",
        default: "300",
        help: "Timeout for one tool call of an agent, in seconds. Workflows and agents used as tools \
             have their own limits. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_HISTORY_TOKENS",
        default: "100000",
        help: "Maximum tokens of earlier turns that an agent sends to its model, estimated as four \
             characters each. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_SESSION_MODEL_CALLS",
        default: "120",
        help: "Maximum model calls of one session per minute; 0 for no limit. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_TABLE_BYTES",
        default: "50MB",
        help: "Maximum size of a data table. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_COLLECTIONS",
        default: "1000",
        help: "Maximum number of knowledge collections. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_COLLECTION_BYTES",
        default: "2GB",
        help: "Maximum size of a collection, including texts and vectors. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_COLLECTION_INSERT",
        default: "10000",
        help: "Maximum number of chunks per insert into a collection. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_COLLECTION_RESULTS",
        default: "100",
        help: "Maximum number of results per collection search. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_VECTOR_MEMORY",
        default: "512MB",
        help: "Maximum memory for collection vectors; a collection that does not fit is read from \
             disk. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RATE_LIMIT",
        default: "1000",
        help: "Requests per second from one address, with bursts of twice that; 0 for unlimited. \
             Requests from this machine do not count. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_TRUSTED_PROXIES",
        default: "",
        help: "Proxies whose X-Forwarded-For header is trusted: addresses or CIDR, comma-separated. \
             Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MAX_CONNECTIONS",
        default: "10000",
        help: "Maximum open connections; additional connections are rejected with 503. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_CONNECTIONS_PER_ADDRESS",
        default: "256",
        help: "Maximum open connections from one address; 0 for unlimited. This machine and trusted \
             proxies do not count; a private address may use half of all connections. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MAX_REQUESTS",
        default: "5000",
        help: "Maximum concurrent requests; additional requests are rejected with 503. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MAX_HEADERS",
        default: "32KB",
        help: "Maximum size of the request headers. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_HEADER_TIME",
        default: "20",
        help: "Timeout for request headers and idle connections, in seconds. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_BODY_TIME",
        default: "30",
        help: "Timeout for a request body in seconds, plus one second per 16 KB received. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUNS_AT_ONCE",
        default: "512",
        help: "Maximum concurrent runs. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_RUNS_WAITING",
        default: "10000",
        help: "Maximum queued runs; additional calls are rejected with 503. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_CATCH_UP",
        default: "skip",
        help: "Handling of schedules missed while the server was down: skip, one (a single run for \
             all) or all. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_KEEP_DAYS",
        default: "14",
        help: "Retention time of finished executions. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_KEEP_COUNT",
        default: "10000",
        help: "Maximum number of stored finished executions. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_KEEP_BYTES",
        default: "10GB",
        help: "Maximum disk space for finished executions. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_KEEP_VERSIONS",
        default: "100",
        help: "Number of versions stored per workflow. Named and active versions and those of stored \
             executions are always retained. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_DATA",
        default: "~/.heddle",
        help: "Folder for workflows, executions and credentials. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_MCP_KEY",
        default: "",
        help: "API key that `heddle mcp --url` uses. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_HOST",
        default: "127.0.0.1",
        help: "Address the server listens on. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_PORT",
        default: "5678",
        help: "Port the server listens on. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_BASE_URL",
        default: "",
        help: "Public URL of the server, if it differs from its address. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_WEBHOOK_URL",
        default: "",
        help: "Separate origin for webhooks, forms and chats, such as https://hooks.example.com. They \
             are served only there, and everything else only at the base URL. Its host name must \
             differ. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_ALLOWED_HOSTS",
        default: "",
        help: "Additional host names for the editor and the API, comma-separated. If the base URL is \
             on this machine, also for webhooks. Localhost, IP addresses and the host of the base \
             URL are always allowed. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_REMOTE_SETUP",
        default: "0",
        help: "Set to 1 to allow creating the first owner from another machine. The setup token is \
             always required. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OIDC_ISSUER",
        default: "",
        help: "Issuer URL of an OpenID Connect provider, such as https://id.example.com/realms/main. \
             The sign-in page offers it beside the password. Register BASE_URL/api/oidc/callback \
             there as the redirect URI. The host may be private. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OIDC_CLIENT_ID",
        default: "",
        help: "Client ID of Heddle at the OpenID Connect provider. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OIDC_CLIENT_SECRET",
        default: "",
        help: "Client secret at the OpenID Connect provider; empty for a public client. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OIDC_NAME",
        default: "single sign-on",
        help: "Name of the provider on the sign-in page: \"Sign in with NAME\". Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OIDC_NEW_USERS",
        default: "",
        help: "Role of people who sign in with the provider and have no account yet: viewer, editor \
             or admin. Empty: only people who were invited or have an account. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_OPEN_BROWSER",
        default: "1",
        help: "Set to 0 to not open the setup page in a browser at the first start. It is opened \
             only from a terminal on a machine with a display. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_LOG",
        default: "info",
        help: "Log level: off, error, warn, info, debug or trace. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_LOG_FORMAT",
        default: "text",
        help: "Log format: text, or json with one object per line. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_CONFIG",
        default: "",
        help: "Settings file, if not heddle.toml in the data folder. Since 0.1.",
    },
    Setting {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        default: "",
        help: "OTLP/HTTP endpoint for execution traces, such as http://localhost:4318; disabled if \
             empty. Since 0.1.",
    },
    Setting {
        name: "OTEL_EXPORTER_OTLP_HEADERS",
        default: "",
        help: "Headers to send with traces: name=value, comma-separated. Since 0.1.",
    },
    Setting {
        name: "OTEL_SERVICE_NAME",
        default: "heddle",
        help: "Service name of this instance in traces. Since 0.1.",
    },
    Setting {
        name: "OTEL_TRACES_SAMPLER_ARG",
        default: "1",
        help: "Fraction of executions to trace, from 0 to 1. Since 0.1.",
    },
    Setting {
        name: "HEDDLE_TEST_NODES",
        default: "0",
        help: "Set to 1 to add the nodes used by test workflows. Since 0.1.",
    },
];

impl Settings {
    pub(crate) fn table_limits(&self) -> TableLimits {
        TableLimits { table_bytes: self.table_bytes, ..TableLimits::default() }
    }

    /// Reads all settings; a value that cannot be used is an error that names it and where it
    /// stands.
    pub(crate) fn load() -> Result<Self> {
        sources::report_unknown_variables();
        let mut features = Vec::new();
        if flag("HEDDLE_ALLOW_EXECUTE_COMMAND")? {
            features.push(Feature::ExecuteCommand);
        }
        if flag("HEDDLE_ALLOW_ENV")? {
            features.push(Feature::EnvironmentAccess);
        }
        let timezone = read("HEDDLE_TIMEZONE");
        jiff::tz::TimeZone::get(&timezone)
            .with_context(|| invalid_value("HEDDLE_TIMEZONE", "which is not a time zone"))?;
        Ok(Self {
            timezone,
            files_root: read("HEDDLE_FILES_ROOT").into(),
            models: models_folder(),
            test_nodes: flag("HEDDLE_TEST_NODES")?,
            egress_allow: read("HEDDLE_EGRESS_ALLOW"),
            features,
            run_data_limit: bytes("HEDDLE_RUN_DATA_LIMIT")?,
            run_memory_limit: bytes("HEDDLE_RUN_MEMORY_LIMIT")?,
            run_memory_total: bytes("HEDDLE_RUN_MEMORY_TOTAL")?,
            cpu: [seconds("HEDDLE_STEP_CPU_TIME")?, seconds("HEDDLE_RUN_CPU_TIME")?],
            sandbox_memory: bytes("HEDDLE_SANDBOX_MEMORY")?,
            compute_memory: bytes("HEDDLE_COMPUTE_MEMORY")?,
            retention: runtime::Retention {
                age: std::time::Duration::from_secs(
                    number("HEDDLE_KEEP_DAYS")?.saturating_mul(24 * 60 * 60),
                ),
                count: usize::try_from(number("HEDDLE_KEEP_COUNT")?).unwrap_or(usize::MAX),
                bytes: bytes("HEDDLE_KEEP_BYTES")? as u64,
                versions: count("HEDDLE_KEEP_VERSIONS")?.max(1),
            },
            max_body: bytes("HEDDLE_MAX_BODY")?,
            table_bytes: bytes("HEDDLE_TABLE_BYTES")?,
            collections: CollectionLimits {
                collections: count("HEDDLE_COLLECTIONS")?,
                collection_bytes: bytes("HEDDLE_COLLECTION_BYTES")?,
                chunks_per_call: count("HEDDLE_COLLECTION_INSERT")?,
                results: count("HEDDLE_COLLECTION_RESULTS")?,
                memory_bytes: bytes("HEDDLE_VECTOR_MEMORY")?,
                ..CollectionLimits::default()
            },
            run_limits: runtime::RunLimits {
                max_running: count("HEDDLE_RUNS_AT_ONCE")?,
                max_queued: count("HEDDLE_RUNS_WAITING")?,
                max_reserved_bytes: bytes("HEDDLE_RUN_MEMORY_TOTAL")?,
            },
            admission_limits: admission_limits()?,
            catch_up: catch_up()?,
            spending: SpendingLimit { tokens: tokens_per_day()?, dollars: dollars_per_day()? },
            agents: agent_limits()?,
            model_catalog: Some(read("HEDDLE_MODEL_CATALOG"))
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            server: ServerSettings::load()?,
        })
    }
}

fn agent_limits() -> Result<AgentLimits> {
    Ok(AgentLimits {
        max_iterations: count("HEDDLE_AGENT_ITERATIONS")?.max(1),
        tool_timeout_ms: seconds("HEDDLE_TOOL_TIMEOUT")?.as_millis().max(1) as u64,
        history_tokens: count("HEDDLE_HISTORY_TOKENS")?,
        session_calls: u32::try_from(number("HEDDLE_SESSION_MODEL_CALLS")?).unwrap_or(u32::MAX),
    })
}

impl ServerSettings {
    fn load() -> Result<Self> {
        let log = read("HEDDLE_LOG");
        tracing_subscriber::EnvFilter::try_new(&log).with_context(|| {
            invalid_value("HEDDLE_LOG", "which is not a log level such as info")
        })?;
        let serving = Self {
            host: read("HEDDLE_HOST").parse().with_context(|| {
                invalid_value("HEDDLE_HOST", "which is not an address such as 127.0.0.1")
            })?,
            port: read("HEDDLE_PORT")
                .parse()
                .with_context(|| invalid_value("HEDDLE_PORT", "which is not a port"))?,
            base_url: origin("HEDDLE_BASE_URL"),
            webhook_url: origin("HEDDLE_WEBHOOK_URL"),
            allowed_hosts: parse_list("HEDDLE_ALLOWED_HOSTS"),
            remote_setup: flag("HEDDLE_REMOTE_SETUP")?,
            oidc: OidcSettings::load()?,
            open_browser: flag("HEDDLE_OPEN_BROWSER")?,
            log,
            log_format: log_format()?,
        };
        serving.urls(SocketAddr::new(serving.host, serving.port))?;
        Ok(serving)
    }
}

/// Where an instance is reached.
pub(crate) struct InstanceUrls {
    pub(crate) base: model::Str,
    pub(crate) webhooks: Option<model::Str>,
    pub(crate) hosts: server::AllowedHosts,
}

impl ServerSettings {
    /// Where a server that listens at this address is reached.
    pub(crate) fn urls(&self, address: SocketAddr) -> Result<InstanceUrls> {
        let base = self.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
        let hosts =
            server::AllowedHosts::new(&base, self.webhook_url.as_deref(), &self.allowed_hosts);
        let hosts = hosts.context(
            "HEDDLE_BASE_URL, HEDDLE_WEBHOOK_URL and HEDDLE_ALLOWED_HOSTS are inconsistent \
             (SETTING_INVALID)",
        )?;
        Ok(InstanceUrls {
            base: base.into(),
            webhooks: self.webhook_url.as_deref().map(Into::into),
            hosts,
        })
    }
}

impl InstanceUrls {
    /// Where webhooks, forms and chats are reached.
    pub(crate) fn webhook_base(&self) -> &model::Str {
        self.webhooks.as_ref().unwrap_or(&self.base)
    }
}

/// An address without the slash at its end; nothing if it is empty.
fn origin(name: &str) -> Option<String> {
    Some(read(name).trim().trim_end_matches('/').to_owned()).filter(|url| !url.is_empty())
}

fn parse_list(name: &str) -> Vec<String> {
    read(name)
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The value of a setting, or its default.
pub(crate) fn read(name: &str) -> String {
    find(name).0
}

/// The value of a setting, and where it comes from.
pub(crate) fn find(name: &str) -> (String, SettingOrigin) {
    sources::current().find(name)
}

fn models_folder() -> PathBuf {
    match read("HEDDLE_MODELS") {
        named if named.is_empty() => sources::current().folder.join("models"),
        named => named.into(),
    }
}

fn flag(name: &str) -> Result<bool> {
    match read(name).to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => anyhow::bail!(invalid_value(name, "which is neither 1 nor 0")),
    }
}

fn seconds(name: &str) -> Result<std::time::Duration> {
    Ok(std::time::Duration::from_secs(number(name)?.max(1)))
}

fn admission_limits() -> Result<server::AdmissionLimits> {
    let trusted = parse_list("HEDDLE_TRUSTED_PROXIES").into_iter().map(|proxy| {
        let net = proxy
            .parse::<ipnet::IpNet>()
            .or_else(|_| proxy.parse::<std::net::IpAddr>().map(ipnet::IpNet::from));
        net.with_context(|| {
            format!(
                "HEDDLE_TRUSTED_PROXIES has '{proxy}', which is not an address or network \
             (SETTING_INVALID)"
            )
        })
    });
    Ok(server::AdmissionLimits {
        connections: count("HEDDLE_MAX_CONNECTIONS")?.max(1),
        per_address: count("HEDDLE_CONNECTIONS_PER_ADDRESS")?,
        requests: count("HEDDLE_MAX_REQUESTS")?.max(1),
        per_second: u32::try_from(number("HEDDLE_RATE_LIMIT")?).unwrap_or(u32::MAX),
        header_bytes: bytes("HEDDLE_MAX_HEADERS")?.max(4 << 10),
        header_time: seconds("HEDDLE_HEADER_TIME")?,
        body_time: seconds("HEDDLE_BODY_TIME")?,
        trusted_proxies: trusted.collect::<Result<_>>()?,
        ..server::AdmissionLimits::default()
    })
}

fn count(name: &str) -> Result<usize> {
    Ok(usize::try_from(number(name)?).unwrap_or(usize::MAX >> 4).min(usize::MAX >> 4))
}

fn catch_up() -> Result<runtime::CatchUp> {
    match read("HEDDLE_CATCH_UP").as_str() {
        "skip" => Ok(runtime::CatchUp::Skip),
        "one" => Ok(runtime::CatchUp::One),
        "all" => Ok(runtime::CatchUp::All),
        _ => anyhow::bail!(invalid_value("HEDDLE_CATCH_UP", "which is not skip, one or all")),
    }
}

fn log_format() -> Result<LogFormat> {
    match read("HEDDLE_LOG_FORMAT").as_str() {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => anyhow::bail!(invalid_value("HEDDLE_LOG_FORMAT", "which is neither text nor json")),
    }
}

fn tokens_per_day() -> Result<Option<u64>> {
    if read("HEDDLE_TOKENS_PER_DAY").trim().is_empty() {
        Ok(None)
    } else {
        number("HEDDLE_TOKENS_PER_DAY").map(Some)
    }
}

fn dollars_per_day() -> Result<Option<f64>> {
    let text = read("HEDDLE_DOLLARS_PER_DAY");
    if text.trim().is_empty() {
        return Ok(None);
    }
    let dollars =
        text.trim().parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
    dollars.map(Some).with_context(|| {
        invalid_value("HEDDLE_DOLLARS_PER_DAY", "which is not an amount such as 2.50")
    })
}

fn number(name: &str) -> Result<u64> {
    read(name).trim().parse().with_context(|| invalid_value(name, "which is not a whole number"))
}

fn bytes(name: &str) -> Result<usize> {
    let text = read(name);
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1 << 10,
        "M" | "MB" => 1 << 20,
        "G" | "GB" => 1 << 30,
        _ => 0,
    };
    let number: Option<usize> = digits.trim().parse().ok();
    number
        .filter(|_| unit > 0)
        .and_then(|number| number.checked_mul(unit))
        .with_context(|| invalid_value(name, "which is not a size such as 256MB"))
}

/// What is said of a value that cannot be used: where it stands, and what is wrong with it.
pub(crate) fn invalid_value(name: &str, why: &str) -> String {
    let sources = sources::current();
    let (value, _) = sources.find(name);
    format!("{} is '{value}', {why} (SETTING_INVALID)", sources.describe(name))
}
