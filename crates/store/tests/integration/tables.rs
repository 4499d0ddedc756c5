//! Data tables on a real file: what they hold, what they refuse, and what is left after a refusal.

use crate::support::TempFolder;
use heddle_store::{OpenMode, Sqlite};
use model::{Code, Object, Value, json};
use node_api::tables::{
    ChangeMode, ColumnChange, ColumnKind, Combine, ConditionOp, NewColumn, NewTable, Returning,
    RowCondition, RowFilter, RowQuery, RowSort, SortOrder, TableLimits, TableName, TableRecord,
    Tables,
};

fn open(limits: TableLimits) -> (TempFolder, Sqlite) {
    let folder = TempFolder::absent("tables");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap().with_table_limits(limits);
    (folder, store)
}

const COLUMNS: [(&str, ColumnKind); 4] = [
    ("name", ColumnKind::String),
    ("age", ColumnKind::Number),
    ("active", ColumnKind::Boolean),
    ("born", ColumnKind::Date),
];

async fn people(store: &Sqlite) -> TableRecord {
    let columns = COLUMNS
        .iter()
        .map(|(name, kind)| NewColumn { name: (*name).into(), kind: *kind })
        .collect();
    let table = store
        .create_table(NewTable { name: "people".into(), columns, project_id: None })
        .await
        .unwrap();
    let rows = json!([
        { "name": "Ann", "age": 30, "active": true, "born": "1995-01-01T00:00:00Z" },
        { "name": "Bob", "age": 40, "active": false },
        { "name": "ann-marie", "age": "50" },
        { "age": 5 },
    ]);
    insert(store, &table, rows).await;
    table
}

async fn insert(store: &Sqlite, table: &TableRecord, rows: Value) -> Vec<Object> {
    store.insert_rows(&table.id, objects(&rows), Returning::Rows).await.unwrap().rows
}

fn objects(rows: &Value) -> Vec<Object> {
    rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect()
}

fn condition(column: &str, test: &str, value: Value) -> RowCondition {
    RowCondition::new(column, ConditionOp::from_name(test).unwrap(), value)
}

fn one(column: &str, test: &str, value: Value) -> RowFilter {
    RowFilter { combine: Combine::And, conditions: vec![condition(column, test, value)] }
}

async fn ids(store: &Sqlite, table: &TableRecord, query: RowQuery) -> Vec<i64> {
    let rows = store
        .rows(
            &table.id,
            RowQuery { limit: if query.limit == 0 { 100 } else { query.limit }, ..query },
        )
        .await
        .unwrap();
    rows.iter().map(|row| row.get("id").unwrap().as_f64().unwrap() as i64).collect()
}

async fn find(store: &Sqlite, table: &TableRecord, filter: RowFilter) -> Vec<i64> {
    ids(store, table, RowQuery { filter, ..RowQuery::default() }).await
}

#[tokio::test]
async fn rows_come_back_with_the_types_of_their_columns() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let rows = store.rows(&table.id, RowQuery { limit: 10, ..RowQuery::default() }).await.unwrap();
    let first = &rows[0];
    assert_eq!(
        first.keys().map(|key| key.as_str()).collect::<Vec<_>>(),
        ["id", "createdAt", "updatedAt", "name", "age", "active", "born"]
    );
    assert_eq!(
        (first.get("active"), first.get("born")),
        (Some(&json!(true)), Some(&json!("1995-01-01T00:00:00.000Z")))
    );
    assert_eq!(rows[2].get("age"), Some(&json!(50)));
    assert_eq!(rows[3].get("name"), Some(&Value::Null));
    let kept = store
        .insert_rows(&table.id, objects(&json!([{ "name": "Zoe" }])), Returning::Ids)
        .await
        .unwrap();
    assert_eq!((kept.count, kept.ids, kept.rows.len()), (1, vec![5], 0));
}

