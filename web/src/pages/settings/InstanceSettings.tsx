/** The instance: whether it is well, what it is, its limits, and a look for risks. */
import { CircleAlert, CircleCheck, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useCatalogue } from "../../api/catalogue";
import { useLocalModels } from "../../api/localModels";
import { useIsAdmin } from "../../api/session";
import { LocalModelStatus } from "../../shared/LocalModelStatus";
import layout from "../../shared/layout.module.css";
import { Button, bytes, Chip, ErrorState, plural, Time, useAsyncAction } from "../../ui";
import { describeLimit, type RiskReport, runAudit, useHealth, useInstance } from "./instanceApi";
import styles from "./Settings.module.css";

export function InstanceSettings() {
  const instance = useInstance();
  const health = useHealth();
  const catalogue = useCatalogue();
  const isAdmin = useIsAdmin();
  const limits = Object.entries(instance.data?.limits ?? {}).map(([name, value]) =>
    describeLimit(name, value),
  );
  return (
    <div className={styles.narrow}>
      <section className={layout.card} aria-label="Status">
        <h2 className={layout.cardTitle}>Status</h2>
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
          <dt>URL</dt>
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
              <dt>Activity</dt>
              <dd>
                {plural(instance.data.counts.activeWorkflows ?? 0, "active workflow")},{" "}
                {plural(instance.data.counts.runsInProgress ?? 0, "execution")} running
              </dd>
            </>
          )}
          {catalogue.all.length > 0 && (
            <>
              <dt>Nodes</dt>
              <dd>{plural(catalogue.types().length, "type")}</dd>
            </>
          )}
        </dl>
        {instance.error && (
          <ErrorState error={instance.error} onRetry={() => void instance.refetch()} />
        )}
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
            Set these in the settings file or with HEDDLE_… environment variables.
          </p>
        </section>
      )}
      {instance.data?.egressAllow && <EgressPolicy allowed={instance.data.egressAllow} />}
      <LocalModelSettings />
      {isAdmin && <RiskAudit />}
    </div>
  );
}

/** What workflows may reach; it is set where the server is started. */
function EgressPolicy({ allowed }: { allowed: readonly string[] }) {
  return (
    <section className={layout.card} aria-label="Outgoing requests">
      <h2 className={layout.cardTitle}>Outgoing requests</h2>
      <div className={layout.stack}>
        <p>Workflows can reach public hosts. Private and local networks are blocked, except:</p>
        {allowed.length === 0 ? (
          <p className={layout.quiet}>No exceptions.</p>
        ) : (
          <div className={styles.hosts}>
            {allowed.map((entry) => (
              <Chip key={entry} label={entry} />
            ))}
          </div>
        )}
        <p className={layout.faint}>
          To allow a private host, add <code>host:port</code> or a CIDR range to{" "}
          <code>HEDDLE_EGRESS_ALLOW</code>, separated by commas, and restart Heddle.
        </p>
      </div>
    </section>
  );
}

function LocalModelSettings() {
  const models = useLocalModels();
  if (!models.data || models.data.length === 0) return null;
  return (
    <section className={layout.card} aria-label="Built-in models">
      <h2 className={layout.cardTitle}>Built-in models</h2>
      <div className={layout.stack}>
        <p className={layout.quiet}>They run on this machine and need no API key.</p>
        {models.data.map((model) => (
          <div key={model.name} className={styles.model}>
            <div className={layout.fill}>
              <div className={layout.name}>{model.name}</div>
              <div className={layout.faint}>
                {[model.purpose, bytes(model.bytes), model.licence].join(" · ")}
              </div>
            </div>
            <LocalModelStatus model={model} />
          </div>
        ))}
      </div>
    </section>
  );
}

function RiskAudit() {
  const [reports, setReports] = useState<readonly RiskReport[] | null>(null);
  const task = useAsyncAction();
  const look = () => task.run(async () => setReports(await runAudit()));
  return (
    <section className={layout.card} aria-label="Security audit">
      <h2 className={layout.cardTitle}>Security audit</h2>
      <div className={layout.stack}>
        <div className={layout.row}>
          <p className={`${layout.fill} ${layout.quiet}`}>
            Finds unused credentials, open webhooks, powerful nodes, and unescaped values in SQL.
          </p>
          <Button icon={ShieldCheck} busy={task.busy} onClick={look}>
            {" "}
            Run audit{" "}
          </Button>
        </div>
        {Boolean(task.error) && <ErrorState error={task.error} />}
        {reports?.length === 0 && (
          <p className={`${layout.note} ${layout.good}`}>No risks found.</p>
        )}
        {reports?.map((report) => (
          <section key={report.title}>
            <h3 className={layout.name}>{report.title}</h3>
            {report.sections.map((section) => (
              <details key={section.title} className={styles.risk}>
                <summary>
                  {section.title}{" "}
                  <span className={layout.faint}>{section.location?.length ?? ""}</span>
                </summary>
                {section.description && <p className={layout.quiet}>{section.description}</p>}
                {section.recommendation && <p>{section.recommendation}</p>}
                <ul>
                  {section.location?.slice(0, 50).map((place, index) => (
                    <li key={index} className={layout.quiet}>
                      {[place.workflowName, place.nodeName ?? place.name]
                        .filter(Boolean)
                        .join(": ")}
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
