//! Entries come, change and go, inside a transaction of the caller.

use super::spaces::SpaceRow;
use super::subject_hash;
use crate::Error;
use crate::sqlite::collections::{to_bytes, unit};
use crate::sqlite::conversations::hashed;
use crate::sqlite::{new_id, now_ms};
use crate::vault::VaultKey;
use model::{Object, Str, Value};
use node_api::ai::{
    AddedEntry, Embedding, EntryChange, EntryKind, EntryQuery, EntryRef, EntrySource,
    LongTermError, MemoryEntry, MemoryLimits, NewEntry, clean_text,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

/// What an entry takes besides its text and its vector.
const ENTRY_BYTES: i64 = 64;

/// Longer parts of a source are cut.
const MAX_SOURCE_CHARS: usize = 500;

/// The columns that make an entry, for [`read`].
pub(super) const FIELDS: &str =
    "space, id, kind, version, created_ms, updated_ms, valid_ms, expires_ms, superseded_by, body";

/// Encrypts entries, each bound to its place.
pub(super) struct EntrySealer<'k>(pub(super) &'k VaultKey);

/// What is sealed of an entry.
pub(super) struct EntryBody {
    pub(super) subject: Str,
    pub(super) text: Str,
    pub(super) tags: Vec<Str>,
    pub(super) source: EntrySource,
}

impl EntrySealer<'_> {
    fn seal_body(&self, space: i64, id: &str, body: &EntryBody) -> Result<Vec<u8>, Error> {
        let tags = Value::array(body.tags.iter().cloned().map(Value::from).collect());
        let fields = Object::from_iter([
            ("subject", Value::from(body.subject.clone())),
            ("text", body.text.clone().into()),
            ("tags", tags),
            ("source", body.source.to_value()),
        ]);
        self.0.seal(&name(space, id), model::json::to_string(&fields.into()).as_bytes())
    }

    pub(super) fn open_body(
        &self,
        space: i64,
        id: &str,
        sealed: &[u8],
    ) -> Result<EntryBody, Error> {
        let plain =
            self.0.open(&name(space, id), sealed).and_then(|plain| String::from_utf8(plain).ok());
        let value = plain.and_then(|plain| model::json::parse(&plain).ok()).ok_or_else(damaged)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(Str::from);
        let tags = value.get("tags").and_then(Value::as_array).unwrap_or_default();
        Ok(EntryBody {
            subject: text("subject").ok_or_else(damaged)?,
            text: text("text").ok_or_else(damaged)?,
            tags: tags.iter().filter_map(Value::as_str).map(Str::from).collect(),
            source: value.get("source").map(EntrySource::from_value).unwrap_or_default(),
        })
    }

    fn seal_vector(&self, space: i64, id: &str, embedding: &Embedding) -> Result<Vec<u8>, Error> {
        self.0.seal(&vector_name(space, id), &to_bytes(&unit(&embedding.vector)))
    }

    pub(super) fn open_vector(
        &self,
        space: i64,
        id: &str,
        sealed: &[u8],
    ) -> Result<Vec<f32>, Error> {
        let plain = self.0.open(&vector_name(space, id), sealed).ok_or_else(damaged)?;
        Ok(plain.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }
}

/// The entries as they are kept, or what is wrong with them.
pub(super) fn checked(
    mut new: Vec<NewEntry>,
    limits: &MemoryLimits,
) -> Result<Vec<NewEntry>, LongTermError> {
    if new.len() > limits.entries_per_call {
        return Err(limit("Too many entries at once", limits.entries_per_call, "entries_per_call"));
    }
    for entry in &mut new {
        entry.text = checked_text(&entry.text, limits)?;
        entry.tags = checked_tags(&entry.tags, limits)?;
        check_subject(&entry.subject, limits)?;
        check_vector(entry.embedding.as_ref(), limits)?;
        entry.source = short_source(&entry.source);
    }
    Ok(new)
}

pub(super) fn checked_change(
    mut change: EntryChange,
    limits: &MemoryLimits,
) -> Result<EntryChange, LongTermError> {
    if let Some((text, embedding)) = &mut change.text {
        *text = checked_text(text, limits)?;
        check_vector(embedding.as_ref(), limits)?;
    }
    if let Some(tags) = &mut change.tags {
        *tags = checked_tags(tags, limits)?;
    }
    Ok(change)
}