#[tokio::test]
async fn every_condition_finds_its_rows() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    for (column, condition, value, expected) in [
        ("name", "eq", json!("Ann"), vec![1]),
        ("name", "neq", json!("Ann"), vec![2, 3, 4]),
        ("name", "eq", Value::Null, vec![4]),
        ("name", "neq", Value::Null, vec![1, 2, 3]),
        ("name", "like", json!("nn"), vec![1, 3]),
        ("name", "like", json!("A%"), vec![1]),
        ("name", "ilike", json!("ANN%"), vec![1, 3]),
        ("name", "gt", json!("B"), vec![2, 3]),
        ("age", "gt", json!(30), vec![2, 3]),
        ("age", "gte", json!("30"), vec![1, 2, 3]),
        ("age", "lt", json!(30), vec![4]),
        ("age", "lte", json!(30), vec![1, 4]),
        ("active", "eq", json!("true"), vec![1]),
        ("active", "eq", json!(false), vec![2]),
        ("born", "lt", json!("2000-01-01"), vec![1]),
        ("id", "eq", json!("2"), vec![2]),
        ("id", "eq", json!(2.5), vec![]),
        ("createdAt", "gt", json!("2020-01-01"), vec![1, 2, 3, 4]),
    ] {
        assert_eq!(
            find(&store, &table, one(column, condition, value.clone())).await,
            expected,
            "{column} {condition} {value:?}"
        );
    }
    let pair = |combine| RowFilter {
        combine,
        conditions: vec![condition("age", "gt", json!(35)), condition("name", "eq", json!("Ann"))],
    };
    assert_eq!(find(&store, &table, pair(Combine::And)).await, Vec::<i64>::new());
    assert_eq!(find(&store, &table, pair(Combine::Or)).await, [1, 2, 3]);
}

#[tokio::test]
async fn rows_are_sorted_searched_and_paged() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let sort = |column: &str, order| Some(RowSort { column: column.into(), order });
    let query = |query: RowQuery| ids(&store, &table, query);
    assert_eq!(
        query(RowQuery { sort: sort("age", SortOrder::Descending), ..RowQuery::default() }).await,
        [3, 2, 1, 4]
    );
    assert_eq!(
        query(RowQuery {
            sort: sort("age", SortOrder::Ascending),
            skip: 1,
            limit: 2,
            ..RowQuery::default()
        })
        .await,
        [1, 2]
    );
    assert_eq!(query(RowQuery { after: Some(1), limit: 2, ..RowQuery::default() }).await, [2, 3]);
    assert_eq!(query(RowQuery { search: Some("ANN".into()), ..RowQuery::default() }).await, [1, 3]);
    assert_eq!(
        query(RowQuery { search: Some("%".into()), ..RowQuery::default() }).await,
        Vec::<i64>::new()
    );
    let unknown = RowQuery {
        sort: sort("age; DROP TABLE data_tables", SortOrder::Ascending),
        limit: 1,
        ..RowQuery::default()
    };
    assert_eq!(store.rows(&table.id, unknown).await.unwrap_err().code(), Code::TABLE_COLUMN);
}

#[tokio::test]
async fn updates_reach_what_fits_and_tell_what_they_did() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let data = || json!({ "age": 31, "active": false }).as_object().unwrap().clone();
    let preview = store
        .update_rows(&table.id, one("age", "lt", json!(31)), data(), ChangeMode::DryRun)
        .await
        .unwrap();
    let states: Vec<_> = preview
        .rows
        .iter()
        .map(|row| (row.get("dryRunState").unwrap().clone(), row.get("age").unwrap().clone()))
        .collect();
    let (before, after) = (json!("before"), json!("after"));
    assert_eq!(
        states,
        [
            (before.clone(), json!(30)),
            (after.clone(), json!(31)),
            (before, json!(5)),
            (after, json!(31))
        ]
    );
    assert_eq!(
        find(&store, &table, one("age", "eq", json!(31))).await,
        Vec::<i64>::new(),
        "a preview changes nothing"
    );
    let changed = store
        .update_rows(&table.id, one("age", "lt", json!(31)), data(), ChangeMode::Returning)
        .await
        .unwrap();
    assert_eq!(changed.count, 2);
    assert!(
        changed
            .rows
            .iter()
            .all(|row| row.get("age") == Some(&json!(31))
                && row.get("active") == Some(&json!(false)))
    );
    let upserted = store
        .upsert_row(
            &table.id,
            one("name", "eq", json!("Eve")),
            object(json!({ "name": "Eve" })),
            ChangeMode::Returning,
        )
        .await;
    assert_eq!(upserted.unwrap().rows[0].get("id"), Some(&json!(5)));
    let again = object(json!({ "name": "Eve", "age": 1 }));
    let upserted = store
        .upsert_row(&table.id, one("name", "eq", json!("Eve")), again, ChangeMode::Returning)
        .await
        .unwrap();
    assert_eq!(
        (upserted.count, upserted.rows[0].get("id"), upserted.rows[0].get("age")),
        (1, Some(&json!(5)), Some(&json!(1)))
    );
    let deleted = store
        .delete_rows(&table.id, one("age", "eq", json!(31)), ChangeMode::Returning)
        .await
        .unwrap();
    assert_eq!((deleted.count, deleted.rows.len()), (2, 2));
    assert_eq!(find(&store, &table, RowFilter::default()).await, [2, 3, 5]);
    for error in [
        store
            .update_rows(&table.id, RowFilter::default(), data(), ChangeMode::Silent)
            .await
            .unwrap_err(),
        store.delete_rows(&table.id, RowFilter::default(), ChangeMode::Silent).await.unwrap_err(),
        store
            .update_rows(&table.id, one("id", "eq", json!(2)), Object::new(), ChangeMode::Silent)
            .await
            .unwrap_err(),
        store
            .update_rows(
                &table.id,
                one("id", "eq", json!(2)),
                object(json!({ "id": 9 })),
                ChangeMode::Silent,
            )
            .await
            .unwrap_err(),
    ] {
        assert!(matches!(error.code(), Code::TABLE_VALUE | Code::TABLE_COLUMN), "{error}");
    }
    assert_eq!(store.clear_rows(&table.id).await.unwrap(), 3);
    assert_eq!(
        insert(&store, &table, json!([{}])).await[0].get("id"),
        Some(&json!(6)),
        "an id is never used again"
    );
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

