//! What rows of data tables cost: `cargo run --release -p heddle-store --example tables`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that prints its results"
)]

use heddle_store::{OpenMode, Sqlite};
use model::{Object, Value, json};
use node_api::tables::{
    ChangeMode, ColumnKind, ConditionOp, NewColumn, NewTable, Returning, RowCondition, RowFilter,
    RowQuery, RowSort, SortOrder, Tables,
};
use std::time::Instant;

fn row(number: usize) -> Object {
    let row = json!({ "name": format!("person {number}"), "age": number % 90, "active": number.is_multiple_of(2), "born": "1990-01-01T00:00:00Z" });
    row.as_object().cloned().unwrap_or_default()
}

#[tokio::main]
async fn main() {
    let folder = std::env::temp_dir().join(format!("heddle-tables-example-{}", std::process::id()));
    let store = Sqlite::open(&folder, OpenMode::Serve).unwrap();
    let kinds = [
        ("name", ColumnKind::String),
        ("age", ColumnKind::Number),
        ("active", ColumnKind::Boolean),
        ("born", ColumnKind::Date),
    ];
    let columns =
        kinds.iter().map(|(name, kind)| NewColumn { name: (*name).into(), kind: *kind }).collect();
    let table = store
        .create_table(NewTable { name: "people".into(), columns, project_id: None })
        .await
        .unwrap();
    for round in 0..4 {
        let began = Instant::now();
        for chunk in 0..10 {
            let rows = (0..5000).map(|number| row(chunk * 5000 + number)).collect();
            store.insert_rows(&table.id, rows, Returning::Rows).await.unwrap();
        }
        println!(
            "rows {:6}: bulk insert {:.1} us per row",
            (round + 1) * 50_000,
            began.elapsed().as_secs_f64() * 1e6 / 50_000.0
        );
        let began = Instant::now();
        let tasks: Vec<_> = (0..64)
            .map(|task| {
                let (store, id) = (store.clone(), table.id.clone());
                tokio::spawn(async move {
                    for number in 0..100 {
                        store
                            .insert_rows(&id, vec![row(task * 100 + number)], Returning::Rows)
                            .await
                            .unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        println!(
            "             64 at once, one row each: {:.1} us per row",
            began.elapsed().as_secs_f64() * 1e6 / 6400.0
        );
        let filter = |value: Value| RowFilter {
            conditions: vec![RowCondition::new("name", ConditionOp::Equal, value)],
            ..RowFilter::default()
        };
        let began = Instant::now();
        let query =
            RowQuery { filter: filter(json!("person 777")), limit: 50, ..RowQuery::default() };
        store.rows(&table.id, query).await.unwrap();
        let filtered = began.elapsed();
        let began = Instant::now();
        let sort = Some(RowSort { column: "name".into(), order: SortOrder::Descending });
        store.rows(&table.id, RowQuery { sort, limit: 50, ..RowQuery::default() }).await.unwrap();
        let sorted = began.elapsed();
        let began = Instant::now();
        store
            .update_rows(&table.id, filter(json!("person 3")), row(3), ChangeMode::Silent)
            .await
            .unwrap();
        println!(
            "             filter {filtered:.1?}, sort {sorted:.1?}, update {:.1?}",
            began.elapsed()
        );
    }
    drop(store);
    let _ = std::fs::remove_dir_all(folder);
}
