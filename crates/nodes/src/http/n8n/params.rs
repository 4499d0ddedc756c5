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
        vec![Param::choice("resource", "Resource", RESOURCES).raw().help("Resource to use.")];
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
                    .help("Request timeout in milliseconds."),
            ],
        )
        .help("Request options."),
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
    let document = "Workflow JSON with name, nodes, connections and settings.";
    let details = [
        Param::text("versionId", "Version ID", "").help("The version to publish."),
        Param::text("name", "Name", "").help("A name for the published version."),
        Param::long_text("description", "Description", "")
            .help("A description of the published version."),
    ];
    let filters = [
        Param::flag("activeWorkflows", "Return only published workflows", true)
            .help("Omit workflows that are not published."),
        Param::text("tags", "Tags", "").help("Only workflows with these tags, comma-separated."),
        Param::text("name", "Name", "").help("Only workflows of this name."),
        Param::text("projectId", "Project ID", "").help("Only workflows of this project."),
        Param::flag("excludePinnedData", "Exclude pinned data", false).help("Omit pinned data."),
    ];
    vec![
        of(
            locator("The workflow.").required(),
            &["activate", "deactivate", "delete", "get", "getVersion", "update"],
        ),
        of(
            Param::text("versionId", "Version ID", "").required().help("Version to return."),
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
                .help("Additional data to include."),
            &["activate"],
        ),
        of(Param::flag("returnAll", "Return all", true).help("Return all workflows."), &["getAll"]),
        of(
            Param::number("limit", "Limit", 100)
                .between(1.0, 250.0)
                .show("returnAll", &[false])
                .help("Maximum number of workflows."),
            &["getAll"],
        ),
        of(
            Param::collection("filters", "Filters", filters).help("Filters for the workflows."),
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
        Param::choice("status", "Status", &states).help("Only executions with this status."),
    ];
    // The name of the option is n8n's.
    let details = Param::flag("activeWorkflows", "Include execution details", false)
        .help("Include the data of every node.");
    vec![
        of(
            Param::text("executionId", "Execution ID", "").required().help("The execution."),
            &["get", "delete"],
        ),
        of(
            Param::flag("returnAll", "Return all", false).help("Return all executions."),
            &["getAll"],
        ),
        of(
            Param::number("limit", "Limit", 100)
                .between(1.0, 250.0)
                .show("returnAll", &[false])
                .help("Maximum number of executions."),
            &["getAll"],
        ),
        of(
            Param::collection("filters", "Filters", filters).help("Filters for the executions."),
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
            Param::text("name", "Name", "").required().help("Name of the new credential."),
            &["create"],
        ),
        of(
            Param::text("name", "Name", "").help("New name. Leave empty to keep the current one."),
            &["update"],
        ),
        of(
            Param::text("credentialTypeName", "Credential type", "")
                .required()
                .help("Type of the credential, such as n8nApi."),
            &["create", "getSchema"],
        ),
        of(
            Param::json("data", "Data", "")
                .required()
                .help("The fields of the credential as JSON."),
            &["create"],
        ),
        of(
            Param::json("data", "Data", "").help(
                "New fields of the credential as JSON. Leave empty to keep the current ones.",
            ),
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
            .help("Categories to audit. If empty, all are audited."),
        Param::number("daysAbandonedWorkflow", "Days abandoned workflow", 90)
            .help("Days without use after which a workflow counts as abandoned."),
    ];
    Param::collection("additionalOptions", "Additional options", options)
        .show("resource", &["audit"])
        .help("Fine points.")
}
