/** The choice of an operation from an API description that takes the place of a node: first the description, then the operation. */
import { ArrowLeft, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  type ApiDescription,
  type DescribedOperation,
  type DescriptionSource,
  describeRequest,
  readApiDescription,
} from "../api/apiDescriptions";
import { findNode } from "../graph/document";
import { filterOperations, guessOperations } from "../graph/operationRank";
import type { TypeSpec } from "../graph/typeSpec";
import { DocumentSource, type DocumentWords } from "../shared/DocumentSource";
import { isUrl } from "../shared/isUrl";
import { useEditor } from "../store/editorStore";
import {
  Button,
  ErrorState,
  IconButton,
  Kbd,
  Loading,
  plural,
  toast,
  tryAction,
  useAsyncAction,
} from "../ui";
import css from "./ApiOperationPanel.module.css";
import { closeAddPanel, focusCanvas, replaceNodeWithRequest } from "./commands";
import { ListGroup, ListItem, listStyles, SearchableList } from "./SearchableList";

interface Props {
  /** The node that is replaced. */
  name: string;
  /** The type that makes requests, as a node or as a tool. */
  spec: TypeSpec;
  isTool: boolean;
  onBack: () => void;
}

interface ReadDescription {
  source: DescriptionSource;
  api: ApiDescription;
}

/** More lines than anybody reads. */
const MAX_LINES = 100;
const WORDS: DocumentWords = {
  file: "API description file",
  accept: ".json,.yaml,.yml,application/json,application/yaml,text/yaml",
  fileHint: "OpenAPI 3 or Swagger 2, as JSON or YAML",
  text: "API description",
  textHint: "An OpenAPI 3 or Swagger 2 document, as JSON or YAML.",
  urlHint: "Most APIs have one, for example at /openapi.json. The server fetches up to 16 MB.",
  action: "Read",
  fetchAction: "Fetch and read",
};

/** The last one that was read: further nodes often are of the same service. */
let lastRead: ReadDescription | null = null;

export function ApiOperationPanel(props: Props) {
  const [read, setRead] = useState(lastRead);
  const remember = (next: ReadDescription | null) => {
    lastRead = next;
    setRead(next);
  };
  return read ? (
    <OperationList {...props} read={read} onOther={() => remember(null)} />
  ) : (
    <SourceStep {...props} onRead={remember} />
  );
}

function leave() {
  closeAddPanel();
  focusCanvas();
}

function SourceStep({ name, onBack, onRead }: Props & { onRead: (read: ReadDescription) => void }) {
  const task = useAsyncAction();
  const [problem, setProblem] = useState<string | null>(null);
  const failure = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The panel is low where the drawer is open.
    if (task.error || problem) failure.current?.scrollIntoView({ block: "nearest" });
  }, [task.error, problem]);
  const take = (source: DescriptionSource | Promise<DescriptionSource>) => {
    setProblem(null);
    void task.run(async () => {
      const given = await source;
      const api = await readApiDescription(given);
      if (api.total === 0) {
        const why = api.findings[0]?.problem;
        throw new Error(`The description has no operations.${why ? ` ${why}.` : ""}`);
      }
      onRead({ source: given, api });
    });
  };
  return (
    <aside
      className={listStyles.panel}
      aria-label="Use an API description"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onBack();
      }}
    >
      <header className={listStyles.head}>
        <div className={css.title}>
          <IconButton icon={ArrowLeft} label="Back" size="small" onClick={onBack} />
          <h2>Use an API description</h2>
        </div>
        <IconButton icon={X} label="Close" size="small" onClick={leave} />
      </header>
      <div className={css.body}>
        <p className={css.lead}>
          Choose the operation that does what “{name}” did. An HTTP Request with its parameters
          takes the node’s place.
        </p>
        <DocumentSource
          words={WORDS}
          rows={5}
          busy={task.busy}
          onFile={(file) => take(file.text().then((document) => ({ document })))}
          onText={(document) => take({ document })}
          onUrl={(url) => {
            if (isUrl(url)) take({ url });
            else setProblem("Enter a URL that starts with https:// or http://.");
          }}
          onSwitch={() => {
            task.clear();
            setProblem(null);
          }}
        />
        {task.busy && <Loading label="Reading the API description" />}
        <div ref={failure}>
          {problem && <p role="alert">{problem}</p>}
          {Boolean(task.error) && <ErrorState error={task.error} />}
        </div>
      </div>
    </aside>
  );
}

interface Group {
  title: string;
  operations: readonly DescribedOperation[];
}

