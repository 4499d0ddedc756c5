/** Edits the output of a node by hand; what is saved is pinned. */

import { useEffect, useState } from "react";
import { CodeEditor } from "../expression/CodeEditor";
import { pinNode } from "../graph/document";
import { useEditor } from "../store/editorStore";
import { FormDialog, Loading } from "../ui";
import css from "./Panel.module.css";
import { formatPinned, parsePinned } from "./pinnedData";
import { fetchOutputItems } from "./usePinning";

const EXAMPLE = '[\n  {\n    "name": "Ada"\n  }\n]';

export function PinEditor({
  node,
  run,
  onClose,
}: {
  node: string;
  run: number;
  onClose: () => void;
}) {
  const [text, setText] = useState<string | null>(() => {
    const pinned = useEditor.getState().workflow.pinData?.[node];
    return pinned ? formatPinned(pinned) : null;
  });
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    if (text !== null) return;
    const view = useEditor.getState().run;
    const ran = view?.nodes.get(node)?.find((one) => one.runIndex === run);
    const output = ran?.outputs.find((one) => one.kind === "main" && one.items > 0);
    if (!view?.executionId || !output) {
      setText(EXAMPLE);
      return;
    }
    let gone = false;
    fetchOutputItems(view.executionId, node, run, output.index).then(
      ({ items, total }) => {
        if (gone) return;
        setText(formatPinned(items));
        if (items.length < total) setNote(`Showing the first ${items.length} of ${total} items.`);
      },
      (error: Error) => {
        if (gone) return;
        setText(EXAMPLE);
        setNote(`Could not load the node's output: ${error.message}`);
      },
    );
    return () => {
      gone = true;
    };
  }, [text, node, run]);
  const parsed = text === null ? null : parsePinned(text);
  const problem = parsed && "problem" in parsed ? parsed.problem : null;
  const save = () => {
    if (!parsed || "problem" in parsed) return;
    useEditor
      .getState()
      .change(`Edit output of ${node}`, (document) => pinNode(document, node, parsed.items));
  };
  const status = (
    <span className={problem ? css.problem : css.faint} role="status">
      {problem ??
        (parsed && "items" in parsed
          ? `${parsed.items.length === 1 ? "1 item" : `${parsed.items.length} items`}`
          : "")}
    </span>
  );
  return (
    <FormDialog
      title={`Output of ${node}`}
      size="large"
      action="Save and pin"
      aside={status}
      disabled={!parsed || problem !== null}
      onSubmit={save}
      onClose={onClose}
    >
      <p className={css.faint}>
        An array of objects, one per item. Saving pins it: the node is skipped and the next nodes
        receive this data. {note}
      </p>
      <div className={css.pinEditor}>
        {text === null ? (
          <Loading />
        ) : (
          <CodeEditor
            value={text}
            onChange={setText}
            language="json"
            label="Output as JSON"
            invalid={problem !== null}
            autoFocus
          />
        )}
      </div>
    </FormDialog>
  );
}
