//! Settings, read from environment variables; this table is their manual.

use anyhow::{Context as _, Result};
use node_api::host::Feature;
use node_api::tables::TableLimits;
use std::path::PathBuf;

/// Everything an operator can set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) timezone: String,
    pub(crate) files_root: PathBuf,
    pub(crate) test_nodes: bool,
    pub(crate) egress_allow: String,
    pub(crate) features: Vec<Feature>,
    pub(crate) run_data_limit: usize,
    pub(crate) run_memory_limit: usize,
    pub(crate) retention: runtime::Retention,
    pub(crate) max_body: usize,
    pub(crate) table_bytes: usize,
    pub(crate) catch_up: runtime::CatchUp,
}

/// A setting as it is documented.
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "HEDDLE_TIMEZONE",
        default: "UTC",
        help: "Zone of dates in workflows that name none, such as Europe/Berlin. Since 0.1.",
    },
    Setting { name: "HEDDLE_FILES_ROOT", default: "./workspace", help: "The folder that file nodes may read and write. Since 0.1." },
    Setting {
        name: "HEDDLE_EGRESS_ALLOW",
        default: "",
        help: "Private hosts that workflows may call: host, host:port or CIDR, separated by commas. Since 0.1.",
    },
    Setting { name: "HEDDLE_ALLOW_EXECUTE_COMMAND", default: "0", help: "1 lets the Execute Command node run programs. Since 0.1." },
    Setting { name: "HEDDLE_ALLOW_ENV", default: "0", help: "1 lets expressions read the environment through $env. Since 0.1." },
    Setting { name: "HEDDLE_RUN_DATA_LIMIT", default: "8GB", help: "How much data one run may produce. Since 0.1." },
    Setting {
        name: "HEDDLE_RUN_MEMORY_LIMIT",
        default: "256MB",
        help: "How much of it stays in memory; the rest goes to a temporary file. Since 0.1.",
    },
    Setting { name: "HEDDLE_MAX_BODY", default: "16MB", help: "How large the body of a request may be. Since 0.1." },
    Setting { name: "HEDDLE_TABLE_BYTES", default: "50MB", help: "How much one data table may hold. Since 0.1." },
    Setting {
        name: "HEDDLE_CATCH_UP",
        default: "skip",
        help: "What becomes of schedules missed while nothing ran: skip, one (a run for all) or all. Since 0.1.",
    },
    Setting { name: "HEDDLE_KEEP_DAYS", default: "14", help: "How long finished executions are kept. Since 0.1." },
    Setting { name: "HEDDLE_KEEP_COUNT", default: "10000", help: "How many finished executions are kept. Since 0.1." },
    Setting { name: "HEDDLE_KEEP_BYTES", default: "10GB", help: "How much room finished executions may take. Since 0.1." },
    Setting { name: "HEDDLE_DATA", default: "~/.heddle", help: "The folder of workflows, executions and credentials. Since 0.1." },
    Setting { name: "HEDDLE_HOST", default: "127.0.0.1", help: "The address the server listens on. Since 0.1." },
    Setting { name: "HEDDLE_PORT", default: "5678", help: "The port the server listens on. Since 0.1." },
    Setting { name: "HEDDLE_BASE_URL", default: "", help: "Where callers reach the server, if not at its address. Since 0.1." },
    Setting { name: "HEDDLE_LOG", default: "info", help: "What the server logs: off, error, warn, info, debug, trace. Since 0.1." },
    Setting { name: "HEDDLE_TEST_NODES", default: "0", help: "1 adds the nodes that test workflows use. Since 0.1." },
];

impl Settings {
    pub(crate) fn table_limits(&self) -> TableLimits {
        TableLimits { table_bytes: self.table_bytes, ..TableLimits::default() }
    }

    /// Reads all settings; a value that cannot be used is an error that names it.
    pub(crate) fn load() -> Result<Self> {
        report_unknown();
        let flag = |name: &str| matches!(read(name).as_str(), "1" | "true" | "yes" | "on");
        let mut features = Vec::new();
        if flag("HEDDLE_ALLOW_EXECUTE_COMMAND") {
            features.push(Feature::ExecuteCommand);
        }
        if flag("HEDDLE_ALLOW_ENV") {
            features.push(Feature::EnvironmentAccess);
        }
        let timezone = read("HEDDLE_TIMEZONE");
        jiff::tz::TimeZone::get(&timezone)
            .with_context(|| format!("HEDDLE_TIMEZONE is '{timezone}', which is no time zone (SETTING_INVALID)"))?;
        Ok(Self {
            timezone,
            files_root: read("HEDDLE_FILES_ROOT").into(),
            test_nodes: flag("HEDDLE_TEST_NODES"),
            egress_allow: read("HEDDLE_EGRESS_ALLOW"),
            features,
            run_data_limit: bytes("HEDDLE_RUN_DATA_LIMIT")?,
            run_memory_limit: bytes("HEDDLE_RUN_MEMORY_LIMIT")?,
            retention: runtime::Retention {
                age: std::time::Duration::from_secs(number("HEDDLE_KEEP_DAYS")?.saturating_mul(24 * 60 * 60)),
                count: usize::try_from(number("HEDDLE_KEEP_COUNT")?).unwrap_or(usize::MAX),
                bytes: bytes("HEDDLE_KEEP_BYTES")? as u64,
            },
            max_body: bytes("HEDDLE_MAX_BODY")?,
            table_bytes: bytes("HEDDLE_TABLE_BYTES")?,
            catch_up: catch_up()?,
        })
    }
}

/// The value of a setting, or its default.
pub(crate) fn read(name: &str) -> String {
    let default = SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
    std::env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned())
}

fn catch_up() -> Result<runtime::CatchUp> {
    match read("HEDDLE_CATCH_UP").as_str() {
        "skip" => Ok(runtime::CatchUp::Skip),
        "one" => Ok(runtime::CatchUp::One),
        "all" => Ok(runtime::CatchUp::All),
        other => anyhow::bail!("HEDDLE_CATCH_UP is '{other}', which is none of skip, one and all (SETTING_INVALID)"),
    }
}

fn number(name: &str) -> Result<u64> {
    let text = read(name);
    text.trim().parse().with_context(|| format!("{name} is '{text}', which is no whole number (SETTING_INVALID)"))
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
        .with_context(|| format!("{name} is '{text}', which is no size such as 256MB (SETTING_INVALID)"))
}

/// Tells of variables that look like settings but are none.
fn report_unknown() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("HEDDLE_")) else { continue };
        if SETTINGS.iter().all(|setting| setting.name != name) {
            let nearest = SETTINGS.iter().min_by_key(|setting| distance(setting.name, name)).map_or("", |setting| setting.name);
            crate::terminal::note(&format!("warning: {name} is not a setting; did you mean {nearest}?"));
        }
    }
}

/// How many letters have to change to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
