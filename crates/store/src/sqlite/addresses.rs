//! Which workflow listens at which address, in SQLite.

use super::executions::rows;
use super::now_ms;
use crate::Error;
use crate::addresses::{Address, AddressClaim, EndpointKind, LostAddress};
use model::Str;
use rusqlite::{Connection, params};

/// The first of these claims that overlaps with an address of another workflow.
pub(super) fn taken<'c>(
    connection: &Connection,
    id: &str,
    claims: &'c [AddressClaim],
) -> Result<Option<&'c AddressClaim>, Error> {
    // By name, or SQLite would read all addresses of a method.
    let alike = "SELECT pattern FROM addresses INDEXED BY addresses_alike
                 WHERE door = ?1 AND method = ?2 AND parts = ?3 AND workflow_id <> ?4";
    let mut any_head = connection.prepare_cached(alike)?;
    let mut same_head = connection.prepare_cached(&format!("{alike} AND head IN (?5, ':')"))?;
    for claim in claims {
        let Address { door, method, .. } = &claim.address;
        let (door_name, parts, head) =
            (door.name(), claim.address.n_parts() as i64, claim.address.head());
        let others: Vec<String> = match head {
            ":" => rows(
                any_head
                    .query_map(params![door_name, method.as_str(), parts, id], |row| row.get(0))?,
            )?,
            head => rows(
                same_head
                    .query_map(params![door_name, method.as_str(), parts, id, head], |row| {
                        row.get(0)
                    })?,
            )?,
        };
        if others
            .iter()
            .any(|pattern| claim.address.overlaps(&Address::new(*door, method, pattern)))
        {
            return Ok(Some(claim));
        }
    }
    Ok(None)
}

/// Gives a workflow these addresses and no others.
pub(super) fn assign(
    connection: &Connection,
    id: &str,
    claims: &[AddressClaim],
) -> Result<(), Error> {
    release(connection, id)?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO addresses (door, method, pattern, parts, head, workflow_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    )?;
    for AddressClaim { address, .. } in claims {
        let (door, method) = (address.door.name(), address.method.as_str());
        insert.execute(params![
            door,
            method,
            address.pattern(),
            address.n_parts() as i64,
            address.head(),
            id
        ])?;
    }
    connection
        .prepare_cached("DELETE FROM lost_addresses WHERE workflow_id = ?1")?
        .execute([id])?;
    Ok(())
}

pub(super) fn release(connection: &Connection, id: &str) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM addresses WHERE workflow_id = ?1")?.execute([id])?;
    Ok(())
}

/// Writes down that a workflow could not keep an address.
pub(super) fn record_loss(
    connection: &Connection,
    id: &str,
    claim: &AddressClaim,
) -> Result<(), Error> {
    let sql = "INSERT INTO lost_addresses (workflow_id, node, method, path, lost_ms) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (workflow_id) DO UPDATE SET node = excluded.node, method = excluded.method, path = excluded.path, lost_ms = excluded.lost_ms";
    let values = params![
        id,
        claim.node.as_str(),
        claim.address.method.as_str(),
        claim.path.as_str(),
        now_ms()
    ];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// The addresses of some workflows, or of all.
pub(super) fn of(
    connection: &Connection,
    workflows: Option<&[Str]>,
) -> Result<Vec<(Str, Address)>, Error> {
    let columns = "SELECT workflow_id, door, method, pattern FROM addresses";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let mut all: Vec<(String, String, String, String)> = Vec::new();
    match workflows {
        None => all = rows(connection.prepare_cached(columns)?.query_map([], read)?)?,
        Some(workflows) => {
            let mut found =
                connection.prepare_cached(&format!("{columns} WHERE workflow_id = ?1"))?;
            for workflow in workflows {
                all.extend(rows(found.query_map([workflow.as_str()], read)?)?);
            }
        }
    }
    let damaged = || Error::Corrupt { what: "the table of addresses".into() };
    all.into_iter()
        .map(|(id, door, method, pattern)| {
            Ok((
                id.into(),
                Address::new(
                    EndpointKind::from_name(&door).ok_or_else(damaged)?,
                    &method,
                    &pattern,
                ),
            ))
        })
        .collect()
}

pub(super) fn lost(connection: &Connection) -> Result<Vec<LostAddress>, Error> {
    let mut found =
        connection.prepare_cached("SELECT workflow_id, node, method, path, lost_ms FROM lost_addresses ORDER BY lost_ms, workflow_id")?;
    let text = |row: &rusqlite::Row<'_>, index: usize| row.get::<_, String>(index).map(Str::from);
    rows(found.query_map([], |row| {
        let (workflow_id, node, method, path) =
            (text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?);
        Ok(LostAddress { workflow_id, node, method, path, lost_ms: row.get(4)? })
    })?)
}
