// A place to drop files on, or to click and choose them.
import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { cx } from "./cx";
import css from "./DropZone.module.css";

interface DropZoneProps {
  onFiles: (files: File[]) => void;
  /** The accessible name of the file chooser. */
  label: string;
  /** File endings and types, as browsers take them. */
  accept?: string;
  multiple?: boolean;
  children: ReactNode;
}

export function DropZone({ onFiles, label, accept, multiple, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null) => {
    const given = [...(files ?? [])].slice(0, multiple ? undefined : 1);
    if (given.length > 0) onFiles(given);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <button
        type="button"
        className={cx(css.area, isOver && css.over)}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={20} aria-hidden />
        {children}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={(event) => {
          take(event.target.files);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