function OperationList({
  name,
  spec,
  isTool,
  read: { source, api },
  onBack,
  onOther,
}: Props & { read: ReadDescription; onOther: () => void }) {
  const [query, setQuery] = useState("");
  const [busy, setBusy] = useState<string | null>(null);
  const node = useEditor((state) => findNode(state.workflow, name));
  const { groups, left } = useMemo(() => {
    const guesses = node && query.trim() === "" ? guessOperations(node, api.operations) : [];
    return groupOperations(api.operations, guesses, query);
  }, [api, node, query]);
  const flat = groups.flatMap((group) => group.operations);
  const take = async (operation: DescribedOperation) => {
    if (!node || busy !== null) return;
    setBusy(operation.id);
    const done = await tryAction(async () => {
      const [credential] = Object.keys(node.credentials ?? {});
      const request = await describeRequest(source, {
        operation: operation.id,
        values: node.parameters,
        ...(credential ? { credential } : {}),
        isTool,
      });
      replaceNodeWithRequest(name, spec, request.parameters, `${api.title}: ${labelOf(operation)}`);
      if (request.credentialHint)
        toast({ text: `Choose a credential with ${request.credentialHint}.` });
    });
    if (!done) setBusy(null);
  };
  useEffect(() => {
    // The node was deleted or renamed meanwhile.
    if (!node) closeAddPanel();
  }, [node]);
  let index = -1;
  return (
    <SearchableList
      label="Use an API description"
      title={api.title || "API"}
      placeholder={`Search ${plural(api.total, "operation")}`}
      searchLabel="Search operations"
      query={query}
      onQuery={setQuery}
      count={flat.length}
      onTake={(taken) => {
        const operation = flat[taken];
        if (operation) void take(operation);
      }}
      onLeave={query === "" ? onBack : () => setQuery("")}
      onFocusOut={busy === null ? closeAddPanel : undefined}
      foot={
        <>
          <span>
            <Kbd keys="enter" /> to replace “{name}”
          </span>
          <span className={css.fill} />
          <Button size="small" onClick={onOther}>
            Other description
          </Button>
        </>
      }
    >
      {(chosen, choose) => (
        <>
          {groups.map((group) => (
            <ListGroup key={group.title} title={group.title}>
              {group.operations.map((operation) => {
                index += 1;
                const at = index;
                return (
                  <OperationRow
                    key={operation.id}
                    operation={operation}
                    index={at}
                    isChosen={at === chosen}
                    isBusy={busy === operation.id}
                    onPoint={() => choose(at)}
                    onTake={() => void take(operation)}
                  />
                );
              })}
            </ListGroup>
          ))}
          {flat.length === 0 && (
            <p className={listStyles.nothing}>
              No operations match “{query}”. Try a word from the path or the name of the resource.
            </p>
          )}
          {left > 0 && (
            <p className={listStyles.nothing}>
              {plural(left, "more operation")}. Search to narrow the list.
            </p>
          )}
        </>
      )}
    </SearchableList>
  );
}

function groupOperations(
  operations: readonly DescribedOperation[],
  guesses: readonly DescribedOperation[],
  query: string,
): { groups: Group[]; left: number } {
  const rest = filterOperations(operations, query).filter((one) => !guesses.includes(one));
  const shown = rest.slice(0, MAX_LINES);
  const groups = [
    { title: "Best guesses", operations: guesses },
    { title: guesses.length > 0 ? "Other operations" : "Operations", operations: shown },
  ].filter((group) => group.operations.length > 0);
  return { groups, left: rest.length - shown.length };
}

function labelOf({ method, path }: DescribedOperation): string {
  return `${method} ${path}`;
}

interface OperationRowProps {
  operation: DescribedOperation;
  index: number;
  isChosen: boolean;
  isBusy: boolean;
  onPoint: () => void;
  onTake: () => void;
}

function OperationRow(props: OperationRowProps) {
  const { operation, index, isChosen, isBusy, onPoint, onTake } = props;
  return (
    <ListItem
      index={index}
      isChosen={isChosen}
      onPoint={onPoint}
      onTake={onTake}
      aria-busy={isBusy}
      title={[labelOf(operation), operation.summary].filter(Boolean).join("\n")}
    >
      <span className={css.method} data-method={operation.method}>
        {operation.method}
      </span>
      <span className={listStyles.words}>
        <span className={css.path}>{operation.path}</span>
        <span className={listStyles.summary}>{operation.summary || operation.id}</span>
      </span>
      {operation.deprecated && <span className={css.old}>Deprecated</span>}
    </ListItem>
  );
}
