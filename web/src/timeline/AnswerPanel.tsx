// What an agent answered, and where that came from: chips that lead to the tool's result or the document it was found in.

import { CircleAlert, FileText, MessagesSquare, Wrench } from "lucide-react";
import { type Answer, textOf, wordsOf } from "../run/answer";
import { ErrorCode } from "../run/ErrorCode";
import { JsonBlock } from "../run/JsonBlock";
import { cx, Markdown, Tooltip } from "../ui";
import type { Choice } from "./Detail";
import { type Source, sourcesOf } from "./provenance";
import type { AgentReport } from "./report";
import css from "./Timeline.module.css";

const ICONS = { tool: Wrench, document: FileText, memory: MessagesSquare };

interface AnswerPanelProps {
  report: AgentReport;
  /** The words so far, while the agent still speaks. */
  live: Answer | undefined;
  onChoose: (choice: Choice) => void;
}

export function AnswerPanel({ report, live, onChoose }: AnswerPanelProps) {
  const text = live ? textOf(live) : wordsOf(report.output);
  const isPlain = live !== undefined || typeof report.output === "string" || isWorded(report.output);
  const sources = live ? [] : sourcesOf(report);
  return (
    <article className={css.detail} aria-busy={live !== undefined}>
      {report.errors.map((error) => (
        <div key={`${error.code} ${error.iteration} ${error.message}`} className={css.fault} role="alert">
          <CircleAlert size={15} aria-hidden />
          <p>
            {typeof error.iteration === "number" && <b>Iteration {error.iteration}: </b>}
            {error.message} <ErrorCode code={error.code} />
          </p>
        </div>
      ))}
      <h4>{live ? "Answering" : "Answer"}</h4>
      {text === "" ? (
        <p className={css.none}>{live ? "No words yet." : "There is no answer."}</p>
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

function Sources({ sources, onChoose }: { sources: readonly Source[]; onChoose: (choice: Choice) => void }) {
  return (
    <section aria-label="Where the answer comes from">
      <h4>Comes from</h4>
      <div className={css.sources}>
        {sources.map((source) => (
          <SourceChip key={source.id} source={source} onChoose={onChoose} />
        ))}
      </div>
    </section>
  );
}

function SourceChip({ source, onChoose }: { source: Source; onChoose: (choice: Choice) => void }) {
  const Icon = ICONS[source.kind];
  const { iteration, call } = source;
  const where = iteration === undefined ? "Read before the first iteration" : `Iteration ${source.number}`;
  const text = source.isRepeated ? `${where}. Its words or figures stand in the answer.` : where;
  return (
    <Tooltip text={text}>
      <button
        type="button"
        className={cx(css.source, source.isRepeated && css.repeated)}
        disabled={iteration === undefined}
        onClick={() => iteration !== undefined && onChoose({ iteration, call: call ?? null })}
      >
        <Icon size={12} aria-hidden />
        {source.label}
        {source.isRepeated && <span className="visually-hidden">, repeated in the answer</span>}
      </button>
    </Tooltip>
  );
}

/** Whether the answer is an object around a text. */
function isWorded(output: unknown): boolean {
  return !wordsOf(output).startsWith("```");
}
