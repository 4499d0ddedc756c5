/** The first step of an import: where the workflow comes from. */
import { Link2 } from "lucide-react";
import { useState } from "react";
import { Button, DropArea, Field, Input, Tabs, TextArea } from "../../ui";
import layout from "../layout.module.css";
import { isAddress } from "./incoming";

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
  { id: "url", label: "Address" },
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
      <Tabs label="Where the workflow comes from" tabs={TABS} value={tab} onChange={choose} />
      {tab === "file" && (
        <DropArea label="Workflow file" accept=".json,application/json" onFiles={([file]) => file && onFile(file)}>
          <span className={layout.name}>Drop a file here, or choose one</span>
          <span className={layout.faint}>JSON as n8n and Heddle export it; one workflow or several</span>
        </DropArea>
      )}
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
