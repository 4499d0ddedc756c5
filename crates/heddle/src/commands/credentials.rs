//! `heddle credentials`: the vault of a data folder, beside a server or without one.

use super::{block_on, read_text};
use crate::cli::{CredentialsCommand, DataFolder};
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::wiring;
use anyhow::{Context as _, Result, bail, ensure};
use model::{Object, Value};
use node_api::credential::CredentialRegistry;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use store::Store;
use store::credentials::{NewCredential, SecretFields, StoredCredential};

pub(super) fn run(arguments: CredentialsCommand) -> Result<ExitCode> {
    match arguments {
        CredentialsCommand::Import { data, file } => import(&data, &file),
        CredentialsCommand::List { data, output } => list(&data, output),
        CredentialsCommand::Verify { data } => verify(&data),
        CredentialsCommand::Export { data, decrypted } => export(&data, decrypted),
        CredentialsCommand::Rotate { data } => rotate(&data),
    }
}

fn open(data: &DataFolder) -> Result<Arc<dyn Store>> {
    let store = wiring::open_store(&data.path())?;
    store.open_vault().with_context(|| {
        format!("the vault in {} cannot be opened (VAULT_KEY)", data.path().display())
    })?;
    Ok(store)
}

fn all(store: &dyn Store) -> Result<Vec<StoredCredential>> {
    Ok(block_on(store.credentials(None, usize::MAX >> 1))??)
}

fn import(data: &DataFolder, file: &Path) -> Result<ExitCode> {
    let value = model::json::parse(&read_text(file)?)
        .with_context(|| format!("{} is not JSON", file.display()))?;
    let rows = match value {
        Value::Array(rows) => rows.to_vec(),
        Value::Object(_) => vec![value],
        other => bail!("{} is {}, not a list of credentials", file.display(), other.kind_name()),
    };
    // All are looked at before the first is kept.
    let types = nodes::credentials::registry();
    let new = rows
        .iter()
        .enumerate()
        .map(|(index, row)| read(row, &types).with_context(|| format!("credential {}", index + 1)));
    let new = new.collect::<Result<Vec<_>>>()?;
    let store = open(data)?;
    block_on(async {
        for credential in new {
            let kept = store.save_credential(credential).await?;
            print_line(&format!("{}  {}  {}", kept.id, kept.kind, kept.name));
        }
        Ok(ExitCode::SUCCESS)
    })?
}

/// A credential as n8n's `export:credentials --decrypted` writes it.
fn read(row: &Value, types: &CredentialRegistry) -> Result<NewCredential> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = text("type").context("it has no type")?;
    let name = text("name").context("it has no name")?;
    let fields = match row.get("data") {
        Some(Value::Object(fields)) => (**fields).clone(),
        Some(Value::String(_)) => bail!("its data is encrypted; export it with --decrypted"),
        _ => bail!("it has no data"),
    };
    let id = match row.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.as_str().into(),
        // Old exports number them.
        Some(id @ Value::Number(_)) => id.to_js_string(),
        _ => store::new_id(),
    };
    Ok(NewCredential {
        id,
        name: name.into(),
        kind: types.canonical_id(kind).into(),
        secret: SecretFields::new(fields),
        project_id: None,
    })
}

fn list(data: &DataFolder, output: ListOutput) -> Result<ExitCode> {
    let found = all(&*wiring::open_store(&data.path())?)?;
    if found.is_empty() {
        output.note("There are no credentials. Add some with `heddle credentials import FILE`.");
    }
    let mut table = Table::new(&["id", "type", "name"]);
    for credential in found {
        let StoredCredential { id, name, kind, .. } = credential;
        table.row([Cell::text(id), Cell::text(kind), Cell::text(name)]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn verify(data: &DataFolder) -> Result<ExitCode> {
    let store = open(data)?;
    let found = all(&*store)?;
    let mut n_damaged = 0;
    for credential in &found {
        if block_on(store.open_credential(&credential.id))?.is_err() {
            n_damaged += 1;
            print_line(&format!(
                "{}  {}  {}  {}",
                paint("damaged", Colour::Red),
                credential.id,
                credential.kind,
                credential.name
            ));
        }
    }
    print_line(&format!(
        "{} of {} credentials can be decrypted with the key.",
        found.len() - n_damaged,
        found.len()
    ));
    Ok(if n_damaged == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the owner of the data folder explicitly requested the export"
)]
fn export(data: &DataFolder, decrypted: bool) -> Result<ExitCode> {
    ensure!(decrypted, "an export contains the secrets in plain text; confirm with --decrypted");
    let store = open(data)?;
    let mut rows = Vec::new();
    for credential in all(&*store)? {
        let secret = block_on(store.open_credential(&credential.id))??;
        let StoredCredential { id, name, kind, .. } = credential;
        let fields = secret.context("a credential was deleted in the meantime")?.reveal();
        let row = [
            ("id", Value::from(id)),
            ("name", name.into()),
            ("type", kind.into()),
            ("data", fields.into()),
        ];
        rows.push(Object::from_iter(row).into());
    }
    print_line(&model::json::to_string(&Value::array(rows)));
    Ok(ExitCode::SUCCESS)
}

fn rotate(data: &DataFolder) -> Result<ExitCode> {
    let count = block_on(open(data)?.rotate_key())??;
    print_line(&format!("{count} credentials re-encrypted with a new key."));
    eprint_line("Earlier backups need the old key.");
    Ok(ExitCode::SUCCESS)
}
