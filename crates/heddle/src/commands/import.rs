//! `heddle import`: workflows from files into a data folder, beside a server or without one.

use super::workflows::claims_of;
use super::{block_on, read_text};
use crate::cli::ImportArgs as Arguments;
use crate::settings::Settings;
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use engine::Engine;
use model::{Object, Str, Value, WithheldCredential, Workflow, keep_credentials};
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use store::projects::PERSONAL;
use store::variables::Variable;
use store::workflows::{ImportedWorkflow, NewVersion, StoredWorkflow, WorkflowImport};

/// Workflows that are saved in one transaction.
const BATCH: usize = 500;

/// How often it is told how far we are.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let engine = wiring::engine(&Settings::load()?)?;
    block_on(async {
        let (known, variables) = (CredentialIndex::load(&*store).await?, store.variables().await?);
        let mut importer = Importer {
            store,
            engine,
            credentials: known,
            variables,
            activates: arguments.activate,
            pending: Vec::new(),
            n_imported: 0,
            last_report: Instant::now(),
        };
        let read = importer.read(arguments).await;
        // What came before a file that cannot be imported is.
        importer.save().await?;
        read.map(|()| ExitCode::SUCCESS)
    })?
}

struct Importer<'f> {
    store: Arc<dyn Store>,
    engine: Engine,
    credentials: CredentialIndex,
    variables: Vec<Variable>,
    activates: bool,
    /// What is saved next, and the file that it is from.
    pending: Vec<(&'f Path, NewVersion)>,
    n_imported: usize,
    last_report: Instant,
}

/// The credentials of the data folder: type, id and name of each.
struct CredentialIndex(HashSet<(Str, Str, Str)>);

impl CredentialIndex {
    async fn load(store: &dyn Store) -> Result<Self> {
        let all = store.credentials(None, usize::MAX >> 1).await?;
        Ok(Self(all.into_iter().map(|one| (one.kind, one.id, one.name)).collect()))
    }

    /// Leaves a document the credentials that are stored here under the same id, name and type. An
    /// id alone is easy to guess, and a file may be of anybody.
    fn withhold_unknown(&self, document: &mut Object) -> Vec<WithheldCredential> {
        keep_credentials(document, |kind, id, name| {
            self.0.contains(&(kind.into(), id.into(), name.into()))
        })
    }
}

/// A workflow that can be saved.
struct PreparedImport {
    import: WorkflowImport,
    /// Why it is not to listen although it should.
    stays_inactive: Option<runtime::Error>,
}

impl<'f> Importer<'f> {
    async fn read(&mut self, arguments: &'f Arguments) -> Result<()> {
        for file in &arguments.files {
            for document in documents(file)? {
                let (version, withheld) = version_of(&document, &self.credentials)
                    .with_context(|| import_failed(file))?;
                report_withheld(&version.name, &withheld);
                self.pending.push((file, version));
                if self.pending.len() == BATCH {
                    self.save().await?;
                }
            }
        }
        Ok(())
    }

    /// Saves what waits, up to the first that cannot be saved.
    async fn save(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.pending);
        let ids = waiting.iter().map(|(_, version)| version.id.clone()).collect();
        let known: HashSet<Str> =
            self.store.workflow_names(ids).await?.into_iter().map(|(id, _)| id).collect();
        let (mut files, mut imports, mut inactive, mut failed) =
            (Vec::new(), Vec::new(), Vec::new(), None);
        for (file, version) in waiting {
            let known = if known.contains(&version.id) {
                self.store.workflow(&version.id).await?
            } else {
                None
            };
            match self.prepare(version, known) {
                Ok(PreparedImport { import, stays_inactive }) => {
                    files.push((file, import.workflow.id.clone()));
                    imports.push(import);
                    inactive.push(stays_inactive);
                }
                Err(error) => {
                    failed = Some(anyhow::Error::from(error).context(import_failed(file)));
                    break;
                }
            }
        }
        let imported = self.store.import_workflows(imports, PERSONAL).await?;
        for (((file, id), claimed), inactive) in files.into_iter().zip(imported).zip(inactive) {
            let ImportedWorkflow { workflow, activated } =
                runtime::claim_into_result(claimed, &id).with_context(|| import_failed(file))?;
            let activated = activated.map(|claimed| runtime::claim_into_result(claimed, &id));
            if let Some(error) =
                inactive.as_ref().or(activated.as_ref().and_then(|result| result.as_ref().err()))
            {
                eprint_line(&format!(
                    "{} '{}' remains inactive: {error}",
                    paint("warning:", Colour::Yellow),
                    workflow.name
                ));
            }
            let is_active = activated.is_some_and(|result| result.is_ok());
            print_line(&format!(
                "{}  {}{}",
                workflow.id,
                workflow.name,
                if is_active { "  active" } else { "" }
            ));
            self.n_imported += 1;
        }
        if self.last_report.elapsed() >= REPORT_INTERVAL {
            self.last_report = Instant::now();
            eprint_line(&format!("{} workflows imported so far", self.n_imported));
        }
        failed.map_or(Ok(()), Err)
    }

    /// One that is active listens with the new version from then on; if it cannot, it is not saved.
    fn prepare(
        &self,
        version: NewVersion,
        known: Option<StoredWorkflow>,
    ) -> Result<PreparedImport, runtime::Error> {
        let (was_active, is_archived) =
            known.as_ref().map_or((false, false), |known| (known.active, known.archived));
        if !was_active && !self.activates {
            return Ok(PreparedImport {
                import: WorkflowImport { workflow: version, claims: None, activate: false },
                stays_inactive: None,
            });
        }
        let claims = match is_archived {
            true => Err(runtime::Error::Archived),
            false => claims_of(&self.engine, &self.variables, &as_stored(&version, known)),
        };
        match claims {
            Ok(claims) => {
                let import = WorkflowImport {
                    workflow: version,
                    claims: Some(claims),
                    activate: self.activates,
                };
                Ok(PreparedImport { import, stays_inactive: None })
            }
            Err(error) if was_active => Err(error),
            Err(error) => Ok(PreparedImport {
                import: WorkflowImport { workflow: version, claims: None, activate: false },
                stays_inactive: Some(error),
            }),
        }
    }
}

