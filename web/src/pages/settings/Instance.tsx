/** The instance: whether it is well, what it is, its limits, and a look for risks. */
import { CircleAlert, CircleCheck, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useCatalogue } from "../../api/catalogue";
import { useIsAdmin } from "../../api/session";
import { Button, Problem, plural, Time, useTask } from "../../ui";
import layout from "../layout.module.css";
import { audit, limitWords, type RiskReport, useHealth, useInstance } from "./instanceData";
import styles from "./Settings.module.css";

export function Instance() {
  const instance = useInstance();
  const health = useHealth();
  const catalogue = useCatalogue();
  const isAdmin = useIsAdmin();
  const limits = Object.entries(instance.data?.limits ?? {}).map(([name, value]) => limitWords(name, value));
  return (
    <div className={styles.narrow}>
      <section className={layout.card} aria-label="State">
        <h2 className={layout.cardTitle}>State</h2>
        <dl className={styles.facts}>
          <dt>Health</dt>
          <dd className={layout.row}>
            {health.data?.ready === true && (
              <>
                <CircleCheck size={15} className={styles.good} aria-hidden /> Ready
              </>
            )}
            {health.data?.ready === false && (
              <>
                <CircleAlert size={15} className={styles.bad} aria-hidden /> {health.data.reason}
              </>
            )}
          </dd>
          {instance.data?.version && (
            <>
              <dt>Version</dt>
              <dd>{instance.data.version}</dd>
            </>
          )}
          <dt>Address</dt>
          <dd className={layout.mono}>{instance.data?.url ?? location.origin}</dd>
          {instance.data?.startedAt && (
            <>
              <dt>Started</dt>
              <dd>
                <Time at={instance.data.startedAt} />
              </dd>
            </>
          )}
          {instance.data?.counts && (
            <>
              <dt>At work</dt>
              <dd>
                {plural(instance.data.counts.activeWorkflows ?? 0, "active workflow")},{" "}
                {plural(instance.data.counts.runsInProgress ?? 0, "execution")} in progress
              </dd>
            </>
          )}
          {catalogue.all.length > 0 && (
            <>
              <dt>Nodes</dt>
              <dd>{plural(catalogue.types().length, "kind")}</dd>
            </>
          )}
        </dl>
        {instance.error && <Problem error={instance.error} onRetry={() => void instance.refetch()} />}
      </section>
      {limits.length > 0 && (
        <section className={layout.card} aria-label="Limits">
          <h2 className={layout.cardTitle}>Limits</h2>
          <dl className={styles.facts}>
            {limits.map(([name, value]) => (
              <div key={name} className={styles.fact}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <p className={`${layout.faint} ${styles.after}`}>
            They are set where Heddle is started, by its settings file or HEDDLE_… variables.
          </p>
        </section>
      )}
      {isAdmin && <Risks />}
    </div>
  );
}

function Risks() {
  const [reports, setReports] = useState<readonly RiskReport[] | null>(null);
  const task = useTask();
  const look = () => task.run(async () => setReports(await audit()));
  return (
    <section className={layout.card} aria-label="Risks">
      <h2 className={layout.cardTitle}>Risks</h2>
      <div className={layout.stack}>
        <div className={layout.row}>
          <p className={`${layout.fill} ${layout.quiet}`}>
            Looks for credentials that nothing uses, open webhooks, nodes that can do much, and texts pasted into SQL.
          </p>
          <Button icon={ShieldCheck} busy={task.busy} onClick={look}>
            Look for risks
          </Button>
        </div>
        {Boolean(task.error) && <Problem error={task.error} />}
        {reports?.length === 0 && <p className={`${layout.note} ${layout.good}`}>Nothing was found.</p>}
        {reports?.map((report) => (
          <section key={report.title}>
            <h3 className={layout.name}>{report.title}</h3>
            {report.sections.map((section) => (
              <details key={section.title} className={styles.risk}>
                <summary>
                  {section.title} <span className={layout.faint}>{section.location?.length ?? ""}</span>
                </summary>
                {section.description && <p className={layout.quiet}>{section.description}</p>}
                {section.recommendation && <p>{section.recommendation}</p>}
                <ul>
                  {section.location?.slice(0, 50).map((place, index) => (
                    <li key={index} className={layout.quiet}>
                      {[place.workflowName, place.nodeName ?? place.name].filter(Boolean).join(": ")}
                    </li>
                  ))}
                </ul>
              </details>
            ))}
          </section>
        ))}
      </div>
    </section>
  );
}