#[tokio::test]
async fn a_refused_insert_leaves_nothing() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let before = store.table(&TableName::Id(table.id.clone())).await.unwrap();
    for rows in [
        json!([{ "name": "x" }, { "age": "many" }]),
        json!([{ "name": "x" }, { "nome": "y" }]),
        json!([{ "id": 7 }]),
    ] {
        assert!(store.insert_rows(&table.id, objects(&rows), Returning::Nothing).await.is_err());
    }
    assert_eq!(store.table(&TableName::Name("people".into())).await.unwrap(), before);
    assert_eq!(insert(&store, &table, json!([{}])).await[0].get("id"), Some(&json!(5)));
}

#[tokio::test]
async fn columns_are_added_renamed_moved_and_removed_with_their_values() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let names = async || -> Vec<String> {
        let table = store.table(&TableName::Id(table.id.clone())).await.unwrap();
        assert!(table.columns.iter().enumerate().all(|(at, column)| column.index == at));
        table.columns.iter().map(|column| column.name.to_string()).collect()
    };
    let added = store
        .add_column(&table.id, NewColumn { name: "note".into(), kind: ColumnKind::String }, Some(1))
        .await
        .unwrap();
    assert_eq!(names().await, ["name", "note", "age", "active", "born"]);
    let age = &table.columns[1];
    let change = ColumnChange { name: Some("years".into()), index: Some(0) };
    assert_eq!(store.change_column(&table.id, &age.id, change).await.unwrap().index, 0);
    assert_eq!(names().await, ["years", "name", "note", "active", "born"]);
    assert_eq!(
        find(&store, &table, one("years", "eq", json!(40))).await,
        [2],
        "values stay with their column"
    );
    store.delete_column(&table.id, &table.columns[0].id).await.unwrap();
    assert_eq!(names().await, ["years", "note", "active", "born"]);
    insert(&store, &table, json!([{ "note": "n", "years": 7 }])).await;
    assert_eq!(find(&store, &table, one("note", "eq", json!("n"))).await, [5]);
    let taken = store
        .change_column(
            &table.id,
            &added.id,
            ColumnChange { name: Some("years".into()), index: None },
        )
        .await
        .unwrap_err();
    assert_eq!(taken.code(), Code::NAME_TAKEN);
    for bad in ["id", "a b", "x\"; DROP TABLE data_tables; --"] {
        let refused = store
            .add_column(&table.id, NewColumn { name: bad.into(), kind: ColumnKind::Number }, None)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::TABLE_COLUMN, "{bad}");
    }
    assert!(
        store
            .change_column(&table.id, &added.id, ColumnChange { name: None, index: Some(9) })
            .await
            .is_err()
    );
}

