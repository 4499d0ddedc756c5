//! Pinned definitions of MCP tools in SQLite.

use super::collections::project_of;
use super::executions::rows;
use super::{Sqlite, now_ms};
use crate::Error;
use crate::mcp_tools::{MAX_SERVERS, McpToolStore, SeenMcpServer};
use crate::projects::PERSONAL;
use model::Str;
use node_api::mcp::{
    McpError, McpPinState, McpPins, McpScope, McpToolDecision, McpToolDefinition, PinnedMcpTool,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The pins as one workflow or project sees them.
struct ScopedPins {
    store: Sqlite,
    scope: McpScope,
}

#[async_trait::async_trait]
impl McpPins for Sqlite {
    fn scoped_to(&self, scope: McpScope) -> Option<Arc<dyn McpPins>> {
        Some(Arc::new(ScopedPins { store: self.clone(), scope }))
    }

    async fn compare(
        &self,
        server: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError> {
        let scope = McpScope::Project(PERSONAL.into());
        ScopedPins { store: self.clone(), scope }.compare(server, listed).await
    }
}

#[async_trait::async_trait]
impl McpPins for ScopedPins {
    async fn compare(
        &self,
        server: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError> {
        let (scope, server) = (self.scope.clone(), Str::from(server));
        let (listed, at) = (Arc::new(listed), server.clone());
        let looked_at = listed.clone();
        let found = self.store.read(move |connection| {
            let project = project(connection, &scope)?;
            let known = known(connection, &project, &at)?;
            let states: Option<Vec<McpPinState>> =
                looked_at.iter().map(|tool| settled(known.get(&tool.name), tool)).collect();
            // The first list is noted even if it is empty of tools: there is nothing to note then.
            let states = states.filter(|_| !known.is_empty() || looked_at.is_empty());
            Ok((project, states))
        });
        let (project, states) = found.await.map_err(failed)?;
        if let Some(states) = states {
            return Ok(states);
        }
        let noted =
            self.store.write(move |connection| note(connection, &project, &server, &listed));
        noted.await.map_err(failed)?
    }
}

fn failed(error: Error) -> McpError {
    McpError::Store { code: error.code(), message: error.to_string().into() }
}

fn project(connection: &Connection, scope: &McpScope) -> Result<Str, Error> {
    match scope {
        McpScope::Project(id) => Ok(id.clone()),
        // A workflow that is not stored belongs to whoever runs it here.
        McpScope::Workflow(id) => {
            Ok(project_of(connection, id)?.unwrap_or_else(|| PERSONAL.into()))
        }
    }
}

const COLUMNS: &str =
    "project_id, server, name, approved, approved_digest, proposed, proposed_digest,
    rejected_digest, seen_ms, decided_by, decided_ms";

struct StoredPin {
    tool: PinnedMcpTool,
    rejected: Option<Str>,
}

fn kept(row: &Row<'_>) -> rusqlite::Result<StoredPin> {
    let text = |index: usize| -> rusqlite::Result<Option<Str>> {
        Ok(row.get::<_, Option<String>>(index)?.map(Into::into))
    };
    let name: Str = row.get_ref(2)?.as_str()?.into();
    let definition = |json: Option<Str>, digest: Option<Str>| {
        Some(McpToolDefinition { name: name.clone(), json: json?, digest: digest? })
    };
    let approved = definition(text(3)?, text(4)?);
    let proposed = definition(text(5)?, text(6)?);
    let rejected = text(7)?;
    let state = match (&approved, &proposed) {
        (_, None) => McpPinState::Approved,
        (_, Some(proposed)) if rejected.as_ref() == Some(&proposed.digest) => McpPinState::Rejected,
        (None, Some(_)) => McpPinState::New,
        (Some(_), Some(_)) => McpPinState::Changed,
    };
    let tool = PinnedMcpTool {
        project_id: row.get_ref(0)?.as_str()?.into(),
        server: row.get_ref(1)?.as_str()?.into(),
        name: name.clone(),
        state,
        approved,
        proposed,
        seen_ms: row.get(8)?,
        decided_by: text(9)?,
        decided_ms: row.get(10)?,
    };
    Ok(StoredPin { tool, rejected })
}

fn known(
    connection: &Connection,
    project: &str,
    server: &str,
) -> Result<HashMap<Str, StoredPin>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM mcp_tools WHERE project_id = ?1 AND server = ?2 ORDER BY name"
    );
    let mut found = connection.prepare_cached(&sql)?;
    let all: Vec<StoredPin> = rows(found.query_map([project, server], kept)?)?;
    Ok(all.into_iter().map(|kept| (kept.tool.name.clone(), kept)).collect())
}

/// The state of a tool of which nothing is to be noted.
fn settled(known: Option<&StoredPin>, listed: &McpToolDefinition) -> Option<McpPinState> {
    let tool = &known?.tool;
    let is = |definition: &Option<McpToolDefinition>| {
        definition.as_ref().is_some_and(|definition| definition.digest == listed.digest)
    };
    match &tool.proposed {
        None => is(&tool.approved).then_some(McpPinState::Approved),
        Some(_) => is(&tool.proposed).then_some(tool.state),
    }
}

/// Notes what is new and what is different.
fn note(
    connection: &Connection,
    project: &str,
    server: &str,
    listed: &[McpToolDefinition],
) -> Result<Result<Vec<McpPinState>, McpError>, Error> {
    // The project may have gone meanwhile.
    let exists = "SELECT 1 FROM projects WHERE id = ?";
    if connection.query_row(exists, [project], |_| Ok(())).optional()?.is_none() {
        return Ok(Ok(vec![McpPinState::New; listed.len()]));
    }
    let known = known(connection, project, server)?;
    let is_first = known.is_empty();
    if is_first {
        let sql = "SELECT count(DISTINCT server) FROM mcp_tools WHERE project_id = ?";
        let servers: i64 = connection.query_row(sql, [project], |row| row.get(0))?;
        if servers >= MAX_SERVERS as i64 {
            let what = "MCP servers that the project has used";
            return Ok(Err(McpError::Limit { server: server.into(), what, limit: MAX_SERVERS }));
        }
    }
    // New ones that nobody has decided about go when the server no longer lists them.
    let names: HashSet<&Str> = listed.iter().map(|tool| &tool.name).collect();
    for kept in known.values() {
        let is_undecided = kept.tool.approved.is_none() && kept.rejected.is_none();
        if is_undecided && !names.contains(&kept.tool.name) {
            let sql = "DELETE FROM mcp_tools WHERE project_id = ?1 AND server = ?2 AND name = ?3";
            connection.execute(sql, [project, server, &kept.tool.name])?;
        }
    }
    let mut states = Vec::with_capacity(listed.len());
    for tool in listed {
        let kept = known.get(&tool.name);
        if let Some(state) = settled(kept, tool) {
            states.push(state);
            continue;
        }
        let approved = kept.and_then(|kept| kept.tool.approved.as_ref());
        let is_back = approved.is_some_and(|approved| approved.digest == tool.digest);
        let (state, sql) = match kept {
            None if is_first => (McpPinState::Approved, INSERT_APPROVED),
            None => (McpPinState::New, INSERT_PROPOSED),
            Some(_) if is_back => (McpPinState::Approved, CLEAR_PROPOSED),
            Some(kept) if kept.rejected.as_ref() == Some(&tool.digest) => {
                (McpPinState::Rejected, SET_PROPOSED)
            }
            Some(_) if approved.is_none() => (McpPinState::New, SET_PROPOSED),
            Some(_) => (McpPinState::Changed, SET_PROPOSED),
        };
        let values = params![
            project,
            server,
            tool.name.as_str(),
            tool.json.as_str(),
            tool.digest.as_str(),
            now_ms()
        ];
        connection.prepare_cached(sql)?.execute(values)?;
        states.push(state);
    }
    Ok(Ok(states))
}

const INSERT_APPROVED: &str =
    "INSERT INTO mcp_tools (project_id, server, name, approved, approved_digest, seen_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const INSERT_PROPOSED: &str =
    "INSERT INTO mcp_tools (project_id, server, name, proposed, proposed_digest, seen_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const SET_PROPOSED: &str = "UPDATE mcp_tools SET proposed = ?4, proposed_digest = ?5, seen_ms = ?6
    WHERE project_id = ?1 AND server = ?2 AND name = ?3";
/// The server lists what was approved again.
const CLEAR_PROPOSED: &str = "UPDATE mcp_tools SET proposed = NULL, proposed_digest = NULL, approved = ?4, approved_digest = ?5, seen_ms = ?6
    WHERE project_id = ?1 AND server = ?2 AND name = ?3";

#[async_trait::async_trait]
impl McpToolStore for Sqlite {
    async fn mcp_servers(&self) -> Result<Vec<SeenMcpServer>, Error> {
        self.read(|connection| {
            let sql = "SELECT project_id, server, count(*),
                         count(*) FILTER (WHERE proposed IS NOT NULL
                                          AND (rejected_digest IS NULL OR rejected_digest <> proposed_digest))
                       FROM mcp_tools GROUP BY project_id, server ORDER BY project_id, server";
            let mut found = connection.prepare_cached(sql)?;
            rows(found.query_map([], |row| {
                Ok(SeenMcpServer {
                    project_id: row.get_ref(0)?.as_str()?.into(),
                    server: row.get_ref(1)?.as_str()?.into(),
                    n_tools: row.get::<_, i64>(2)? as usize,
                    n_open: row.get::<_, i64>(3)? as usize,
                })
            })?)
        })
        .await
    }

    async fn mcp_tools(&self, project: &str, server: &str) -> Result<Vec<PinnedMcpTool>, Error> {
        let (project, server) = (project.to_owned(), server.to_owned());
        self.read(move |connection| {
            let known = known(connection, &project, &server)?;
            let mut tools: Vec<PinnedMcpTool> = known.into_values().map(|kept| kept.tool).collect();
            tools.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(tools)
        })
        .await
    }

    async fn decide_mcp_tool(
        &self,
        decision: McpToolDecision,
    ) -> Result<Option<PinnedMcpTool>, Error> {
        self.write(move |connection| {
            let (project, server) = (decision.project_id.as_str(), decision.server.as_str());
            // Only the definition that was looked at is decided about.
            let sql = match decision.approves {
                true => {
                    "UPDATE mcp_tools SET approved = proposed, approved_digest = proposed_digest, proposed = NULL,
                       proposed_digest = NULL, rejected_digest = NULL, decided_by = ?5, decided_ms = ?6
                     WHERE project_id = ?1 AND server = ?2 AND name = ?3 AND proposed_digest = ?4"
                }
                false => {
                    "UPDATE mcp_tools SET rejected_digest = ?4, decided_by = ?5, decided_ms = ?6,
                       proposed = CASE WHEN proposed_digest = ?4 THEN proposed ELSE approved END,
                       proposed_digest = ?4,
                       approved = CASE WHEN approved_digest = ?4 THEN NULL ELSE approved END,
                       approved_digest = CASE WHEN approved_digest = ?4 THEN NULL ELSE approved_digest END
                     WHERE project_id = ?1 AND server = ?2 AND name = ?3
                       AND (proposed_digest = ?4 OR (approved_digest = ?4 AND proposed IS NULL))"
                }
            };
            let values = params![
                project,
                server,
                decision.tool.as_str(),
                decision.digest.as_str(),
                decision.decided_by.as_str(),
                now_ms()
            ];
            if connection.execute(sql, values)? == 0 {
                return Ok(None);
            }
            Ok(known(connection, project, server)?.remove(&decision.tool).map(|kept| kept.tool))
        })
        .await
    }

    async fn forget_mcp_server(&self, project: &str, server: &str) -> Result<bool, Error> {
        let (project, server) = (project.to_owned(), server.to_owned());
        self.write(move |connection| {
            let sql = "DELETE FROM mcp_tools WHERE project_id = ?1 AND server = ?2";
            Ok(connection.execute(sql, [project, server])? > 0)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
