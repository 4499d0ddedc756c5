//! The form of the n8n node.

use node_api::prelude::*;

const RESOURCES: &[(&str, &str)] = &[
    ("workflow", "Workflow"),
    ("audit", "Audit"),
    ("credential", "Credential"),
    ("execution", "Execution"),
];

const WORKFLOW: &[(&str, &str)] = &[
    ("getAll", "Get Many"),
    ("activate", "Publish"),
    ("create", "Create"),
    ("deactivate", "Unpublish"),
    ("delete", "Delete"),
    ("get", "Get"),
    ("getVersion", "Get Version"),
    ("update", "Update"),
];
const EXECUTION: &[(&str, &str)] = &[("getAll", "Get Many"), ("get", "Get"), ("delete", "Delete")];
const CREDENTIAL: &[(&str, &str)] = &[
    ("create", "Create"),
    ("delete", "Delete"),
    ("getSchema", "Get Schema"),
    ("update", "Update"),
];

pub(super) fn params() -> Vec<Param> {
    let mut params =
        vec![Param::choice("resource", "Resource", RESOURCES).raw().help("What to work on.")];
    let operations: [(&str, &[(&str, &str)]); 4] = [
        ("workflow", WORKFLOW),
        ("execution", EXECUTION),
        ("credential", CREDENTIAL),
        ("audit", &[("generate", "Generate")]),
    ];
    for (resource, options) in operations {
        params.push(
            Param::choice("operation", "Operation", options)
                .raw()
                .show("resource", &[resource])
                .help("What to do."),
        );
    }
    params.extend(workflow());
    params.extend(execution());
    params.extend(credential());
    params.push(audit());
    params.push(
        Param::collection(
            "requestOptions",
            "Request options",
            [
                Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                    .help("Accept certificates that cannot be verified."),
                Param::number("timeout", "Timeout", 10_000)
                    .at_least(1.0)
                    .help("Milliseconds to wait for an answer."),
            ],
        )
        .help("How requests are sent."),
    );
    params
}

fn locator(help: &str) -> Param {
    Param::locator("workflowId", "Workflow", &["list", "url", "id"])
        .preset(json!({ "mode": "list", "value": "" }))
        .help(help)
}

fn workflow() -> Vec<Param> {
    let of = |param: Param, operations: &[&str]| {
        param.show("resource", &["workflow"]).show("operation", operations)
    };
    let empty =
        "{ \"name\": \"My workflow\", \"nodes\": [], \"connections\": {}, \"settings\": {} }";
    let document = "The workflow as JSON, with name, nodes, connections and settings.";
    let details = [
        Param::text("versionId", "Version ID", "").help("The version to publish."),
        Param::text("name", "Name", "").help("A name for the published version."),
        Param::long_text("description", "Description", "")
            .help("A description of the published version."),
    ];
    let filters = [
        Param::flag("activeWorkflows", "Return only published workflows", true)
            .help("Leave out those that do not listen."),
        Param::text("tags", "Tags", "")
            .help("Only workflows with these tags, separated by commas."),
        Param::text("name", "Name", "").help("Only workflows of this name."),
        Param::text("projectId", "Project ID", "").help("Only workflows of this project."),
        Param::flag("excludePinnedData", "Exclude pinned data", false)
            .help("Leave pinned data out."),
    ];
    vec![
        of(
            locator("The workflow.").required(),
            &["activate", "deactivate", "delete", "get", "getVersion", "update"],
        ),
        of(
            Param::text("versionId", "Version ID", "").required().help("The version to show."),
            &["getVersion"],
        ),
        of(
            Param::json("workflowObject", "Workflow object", empty).required().help(document),
            &["create"],
        ),
        of(
            Param::json("workflowObject", "Workflow object", "").required().help(document),
            &["update"],
        ),
        of(
            Param::collection("additionalFields", "Additional fields", details)
                .help("What is told along."),
            &["activate"],
        ),
        of(
            Param::flag("returnAll", "Return all", true).help("Give back every workflow."),
            &["getAll"],
        ),
        of(
            Param::number("limit", "Limit", 100)
                .between(1.0, 250.0)
                .show("returnAll", &[false])
                .help("Workflows at most."),
            &["getAll"],
        ),
        of(
            Param::collection("filters", "Filters", filters).help("Which workflows are meant."),
            &["getAll"],
        ),
    ]
}

fn execution() -> Vec<Param> {
    let of = |param: Param, operations: &[&str]| {
        param.show("resource", &["execution"]).show("operation", operations)
    };
    let states = [
        ("success", "Success"),
        ("error", "Error"),
        ("waiting", "Waiting"),
        ("running", "Running"),
        ("canceled", "Canceled"),
    ];
    let filters = [
        locator("Only executions of this workflow."),
        Param::choice("status", "Status", &states).help("Only executions that stand like this."),
    ];
    // The name of the option is n8n's.
    let details = Param::flag("activeWorkflows", "Include execution details", false)
        .help("Give back what every node did.");
    vec![
        of(
            Param::text("executionId", "Execution ID", "").required().help("The execution."),
            &["get", "delete"],
        ),
        of(
            Param::flag("returnAll", "Return all", false).help("Give back every execution."),
            &["getAll"],
        ),
        of(
            Param::number("limit", "Limit", 100)
                .between(1.0, 250.0)
                .show("returnAll", &[false])
                .help("Executions at most."),
            &["getAll"],
        ),
        of(
            Param::collection("filters", "Filters", filters).help("Which executions are meant."),
            &["getAll"],
        ),
        of(
            Param::collection("options", "Options", [details]).help("Fine points."),
            &["get", "getAll"],
        ),
    ]
}

fn credential() -> Vec<Param> {
    let of = |param: Param, operations: &[&str]| {
        param.show("resource", &["credential"]).show("operation", operations)
    };
    vec![
        of(
            Param::text("credentialId", "Credential ID", "").required().help("The credential."),
            &["delete", "update"],
        ),
        of(
            Param::text("name", "Name", "").required().help("What the new credential is called."),
            &["create"],
        ),
        of(Param::text("name", "Name", "").help("A new name, or nothing to keep it."), &["update"]),
        of(
            Param::text("credentialTypeName", "Credential type", "")
                .required()
                .help("The kind of credential, such as n8nApi."),
            &["create", "getSchema"],
        ),
        of(
            Param::json("data", "Data", "")
                .required()
                .help("The fields of the credential as JSON."),
            &["create"],
        ),
        of(
            Param::json("data", "Data", "")
                .help("New fields of the credential as JSON, or nothing to keep them."),
            &["update"],
        ),
    ]
}

fn audit() -> Param {
    let categories = [
        ("credentials", "Credentials"),
        ("database", "Database"),
        ("filesystem", "Filesystem"),
        ("instance", "Instance"),
        ("nodes", "Nodes"),
    ];
    let options = [
        Param::multi_choice("categories", "Categories", &categories)
            .help("What is looked at; everything if nothing is chosen."),
        Param::number("daysAbandonedWorkflow", "Days abandoned workflow", 90)
            .help("Days after which a workflow counts as abandoned."),
    ];
    Param::collection("additionalOptions", "Additional options", options)
        .show("resource", &["audit"])
        .help("Fine points.")
}
