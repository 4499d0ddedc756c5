//! Where a query has placeholders is decided twice, by us and by the server. Whatever the query: a
//! name that is put in never becomes code.

use heddle_nodes::integrations::{MySql, Postgres};
use model::{OnError, Value, json};
use node_api::Node;
use node_testing::{TestHost, items, run_on, to_json};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::marker::PhantomData;
use std::sync::Arc;
use testkit::services;
use testkit::services::{PASSWORD, Service};

/// Names that would call a function, were they read as anything but a name.
const NAMES: [&str; 10] = [
    "' || touched() || '",
    "' || touched() || E'",
    "\\' || touched() -- ",
    "'+touched()+'",
    "\"||touched()||\"",
    "\", touched(), \"",
    "`, touched(), `",
    "*/ , touched() /*",
    "\n, touched() -- ",
    "$$ || touched() || $$",
];

/// Queries in which something opens and closes that servers and readers see differently.
const QUERIES: [&str; 16] = [
    "SELECT E'a'\n'\\' $1:name'",
    "SELECT e'a' -- b'\n'\\' $1:name'",
    "SELECT 'a'\n'\\', $1:name",
    "SELECT '\\', '$1:name'",
    "SELECT 1 /*/ $1:name */",
    "SELECT 1 /* /* */ $1:name */",
    "SELECT 1 --\r $1:name",
    "SELECT 5--$1:name",
    "SELECT 1 # $1:name",
    "SELECT /*!50000 1 */ /* $1:name */",
    "SELECT $a$ $$ $1:name $a$",
    "SELECT U&'\\' $1:name'",
    "SELECT \"a\\\" $1:name\"",
    "SELECT `a\\` $1:name`",
    "SELECT 1a$1:name",
    "SELECT é$1:name, '$1:name",
];

/// Parts of queries that are read in more than one way.
const PARTS: &str = "1|, |x| |'|''|\"|`|E'|e'|U&'|N'|B'|\\$\\$|\\$a\\$|/\\*|\\*/|/\\*!|/\\*M!|--|-- |#|\n|\r|\\\\|\\\\'|;|\\$1:name|\\$1:name|\\$1~";

/// A server at which a node runs queries. It has a function that counts its calls.
struct QueryServer<N> {
    credential: (&'static str, Value),
    version: f64,
    node: PhantomData<N>,
}

impl<N: Node> QueryServer<N> {
    fn new(
        server: &Service,
        kind: &'static str,
        (user, database): (&str, &str),
        version: f64,
    ) -> Self {
        let credential = json!({ "host": "127.0.0.1", "port": (server.port), "database": database, "user": user, "password": PASSWORD });
        Self { credential: (kind, credential), version, node: PhantomData }
    }

    /// `None` if the server takes it for no query, which most of them are not.
    async fn run(&self, query: &str, name: Option<&str>) -> Option<Value> {
        let params = json!({ "operation": "executeQuery", "query": query, "options": { "queryReplacement": (name.as_slice()) } });
        let mut host = TestHost::new(&N::spec(), self.version, &params);
        host.connections =
            Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1").unwrap()));
        host.credentials.insert(self.credential.0, self.credential.1.clone());
        let outputs = run_on::<N>(&host, self.version, vec![items(&json!([{}]))], OnError::Stop)
            .await
            .ok()?;
        Some(to_json(&outputs[0]))
    }

    async fn prepare(&self, statements: [&str; 3]) {
        for statement in statements {
            self.run(statement, None).await.unwrap();
        }
        let before = self.calls().await;
        self.run("SELECT touched()", None).await.unwrap();
        assert_ne!(self.calls().await, before, "a call is seen");
    }

    async fn calls(&self) -> Value {
        self.run("SELECT n FROM touches", None).await.unwrap()
    }

    async fn never_calls(&self, queries: impl Iterator<Item = (String, &'static str)>) {
        let before = self.calls().await;
        let mut n_run = 0;
        for (query, name) in queries {
            n_run += usize::from(self.run(&query, Some(name)).await.is_some());
            assert_eq!(
                self.calls().await,
                before,
                "{query:?} with the name {name:?} called a function"
            );
        }
        assert!(n_run > 20, "only {n_run} were queries");
    }
}

fn queries() -> impl Iterator<Item = (String, &'static str)> {
    let fixed = QUERIES.into_iter().flat_map(|query| NAMES.map(|name| (query.to_owned(), name)));
    let mut runner = TestRunner::default();
    let drawn = (proptest::collection::vec(PARTS, 1..14), 0..NAMES.len());
    let random = (0..150).map(move |_| {
        let (parts, name) = drawn.new_tree(&mut runner).unwrap().current();
        (format!("SELECT {}", parts.concat()), NAMES[name])
    });
    fixed.chain(random)
}

#[tokio::test]
async fn issue_14_04_a_name_in_a_query_is_a_name_for_postgres() {
    let server = services::postgres();
    let place = QueryServer::<Postgres>::new(&server, "postgres", ("postgres", "postgres"), 2.6);
    let function = "CREATE FUNCTION touched() RETURNS text LANGUAGE sql AS $$ UPDATE touches SET n = n + 1; SELECT 'x' $$";
    place
        .prepare(["CREATE TABLE touches (n int)", "INSERT INTO touches VALUES (0)", function])
        .await;
    place.never_calls(queries()).await;
}

#[tokio::test]
async fn issue_14_04_a_name_in_a_query_is_a_name_for_mariadb() {
    let server = services::mariadb();
    let place = QueryServer::<MySql>::new(&server, "mySql", ("heddle", "test"), 2.4);
    let function = "CREATE FUNCTION touched() RETURNS int MODIFIES SQL DATA BEGIN UPDATE touches SET n = n + 1; RETURN 1; END";
    place
        .prepare(["CREATE TABLE touches (n int)", "INSERT INTO touches VALUES (0)", function])
        .await;
    place.never_calls(queries()).await;
}
