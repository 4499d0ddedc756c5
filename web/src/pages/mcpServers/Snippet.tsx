/** What is to be put into a file, in sight and ready to be copied. */

import layout from "../../shared/layout.module.css";
import { CopyButton } from "../../ui";
import styles from "./McpServers.module.css";

export function Snippet({ text }: { text: string }) {
  return (
    <div className={styles.snippet}>
      <div className={styles.snippetHead}>
        <code className={layout.mono}>mcp.json</code>
        <CopyButton text={text} label="Copy entry for mcp.json" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0} role="region" aria-label="Entry for mcp.json">
        {text}
      </pre>
    </div>
  );
}
