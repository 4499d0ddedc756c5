//! What a query may do, decided by SQLite's own parser: it asks about every action of every
//! statement, and what is not on the lists here is denied.

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// SQLite's own tables, which it reads and changes to create others. It refuses a query that
/// changes them by itself.
const SCHEMA: [&str; 5] = [
    "sqlite_master",
    "sqlite_temp_master",
    "sqlite_schema",
    "sqlite_temp_schema",
    "sqlite_sequence",
];
/// Table-valued functions: they only see what they are given.
const TABLE_FUNCTIONS: [&str; 2] = ["json_each", "json_tree"];
/// Functions that compute from their arguments, by what they are for. How large a result can become
/// is limited for all of them.
const FUNCTIONS: [&str; 7] = [
    "abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood likely lower ltrim max min nullif",
    "octet_length printf quote random replace round rtrim sign soundex substr substring trim typeof unhex unicode unistr unlikely upper",
    "acos asin atan atan2 ceil ceiling cos degrees exp floor ln log log10 log2 mod pi pow power radians sin sqrt tan trunc",
    "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch",
    "avg count cume_dist dense_rank first_value group_concat lag last_value lead median nth_value ntile percent_rank rank row_number",
    "string_agg sum total -> ->> json json_array json_array_length json_extract json_group_array json_group_object json_insert",
    "json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid",
];

/// Decides about the actions of the queries of one connection. Clones share what they know.
#[derive(Clone, Default)]
pub(super) struct Authorizer(Arc<Mutex<AuthorizerState>>);

/// Names are in small letters.
#[derive(Default)]
struct AuthorizerState {
    /// Tables and views that are there.
    tables: HashSet<String>,
    /// Those that a statement would create. Whether it does is not known before it has run.
    pending: HashSet<String>,
    /// A statement may have created or dropped some.
    is_stale: bool,
    /// Modules of virtual tables, which are tables without being created.
    modules: HashSet<String>,
    denied: Option<String>,
}

impl Authorizer {
    /// From now on nothing that is not allowed can be prepared.
    pub(super) fn watch(&self, connection: &Connection) -> rusqlite::Result<()> {
        let modules = names(connection, "SELECT name FROM pragma_module_list")?;
        self.state().modules = modules;
        let judge = self.clone();
        connection.authorizer(Some(move |asked: AuthContext<'_>| judge.decide(asked)))
    }

    pub(super) fn unwatch(connection: &Connection) -> rusqlite::Result<()> {
        connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)
    }

    /// Looks which tables there are, after a statement that may have changed that.
    pub(super) fn refresh(&self, connection: &Connection) -> rusqlite::Result<()> {
        if !self.state().is_stale {
            return Ok(());
        }
        let tables = names(
            connection,
            "SELECT name FROM sqlite_schema UNION ALL SELECT name FROM sqlite_temp_schema",
        )?;
        let mut state = self.state();
        state.tables = tables;
        state.pending.clear();
        state.is_stale = false;
        Ok(())
    }

    /// What was denied first, in the words of an error.
    pub(super) fn denied(&self) -> Option<String> {
        self.state().denied.clone()
    }

    fn decide(&self, asked: AuthContext<'_>) -> Authorization {
        let mut state = self.state();
        // Only the database in memory and the one for its temporary tables.
        let is_ours = asked.database_name.is_none_or(|name| name == "main" || name == "temp");
        if is_ours && state.allows(asked.action) {
            return Authorization::Allow;
        }
        state.denied.get_or_insert_with(|| named(asked.action));
        Authorization::Deny
    }

    fn state(&self) -> std::sync::MutexGuard<'_, AuthorizerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AuthorizerState {
    fn allows(&mut self, action: AuthAction<'_>) -> bool {
        match action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Function { function_name } => FUNCTIONS
                .iter()
                .flat_map(|names| names.split(' '))
                .any(|name| name.eq_ignore_ascii_case(function_name)),
            AuthAction::Read { table_name, column_name } => {
                self.is_readable(table_name, column_name)
            }
            AuthAction::Insert { table_name }
            | AuthAction::Delete { table_name }
            | AuthAction::Update { table_name, .. } => {
                self.is_known(table_name) || is_in(&SCHEMA, table_name)
            }
            AuthAction::CreateTable { table_name }
            | AuthAction::CreateTempTable { table_name }
            | AuthAction::CreateView { view_name: table_name }
            | AuthAction::CreateTempView { view_name: table_name } => {
                self.is_stale = true;
                self.pending.insert(table_name.to_ascii_lowercase());
                // A table of such a name would open the virtual one once it is gone.
                !self.is_virtual(table_name)
            }
            AuthAction::DropTable { table_name }
            | AuthAction::DropTempTable { table_name }
            | AuthAction::DropView { view_name: table_name }
            | AuthAction::DropTempView { view_name: table_name } => {
                self.is_stale = true;
                self.is_known(table_name)
            }
            AuthAction::CreateIndex { table_name, .. }
            | AuthAction::CreateTempIndex { table_name, .. }
            | AuthAction::DropIndex { table_name, .. }
            | AuthAction::DropTempIndex { table_name, .. } => self.is_known(table_name),
            // An index is filled as it is created.
            AuthAction::Reindex { .. } => true,
            // ATTACH, DETACH, PRAGMA, virtual tables, triggers, transactions, ALTER, ANALYZE, and
            // what SQLite may learn to do.
            _ => false,
        }
    }

