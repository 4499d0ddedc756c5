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
    WORKFLOW_JSON        = Caller,   422, "The text is not a workflow: it is not JSON, or not of a workflow's form.";
    WORKFLOW_TOO_LARGE   = Caller,   413, "The workflow is larger or nested deeper than the limits allow.";
    WORKFLOW_NODE_NAME   = Workflow, 422, "Two nodes have the same name, or a node has none.";
    WORKFLOW_NODE_ID     = Workflow, 422, "Two nodes have the same id, or an id has the wrong form.";
    WORKFLOW_FIELD       = Workflow, 422, "A field of the workflow or of a node has the wrong type.";
    WORKFLOW_CONNECTION  = Workflow, 422, "A connection leads from or to a node, output or input that is not there.";
    WORKFLOW_CYCLE       = Workflow, 422, "Sub-nodes are connected in a circle.";
    WORKFLOW_NO_START    = Workflow, 422, "There is no node the run could start from.";
    WORKFLOW_NOT_FOUND   = Workflow, 404, "The workflow that was named is not there.";
    OPERATION_INVALID    = Caller,   422, "A change to the workflow names a node that is not there or a name that is taken.";
    NODE_TYPE_UNKNOWN    = Workflow, 422, "The node's type is not known here.";
    NODE_VERSION_UNKNOWN = Workflow, 422, "The node's typeVersion is not known here.";
    NODE_PARAMETER       = Workflow, 422, "A parameter of the node is missing or cannot be used.";
    NODE_INPUT           = Workflow, 422, "The items that reached the node are not what it needs.";
    NODE_FAILED          = Workflow, 422, "The node reported an error.";
    NODE_CREDENTIAL      = Workflow, 422, "The node needs a credential that is missing or incomplete.";
    NODE_DISALLOWED      = Operator, 403, "The operator has not allowed this node or feature.";
    EXPRESSION_SYNTAX    = Workflow, 422, "The expression is not valid JavaScript.";
    EXPRESSION_FAILED    = Workflow, 422, "The expression could not be evaluated.";
    EXPRESSION_FORBIDDEN = Workflow, 403, "The expression reaches for something that expressions may not use.";
    SANDBOX_TIME         = Workflow, 422, "JavaScript ran longer than its time limit.";
    SANDBOX_MEMORY       = Workflow, 422, "JavaScript needed more memory than its limit.";
    SANDBOX_STACK        = Workflow, 422, "JavaScript called itself too deeply.";
    SANDBOX_OUTPUT       = Workflow, 422, "JavaScript returned or logged more than its output limit.";
    SANDBOX_LOOPS        = Workflow, 422, "JavaScript looped more often than its limit.";
    SANDBOX_FETCH        = Workflow, 422, "JavaScript made more requests, or read a larger answer, than its limits.";
    SANDBOX_BUSY         = Us,       503, "Too many long computations are under way at once.";
    SANDBOX_FAILED       = Us,       500, "The JavaScript sandbox stopped working.";
    RUN_CANCELLED        = Caller,   409, "The run was cancelled.";
    RUN_TIMEOUT          = Operator, 422, "The run took longer than its time limit.";
    RUN_DATA_LIMIT       = Operator, 422, "The run's data grew past its byte budget.";
    RUN_DATA_DEPTH       = Workflow, 422, "An item is nested deeper than the limit.";
    RUN_CPU_TIME         = Operator, 422, "A step, or the run as a whole, used more CPU time than its limit.";
    RUN_DEPTH            = Workflow, 422, "Workflows called each other too deeply.";
    WEBHOOK_NOT_FOUND    = Caller,   404, "No active workflow listens at this address.";
    REQUEST_BODY         = Caller,   400, "The body of the request cannot be read.";
    REQUEST_TOO_LARGE    = Caller,   413, "The request is larger than the limits allow.";
    REQUEST_ENCODING     = Caller,   415, "The body is packed or written in a way that is not read here.";
    REQUEST_TIMEOUT      = Caller,   408, "The request came more slowly than is waited for.";
    RATE_LIMIT           = Caller,   429, "One address sent more requests than are taken; wait as long as the answer says.";
    REQUEST_INVALID      = Caller,   400, "The request has a field or parameter that cannot be used.";
    ACCESS_DENIED        = Caller,   401, "The request needs a valid API key or a session.";
    ACCESS_FORBIDDEN     = Caller,   403, "The key or the role does not allow this.";
    HOST_NOT_ALLOWED     = Operator, 421, "The request names a host at which this instance does not serve what was asked for.";
    ACCESS_ATTEMPTS      = Caller,   429, "There were too many attempts to sign in; wait as long as the answer says.";
    CREDENTIAL_MISSING   = Workflow, 422, "No credential of the type that the node needs is chosen, or the chosen one is not there.";
    CREDENTIAL_HOST      = Workflow, 403, "The credential may not be sent to the host of the request.";
    CREDENTIAL_SECRET    = Caller,   422, "Changing where a credential is sent needs its secret fields again.";
    CREDENTIAL_FOREIGN   = Workflow, 422, "A node names a credential that the project of its workflow does not have.";
    WORKFLOW_ARCHIVED    = Caller,   409, "The workflow is archived.";
    SOURCE_CONTROL_NONE  = Operator, 409, "No repository is connected to this instance.";
    NAME_TAKEN           = Caller,   409, "Something of this name is there already.";
    NOT_FOUND            = Caller,   404, "There is nothing at this address.";
    WEBHOOK_TAKEN        = Workflow, 409, "Another workflow listens at this address.";
    EXECUTION_NOT_FOUND  = Caller,   404, "The execution that was named is not there.";
    EXECUTION_STATUS     = Caller,   409, "The execution does not stand in a way that allows this.";
    OVERLOAD             = Operator, 503, "More work is waiting than this instance takes on.";
    RUN_RECORD           = Us,       500, "The record of the run does not fit its workflow.";
    RUN_UNCERTAIN        = Operator, 409, "A step may or may not have happened before the process ended; a person must decide.";
    RUN_QUARANTINED      = Operator, 409, "The execution was running each time the process died; a person must decide.";
    RUN_PANICKED         = Us,       500, "Something broke inside Heddle while the execution ran; this is a bug.";
    SUBWORKFLOW_STOPPED  = Workflow, 422, "The workflow that a node called was stopped before its end.";
    RUN_STEPS            = Operator, 422, "The run executed more nodes than its limit.";
    EGRESS_BLOCKED       = Operator, 403, "The address is closed to outgoing requests.";
    EGRESS_URL           = Workflow, 422, "The URL cannot be used for a request.";
    UPSTREAM_STATUS      = Upstream, 502, "Another service answered with an error.";
    UPSTREAM_UNREACHABLE = Upstream, 502, "Another service could not be reached.";
    UPSTREAM_TIMEOUT     = Upstream, 504, "Another service did not answer in time.";
    UPSTREAM_TOO_LARGE   = Upstream, 502, "Another service's answer was larger than the limit.";
    INVALID_CREDENTIALS  = Workflow, 401, "A model's provider did not accept the credential.";
    MODEL_RATE_LIMIT     = Upstream, 429, "A model's provider takes no more requests at the moment.";
    MODEL_QUOTA          = Workflow, 402, "The account at a model's provider has nothing left.";
    MODEL_NOT_FOUND      = Workflow, 404, "The provider has no model of this name.";
    MODEL_CONTEXT        = Workflow, 413, "The conversation is longer than the model takes.";
    MODEL_REQUEST        = Workflow, 400, "A model's provider did not understand the request.";
    MODEL_REFUSED        = Upstream, 422, "A model or its provider refused to answer.";
    MODEL_TIMEOUT        = Upstream, 504, "A model did not answer in time.";
    MODEL_ERROR          = Upstream, 502, "A model failed to answer.";
    LOCAL_MODEL_MISSING  = Operator, 409, "The weights of a built-in model are not on this machine.";
    LOCAL_MODEL_DAMAGED  = Operator, 422, "The file of a built-in model is not the one that it should be.";
    LOCAL_MODEL_PULL     = Upstream, 502, "The weights of a built-in model could not be fetched.";
    AGENT_REPLY          = Upstream, 502, "The model of a strict agent broke the contract of its replies.";
    SESSION_SHARED       = Workflow, 422, "A memory would mix the conversations of everybody who reaches the workflow.";
    AGENT_DEPTH          = Workflow, 422, "Agents called each other too deeply.";
    EXECUTION_STEP       = Workflow, 422, "The execution has no step of that name.";
    APPROVAL_NONE        = Caller,   409, "The execution asks nobody for approval.";
    APPROVAL_CALL        = Caller,   404, "No call of that name asks for approval in the execution.";
    APPROVAL_CHANGED     = Caller,   409, "What is to be decided about is not the call that asks for approval.";
    APPROVAL_EXPIRED     = Caller,   409, "The time to decide about the call is over; it was not made.";
    APPROVAL_DECIDED     = Caller,   409, "Somebody has decided about the call already.";
    BUDGET_REACHED       = Workflow, 422, "A budget for models is used up.";
    AGENT_OUTWARD        = Workflow, 403, "An agent that has read untrusted content may not send data to a place of its own choice unasked.";
    AGENT_LIMIT          = Workflow, 422, "An agent reached its limit without an answer.";
    FILE_OUTSIDE         = Operator, 403, "The path leads out of the folder that workflows may use.";
    FILE_IO              = Workflow, 422, "A file could not be read or written.";
    QUERY_LIMIT          = Workflow, 422, "The SQL query of a node takes more time or memory than it may have.";
    INPUT_BOMB           = Workflow, 422, "The input unpacks to more than the limits allow.";
    TABLE_NOT_FOUND      = Workflow, 404, "The data table that was named is not there.";
    TABLE_COLUMN         = Workflow, 400, "A data table has no such column, or its name cannot be used.";
    TABLE_VALUE          = Workflow, 400, "A value does not fit its column, or a filter of a data table cannot be used.";
    TABLE_LIMIT          = Operator, 413, "A data table, or all of them, would grow past a limit.";
    COLLECTION_NOT_FOUND = Workflow, 404, "The collection of knowledge that was named is not there.";
    COLLECTION_MODEL     = Workflow, 409, "A collection holds vectors of another embedding model.";
    COLLECTION_VALUE     = Workflow, 400, "What was given for a collection cannot be used.";
    COLLECTION_LIMIT     = Operator, 413, "A collection, or all of them, would grow past a limit.";
    STORE_CORRUPT        = Us,       500, "Something in the data folder is damaged.";
    STORE_LOCKED         = Operator, 409, "Another Heddle uses this data folder.";
    STORE_NEWER          = Operator, 409, "The data folder was written by a newer Heddle.";
    STORE_OLDER          = Operator, 409, "The data folder was written by an older Heddle, and only the server and `heddle migrate` bring it up to date.";
    STORE_VERSION        = Operator, 409, "A server of another version runs on this data folder.";
    STORE_BUSY           = Operator, 503, "Another program holds the database; nothing that was accepted is lost, and work goes on when it lets go.";
    STORE_UNWRITABLE     = Operator, 503, "The disk takes no writes; nothing that was accepted is lost, and work goes on when it does.";
    STORE_FULL           = Operator, 503, "The disk is full; nothing that was accepted is lost, and work goes on when there is room.";
    VAULT_KEY            = Operator, 409, "The key of the vault does not fit the credentials.";
    STORE_DISK           = Us,       500, "The disk failed while the run's data was written or read.";
    EXECUTION_FILE_LOST  = Us,       500, "A file of an execution is missing or damaged.";
    SETTING_INVALID      = Operator, 422, "A setting has a value that cannot be used.";
    SETTING_UNKNOWN      = Operator, 422, "A file or a flag sets something that is not a setting.";
    BACKUP_DAMAGED       = Operator, 422, "The file is not a whole backup of a data folder.";
    RESTORE_USED         = Operator, 409, "The folder to restore into holds data already.";
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