fn import_failed(file: &Path) -> String {
    format!("{} could not be imported", file.display())
}

/// The workflows of a file: one, or a list as n8n's export writes.
fn documents(file: &Path) -> Result<Vec<Value>> {
    let value = model::json::parse_within(&read_text(file)?, usize::MAX)
        .with_context(|| format!("{} is not JSON (WORKFLOW_JSON)", file.display()))?;
    match value {
        Value::Array(list) => Ok(list.to_vec()),
        Value::Object(_) => Ok(vec![value]),
        other => {
            bail!("{} is {}, not a workflow (WORKFLOW_JSON)", file.display(), other.kind_name())
        }
    }
}

/// A workflow as it is kept, and the credentials that it could not bring along.
fn version_of(
    document: &Value,
    known: &CredentialIndex,
) -> Result<(NewVersion, Vec<WithheldCredential>)> {
    let fields =
        document.as_object().context("a workflow must be a JSON object (WORKFLOW_JSON)")?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let is_workflow = fields.get("nodes").is_some_and(|nodes| nodes.as_array().is_some());
    anyhow::ensure!(is_workflow, "it has no list of nodes (WORKFLOW_JSON)");
    let id = text("id").map_or_else(store::new_id, Into::into);
    let static_data = fields
        .get("staticData")
        .filter(|data| data.is_object())
        .map(|data| model::json::to_string(data).into());
    // The row says whether it is active, and since when there is which version.
    let mut kept: Object = fields
        .iter()
        .filter(|(key, _)| *key != "active")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let withheld = known.withhold_unknown(&mut kept);
    let document = model::json::to_string(&kept.into());
    Workflow::parse(&document).context("it cannot be read (WORKFLOW_JSON)")?;
    let name = text("name").unwrap_or("My workflow").into();
    Ok((NewVersion { id, name, document: document.into(), author: None, static_data }, withheld))
}

fn report_withheld(workflow: &str, withheld: &[WithheldCredential]) {
    let Some(first) = withheld.first() else { return };
    let (others, them) = match withheld.len() - 1 {
        0 => (String::new(), "it"),
        more => (format!(", and {more} more"), "them"),
    };
    eprint_line(&format!(
        "{} '{workflow}' is missing the credential '{}' of type '{}' for '{}'{others}: none \
             with this ID, name and type is stored here (CREDENTIAL_MISSING). Choose {them} in the \
             editor, or import {them} with `heddle credentials import FILE` and import the workflow \
             again.",
        paint("warning:", Colour::Yellow),
        first.name,
        first.kind,
        first.node,
    ));
}

/// A version as it is going to be stored.
fn as_stored(version: &NewVersion, known: Option<StoredWorkflow>) -> StoredWorkflow {
    let NewVersion { id, name, document, static_data, .. } = version.clone();
    match known {
        Some(known) => StoredWorkflow { name, document, ..known },
        None => StoredWorkflow {
            id,
            name,
            active: false,
            archived: false,
            version_id: Str::default(),
            chosen_version: None,
            project_id: PERSONAL.into(),
            folder_id: None,
            document,
            static_data,
            created_ms: 0,
            updated_ms: 0,
            activations: 0,
        },
    }
}