    fn is_known(&self, table: &str) -> bool {
        let table = table.to_ascii_lowercase();
        self.tables.contains(&table) || self.pending.contains(&table)
    }

    /// Virtual tables that are there without being created. Those of pragmas become modules when
    /// they are first asked for.
    fn is_virtual(&self, table: &str) -> bool {
        let table = table.to_ascii_lowercase();
        self.modules.contains(&table)
            || ["pragma_", "sqlite_"].iter().any(|prefix| table.starts_with(prefix))
    }

    fn is_readable(&self, table: &str, column: &str) -> bool {
        if self.is_known(table) || is_in(&SCHEMA, table) || is_in(&TABLE_FUNCTIONS, table) {
            return true;
        }
        // A part of the query that has a name, such as WITH gives, is asked about without a column,
        // and has no tables of its own.
        column.is_empty() && !self.is_virtual(table)
    }
}

fn names(connection: &Connection, query: &str) -> rusqlite::Result<HashSet<String>> {
    let mut statement = connection.prepare(query)?;
    statement
        .query_map([], |row| row.get::<_, String>(0))?
        .map(|name| Ok(name?.to_ascii_lowercase()))
        .collect()
}

fn is_in(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// An action in the words of SQL.
fn named(action: AuthAction<'_>) -> String {
    match action {
        AuthAction::Function { function_name } => format!("the function {function_name}"),
        AuthAction::Read { table_name, .. }
        | AuthAction::Insert { table_name }
        | AuthAction::Delete { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::CreateTable { table_name }
        | AuthAction::CreateTempTable { table_name }
        | AuthAction::CreateView { view_name: table_name }
        | AuthAction::CreateTempView { view_name: table_name } => format!("the table {table_name}"),
        AuthAction::Pragma { pragma_name, .. } => format!("PRAGMA {pragma_name}"),
        AuthAction::Attach { .. }
        | AuthAction::Unknown { code: rusqlite::ffi::SQLITE_ATTACH, .. } => {
            "ATTACH or VACUUM".into()
        }
        AuthAction::Detach { .. } => "DETACH".into(),
        AuthAction::CreateVtable { module_name, .. } => format!("virtual tables ({module_name})"),
        AuthAction::CreateTrigger { .. } | AuthAction::CreateTempTrigger { .. } => {
            "triggers".into()
        }
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "transactions".into(),
        AuthAction::AlterTable { .. } => "ALTER TABLE".into(),
        AuthAction::Analyze { .. } => "ANALYZE".into(),
        _ => "this statement".into(),
    }
}
