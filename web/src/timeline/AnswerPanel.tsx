// What an agent answered, and where that came from: chips that lead to the tool's result or the document it was found in.

import { Brain, CircleAlert, FileText, Plug, Wrench } from "lucide-react";
import { type Answer, answerText, extractText } from "../run/answer";
import { ErrorCode } from "../run/ErrorCode";
import { JsonBlock } from "../run/JsonBlock";
import { cx, Markdown, Tooltip } from "../ui";
import type { AgentReport } from "./agentReport";
import { type DescribedSource, describeSources } from "./answerSources";
import type { TimelineSelection } from "./CallDetail";
import css from "./Timeline.module.css";

const ICONS = { tool: Wrench, document: FileText, memory: Brain, mcp: Plug };

interface AnswerPanelProps {
  report: AgentReport;
  /** The words so far, while the agent still speaks. */
  live: Answer | undefined;
  onChoose: (choice: TimelineSelection) => void;
}

export function AnswerPanel({ report, live, onChoose }: AnswerPanelProps) {
  const text = live ? answerText(live) : extractText(report.output);
  const isPlain =
    live !== undefined || typeof report.output === "string" || isTextObject(report.output);
  const sources = live ? [] : describeSources(report);
  return (
    <article className={css.detail} aria-busy={live !== undefined}>
      {report.errors.map((error) => (
        <div
          key={`${error.code} ${error.iteration} ${error.message}`}
          className={css.fault}
          role="alert"
        >
          <CircleAlert size={15} aria-hidden />
          <p>
            {typeof error.iteration === "number" && <b>Iteration {error.iteration}: </b>}
            {error.message} <ErrorCode code={error.code} />
          </p>
        </div>
      ))}
      <h4>{live ? "Answering" : "Answer"}</h4>
      {text === "" ? (
        <p className={css.none}>{live ? "No output yet." : "No answer."}</p>
      ) : isPlain ? (
        <div className={css.said}>
          <Markdown text={text} />
        </div>
      ) : (
        <JsonBlock value={report.output} label="answer" />
      )}
      {sources.length > 0 && <Sources sources={sources} onChoose={onChoose} />}
    </article>
  );
}

function Sources({
  sources,
  onChoose,
}: {
  sources: readonly DescribedSource[];
  onChoose: (choice: TimelineSelection) => void;
}) {
  return (
    <section aria-label="Answer sources">
      <h4>Sources</h4>
      <div className={css.sources}>
        {sources.map((source) => (
          <SourceChip key={source.id} source={source} onChoose={onChoose} />
        ))}
      </div>
    </section>
  );
}

function SourceChip({
  source,
  onChoose,
}: {
  source: DescribedSource;
  onChoose: (choice: TimelineSelection) => void;
}) {
  const Icon = ICONS[source.type];
  const { iteration, call } = source;
  const where =
    iteration === undefined ? "Read before the first iteration" : `Iteration ${source.number}`;
  const text = source.isQuoted ? `${where}. Its text or numbers appear in the answer.` : where;
  return (
    <Tooltip text={text}>
      <button
        type="button"
        className={cx(css.source, source.isQuoted && css.repeated)}
        disabled={iteration === undefined}
        onClick={() => iteration !== undefined && onChoose({ iteration, call: call ?? null })}
      >
        <Icon size={12} aria-hidden />
        {source.label}
        {source.isQuoted && <span className="visually-hidden">, repeated in the answer</span>}
      </button>
    </Tooltip>
  );
}

/** Whether the answer is an object around a text. */
function isTextObject(output: unknown): boolean {
  return !extractText(output).startsWith("```");
}
