/** A tool's definition to read: what it is told to do, and which parameters it takes. */

import { JsonBlock } from "../../run/JsonBlock";
import layout from "../../shared/layout.module.css";
import { Table } from "../../ui";
import styles from "./McpServers.module.css";
import { revealHidden, type ToolDefinition, toolParameters } from "./toolDefinition";

const COLUMNS = [
  { id: "name", label: "Parameter", width: "30%" },
  { id: "type", label: "Type", width: "22%" },
  { id: "description", label: "Description" },
];

export function ToolFacts({ definition }: { definition: ToolDefinition }) {
  const parameters = toolParameters(definition.inputSchema);
  const hasAnnotations = Object.keys(definition.annotations).length > 0;
  return (
    <div className={layout.stack}>
      <p className={styles.description}>
        {revealHidden(definition.description) || "The server gives no description."}
      </p>
      {parameters.length > 0 && (
        <Table
          label={`Parameters of ${definition.name}`}
          columns={COLUMNS}
          rows={parameters}
          rowKey={(parameter) => parameter.name}
          render={(parameter, column) => {
            if (column === "name")
              return (
                <>
                  <code className={layout.mono}>{parameter.name}</code>
                  {parameter.isRequired && <span className={layout.faint}> required</span>}
                </>
              );
            if (column === "type") return <code className={layout.mono}>{parameter.type}</code>;
            return <span className={layout.quiet}>{parameter.description}</span>;
          }}
        />
      )}
      {parameters.length === 0 && <p className={layout.faint}>It takes no parameters.</p>}
      <details>
        <summary className={layout.faint}>
          {hasAnnotations ? "Schema and annotations" : "Schema"}
        </summary>
        <JsonBlock
          label="definition"
          value={revealHidden(
            JSON.stringify(
              {
                inputSchema: definition.inputSchema,
                ...(hasAnnotations && { annotations: definition.annotations }),
              },
              null,
              2,
            ),
          )}
        />
      </details>
    </div>
  );
}
