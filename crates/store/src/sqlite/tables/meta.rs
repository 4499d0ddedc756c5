//! What is known of a data table: its row in `data_tables`, and the names that statements use for
//! it.

use crate::Error;
use model::{Object, Str, Value};
use node_api::tables::{CellValue, ColumnKind, TableColumn, TableError, TableName, TableRecord};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// What a row takes besides its cells.
pub(super) const ROW_BYTES: usize = 32;

const FIELDS: &str =
    "number, id, name, columns, project_id, next_row, n_rows, bytes, created_ms, updated_ms";

pub(super) struct TableMeta {
    pub(super) number: i64,
    pub(super) table: TableRecord,
    /// The number of each column in the database, in the order of the columns.
    pub(super) slots: Vec<u32>,
    pub(super) next_row: i64,
}

/// A table that is asked for, and the workflow that asks if one does: it finds the tables of its
/// project.
pub(super) struct TableRef {
    pub(super) name: TableName,
    pub(super) seen_by: Option<Str>,
}

/// Holds for the tables of the project of the workflow `?1`, and for all tables without one.
const IS_SEEN: &str =
    "(?1 IS NULL OR project_id = (SELECT project_id FROM workflows WHERE id = ?1))";

impl TableMeta {
    pub(super) fn find(connection: &Connection, which: &TableRef) -> Result<Self, Error> {
        let (key, text) = match &which.name {
            TableName::Id(id) => ("id", id),
            TableName::Name(name) => ("name", name),
        };
        let sql = format!("SELECT {FIELDS} FROM data_tables WHERE {key} = ?2 AND {IS_SEEN}");
        let asked = params![which.seen_by.as_deref(), text.as_str()];
        let found = connection
            .prepare_cached(&sql)?
            .query_row(asked, |row| Ok(Self::read(row)))
            .optional()?;
        found.unwrap_or_else(|| Err(no_table(&which.name).into()))
    }

    pub(super) fn all(connection: &Connection, seen_by: Option<&str>) -> Result<Vec<Self>, Error> {
        let sql = format!("SELECT {FIELDS} FROM data_tables WHERE {IS_SEEN} ORDER BY name");
        let mut statement = connection.prepare_cached(&sql)?;
        let found = statement
            .query_map([seen_by], |row| Ok(Self::read(row)))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        found.into_iter().collect()
    }

    fn read(row: &Row<'_>) -> Result<Self, Error> {
        let id: Str = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?.into();
        let damaged = || Error::Corrupt { what: format!("the data table {id}").into() };
        let text: String = row.get(3)?;
        let described = model::json::parse(&text).map_err(|_| damaged())?;
        let (mut columns, mut slots) = (Vec::new(), Vec::new());
        for (index, column) in described.as_array().unwrap_or_default().iter().enumerate() {
            let text = |key: &str| column.get(key).and_then(Value::as_str).ok_or_else(damaged);
            let kind = ColumnKind::from_name(text("type")?).ok_or_else(damaged)?;
            columns.push(TableColumn {
                id: text("id")?.into(),
                name: text("name")?.into(),
                kind,
                index,
            });
            slots.push(column.get("slot").and_then(Value::as_usize).ok_or_else(damaged)? as u32);
        }
        let table = TableRecord {
            id: id.clone(),
            name: row.get::<_, String>(2)?.into(),
            columns,
            project_id: row.get::<_, String>(4)?.into(),
            n_rows: row.get::<_, i64>(6)?.max(0) as usize,
            bytes: row.get::<_, i64>(7)?.max(0) as usize,
            created_ms: row.get(8)?,
            updated_ms: row.get(9)?,
        };
        Ok(Self { number: row.get(0)?, table, slots, next_row: row.get(5)? })
    }

    /// The name of the table with the rows.
    pub(super) fn rows_table(&self) -> String {
        format!("data_{}", self.number)
    }

    /// A column of the rows as statements name it, and its kind.
    pub(super) fn field(&self, name: &str) -> Result<(String, ColumnKind), TableError> {
        match name {
            "id" => Ok(("id".to_owned(), ColumnKind::Number)),
            "createdAt" => Ok(("created_ms".to_owned(), ColumnKind::Date)),
            "updatedAt" => Ok(("updated_ms".to_owned(), ColumnKind::Date)),
            name => {
                let at = self.position(name)?;
                Ok((field_name(self.slots[at]), self.table.columns[at].kind))
            }
        }
    }

