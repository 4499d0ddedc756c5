/** The first step of an import: where the workflow comes from. */
import { FileUp, Link2 } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button, cx, Field, Input, Tabs, TextArea } from "../../ui";
import layout from "../layout.module.css";
import styles from "./ImportSource.module.css";
import { isAddress } from "./incoming";

interface Props {
  busy: boolean;
  onFile: (file: File) => void;
  onText: (text: string) => void;
  onUrl: (url: string) => void;
}

const TABS = [
  { id: "file", label: "File" },
  { id: "paste", label: "Paste" },
  { id: "url", label: "Address" },
];

export function ImportSource({ busy, onFile, onText, onUrl }: Props) {
  const [tab, setTab] = useState("file");
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  return (
    <div className={layout.stack}>
      <Tabs label="Where the workflow comes from" tabs={TABS} value={tab} onChange={setTab} />
      {tab === "file" && <DropPlace onFile={onFile} />}
      {tab === "paste" && (
        <>
          <Field label="Workflow as JSON" hint="Copied from a canvas, here or in n8n, or the text of an exported file.">
            <TextArea mono rows={10} value={text} onChange={(event) => setText(event.target.value)} autoFocus />
          </Field>
          <div className={layout.row}>
            <Button
              kind="primary"
              busy={busy}
              disabled={text.trim() === ""}
              onClick={() => (isAddress(text) ? onUrl(text.trim()) : onText(text))}
            >
              Check
            </Button>
          </div>
        </>
      )}
      {tab === "url" && (
        <form
          className={layout.stack}
          onSubmit={(event) => {
            event.preventDefault();
            onUrl(url.trim());
          }}
        >
          <Field label="Address" hint="Of a JSON file, for example in a repository. The server fetches it, up to 5 MB.">
            <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} placeholder="https://" autoFocus />
          </Field>
          <div className={layout.row}>
            <Button kind="primary" type="submit" icon={Link2} busy={busy} disabled={url.trim() === ""}>
              Fetch and check
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}

function DropPlace({ onFile }: { onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    <>
      <button
        type="button"
        className={cx(styles.drop, over && styles.over)}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={22} aria-hidden />
        <span className={layout.name}>Drop a file here, or choose one</span>
        <span className={layout.faint}>JSON as n8n and Heddle export it; one workflow or several</span>
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="Workflow file"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
