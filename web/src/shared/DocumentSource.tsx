/** Where a document that is imported comes from: a file, what was pasted, or an address. */
import { Link2 } from "lucide-react";
import { useState } from "react";
import { Button, DropZone, Field, Input, Tabs, TextArea } from "../ui";
import { isUrl } from "./isUrl";
import layout from "./layout.module.css";

/** What is said about the documents of one kind. */
export interface DocumentWords {
  /** The accessible name of the file chooser, and the endings and types it takes. */
  file: string;
  accept: string;
  /** Which files there are. */
  fileHint: string;
  /** The label of the field for what is pasted, and what goes there. */
  text: string;
  textHint: string;
  urlHint: string;
  /** What reads it. */
  action: string;
  fetchAction: string;
}

interface Props {
  words: DocumentWords;
  /** The height of the field for what is pasted. */
  rows?: number;
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

export function DocumentSource({ words, rows = 10, busy, onFile, onText, onUrl, onSwitch }: Props) {
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
          label={words.file}
          accept={words.accept}
          onFiles={([file]) => file && onFile(file)}
        >
          <span className={layout.name}>Drop a file here or click to browse</span>
          <span className={layout.faint}>{words.fileHint}</span>
        </DropZone>
      )}
      {tab === "paste" && (
        <>
          <Field label={words.text} hint={words.textHint}>
            <TextArea
              mono
              rows={rows}
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
              {words.action}
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
          <Field label="URL" hint={words.urlHint}>
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
              {words.fetchAction}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