fn checked_text(text: &str, limits: &MemoryLimits) -> Result<Str, LongTermError> {
    if text.len() > limits.entry_bytes {
        return Err(limit(
            "The text of a memory entry is too long",
            limits.entry_bytes,
            "entry_bytes",
        ));
    }
    let cleaned = clean_text(text);
    match cleaned.is_empty() {
        true => Err(LongTermError::value("The text of a memory entry is empty")),
        false => Ok(cleaned.into()),
    }
}

fn checked_tags(tags: &[Str], limits: &MemoryLimits) -> Result<Vec<Str>, LongTermError> {
    let mut kept: Vec<Str> = Vec::new();
    for tag in tags {
        let tag = Str::from(clean_text(tag).replace('\n', " "));
        if tag.len() > limits.tag_bytes {
            return Err(limit("A tag is too long", limits.tag_bytes, "tag_bytes"));
        }
        if !tag.is_empty() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    match kept.len() > limits.tags {
        true => Err(limit("A memory entry has too many tags", limits.tags, "tags")),
        false => Ok(kept),
    }
}

pub(super) fn check_subject(subject: &str, limits: &MemoryLimits) -> Result<(), LongTermError> {
    if subject.is_empty() {
        return Err(LongTermError::value("The subject of a memory entry is empty"));
    }
    match subject.len() > limits.subject_bytes {
        true => {
            let what = "The subject of a memory entry is too long";
            Err(limit(what, limits.subject_bytes, "subject_bytes"))
        }
        false => Ok(()),
    }
}

fn check_vector(embedding: Option<&Embedding>, limits: &MemoryLimits) -> Result<(), LongTermError> {
    let Some(embedding) = embedding else { return Ok(()) };
    if embedding.vector.len() > limits.dimensions {
        return Err(limit("The vector is too long", limits.dimensions, "dimensions"));
    }
    if embedding.vector.is_empty() || embedding.vector.iter().any(|number| !number.is_finite()) {
        return Err(LongTermError::value("The vector of a memory entry is invalid"));
    }
    Ok(())
}

fn short_source(source: &EntrySource) -> EntrySource {
    let short =
        |part: &Str| Str::from(clean_text(part).chars().take(MAX_SOURCE_CHARS).collect::<String>());
    EntrySource {
        workflow: short(&source.workflow),
        execution: short(&source.execution),
        node: short(&source.node),
        session: short(&source.session),
        turn: short(&source.turn),
        quote: short(&source.quote),
    }
}

pub(super) fn insert(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    new: &[NewEntry],
    limits: &MemoryLimits,
) -> Result<Vec<AddedEntry>, Error> {
    let mut model: Option<(&Str, usize)> = None;
    for embedding in new.iter().filter_map(|entry| entry.embedding.as_ref()) {
        let given = (&embedding.model, embedding.vector.len());
        row.admits(given.0, given.1)?;
        if *model.get_or_insert(given) != given {
            return Err(LongTermError::value("The vectors come from different models").into());
        }
    }
    let (now, change) = (now_ms(), row.changes + 1);
    let (mut n_new, mut bytes) = (0, 0);
    let mut added: Vec<AddedEntry> = Vec::with_capacity(new.len());
    for entry in new {
        let key = entry.key.as_ref().map(|key| hashed(key.as_bytes()));
        if let Some(key) = &key {
            let sql = "SELECT id FROM memory_entries WHERE space = ?1 AND key = ?2";
            let known: Option<String> = connection
                .prepare_cached(sql)?
                .query_row(params![row.number, key], |found| found.get(0))
                .optional()?;
            if let Some(id) = known {
                added.push(AddedEntry { id: id.into(), is_new: false });
                continue;
            }
        }
        let id = new_id();
        let body = EntryBody {
            subject: entry.subject.clone(),
            text: entry.text.clone(),
            tags: entry.tags.clone(),
            source: entry.source.clone(),
        };
        let body = sealer.seal_body(row.number, &id, &body)?;
        let vector = entry
            .embedding
            .as_ref()
            .map(|embedding| sealer.seal_vector(row.number, &id, embedding))
            .transpose()?;
        bytes += size(body.len(), vector.as_ref().map_or(0, Vec::len));
        n_new += 1;
        let sql = "INSERT INTO memory_entries (space, id, key, subject, kind, change, created_ms, updated_ms, valid_ms, expires_ms, body, vector)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11)";
        connection.prepare_cached(sql)?.execute(params![
            row.number,
            id.as_str(),
            key,
            subject_hash(&entry.subject),
            entry.kind.name(),
            change,
            now,
            entry.valid_ms.unwrap_or(now),
            entry.expires_ms,
            body,
            vector
        ])?;
        added.push(AddedEntry { id, is_new: true });
    }
    for (at, entry) in new.iter().enumerate().filter(|(at, _)| added[*at].is_new) {
        for older in &entry.supersedes {
            supersede(
                connection,
                row,
                change,
                resolve(older, &added)?,
                &added[at].id,
                &entry.subject,
            )?;
        }
        if let Some(newer) = &entry.superseded_by {
            let newer = resolve(newer, &added)?;
            supersede(connection, row, change, &added[at].id, newer, &entry.subject)?;
        }
    }
    if n_new == 0 {
        return Ok(added);
    }
    let sql = "UPDATE memory_spaces SET n_entries = n_entries + ?2, bytes = bytes + ?3, n_writes = n_writes + ?2, changes = ?4, updated_ms = ?5,
                 model = coalesce(model, ?6), dimensions = coalesce(dimensions, ?7) WHERE number = ?1 RETURNING n_entries, bytes";
    let (model, dimensions) = model.map(|(model, n)| (model.as_str(), n as i64)).unzip();
    let asked = params![row.number, n_new, bytes, change, now, model, dimensions];
    let (n_entries, bytes): (i64, i64) = connection
        .prepare_cached(sql)?
        .query_row(asked, |found| Ok((found.get(0)?, found.get(1)?)))?;
    if n_entries > limits.entries as i64 {
        return Err(limit("The memory has too many entries", limits.entries, "entries").into());
    }
    if bytes > limits.space_bytes as i64 {
        return Err(limit("The memory is too large", limits.space_bytes, "space_bytes").into());
    }
    Ok(added)
}

fn resolve<'r>(which: &'r EntryRef, added: &'r [AddedEntry]) -> Result<&'r str, LongTermError> {
    match which {
        EntryRef::Existing(id) => Ok(id),
        EntryRef::New(at) => added.get(*at).map(|entry| entry.id.as_str()).ok_or_else(|| {
            LongTermError::value("An entry refers to one that does not come with it")
        }),
    }
}

/// Puts one entry in the place of another one of the same subject.
fn supersede(
    connection: &Connection,
    row: &SpaceRow,
    change: i64,
    older: &str,
    newer: &str,
    subject: &str,
) -> Result<(), Error> {
    let sql = "UPDATE memory_entries SET superseded_by = ?3, version = version + 1, change = ?4, updated_ms = ?5
               WHERE space = ?1 AND id = ?2 AND subject = ?6 AND id <> ?3";
    let asked = params![row.number, older, newer, change, now_ms(), subject_hash(subject)];
    match connection.prepare_cached(sql)?.execute(asked)? {
        0 => Err(no_entry(older).into()),
        _ => Ok(()),
    }
}

pub(super) fn change(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    id: &str,
    wanted: EntryChange,
    limits: &MemoryLimits,
) -> Result<MemoryEntry, Error> {
    let sql = format!("SELECT {FIELDS}, vector FROM memory_entries WHERE space = ?1 AND id = ?2");
    let found = connection
        .prepare_cached(&sql)?
        .query_row(params![row.number, id], |found| {
            Ok((SealedEntry::read(found)?, found.get::<_, Option<Vec<u8>>>("vector")?))
        })
        .optional()?;
    let (sealed, mut vector) = found.ok_or_else(|| no_entry(id))?;
    let before = size(sealed.body.len(), vector.as_ref().map_or(0, Vec::len));
    let mut entry = sealed.open(sealer)?;
    if entry.version != wanted.version {
        let (found, seen) = (entry.version, wanted.version);
        return Err(LongTermError::Stale { id: id.into(), found, seen }.into());
    }
    let mut model = None;
    if let Some((text, embedding)) = wanted.text {
        entry.text = text;
        if let Some(embedding) = &embedding {
            row.admits(&embedding.model, embedding.vector.len())?;
            model = Some((embedding.model.clone(), embedding.vector.len() as i64));
        }
        vector = embedding
            .map(|embedding| sealer.seal_vector(row.number, id, &embedding))
            .transpose()?;
    }
    if let Some(Some(newer)) = &wanted.superseded_by {
        let sql = "SELECT 1 FROM memory_entries WHERE space = ?1 AND id = ?2 AND subject = ?3 AND id <> ?4";
        let asked = params![row.number, newer.as_str(), subject_hash(&entry.subject), id];
        if !connection.prepare_cached(sql)?.exists(asked)? {
            return Err(no_entry(newer).into());
        }
    }
    entry.kind = wanted.kind.unwrap_or(entry.kind);
    entry.tags = wanted.tags.unwrap_or(entry.tags);
    entry.valid_ms = wanted.valid_ms.unwrap_or(entry.valid_ms);
    entry.expires_ms = wanted.expires_ms.unwrap_or(entry.expires_ms);
    entry.superseded_by = wanted.superseded_by.unwrap_or(entry.superseded_by);
    entry.version += 1;
    entry.updated_ms = now_ms();
    let body = EntryBody {
        subject: entry.subject.clone(),
        text: entry.text.clone(),
        tags: entry.tags.clone(),
        source: entry.source.clone(),
    };
    let body = sealer.seal_body(row.number, id, &body)?;
    let more = size(body.len(), vector.as_ref().map_or(0, Vec::len)) - before;
    let change = row.changes + 1;
    let sql = "UPDATE memory_entries SET kind = ?3, version = ?4, change = ?5, updated_ms = ?6, valid_ms = ?7, expires_ms = ?8, superseded_by = ?9, body = ?10, vector = ?11
               WHERE space = ?1 AND id = ?2";
    connection.prepare_cached(sql)?.execute(params![
        row.number,
        id,
        entry.kind.name(),
        entry.version as i64,
        change,
        entry.updated_ms,
        entry.valid_ms,
        entry.expires_ms,
        entry.superseded_by.as_deref(),
        body,
        vector
    ])?;
    let sql = "UPDATE memory_spaces SET bytes = bytes + ?2, n_writes = n_writes + 1, changes = ?3, updated_ms = ?4,
                 model = coalesce(model, ?5), dimensions = coalesce(dimensions, ?6) WHERE number = ?1 RETURNING bytes";
    let (model, dimensions) = model.unzip();
    let asked = params![row.number, more, change, entry.updated_ms, model.as_deref(), dimensions];
    let bytes: i64 = connection.prepare_cached(sql)?.query_row(asked, |found| found.get(0))?;
    if more > 0 && bytes > limits.space_bytes as i64 {
        return Err(limit("The memory is too large", limits.space_bytes, "space_bytes").into());
    }
    Ok(entry)
}

/// Deletes the entries for which a condition holds, so many at most, and tells how many there were.
pub(super) fn delete(
    connection: &Connection,
    condition: &str,
    asked: impl Params,
    most: usize,
) -> Result<usize, Error> {
    let sql = format!(
        "DELETE FROM memory_entries WHERE number IN (SELECT number FROM memory_entries WHERE {condition} LIMIT {most})
         RETURNING space, {ENTRY_BYTES} + length(body) + coalesce(length(vector), 0)"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut deleted = statement.query(asked)?;
    let mut by_space: std::collections::BTreeMap<i64, (i64, i64)> = Default::default();
    let mut n_deleted = 0;
    while let Some(row) = deleted.next()? {
        let sum = by_space.entry(row.get(0)?).or_default();
        sum.0 += 1;
        sum.1 += row.get::<_, i64>(1)?;
        n_deleted += 1;
    }
    // The next vectors of a memory without entries may come from another model.
    let sql = "UPDATE memory_spaces SET n_entries = n_entries - ?2, bytes = bytes - ?3, changes = changes + 1, removals = removals + 1, updated_ms = ?4,
                 model = iif(n_entries = ?2, NULL, model), dimensions = iif(n_entries = ?2, NULL, dimensions) WHERE number = ?1";
    for (space, (n_entries, bytes)) in by_space {
        connection.prepare_cached(sql)?.execute(params![space, n_entries, bytes, now_ms()])?;
    }
    Ok(n_deleted)
}

pub(super) fn find(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    id: &str,
) -> Result<MemoryEntry, Error> {
    let sql = format!("SELECT {FIELDS} FROM memory_entries WHERE space = ?1 AND id = ?2");
    let found = connection
        .prepare_cached(&sql)?
        .query_row(params![row.number, id], SealedEntry::read)
        .optional()?;
    found.ok_or_else(|| no_entry(id))?.open(sealer)
}

pub(super) fn list(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    query: &EntryQuery,
) -> Result<Vec<MemoryEntry>, Error> {
    let after = match &query.after {
        Some(id) => {
            let sql = "SELECT number FROM memory_entries WHERE space = ?1 AND id = ?2";
            connection
                .prepare_cached(sql)?
                .query_row(params![row.number, id.as_str()], |found| found.get::<_, i64>(0))
                .optional()?
                .ok_or_else(|| no_entry(id))?
        }
        None => 0,
    };
    let hash = query.subject.as_ref().map(|subject| subject_hash(subject));
    let condition = if hash.is_some() { "subject = ?2" } else { "?2 IS NULL" };
    let sql = format!(
        "SELECT {FIELDS} FROM memory_entries WHERE space = ?1 AND {condition} AND number > ?3 ORDER BY number LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query(params![row.number, hash, after, query.limit as i64])?;
    let mut entries = Vec::new();
    while let Some(row) = found.next()? {
        entries.push(SealedEntry::read(row)?.open(sealer)?);
    }
    Ok(entries)
}

/// A row with the columns [`FIELDS`].
pub(super) struct SealedEntry {
    space: i64,
    body: Vec<u8>,
    /// Without what is sealed.
    entry: MemoryEntry,
}

impl SealedEntry {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let entry = MemoryEntry {
            id: row.get::<_, String>(1)?.into(),
            subject: Str::new(),
            kind: EntryKind::from_name(row.get_ref(2)?.as_str()?).unwrap_or_default(),
            text: Str::new(),
            tags: Vec::new(),
            source: EntrySource::default(),
            version: row.get::<_, i64>(3)?.max(0) as u64,
            created_ms: row.get(4)?,
            updated_ms: row.get(5)?,
            valid_ms: row.get(6)?,
            expires_ms: row.get(7)?,
            superseded_by: row.get::<_, Option<String>>(8)?.map(Str::from),
        };
        Ok(Self { space: row.get(0)?, body: row.get(9)?, entry })
    }

    pub(super) fn open(self, sealer: &EntrySealer<'_>) -> Result<MemoryEntry, Error> {
        let EntryBody { subject, text, tags, source } =
            sealer.open_body(self.space, &self.entry.id, &self.body)?;
        Ok(MemoryEntry { subject, text, tags, source, ..self.entry })
    }
}

pub(super) fn no_entry(id: &str) -> LongTermError {
    let id: String = id.chars().filter(|letter| !letter.is_control()).take(100).collect();
    LongTermError::NoEntry { id: id.into() }
}

fn limit(what: &'static str, limit: usize, name: &'static str) -> LongTermError {
    LongTermError::Limit { what, limit, name }
}

fn size(body: usize, vector: usize) -> i64 {
    ENTRY_BYTES + (body + vector) as i64
}

fn name(space: i64, id: &str) -> String {
    format!("memory entry {space} {id}")
}

fn vector_name(space: i64, id: &str) -> String {
    format!("memory vector {space} {id}")
}

fn damaged() -> Error {
    Error::Corrupt { what: "a memory entry".into() }
}
