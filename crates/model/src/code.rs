//! The one table of error codes.

/// In whose hands an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The author of the workflow can fix it.
    Workflow,
    /// The caller sent something that cannot be used.
    Caller,
    /// The operator of this instance: a setting, a limit, a permission.
    Operator,
    /// Another service; may be retried.
    Upstream,
    /// A bug of ours or a broken machine.
    Us,
}

macro_rules! codes {
    ($($name:ident = $blame:ident, $status:literal, $summary:literal;)*) => {
        /// A stable name for what went wrong; `docs/errors/<NAME>.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types)]
        pub enum Code { $(#[doc = $summary] $name,)* }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            pub fn name(self) -> &'static str {
                match self { $(Code::$name => stringify!($name),)* }
            }
            pub fn blame(self) -> Blame {
                match self { $(Code::$name => Blame::$blame,)* }
            }
            /// The HTTP status that a request failing with this code is answered with.
            pub fn status(self) -> u16 {
                match self { $(Code::$name => $status,)* }
            }
            pub fn from_name(name: &str) -> Option<Code> {
                match name { $(stringify!($name) => Some(Code::$name),)* _ => None }
            }
            /// One sentence for a person who has not seen the code before.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$name => $summary,)* }
            }
        }
    };
}

codes! {
    WORKFLOW_JSON        = Caller,   422, "The text is not valid JSON or not a workflow.";
    WORKFLOW_TOO_LARGE   = Caller,   413, "The workflow exceeds a size limit.";
    WORKFLOW_NODE_NAME   = Workflow, 422, "A node's name is missing, duplicate or contains invisible characters.";
    WORKFLOW_NODE_ID     = Workflow, 422, "Two nodes have the same ID.";
    WORKFLOW_FIELD       = Workflow, 422, "A field of the workflow or a node has the wrong type.";
    WORKFLOW_CONNECTION  = Workflow, 422, "A connection is invalid, or a node is unreachable.";
    WORKFLOW_CYCLE       = Workflow, 422, "Sub-nodes are connected in a cycle.";
    WORKFLOW_NO_START    = Workflow, 422, "The workflow has no node to start from.";
    WORKFLOW_NOT_FOUND   = Workflow, 404, "The workflow does not exist.";
    OPERATION_INVALID    = Caller,   422, "A workflow edit names a missing node or a name already in use.";
    NODE_TYPE_UNKNOWN    = Workflow, 422, "Heddle does not know this node type.";
    NODE_VERSION_UNKNOWN = Workflow, 422, "Heddle does not know this version of the node type.";
    NODE_PARAMETER       = Workflow, 422, "A node parameter is missing or invalid.";
    NODE_INPUT           = Workflow, 422, "The node cannot use its input items.";
    NODE_FAILED          = Workflow, 422, "The node reported an error.";
    NODE_CREDENTIAL      = Workflow, 422, "The node's credential is missing, incomplete or rejected.";
    NODE_DISALLOWED      = Operator, 403, "This node or feature is not allowed.";
    EXPRESSION_SYNTAX    = Workflow, 422, "The expression is not valid JavaScript.";
    EXPRESSION_FAILED    = Workflow, 422, "The expression could not be evaluated.";
    EXPRESSION_FORBIDDEN = Workflow, 403, "The expression uses something that is not allowed.";
    SANDBOX_TIME         = Workflow, 422, "JavaScript exceeded its time limit.";
    SANDBOX_MEMORY       = Workflow, 422, "JavaScript exceeded its memory limit.";
    SANDBOX_STACK        = Workflow, 422, "JavaScript exceeded its call stack limit.";
    SANDBOX_OUTPUT       = Workflow, 422, "JavaScript returned or logged more than its output limit.";
    SANDBOX_LOOPS        = Workflow, 422, "JavaScript exceeded its loop limit.";
    SANDBOX_FETCH        = Workflow, 422, "JavaScript made too many requests or received too large a response.";
    SANDBOX_BUSY         = Operator, 503, "Too many long computations are running at once.";
    SANDBOX_FAILED       = Us,       500, "The JavaScript sandbox stopped working.";
    RUN_CANCELLED        = Caller,   409, "The run was cancelled.";
    RUN_TIMEOUT          = Workflow, 422, "The run or agent exceeded its time limit.";
    RUN_DATA_LIMIT       = Operator, 422, "The run produced more data than its limit.";
    RUN_DATA_DEPTH       = Workflow, 422, "An item is nested too deeply.";
    RUN_CPU_TIME         = Operator, 422, "A step or the whole run exceeded its CPU time limit.";
    RUN_DEPTH            = Workflow, 422, "Workflows call each other too deeply.";
    WEBHOOK_NOT_FOUND    = Caller,   404, "No workflow is listening at this address.";
    REQUEST_BODY         = Caller,   400, "The request body cannot be read.";
    REQUEST_TOO_LARGE    = Caller,   413, "The request is larger than the limits allow.";
    REQUEST_ENCODING     = Caller,   415, "The request body has an unsupported compression or character set.";
    REQUEST_TIMEOUT      = Caller,   408, "The request was sent too slowly.";
    RATE_LIMIT           = Caller,   429, "Too many requests; wait for the time in Retry-After.";
    REQUEST_INVALID      = Caller,   400, "The request has an invalid field or parameter.";
    ACCESS_DENIED        = Caller,   401, "The request needs a valid API key or session.";
    ACCESS_CODE          = Caller,   401, "The account needs a code of its authenticator app as well.";
    ACCESS_FORBIDDEN     = Caller,   403, "Your API key or role does not allow this.";
    HOST_NOT_ALLOWED     = Operator, 421, "The request's host name is not allowed here.";
    ACCESS_ATTEMPTS      = Caller,   429, "Too many sign-in attempts; wait for the time in Retry-After.";
    CREDENTIAL_MISSING   = Workflow, 422, "No credential is selected, or the selected one is not available.";
    CREDENTIAL_HOST      = Workflow, 403, "The credential may not be sent to this host.";
    CREDENTIAL_SECRET    = Caller,   422, "Enter the credential's secret fields again to change where it is sent.";
    CREDENTIAL_FOREIGN   = Workflow, 422, "The project has no access to this credential.";
    WORKFLOW_CHANGED     = Caller,   409, "The workflow was changed since it was read.";
    WORKFLOW_ARCHIVED    = Caller,   409, "The workflow is archived.";
    SOURCE_CONTROL_NONE  = Operator, 409, "No repository is connected to this instance.";
    NAME_TAKEN           = Caller,   409, "This name is already in use.";
    NOT_FOUND            = Caller,   404, "The requested resource does not exist.";
    WEBHOOK_TAKEN        = Workflow, 409, "This webhook address is already in use.";
    EXECUTION_NOT_FOUND  = Caller,   404, "The execution does not exist.";
    EXECUTION_STATUS     = Caller,   409, "The execution's status does not allow this.";
    OVERLOAD             = Operator, 503, "The instance is overloaded or busy; try again.";
    RUN_RECORD           = Us,       500, "The run's journal does not match its workflow.";
    RUN_UNCERTAIN        = Operator, 409, "A step may have run before the process ended; a person must decide.";
    RUN_QUARANTINED      = Operator, 409, "The execution was running each time the process died; a person must decide.";
    RUN_PANICKED         = Us,       500, "Heddle hit an internal error during the execution; this is a bug.";
    SUBWORKFLOW_STOPPED  = Workflow, 422, "The called workflow was stopped before it finished.";
    RUN_STEPS            = Workflow, 422, "The run executed too many nodes.";
    EGRESS_BLOCKED       = Operator, 403, "Outgoing requests to this address are blocked.";
    EGRESS_URL           = Workflow, 422, "The request's URL is invalid or not allowed.";
    UPSTREAM_STATUS      = Upstream, 502, "Another service returned an error.";
    UPSTREAM_UNREACHABLE = Upstream, 502, "Another service could not be reached.";
    UPSTREAM_TIMEOUT     = Upstream, 504, "Another service did not respond in time.";
    UPSTREAM_TOO_LARGE   = Upstream, 502, "Another service's response is larger than the limit.";
    INVALID_CREDENTIALS  = Workflow, 401, "The model provider rejected the credential.";
    MODEL_RATE_LIMIT     = Upstream, 429, "The model provider's rate limit was reached.";
    MODEL_QUOTA          = Workflow, 402, "The account at the model provider has no credit left.";
    MODEL_NOT_FOUND      = Workflow, 404, "The provider has no model with this name.";
    MODEL_CONTEXT        = Workflow, 413, "The conversation exceeds the model's context window.";
    MODEL_REQUEST        = Workflow, 400, "The model provider rejected the request as invalid.";
    MODEL_REFUSED        = Upstream, 422, "The model or its provider refused to answer.";
    MODEL_TIMEOUT        = Upstream, 504, "The model did not answer in time.";
    MODEL_ERROR          = Upstream, 502, "The model failed to answer.";
    LOCAL_MODEL_MISSING  = Operator, 409, "The weights of a built-in model are not installed.";
    LOCAL_MODEL_DAMAGED  = Operator, 422, "A built-in model's file is damaged or not the expected one.";
    LOCAL_MODEL_PULL     = Upstream, 502, "The weights of a built-in model could not be downloaded.";
    AGENT_REPLY          = Upstream, 502, "A strict agent's model returned an invalid reply.";
    SESSION_SHARED       = Workflow, 422, "A memory would mix the conversations of all callers.";
    AGENT_DEPTH          = Workflow, 422, "Agents call each other too deeply.";
    EXECUTION_STEP       = Workflow, 422, "The execution has no such step.";
    APPROVAL_NONE        = Caller,   409, "The execution is not waiting for approval.";
    APPROVAL_CALL        = Caller,   404, "The execution has no call with this name waiting for approval.";
    APPROVAL_CHANGED     = Caller,   409, "The decision does not match the call waiting for approval.";
    APPROVAL_EXPIRED     = Caller,   409, "The approval deadline has passed; the call was not made.";
    APPROVAL_DECIDED     = Caller,   409, "The call was already approved or rejected.";
    BUDGET_REACHED       = Workflow, 422, "A model budget is used up.";
    AGENT_OUTWARD        = Workflow, 403, "After reading untrusted content, an agent needs approval to send data to destinations it chooses.";
    AGENT_STOPPED        = Operator, 409, "The operator has stopped this agent.";
    POLICY_DENIED        = Operator, 403, "The operator's policy does not allow the tool call.";
    POLICY_CHANGED       = Caller,   409, "Somebody else has changed the policy meanwhile.";
    POLICY_INVALID       = Operator, 422, "The policy file cannot be used.";
    AGENT_LIMIT          = Workflow, 422, "The agent reached its limit without an answer.";
    TOOL_MANIFEST        = Caller,   422, "The tool manifest cannot be used.";
    TOOL_NOT_FOUND       = Caller,   404, "No such tool or manifest is registered.";
    TOOL_TAKEN           = Caller,   409, "Another manifest has a tool of this name.";
    TOOL_CHANGED         = Caller,   409, "Somebody else has changed the manifest meanwhile.";
    TOOL_ARGUMENT        = Workflow, 422, "An argument does not fit its place in a tool's request.";
    TOOL_OUTPUT          = Upstream, 502, "The answer of a tool does not match its output schema.";
    MCP_SERVER_UNKNOWN   = Workflow, 404, "No MCP server with this name is configured.";
    MCP_CONFIG           = Operator, 422, "The configuration of an MCP server is invalid.";
    MCP_CONNECTION       = Upstream, 502, "An MCP server could not be reached, or ended the connection.";
    MCP_UNAUTHORIZED     = Workflow, 401, "An MCP server requires authentication or rejected the credential.";
    MCP_PROTOCOL         = Upstream, 502, "An MCP server returned an error or broke the protocol.";
    MCP_LIMIT            = Upstream, 502, "An MCP server exceeds a limit.";
    MCP_TOOL_UNKNOWN     = Workflow, 404, "The MCP server has no tool with this name.";
    MCP_TOOL_CHANGED     = Operator, 409, "An MCP server changed a tool after it was approved.";
    MCP_TOOL_UNAPPROVED  = Operator, 409, "The tool of an MCP server is not approved.";
    FILE_OUTSIDE         = Operator, 403, "The path is outside the folder that workflows may use.";
    FILE_IO              = Workflow, 422, "A file could not be read or written.";
    QUERY_LIMIT          = Workflow, 422, "The node's SQL query exceeded its time, memory or size limit.";
    INPUT_BOMB           = Workflow, 422, "The input exceeds the limits once unpacked or parsed.";
    TABLE_NOT_FOUND      = Workflow, 404, "The data table does not exist.";
    TABLE_COLUMN         = Workflow, 400, "The data table has no such column, or the name is invalid.";
    TABLE_VALUE          = Workflow, 400, "A value does not match its column, or a filter is invalid.";
    TABLE_LIMIT          = Operator, 413, "A data table limit would be exceeded.";
    COLLECTION_NOT_FOUND = Workflow, 404, "The knowledge collection does not exist.";
    COLLECTION_MODEL     = Workflow, 409, "The collection contains vectors of another embedding model.";
    COLLECTION_VALUE     = Workflow, 400, "The input for a collection is invalid.";
    COLLECTION_LIMIT     = Operator, 413, "A collection limit would be exceeded.";
    MEMORY_NOT_FOUND     = Workflow, 404, "The long-term memory or the entry does not exist.";
    MEMORY_STALE         = Caller,   409, "The memory entry was changed since it was read.";
    MEMORY_MODEL         = Workflow, 409, "The long-term memory contains vectors of another embedding model.";
    MEMORY_VALUE         = Workflow, 400, "The input for a long-term memory is invalid.";
    MEMORY_LIMIT         = Operator, 413, "A limit of long-term memory would be exceeded.";
    STORE_CORRUPT        = Operator, 500, "Something in the data folder is damaged.";
    STORE_LOCKED         = Operator, 409, "Another Heddle process is using this data folder.";
    STORE_NEWER          = Operator, 409, "A newer Heddle wrote the data folder or a journal.";
    STORE_OLDER          = Operator, 409, "An older Heddle wrote the data folder; start the server or run `heddle migrate`.";
    STORE_VERSION        = Operator, 409, "A server of another version is running on this data folder.";
    STORE_BUSY           = Operator, 503, "Another program locks the database; nothing accepted is lost, and runs resume afterwards.";
    STORE_UNWRITABLE     = Operator, 503, "The disk rejects writes; nothing accepted is lost, and runs resume when writes succeed.";
    STORE_FULL           = Operator, 503, "The disk is full; nothing accepted is lost, and runs resume when space is free.";
    VAULT_KEY            = Operator, 409, "The vault key does not match the stored credentials.";
    STORE_DISK           = Operator, 500, "A disk error occurred while reading or writing data.";
    EXECUTION_FILE_LOST  = Operator, 500, "A file of an execution is missing or damaged.";
    SETTING_INVALID      = Operator, 422, "A setting has an invalid value.";
    SETTING_UNKNOWN      = Operator, 422, "A file or flag contains an unknown setting.";
    BACKUP_DAMAGED       = Operator, 422, "The file is not a complete backup of a data folder.";
    RESTORE_USED         = Operator, 409, "The folder to restore into already contains data.";
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
