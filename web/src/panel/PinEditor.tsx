/** Edits the output of a node by hand; what is saved is pinned. */

import { useEffect, useState } from "react";
import { useEditor } from "../editor/store";
import { CodeEditor } from "../expression/CodeEditor";
import { pin } from "../graph/document";
import { Button, Dialog, Loading } from "../ui";
import css from "./Panel.module.css";
import { parsePinned, pinnedText } from "./pinned";
import { outputItems } from "./pinning";

const EXAMPLE = '[\n  {\n    "name": "Ada"\n  }\n]';

export function PinEditor({ node, run, onClose }: { node: string; run: number; onClose: () => void }) {
  const [text, setText] = useState<string | null>(() => {
    const pinned = useEditor.getState().workflow.pinData?.[node];
    return pinned ? pinnedText(pinned) : null;
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
    outputItems(view.executionId, node, run, output.index).then(
      ({ items, total }) => {
        if (gone) return;
        setText(pinnedText(items));
        if (items.length < total) setNote(`These are the first ${items.length} of ${total} items.`);
      },
      (error: Error) => {
        if (gone) return;
        setText(EXAMPLE);
        setNote(`What the node gave could not be read: ${error.message}`);
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
    useEditor.getState().change(`Edit the output of ${node}`, (document) => pin(document, node, parsed.items));
    onClose();
  };
  const footer = (
    <>
      <span className={problem ? css.problem : css.faint} role="status">
        {problem ??
          (parsed && "items" in parsed ? `${parsed.items.length === 1 ? "1 item" : `${parsed.items.length} items`}` : "")}
      </span>
      <span className={css.fill} />
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={!parsed || problem !== null} onClick={save}>
        Save and pin
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={`Output of ${node}`} size="large" footer={footer}>
      <p className={css.faint}>
        A list of objects, one for each item. It is pinned: the node is not run, and this is what the next ones get. {note}
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
    </Dialog>
  );
}
