//! `heddle api-keys`: who may use the API.

use super::block_on;
use crate::cli::ApiKeysCommand;
use crate::terminal::table::{Cell, Table};
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::Result;
use model::Value;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use store::access::{ApiKey, hash_of_key};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn run(arguments: ApiKeysCommand) -> Result<ExitCode> {
    match arguments {
        ApiKeysCommand::Create { data, label, user, scope, expires } => {
            let store = wiring::open_store(&data.path())?;
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as i64);
            let key = format!("heddle_{}{}{}", store::new_id(), store::new_id(), store::new_id());
            let kept = ApiKey {
                id: store::new_id(),
                user: user.into(),
                label: label.into(),
                hint: key[key.len() - 4..].into(),
                scopes: if scope.is_empty() {
                    vec!["*".into()]
                } else {
                    scope.into_iter().map(Into::into).collect()
                },
                created_ms: now,
                expires_ms: expires.map(|days| now + i64::from(days) * DAY_MS),
            };
            block_on(store.add_api_key(kept, hash_of_key(&key)))??;
            eprint_line("Save this key: it is not shown again.");
            print_line(&key);
        }
        ApiKeysCommand::List { data, output } => {
            let keys = block_on(wiring::open_store(&data.path())?.api_keys())??;
            if keys.is_empty() {
                output.note("No API keys. Create one with `heddle api-keys create`.");
            }
            let mut table =
                Table::new(&["id", "hint", "user", "label", "scopes", "-createdAt", "-expiresAt"]);
            for key in keys {
                let scopes = key.scopes.iter().map(|scope| Value::from(scope.clone())).collect();
                table.row([
                    Cell::text(key.id),
                    Cell::text(format!("…{}", key.hint)),
                    Cell::text(key.user),
                    Cell::text(key.label),
                    Cell::shown(Value::array(scopes), key.scopes.join(" ")),
                    Cell::time(Some(key.created_ms)),
                    Cell::time(key.expires_ms),
                ]);
            }
            table.print(output);
        }
        ApiKeysCommand::Delete { data, id } => {
            let was_there = block_on(wiring::open_store(&data.path())?.delete_api_key(&id))??;
            anyhow::ensure!(was_there, "API key '{id}' does not exist");
        }
    }
    Ok(ExitCode::SUCCESS)
}