#[tokio::test]
async fn tables_are_named_once_renamed_and_removed() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let other = store
        .create_table(NewTable { name: "it's; \"quoted\" -- name".into(), ..NewTable::default() })
        .await
        .unwrap();
    assert_eq!(store.rename_table(&other.id, "people").await.unwrap_err().code(), Code::NAME_TAKEN);
    assert_eq!(
        store
            .create_table(NewTable { name: "people".into(), ..NewTable::default() })
            .await
            .unwrap_err()
            .code(),
        Code::NAME_TAKEN
    );
    assert_eq!(store.rename_table(&other.id, "others").await.unwrap().name, "others");
    assert_eq!(
        store.tables().await.unwrap().iter().map(|table| table.name.as_str()).collect::<Vec<_>>(),
        ["others", "people"]
    );
    store.delete_table(&table.id).await.unwrap();
    assert_eq!(
        store.rows(&table.id, RowQuery::default()).await.unwrap_err().code(),
        Code::TABLE_NOT_FOUND
    );
    assert_eq!(
        store.table(&TableName::Name("people".into())).await.unwrap_err().code(),
        Code::TABLE_NOT_FOUND
    );
}

#[tokio::test]
async fn limits_have_a_name_and_bytes_are_counted_both_ways() {
    let limits =
        TableLimits { tables: 1, columns: 4, rows_per_call: 5, conditions: 2, table_bytes: 2000 };
    let (_folder, store) = open(limits);
    let table = people(&store).await;
    let bytes = async || store.table(&TableName::Id(table.id.clone())).await.unwrap().bytes;
    let began = bytes().await;
    let text = "x".repeat(1000);
    let big = || objects(&json!([{ "name": text.clone() }]));
    store.insert_rows(&table.id, big(), Returning::Nothing).await.unwrap();
    assert_eq!(bytes().await, began + 1032);
    for error in [
        store.insert_rows(&table.id, big(), Returning::Nothing).await.unwrap_err(),
        store
            .update_rows(
                &table.id,
                one("id", "lt", json!(3)),
                object(json!({ "name": text.clone() })),
                ChangeMode::Silent,
            )
            .await
            .unwrap_err(),
        store.insert_rows(&table.id, vec![Object::new(); 6], Returning::Nothing).await.unwrap_err(),
        store
            .add_column(
                &table.id,
                NewColumn { name: "fifth".into(), kind: ColumnKind::Number },
                None,
            )
            .await
            .unwrap_err(),
        store
            .create_table(NewTable { name: "second".into(), ..NewTable::default() })
            .await
            .unwrap_err(),
        store
            .rows(
                &table.id,
                RowQuery {
                    filter: RowFilter {
                        combine: Combine::Or,
                        conditions: vec![condition("id", "eq", json!(1)); 3],
                    },
                    ..RowQuery::default()
                },
            )
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.code(), Code::TABLE_LIMIT, "{error}");
    }
    store
        .update_rows(
            &table.id,
            one("id", "eq", json!(5)),
            object(json!({ "name": "short" })),
            ChangeMode::Silent,
        )
        .await
        .unwrap();
    assert_eq!(bytes().await, began + 37);
    store.delete_rows(&table.id, one("id", "eq", json!(5)), ChangeMode::Silent).await.unwrap();
    assert_eq!(bytes().await, began);
    store.delete_column(&table.id, &table.columns[0].id).await.unwrap();
    assert_eq!(bytes().await, began - "AnnBobann-marie".len());
    store.delete_rows(&table.id, one("id", "gt", json!(0)), ChangeMode::Silent).await.unwrap();
    assert_eq!(bytes().await, 0);
}

#[tokio::test]
async fn another_process_and_the_next_start_see_the_same_rows() {
    let (folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let beside = Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    insert(&beside, &table, json!([{ "name": "beside" }])).await;
    insert(&store, &table, json!([{ "name": "here" }])).await;
    drop((store, beside));
    let again = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert_eq!(find(&again, &table, one("id", "gt", json!(4))).await, [5, 6]);
    assert_eq!(again.table(&TableName::Id(table.id.clone())).await.unwrap().n_rows, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_lose_no_row_and_share_no_id() {
    let (_folder, store) = open(TableLimits::default());
    let table = people(&store).await;
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let (store, id) = (store.clone(), table.id.clone());
            tokio::spawn(async move {
                let row = object(json!({ "age": number }));
                store.insert_rows(&id, vec![row], Returning::Ids).await.unwrap().ids[0]
            })
        })
        .collect();
    let mut made = Vec::new();
    for task in tasks {
        made.push(task.await.unwrap());
    }
    made.sort_unstable();
    assert_eq!(made, (5..205).collect::<Vec<i64>>());
}
