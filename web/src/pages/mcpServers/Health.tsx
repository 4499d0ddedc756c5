/** How a server stands, in a word. */

import layout from "../../shared/layout.module.css";
import { Badge } from "../../ui";
import type { McpServer } from "./mcpApi";
import { healthOf } from "./serverRows";

export function Health({ server }: { server: McpServer }) {
  const health = healthOf(server);
  return health ? (
    <Badge tone={health.tone}>{health.label}</Badge>
  ) : (
    <span className={layout.faint}>–</span>
  );
}
