/** The first step of an import: where the workflow comes from. */
import { Link2 } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, DropZone, Field, Input, Tabs, TextArea } from "../../ui";
import { isUrl } from "./parseImport";

interface Props {
  busy: boolean;
  onFile: (file: File) => void;
  onText: (text: string) => void;
  onUrl: (url: string) => void;
  /** Another way was chosen: what was said about the last one is over. */
  onSwitch: () => void;
}

const TABS = [
  { id: "file", label: "File" },
  { id: "paste", label: "Paste" },
  { id: "url", label: "URL" },
];

export function ImportSource({ busy, onFile, onText, onUrl, onSwitch }: Props) {
  const [tab, setTab] = useState("file");
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  const choose = (next: string) => {
    setTab(next);
    onSwitch();
  };
  return (
    <div className={layout.stack}>
      <Tabs label="Import source" tabs={TABS} value={tab} onChange={choose} />
      {tab === "file" && (
        <DropZone
          label="Workflow file"
          accept=".json,application/json"
          onFiles={([file]) => file && onFile(file)}
        >
          <span className={layout.name}>Drop a file here or click to browse</span>
          <span className={layout.faint}>
            JSON exported from n8n or Heddle, with one or more workflows
          </span>
        </DropZone>
      )}
      {tab === "paste" && (
        <>
          <Field
            label="Workflow as JSON"
            hint="Nodes copied from Heddle or n8n, or the content of an exported file."
          >
            <TextArea
              mono
              rows={10}
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoFocus
            />
          </Field>
          <div className={layout.row}>
            <Button
              kind="primary"
              busy={busy}
              disabled={text.trim() === ""}
              onClick={() => (isUrl(text) ? onUrl(text.trim()) : onText(text))}
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
          <Field
            label="URL"
            hint="URL of a JSON file, for example in a repository. The server fetches up to 5 MB."
          >
            <Input
              type="url"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              placeholder="https://"
              autoFocus
            />
          </Field>
          <div className={layout.row}>
            <Button
              kind="primary"
              type="submit"
              icon={Link2}
              busy={busy}
              disabled={url.trim() === ""}
            >
              Fetch and check
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
