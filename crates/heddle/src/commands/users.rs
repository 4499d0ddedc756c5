//! `heddle users`: who may sign in, from the data folder.

use super::block_on;
use crate::cli::{DataFolder, UsersCommand};
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result, ensure};
use server::passwords;
use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;
use store::Store;
use store::users::{NewUser, User, UserRole};

pub(super) fn run(arguments: UsersCommand) -> Result<ExitCode> {
    match arguments {
        UsersCommand::List { data, output } => list(&data, output),
        UsersCommand::Create { data, email, role } => create(&data, &email, &role),
        UsersCommand::Role { data, email, role } => {
            let store = open(&data)?;
            let user = find(&*store, &email)?;
            block_on(store.set_role(&user.id, parse_role(&role)?))??;
            Ok(ExitCode::SUCCESS)
        }
        UsersCommand::Password { data, email } => {
            let store = open(&data)?;
            let user = find(&*store, &email)?;
            let hash = read_password()?;
            block_on(store.set_password(&user.id, &hash))??;
            eprint_line(
                "Password set. All sessions of this user have ended and all their API keys are \
                     revoked.",
            );
            Ok(ExitCode::SUCCESS)
        }
        UsersCommand::ResetTwoFactor { data, email } => {
            let store = open(&data)?;
            let user = find(&*store, &email)?;
            eprint_line(match block_on(store.remove_second_factor(&user.id))?? {
                true => "Authenticator app removed. The password is enough to sign in again.",
                false => "This user has no authenticator app.",
            });
            Ok(ExitCode::SUCCESS)
        }
        UsersCommand::Delete { data, email } => {
            let store = open(&data)?;
            let user = find(&*store, &email)?;
            block_on(store.delete_user(&user.id))??;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn open(data: &DataFolder) -> Result<Arc<dyn Store>> {
    Ok(wiring::open_store(&data.path())?)
}

fn list(data: &DataFolder, output: ListOutput) -> Result<ExitCode> {
    let found = block_on(open(data)?.users(None, usize::MAX >> 1))??;
    if found.is_empty() {
        output.note("No users yet. `heddle serve` prints how to create the owner.");
    }
    let mut table = Table::new(&["id", "role", "isPending", "email"]);
    for user in found {
        let state = match (user.is_pending, user.has_second_factor) {
            (true, _) => "no password",
            (false, true) => "can sign in, two-factor",
            (false, false) => "can sign in",
        };
        table.row([
            Cell::text(user.id),
            Cell::text(user.role.name()),
            Cell::shown(user.is_pending, state),
            Cell::text(user.email),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn create(data: &DataFolder, email: &str, role: &str) -> Result<ExitCode> {
    ensure!(email.contains('@'), "'{email}' is not an email address");
    let role = parse_role(role)?;
    let password_hash = Some(read_password()?.into());
    let new = NewUser {
        email: email.into(),
        first_name: "".into(),
        last_name: "".into(),
        role,
        password_hash,
    };
    let user = block_on(open(data)?.add_user(new))??;
    print_line(&user.id);
    Ok(ExitCode::SUCCESS)
}

fn find(store: &dyn Store, email: &str) -> Result<User> {
    block_on(store.user(email))??
        .with_context(|| format!("user '{email}' does not exist (NOT_FOUND)"))
}

fn parse_role(role: &str) -> Result<UserRole> {
    UserRole::from_name(role).with_context(|| {
        format!("'{role}' is not a role; roles are viewer, editor, admin and owner")
    })
}

/// The hash of the password on standard input. Arguments and the environment would show it to
/// others.
fn read_password() -> Result<String> {
    eprint_line("Type the password, then press Enter and Ctrl-D:");
    let mut text = String::new();
    std::io::stdin()
        .take(10_000)
        .read_to_string(&mut text)
        .context("the password cannot be read")?;
    let password = text.trim_end_matches(['\r', '\n']);
    let length = password.chars().count();
    ensure!(
        length >= passwords::MIN_LENGTH,
        "the password has {length} characters; the minimum is {}",
        passwords::MIN_LENGTH
    );
    ensure!(password.len() <= passwords::MAX_BYTES, "the password is too long");
    block_on(passwords::hash(password.to_owned()))?.context("the password could not be hashed")
}
