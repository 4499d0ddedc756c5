//! Forms whose workflows call others: one person goes through the pages of all of them.

use super::{call, import, set, start, wait_for};
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, request};
use serde_json::{Value, json};

/// A form with one field, called like the form.
fn fields(name: &str) -> Value {
    json!({ "values": [{ "fieldLabel": name, "fieldName": name, "fieldType": "text" }] })
}

fn trigger() -> Value {
    let options = json!({ "respondWithOptions": { "values": { "respondWith": "text", "formSubmittedText": "All is done" } } });
    node(
        "Begin",
        "formTrigger",
        2.2,
        json!({ "formTitle": "Begin", "formFields": fields("begin"), "path": "wizard", "options": options }),
    )
}

fn page(name: &str) -> Value {
    let params = json!({ "operation": "page", "defineForm": "fields", "formFields": fields(name), "options": { "formTitle": name } });
    node(name, "form", 2.3, params)
}

/// Sends a form, and gives the address that follows.
fn send(server: &Server, path: &str, field: &str) -> Option<String> {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let reply =
        request(&server.address, "POST", path, &headers, format!("{field}=x").as_bytes()).unwrap();
    match reply.status {
        303 => reply.header("location").map(str::to_owned),
        other => {
            assert!(other == 200 && reply.text().contains("All is done"), "{}", reply.text());
            None
        }
    }
}

fn title(server: &Server, path: &str) -> String {
    let text = server.call("GET", path, None).text();
    text.split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next())
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn whoever_began_with_a_form_is_led_through_the_pages_of_what_it_calls_and_back() {
    let data = TempFolder::new("sub-forms");
    import(
        &data,
        "child",
        row("Child", &[start(), page("inner"), set("Done", "result", "={{ $json.inner }}")]),
    );
    import(
        &data,
        "parent",
        row(
            "Parent",
            &[trigger(), call("once", json!({})), page("outer"), set("After", "after", "yes")],
        ),
    );
    let server = Server::start(&data.0, &[]);
    let inner = send(&server, "/form/wizard", "begin").expect("a page of the called workflow");
    assert_eq!(title(&server, &inner), "inner");
    wait_for(&server, &["waiting"], &["waiting"]);
    let outer = send(&server, &inner, "inner").expect("the next page of the caller");
    assert_eq!(title(&server, &outer), "outer");
    wait_for(&server, &["waiting"], &["success"]);
    assert_eq!(send(&server, &outer, "outer"), None, "the end that the first form promises");
    wait_for(&server, &["success"], &["success"]);
    server.stop();
}

#[test]
fn whoever_fills_in_the_form_of_a_run_that_no_form_began_sees_its_end_and_nothing_of_the_caller() {
    let data = TempFolder::new("sub-forms-apart");
    let tell = set("Tell", "url", "={{ $execution.resumeFormUrl }}");
    import(
        &data,
        "child",
        row("Child", &[start(), tell, page("inner"), set("Done", "result", "={{ $json.inner }}")]),
    );
    import(&data, "parent", super::parent(&[call("once", json!({})), page("outer")]));
    let server = Server::start(&data.0, &[]);
    super::go(&server);
    wait_for(&server, &["waiting"], &["waiting"]);
    let child = super::of(&server.executions(), "child")[0].clone();
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let reply =
        request(&server.address, "POST", &super::address_of(&child), &headers, b"inner=x").unwrap();
    assert_eq!((reply.status, reply.header("location")), (200, None), "{}", reply.text());
    wait_for(&server, &["waiting"], &["success"]);
    server.stop();
}