    pub(super) fn position(&self, name: &str) -> Result<usize, TableError> {
        let found = self.table.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| TableError::NoColumn {
            table: self.table.name.clone(),
            name: name.chars().take(100).collect::<String>().into(),
        })
    }

    /// The position of a column, and a value as it is kept there.
    pub(super) fn cell(&self, name: &str, value: &Value) -> Result<(usize, CellValue), TableError> {
        let at = self.position(name)?;
        Ok((at, self.table.columns[at].kind.cell(name, value)?))
    }

    /// Values of some columns, as they are kept.
    pub(super) fn cells(&self, data: &Object) -> Result<Vec<(usize, CellValue)>, TableError> {
        data.iter().map(|(name, value)| self.cell(name, value)).collect()
    }

    /// What a select of rows lists, in the order in which [`Self::row`] reads it.
    pub(super) fn selected(&self) -> String {
        let columns: String =
            self.slots.iter().map(|slot| format!(", {}", field_name(*slot))).collect();
        format!("id, created_ms, updated_ms{columns}")
    }

    pub(super) fn row(&self, row: &Row<'_>) -> rusqlite::Result<Object> {
        let mut object = Object::with_capacity(3 + self.slots.len());
        object.insert("id", row.get::<_, i64>(0)?);
        object.insert("createdAt", node_api::tables::iso(row.get(1)?));
        object.insert("updatedAt", node_api::tables::iso(row.get(2)?));
        for (at, column) in self.table.columns.iter().enumerate() {
            let cell = match (row.get_ref(at + 3)?, column.kind) {
                (rusqlite::types::ValueRef::Null, _) => CellValue::Null,
                (value, ColumnKind::String) => CellValue::Text(value.as_str()?.into()),
                (value, ColumnKind::Number) => CellValue::Number(value.as_f64()?),
                (value, ColumnKind::Boolean) => CellValue::Flag(value.as_i64()? != 0),
                (value, ColumnKind::Date) => CellValue::Moment(value.as_i64()?),
            };
            object.insert(column.name.clone(), cell.into_value());
        }
        Ok(object)
    }

    /// An expression for what some columns of a row take.
    pub(super) fn size_of(&self, positions: impl Iterator<Item = usize>) -> String {
        let size = |at: usize| {
            let field = field_name(self.slots[at]);
            match self.table.columns[at].kind {
                ColumnKind::String => format!(" + ifnull(octet_length({field}), 0)"),
                ColumnKind::Number | ColumnKind::Date => format!(" + 8 * ({field} IS NOT NULL)"),
                ColumnKind::Boolean => format!(" + ({field} IS NOT NULL)"),
            }
        };
        format!("0{}", positions.map(size).collect::<String>())
    }

    /// Writes names and columns back.
    pub(super) fn save(&self, connection: &Connection, now: i64) -> Result<(), Error> {
        let sql =
            "UPDATE data_tables SET name = ?2, columns = ?3, updated_ms = ?4 WHERE number = ?1";
        connection.prepare_cached(sql)?.execute(params![
            self.number,
            self.table.name.as_str(),
            self.columns_json(),
            now
        ])?;
        Ok(())
    }

    /// Counts rows and bytes that came or went.
    pub(super) fn count(
        &self,
        connection: &Connection,
        rows: i64,
        bytes: i64,
    ) -> Result<(), Error> {
        let sql = "UPDATE data_tables SET next_row = next_row + max(?2, 0), n_rows = max(n_rows + ?2, 0), bytes = max(bytes + ?3, 0) WHERE number = ?1";
        connection.prepare_cached(sql)?.execute([self.number, rows, bytes])?;
        Ok(())
    }

    pub(super) fn columns_json(&self) -> String {
        let column = |(column, slot): (&TableColumn, &u32)| {
            let fields = [
                ("id", Value::from(column.id.clone())),
                ("name", column.name.clone().into()),
                ("type", column.kind.name().into()),
                ("slot", (*slot).into()),
            ];
            Value::from(Object::from_iter(fields))
        };
        model::json::to_string(&Value::array(
            self.table.columns.iter().zip(&self.slots).map(column).collect(),
        ))
    }

    /// Numbers the columns anew after one of them was moved.
    pub(super) fn renumber(&mut self) {
        for (index, column) in self.table.columns.iter_mut().enumerate() {
            column.index = index;
        }
    }
}

pub(super) fn field_name(slot: u32) -> String {
    format!("c{slot}")
}

/// The declaration of a column of the rows.
pub(super) fn field_type(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::String => "TEXT",
        ColumnKind::Number => "REAL",
        ColumnKind::Boolean | ColumnKind::Date => "INTEGER",
    }
}

fn no_table(which: &TableName) -> TableError {
    let shortened = |text: &str| {
        text.chars().filter(|letter| !letter.is_control()).take(100).collect::<String>()
    };
    let name = match which {
        TableName::Id(id) => format!("with the ID '{}'", shortened(id)),
        TableName::Name(name) => format!("named '{}'", shortened(name)),
    };
    TableError::NoTable { name: name.into() }
}
