/** What each model was used for: calls, tokens and money, the dearest first. */

import layout from "../../shared/layout.module.css";
import { count, money } from "../../ui";
import styles from "./Insights.module.css";
import { compactNumber, type Insights } from "./insightMetrics";

export function ModelTable({ models }: { models: Insights["models"] }) {
  const rows = [...models].sort(
    (one, other) =>
      other.dollars - one.dollars ||
      other.tokensIn + other.tokensOut - one.tokensIn - one.tokensOut,
  );
  const most = Math.max(...rows.map((row) => row.dollars), 0);
  if (rows.length === 0) return <p className={layout.quiet}>No model calls in this period.</p>;
  return (
    <table className={styles.models}>
      <thead>
        <tr>
          <th>Model</th>
          <th>Calls</th>
          <th>Input tokens</th>
          <th>Output tokens</th>
          <th>Cost</th>
          <th>
            <span className="visually-hidden">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.model}>
            <td className={layout.mono}>{row.model}</td>
            <td>{count(row.calls)}</td>
            <td>{compactNumber(row.tokensIn)}</td>
            <td>{compactNumber(row.tokensOut)}</td>
            <td>{money(row.dollars)}</td>
            <td className={styles.share}>
              <i style={{ width: `${most === 0 ? 0 : (row.dollars / most) * 100}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
